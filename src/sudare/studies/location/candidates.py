"""Mechanisms of one map, side by side: what each spends, tells and costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.errors import PrivacyError
from sudare.location import (
    BoundaryReport,
    boundary_report,
    cap_posterior,
    equalise_weights,
    optimise_weights,
    reduce_weights,
)
from sudare.mechanisms import Grid, GridExponential, PlanarLaplace, TightGrid
from sudare.mechanisms.place.base import Place
from sudare.studies.location.palette import BLUE, GOLD, GREEN, GREY, INK, PURPLE, RED, SKY
from sudare.studies.words import Text, Words

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of mechanism is called and drawn."""

    name: Words
    colour: str
    mark: str


KINDS = {
    "plain": Kind(Text("GridE / weights 1", "GridE（重み1）"), INK, "*"),
    "greedy": Kind(Text("Algorithm 1", "アルゴリズム1"), RED, "o"),
    "equal": Kind(Text("equaliser", "均等化"), GREEN, "s"),
    "optimal": Kind(Text("optimised weights", "最適化した重み"), BLUE, "D"),
    "cap": Kind(Text("cap on the posterior", "事後確率の上限"), PURPLE, "P"),
    "calibrated": Kind(Text("calibrated GridE", "較正した GridE"), GOLD, "^"),
    "tight": Kind(Text("tight constraints", "TightGrid"), SKY, "v"),
    "laplace": Kind(Text("planar Laplace", "平面ラプラス"), GREY, "X"),
}


@dataclass(frozen=True, eq=False)
class Candidate:
    """One mechanism on one map.

    Attributes:
        kind: a key of :data:`KINDS`.
        detail: what tells it from others of the kind.
        report: of the cells that are reported.
        where: (cells,) the cells that count: people can be there.
    """

    kind: str
    detail: Words
    report: BoundaryReport
    where: Bools

    @property
    def counted(self) -> Floats:
        """Posteriors of the cells that are reported and count."""
        posterior = self.report.posterior[self.where]
        return posterior[np.isfinite(posterior)]

    @property
    def f1(self) -> float:
        """Largest less least posterior of the reported cell."""
        return float(np.ptp(self.counted))

    @property
    def most(self) -> float:
        """Largest posterior of any cell after any report."""
        return float(np.nanmax(self.report.highest))

    @property
    def kept(self) -> tuple[float, float]:
        """Largest and least P(O=r|A=r) of the cells that count."""
        kept = self.report.kept[self.where]
        return float(kept.max()), float(kept.min())


@dataclass(frozen=True, eq=False)
class Map:
    """A map with its people.

    Args:
        prior: (cells,) where people are; None for uniform over the mask.
        mask: (cells,) where people can be; None for everywhere.
    """

    grid: Grid
    epsilon: float
    prior: Floats | None = None
    mask: Bools | None = None

    @property
    def where(self) -> Bools:
        """(cells,) the cells with people."""
        land = np.ones(self.grid.cells, np.bool_) if self.mask is None else self.mask
        return land if self.prior is None else land & (self.prior > 0)

    @property
    def people(self) -> Floats:
        """(cells,) where people are, 0 in the sea."""
        even = np.ones(self.grid.cells) if self.prior is None else self.prior
        return np.where(self.where, even, 0.0)

    def candidate(self, kind: str, detail: Words, mechanism: Place) -> Candidate:
        """Measure a mechanism."""
        report = boundary_report(mechanism, prior=self.people)
        return Candidate(kind, detail, report, self.where)

    def weighted(self, kind: str, detail: Words, weights: Floats) -> Candidate:
        """Measure WGridE with these weights."""
        return self.candidate(
            kind, detail, GridExponential(self.grid, self.epsilon, weights=weights)
        )

    def plain(self) -> Candidate:
        """Return weights 1, and 0 in the sea."""
        return self.weighted("plain", "", self.where.astype(np.float64))

    def greedy(self, step: float = 0.1) -> Candidate:
        """Return Algorithm 1's."""
        found = reduce_weights(self.grid, self.epsilon, step=step, prior=self.prior, mask=self.mask)
        return self.weighted("greedy", Text(f"step {step:g}", f"ステップ {step:g}"), found.weights)

    def equalised(self) -> Candidate:
        """Return the equaliser's."""
        found = equalise_weights(self.grid, self.epsilon, prior=self.prior, mask=self.mask)
        return self.weighted("equal", "", found.weights)

    def optimised(self, bound: float) -> Candidate:
        """Return the least loss under a bound of f1."""
        found = optimise_weights(
            self.grid, self.epsilon, f1=bound, prior=self.prior, mask=self.mask
        )
        return self.weighted("optimal", f"f1 ≤ {bound:g}", found.weights)

    def priced(self, price: float) -> Candidate:
        """Return the least loss when f1 has a price, for maps where no bound is sure."""
        found = optimise_weights(
            self.grid, self.epsilon, trade_off=price, prior=self.prior, mask=self.mask
        )
        return self.weighted("optimal", Text(f"price {price:g}", f"価格 {price:g}"), found.weights)

    def capped(self, cap: float) -> Candidate:
        """Return the least loss under a cap of all posteriors."""
        found = cap_posterior(self.grid, self.epsilon, cap, prior=self.prior, mask=self.mask)
        return self.candidate("cap", f"≤ {cap:.4f}", found.mechanism)

    def others(self) -> Iterator[Candidate]:
        """Return mechanisms without weights, for maps without a sea."""
        makers: tuple[tuple[str, Callable[[], Place]], ...] = (
            ("calibrated", lambda: GridExponential(self.grid, self.epsilon, calibrated=True)),
            ("tight", lambda: TightGrid(self.grid, self.epsilon)),
            ("laplace", lambda: PlanarLaplace(self.grid, self.epsilon)),
        )
        for kind, make in makers:
            try:
                mechanism = make()
            except PrivacyError:
                continue  # below the least ε of tight constraints
            yield self.candidate(kind, "", mechanism)
