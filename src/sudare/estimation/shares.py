"""The law of shares that come from support counts: variances, and intervals of every kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.estimation import score
from sudare.estimation.caution import FEW
from sudare.estimation.confidence import cell_miss, pair_correlation, two_sided
from sudare.estimation.estimate import Kind, Target
from sudare.estimation.support import SupportLaw

_Z95 = 1.959964
_ADDED = 4


@dataclass(frozen=True, eq=False)
class ShareLaw:
    """How the shares vary that are estimated by ``(support / n - q) / (p - q)``.

    All is taken at the plausible shares: the estimated ones moved into [0, 1].

    Where a random group of N respondents reports, drawn without replacement, the variance of a
    share x of all of them is that of a population less ``known x (1 - x) / n``,
    ``known = (n - 1) / (N - 1)``. Score intervals leave ``known`` out: they are a little wider
    than they need to be.

    Args:
        report: the law of one report.
        support: (k,) counts.
        n: number of reports.
        target: whose shares; ``"population"`` where ``known`` is given.
        known: the part of the sampling variance that is none.
        assumed: take all at these shares instead.
    """

    exclusive: ClassVar[bool] = True
    report: SupportLaw
    support: npt.NDArray[np.int64]
    n: int
    target: Target
    known: float = 0.0
    assumed: Floats | None = None

    def at(self, shares: Floats) -> Self:
        """Return the law of as many reports if these were the true shares."""
        return replace(self, assumed=shares)

    @property
    def _ends(self) -> tuple[float, float]:
        return float(self.report.p), float(self.report.q)

    @cached_property
    def shares(self) -> Floats:
        """The unbiased shares."""
        return (self.support / self.n - float(self.report.q)) / float(self.report.p - self.report.q)

    @cached_property
    def plausible(self) -> Floats:
        """The shares moved into [0, 1]."""
        return np.clip(self.shares if self.assumed is None else self.assumed, 0, 1)

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        x = self.plausible
        variance = self.report.variance(x, self.n, self.target)
        if self.known:
            variance = np.maximum(variance - self.known * x * (1 - x) / self.n, 0.0)
        return np.sqrt(variance)

    @property
    def few(self) -> npt.NDArray[np.bool_]:
        """Cells that fewer than 30 reports are expected to support."""
        return self.n * self._expected < FEW

    @property
    def _expected(self) -> Floats:
        return float(self.report.q) + float(self.report.p - self.report.q) * self.plausible

    @property
    def correlation(self) -> float:
        """Of two cells, where there are two."""
        return pair_correlation(self.variance, self.stderr)

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``.

        Where a cell has few reports, it is taken at shares to which four more people, evenly
        spread, are added (as Agresti and Caffo 2000 do for a difference): a share near 0 or 1
        would seem to have next to no error.
        """
        if not self.few.any():
            return self._variance(weights)
        more = self.n * self.plausible + _ADDED / self.shares.size
        return self.at(more / (self.n + _ADDED))._variance(weights)

    def _variance(self, weights: Floats) -> float:
        """Return the variance at the plausible shares: the noise, and who was asked.

        ::

            ( spread(w, x) + Σ w_i^2 x_i - (Σ w_i x_i)^2 ) / n       (the last two: population)
        """
        w, x = weights, self.plausible
        noise = self.report.spread(w, x)
        if self.target == "respondents":
            return noise / self.n
        sampled = float((w * w) @ x) - float(w @ x) ** 2
        return (noise + (1 - self.known) * sampled) / self.n

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)``: normal, by the score test, or each where it is right."""
        if simultaneous:
            miss = cell_miss(miss, self.shares.size, self.correlation)
        z = two_sided(miss)
        half = z * self.stderr
        low, high = self.shares - half, self.shares + half
        tested = np.full(low.shape, kind == "score") if kind != "auto" else self._rough(z)
        if tested.any():
            sampled = self.target == "population"
            low[tested], high[tested] = score.limits(
                self.support[tested], self.n, *self._ends, miss, sampled=sampled
            )
        return low, high

    def _rough(self, z: float) -> npt.NDArray[np.bool_]:
        """Where the normal law is rough: expected count (of either kind) below 30 at 95 %.

        The error of a normal tail grows like ``z³ / sqrt(count)``. For respondents the noise alone
        varies: its variance is held against half the bound, which follows for a population.
        """
        bound = FEW * max(1.0, z / _Z95) ** 6
        y = self._expected
        sampled = self.target == "population"
        spread = score.count_variance(self.plausible, self.n, *self._ends, sampled=sampled)
        rough: npt.NDArray[np.bool_] = self.n * np.minimum(y, 1 - y) < bound
        return rough | (spread < bound / 2)
