"""The law of estimates that come from support counts: variances, and intervals of every kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sudare.estimation import score
from sudare.estimation.confidence import Floats, cell_miss, pair_correlation, two_sided
from sudare.estimation.estimate import Kind, Target

FEW = 30
"""Expected report count below which a 95 % interval is not left to the normal law."""

_Z95 = 1.959964
_ADDED = 4


def share_variance(shares: Floats, n: int, p: Fraction, q: Fraction, target: Target) -> Floats:
    """Return the exact variance of each estimated share for true shares x::

    ( x p(1-p) + (1-x) q(1-q) ) / (n (p-q)^2)     (respondents)
    ... + x (1-x) / n                             (population)
    """
    gap = float(p - q)
    own, other = float(p * (1 - p)), float(q * (1 - q))
    noise = (shares * own + (1 - shares) * other) / (n * gap * gap)
    return noise if target == "respondents" else noise + shares * (1 - shares) / n


@dataclass(frozen=True, eq=False)
class SupportLaw:
    """How the shares vary that are estimated by ``(support / n - q) / (p - q)``.

    All is taken at the plausible shares: the estimated ones moved into [0, 1].

    Args:
        support: (k,) counts.
        n: number of reports.
        p, q: support probabilities.
        apart, shared: n times the covariance of two estimated shares, the respondents fixed,
            where the value is neither of the two, or is one of them.
        target: whose shares.
        assumed: take all at these shares instead.
    """

    exclusive: ClassVar[bool] = True
    support: npt.NDArray[np.int64]
    n: int
    p: Fraction
    q: Fraction
    apart: float
    shared: float
    target: Target
    assumed: Floats | None = None

    def at(self, shares: Floats) -> SupportLaw:
        """Return the law of as many reports if these were the true shares."""
        return replace(self, assumed=shares)

    @cached_property
    def shares(self) -> Floats:
        """The unbiased shares."""
        return (self.support / self.n - float(self.q)) / float(self.p - self.q)

    @cached_property
    def plausible(self) -> Floats:
        """The shares moved into [0, 1]."""
        return np.clip(self.shares if self.assumed is None else self.assumed, 0, 1)

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        return np.sqrt(share_variance(self.plausible, self.n, self.p, self.q, self.target))

    @property
    def few(self) -> npt.NDArray[np.bool_]:
        """Cells that fewer than 30 reports are expected to support."""
        return self.n * self._expected < FEW

    @property
    def _expected(self) -> Floats:
        return float(self.q) + float(self.p - self.q) * self.plausible

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
        """Return the variance at the plausible shares, in k steps.

        The covariance of two cells i ≠ j is ``apart + (shared - apart) (x_i + x_j)``, over n, and
        for the population ``-x_i x_j / n`` in addition.
        """
        w, x = weights, self.plausible
        squares, total = float(w @ w), float(w.sum())
        mixed = self.apart * (total**2 - squares)
        mixed += 2 * (self.shared - self.apart) * (total * float(w @ x) - float(w * w @ x))
        if self.target == "population":
            mixed -= float(w @ x) ** 2 - float(w * w @ (x * x))
        return float((w * self.stderr) @ (w * self.stderr)) + mixed / self.n

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)``: normal, by the score test, or each where it is right."""
        if simultaneous:
            miss = cell_miss(miss, self.shares.size, self.correlation)
        z = two_sided(miss)
        half = z * self.stderr
        low, high = self.shares - half, self.shares + half
        tested = np.full(low.shape, kind == "score") if kind != "auto" else self._rough(z)
        if tested.any():
            low[tested], high[tested] = score.limits(
                self.support[tested],
                self.n,
                float(self.p),
                float(self.q),
                miss,
                sampled=self.target == "population",
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
        spread = score.count_variance(
            self.plausible, self.n, float(self.p), float(self.q), sampled=sampled
        )
        rough: npt.NDArray[np.bool_] = self.n * np.minimum(y, 1 - y) < bound
        return rough | (spread < bound / 2)
