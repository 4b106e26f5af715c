"""Mechanisms of one map, side by side: what each spends, tells and costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sudare import location
from sudare.arrays import Booleans, Floats
from sudare.errors import PrivacyError
from sudare.location import BoundaryReport
from sudare.mechanisms import Grid, GridExponential, PlanarLaplace, TightGrid
from sudare.mechanisms.place.base import Place
from sudare.studies import palette
from sudare.studies.palette import Canvas
from sudare.studies.study_text import Label, Row, Word

Find = Callable[..., Any]
"""From a map to what has ``weights``."""

KINDS = {
    "plain": (palette.INK, "*"),
    "greedy": (palette.RED, "o"),
    "equal": (palette.GREEN, "s"),
    "optimal": (palette.BLUE, "D"),
    "cap": (palette.PURPLE, "P"),
    "calibrated": (palette.GOLD, "^"),
    "tight": (palette.SKY, "v"),
    "laplace": (palette.GREY, "X"),
}
"""Colour and mark of each kind of mechanism; its name stands in the study's words."""
FAR = 2
"""SQL in parts of that without weights, beyond which a mechanism is in the table alone."""


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
    detail: Word | str
    report: BoundaryReport
    where: Booleans

    @property
    def f1(self) -> float:
        """Largest less least posterior of the cells that are reported and count."""
        posterior = self.report.posterior[self.where]
        return float(np.ptp(posterior[np.isfinite(posterior)]))

    @property
    def sql(self) -> float:
        """Metres between true and reported cell, expected."""
        return self.report.sql

    @property
    def most(self) -> float:
        """Largest posterior of any cell after any report."""
        return float(np.nanmax(self.report.highest))

    @property
    def kept(self) -> tuple[float, float]:
        """Largest and least P(O=r|A=r) of the cells that count."""
        kept = self.report.kept[self.where]
        return float(kept.max()), float(kept.min())

    @property
    def row(self) -> Row:
        """What a table tells of it."""
        report = self.report
        spent = report.nominal_epsilon, float(report.epsilon)
        gaps = self.f1, report.f1_limit
        return Word(self.kind), self.detail, *spent, self.most, *gaps, *self.kept, report.sql


def first(shown: Sequence[Candidate], kind: str) -> Candidate:
    """Return the first mechanism of a kind."""
    return next(one for one in shown if one.kind == kind)


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
    mask: Booleans | None = None

    @property
    def where(self) -> Booleans:
        """(cells,) the cells with people."""
        land = np.ones(self.grid.cells, np.bool_) if self.mask is None else self.mask
        return land if self.prior is None else land & (self.prior > 0)

    @property
    def people(self) -> Floats:
        """(cells,) where people are, 0 in the sea."""
        even = np.ones(self.grid.cells) if self.prior is None else self.prior
        return np.where(self.where, even, 0.0)

    def candidate(self, kind: str, detail: Word | str, mechanism: Place) -> Candidate:
        """Measure a mechanism."""
        report = location.boundary_report(mechanism, prior=self.people)
        return Candidate(kind, detail, report, self.where)

    def weighted(self, kind: str, detail: Word | str, weights: Floats) -> Candidate:
        """Measure WGridE with these weights."""
        mechanism = GridExponential(self.grid, self.epsilon, weights=weights)
        return self.candidate(kind, detail, mechanism)

    def found(self, kind: str, detail: Word | str, find: Find, **given: float) -> Candidate:
        """Measure WGridE with the weights that a function finds."""
        found = find(self.grid, self.epsilon, prior=self.prior, mask=self.mask, **given)
        return self.weighted(kind, detail, found.weights)

    def plain(self) -> Candidate:
        """Return weights 1, and 0 in the sea."""
        return self.weighted("plain", "", self.where.astype(np.float64))

    def greedy(self, step: float = 0.1) -> Candidate:
        """Return Algorithm 1's."""
        return self.found(
            "greedy", Word("step", {"step": step}), location.reduce_weights, step=step
        )

    def equalised(self) -> Candidate:
        """Return the equaliser's."""
        return self.found("equal", "", location.equalise_weights)

    def optimised(self, bound: float) -> Candidate:
        """Return the least loss under a bound of f1."""
        return self.found("optimal", f"f1 ≤ {bound:g}", location.optimise_weights, f1=bound)

    def priced(self, price: float) -> Candidate:
        """Return the least loss when f1 has a price, for maps where no bound is sure."""
        detail = Word("price", {"price": price})
        return self.found("optimal", detail, location.optimise_weights, trade_off=price)

    def others(self) -> Iterator[Candidate]:
        """Return mechanisms without weights, for maps without a sea."""
        makers: dict[str, Callable[[Grid, float], Place]] = {
            "calibrated": partial(GridExponential, calibrated=True),
            "tight": TightGrid,
            "laplace": PlanarLaplace,
        }
        for kind, make in makers.items():
            with suppress(PrivacyError):  # below the least ε of tight constraints
                yield self.candidate(kind, "", make(self.grid, self.epsilon))


Panels = Sequence[tuple[Word, Sequence[Candidate]]]


def draw_losses(panels: Panels, canvas: Canvas, label: Label) -> None:
    """Draw f1 and the largest posterior against SQL, a column of panels for each map.

    Mechanisms of more than :data:`FAR` times plain SQL are left out.
    """
    grid = canvas.subplots(2, len(panels), sharex="col", squeeze=False)
    for (title, shown), (upper, lower) in zip(panels, grid.T, strict=True):
        upper.set_title(label(title.key, **title.values))
        plain = first(shown, "plain").sql
        for one in shown:
            if one.sql <= FAR * plain:
                colour, mark = KINDS[one.kind]
                name, size = label(one.kind), 11 if one.kind == "plain" else 6.5
                palette.points(upper, [one.sql], [one.f1], colour, mark, name, size=size)
                palette.points(lower, [one.sql], [one.most], colour, mark, name, size=size)
        upper.set(ylim=(-0.02, None))
        lower.set(ylim=(0, 1.02), xlabel=label("sql-metres"))
    grid[0, 0].set_ylabel("f1")
    grid[1, 0].set_ylabel(label("largest-posterior"))
    palette.legend_below(canvas, columns=4)
