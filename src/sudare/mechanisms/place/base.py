"""What all mechanisms of places share: a law over cells, ε per metre, estimates of the shares."""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats
from sudare.channels import Channel, Numeric
from sudare.errors import EstimationError, PrivacyError
from sudare.estimation import Counts, Estimate, histogram, project
from sudare.estimation.caution import FEW
from sudare.estimation.channel_law import ChannelLaw
from sudare.estimation.conclude import MethodResult
from sudare.estimation.em import Fit
from sudare.estimation.estimate import Target
from sudare.estimation.smoothing import iterate, neighbours_of_grid
from sudare.exact.entropy import Randomness, as_entropy
from sudare.mechanisms.base import OneValue
from sudare.mechanisms.bulk import in_parts
from sudare.mechanisms.place.grid import Grid, as_cells, as_mask
from sudare.mechanisms.reports import as_indices
from sudare.mechanisms.values import as_category, as_true_counts

_FAINT = 1e-12
MOST_DENSE = 5000
"""Most cells whose law is written out."""


class Place(OneValue):
    """A mechanism whose values and reports are cells, with ε for each metre between two of them.

    Geo-indistinguishability (d_X-privacy): ``P(o | r1) <= exp(ε d(r1, r2)) P(o | r2)``.

    Must implement: ``distances``, ``log_matrix``, ``epsilon``, ``reported`` and the way to and from
    JSON. ``grid`` is None for places that are no grid.
    """

    conformance: ClassVar[str] = "sudare.testing.place"
    covers: ClassVar[str] = "one report of a place, for each metre of distance"
    methods: ClassVar[tuple[str, ...]] = ("unbiased", "projected", "em", "smoothed", "mle")
    __slots__ = ("__dict__", "grid")
    grid: Grid | None

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.program.inputs

    @property
    def shape(self) -> tuple[int, ...]:
        """``(cells,)``."""
        return (self.cells,)

    # -- the guarantee -----------------------------------------------------------------------

    @property
    def nominal_epsilon(self) -> float:
        """ε per metre that was asked for, and is never exceeded."""
        return float(self.requested_epsilon)

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """ε per metre really spent: ``max ln(P(o|r1) / P(o|r2)) / d(r1, r2)``, from the integers.

        Computed in double precision and raised by its rounding error.
        """

    def _refuse_overspending(self) -> None:
        limit = self.requested_epsilon * (1 + Fraction(1, 10**11))
        if not math.isfinite(self.epsilon) or Fraction(self.epsilon) > limit:
            raise PrivacyError(
                "epsilon",
                f"is exceeded: this law spends {self.epsilon:.6g}",
                "give that ε, or another law",
                got=self.nominal_epsilon,
            )

    # -- the law -----------------------------------------------------------------------------

    @abstractmethod
    def distances(self) -> Floats:
        """Return the (cells, cells) distances that the guarantee is about."""

    @abstractmethod
    def log_matrix(self) -> Floats:
        """Return the natural logarithms of the law, ``[report, cell]``, to double precision.

        -inf for cells that are never reported.

        Raises:
            DomainError: more than 5,000 cells.
        """

    @property
    @abstractmethod
    def reported(self) -> Booleans:
        """(cells,) which cells can be reported."""

    def matrix(self) -> Floats:
        """Return the law ``P[report, cell]``; columns sum to 1.

        Raises:
            DomainError: more than 5,000 cells.
        """
        out: Floats = np.exp(self.log_matrix())
        return out

    def law_of(self, cell: int) -> Floats:
        """Return the (cells,) probabilities of the reports of one true cell."""
        out: Floats = self._matrix[:, as_category(cell, self.cells)]
        return out

    @cached_property
    def _matrix(self) -> Floats:
        return self.matrix()

    @cached_property
    def channel(self) -> Channel:
        """The law as floats, for estimation: probabilities may lie near 1e-300."""
        return self._numeric

    @cached_property
    def _numeric(self) -> Numeric:
        return Numeric(self._matrix)

    # -- both sides --------------------------------------------------------------------------

    def _values(self, values: npt.ArrayLike) -> npt.NDArray[Any]:
        return as_cells(values, self.cells)

    def _value(self, value: Any) -> int:
        return as_category(value, self.cells)

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count each reported cell; reports: (n,) whole numbers in [0, cells)."""
        array = as_indices(reports, self.cells)
        return self._counts(histogram(array, self.cells), array.size)

    def _adds_up(self, counts: Counts) -> bool:
        return super()._adds_up(counts) and not counts.support[~self.reported].any()

    def estimate(
        self,
        counts: Counts,
        method: str = "unbiased",
        target: Target = "population",
        *,
        mask: npt.ArrayLike | None = None,
    ) -> Estimate:
        """Estimate the share of the people in each cell.

        Args:
            counts: tally of the reports.
            method: ``"unbiased"``: the inverse (least squares where there are more reports than
                places), not clipped, with exact standard errors; ``"projected"``: the same moved to
                the simplex; ``"em"``: EM maps from equal shares, as many as predict reports left
                out; ``"smoothed"``: EM maps, each followed by an average over neighbouring cells
                (grids alone); ``"mle"``: the most likely shares.
            target: whose shares the standard errors are about.
            mask: (cells,) or (rows, columns) booleans: where people can be, such as on land; None
                for everywhere.

        Raises:
            EstimationError: no reports, counts of another mechanism, or fewer cells that are
                reported than places: then many distributions give the same reports.
            WrongTypeError, DomainError: unknown method or target, or no such mask.
        """
        asked = self._asked(counts, method, target)
        inside = as_mask(mask, self.cells, self.grid)
        if method in ("unbiased", "projected"):
            law = self._inverted(counts, asked.target, inside)
            if method == "unbiased":
                found = MethodResult(law.shares, self._few(law.shares, counts.n), law)
                return asked.conclude(found, Estimate)
            shares, rule = np.zeros(self.cells), ""
            shares[inside] = project(law.shares[inside])
        else:
            fit = self._fitted(counts, method, inside)
            shares, rule = fit.shares, fit.rule
        found = MethodResult(shares, self._few(shares, counts.n), rule=rule)
        return asked.conclude(found, Estimate)

    def _few(self, shares: Floats, n: int) -> Booleans:
        few: Booleans = n * self.channel.apply(np.clip(shares, 0, None)) < FEW
        return few

    def _inverted(self, counts: Counts, target: Target, inside: Booleans) -> ChannelLaw:
        if self.cells > MOST_DENSE:
            raise EstimationError(
                "method", f"needs at most {MOST_DENSE:,} cells", 'use "em", "smoothed" or "mle"'
            )
        if int(inside.sum()) > int(self.reported.sum()):
            raise EstimationError(
                "method",
                "needs as many cells that are reported as places",
                'use "em" or "mle", or give mask= where people can be',
            )
        channel = self._numeric if inside.all() else Numeric(self._matrix, inside)
        return ChannelLaw(channel, counts.support, counts.n, target)

    def _fitted(self, counts: Counts, method: str, inside: Booleans) -> Fit:
        if method == "smoothed" and self.grid is None:
            raise EstimationError("method", "needs a grid", 'use "em" or "mle"')
        rows, columns = (1, self.cells) if self.grid is None else self.grid.shape

        def smooth(x: Floats) -> Floats:
            given = neighbours_of_grid(x, rows, columns)
            # what went to cells where nobody is comes back to where it was
            kept = neighbours_of_grid(inside.astype(np.float64), rows, columns)
            out: Floats = np.where(inside, given + (1 - kept) * x, 0.0)
            return out

        return iterate(method, self.channel, counts.support, inside / inside.sum(), smooth)

    def simulate(self, true_counts: npt.ArrayLike, *, rng: Randomness = None) -> Counts:
        """Draw the counts that respondents in these cells would produce: exact in law.

        Args:
            true_counts: (cells,) whole numbers >= 0.
            rng: a seed, NumPy generator or Entropy to repeat a simulation.

        Raises:
            WrongTypeError, DomainError: not such counts.
        """
        truth = as_true_counts(true_counts, self.cells)
        generator = as_entropy(rng).generator()
        drawn = np.zeros(self.cells, dtype=np.int64)
        for cell in np.flatnonzero(truth).tolist():
            law = self.law_of(cell)
            likely = np.flatnonzero(law > _FAINT)
            others = np.flatnonzero((law > 0) & (law <= _FAINT))
            odds = np.append(law[likely], law[others].sum())
            placed = generator.multinomial(truth[cell], odds / odds.sum())
            drawn[likely] += placed[:-1]
            if placed[-1]:
                rest = law[others] / law[others].sum()
                drawn[others] += generator.multinomial(placed[-1], rest)
        return self._counts(drawn, int(truth.sum()))


def realised_epsilon(logs: Floats, distances: Floats) -> float:
    """Return ``max (logs[o, r1] - logs[o, r2]) / d(r1, r2)`` over all cells and reports.

    Infinite if one cell gives a report that another never gives: no ε covers that.
    """
    possible = logs[np.isfinite(logs).any(axis=1)]
    if not np.isfinite(possible).all():
        return math.inf
    apart = np.where(np.eye(logs.shape[1], dtype=np.bool_), np.inf, distances)
    most = 0.0
    for r in range(logs.shape[1]):
        gaps = (possible[:, r, None] - possible).max(axis=0)
        most = max(most, float((gaps / apart[r]).max()))
    return most
