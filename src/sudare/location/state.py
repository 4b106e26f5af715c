"""What weights of cells make of a map: posterior, retention, loss; from a few sums over cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.location.kernel import Kernel

_LEAST = 1e-280
"""Sums below this have underflown."""


@dataclass(frozen=True, eq=False)
class MapState:
    """A map with these weights of its cells.

    Args:
        kernel: ``exp(-ε d / 2)`` on the grid.
        weights: (cells,) >= 0.
        limit: keep cells of weight 0, with the posterior that they have in the limit.
        prior: (cells,) where people are, adding up to 1; None for uniform over all cells.

    Examples:
        >>> from sudare.mechanisms.place.grid import Grid
        >>> state = MapState(Kernel.of(Grid(15, 15, 115.6, 141.5), 0.02), np.ones(225), True)
        >>> round(state.f1, 4), round(state.sql, 2)
        (0.3003, 161.12)
    """

    kernel: Kernel
    weights: Floats
    limit: bool
    prior: Floats | None = None

    @cached_property
    def alpha(self) -> Floats:
        """(cells,) ``α = 1 / (k w)``; 0 where nobody is and no report comes near.

        Raises:
            DomainError: somebody is so far from all cells of weight > 0.
        """
        sums = self.kernel.sums(self.weights)
        far = sums < _LEAST
        if far.any() and (self.prior is None or self.prior[far].any()):
            raise DomainError(
                "weights",
                "must be above 0 nearer to everybody, for this ε",
                "give the cells where people are a weight",
            )
        out: Floats = 1 / np.where(far, np.inf, sums)
        return out

    @cached_property
    def people(self) -> Floats:
        """(cells,) ``u = π α``; ``α`` alone under the uniform prior, which leaves out a factor."""
        return self.alpha if self.prior is None else self.prior * self.alpha

    @cached_property
    def _reported(self) -> Floats:
        """(cells,) ``k u``: a cell's reports, but for its own weight; NaN where none come near."""
        sums = self.kernel.sums(self.people)
        return np.where(sums < _LEAST, np.nan, sums)

    @cached_property
    def all_posteriors(self) -> Floats:
        """(cells,) ``P(A=r | O=r) = u_r / (k u)_r``, that of weight 0 too."""
        return self.people / self._reported

    @cached_property
    def counted(self) -> npt.NDArray[np.bool_]:
        """(cells,) whether a cell counts: somebody may be there, and it is reported or a limit."""
        some = np.ones(self.weights.size, dtype=np.bool_)
        if self.prior is not None:
            some &= self.prior > 0
        return some if self.limit else some & (self.weights > 0)

    @property
    def posterior(self) -> Floats:
        """``P(A=r | O=r)`` of the cells that count."""
        return self.all_posteriors[self.counted]

    @cached_property
    def f1(self) -> float:
        """``max - min`` of the posterior."""
        return float(np.ptp(self.posterior))

    @property
    def f1_observed(self) -> float:
        """f1 of the cells that are reported."""
        return replace(self, limit=False).f1

    @property
    def f1_limit(self) -> float:
        """f1 of all cells with people, those of weight 0 with the limit of their posterior."""
        return replace(self, limit=True).f1

    @cached_property
    def highest(self) -> Floats:
        """(cells,) the largest posterior of any cell after each report.

        ``max_r u_r k(d(r, o)) / (k u)_o``, by shifts of the map in the order of their distance,
        as far as one can still matter.
        """
        rows, columns = self.kernel.grid.shape
        own = self.people.reshape(rows, columns)
        best, most = own.copy(), float(own.max())
        quadrant = self.kernel.offsets[rows - 1 :, columns - 1 :].ravel()
        for place in np.argsort(-quadrant, kind="stable")[1:].tolist():
            near = float(quadrant[place])
            if most * near <= best.min():
                break
            down, right = divmod(place, columns)
            for east in (right, -right) if right else (0,):
                here = np.s_[: rows - down, max(0, -east) : columns - max(0, east)]
                there = np.s_[down:, max(0, east) : columns + min(0, east)]
                np.maximum(best[here], near * own[there], out=best[here])
                np.maximum(best[there], near * own[here], out=best[there])
        out: Floats = best.reshape(-1) / self._reported
        return out

    @property
    def kept(self) -> Floats:
        """(cells,) ``P(O=r | A=r) = α(r) w_r``."""
        return self.alpha * self.weights

    @cached_property
    def sql_cell(self) -> Floats:
        """(cells,) metres between true and reported cell, expected for each true cell; NaN where
        nobody is and no report comes near."""
        metres = self.alpha * self.kernel.times_distance.sums(self.weights)
        return np.where(self.alpha > 0, metres, np.nan)

    @cached_property
    def sql(self) -> float:
        """Metres between true and reported cell, expected."""
        if self.prior is None:
            return float(self.sql_cell.mean())
        return float(self.prior @ np.nan_to_num(self.sql_cell))
