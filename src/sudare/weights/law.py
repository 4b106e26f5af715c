"""How weighted shares vary: randomisation, sampling and weighting together, from the residuals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.estimation.confidence import cell_miss, pair_correlation, two_sided
from sudare.estimation.covariance import Covariance
from sudare.estimation.estimate import Kind
from sudare.estimation.spread import Spread

_NORMAL = 10_000
"""Degrees of freedom from which on Student's law is taken for the normal one."""


@dataclass(frozen=True, eq=False)
class Studentised(Spread):
    """The spread of a number whose variance was estimated from few units.

    Attributes:
        freedom: degrees of freedom of that variance.
    """

    freedom: float = math.inf

    def interval(self, value: Any, miss: float) -> tuple[Any, Any]:
        """Return ``value + shift ± t sqrt(now)``.

        ::

            shift = (1 + 2 t²) third / (6 now)

        as an error bar that is estimated from the same reports is short where the value is low,
        of a skewed law.

        Source: Johnson 1978, with ``(x - mean)² = t² now`` at the ends.
        """
        t = quantile(miss, self.freedom)
        steep = np.divide(
            self.third, self.now, out=np.zeros(np.shape(self.now)), where=self.now > 0
        )
        middle, half = value + (1 + 2 * t * t) / 6 * steep, t * np.sqrt(self.now)
        low, high = middle - half, middle + half
        return (low, high) if np.ndim(low) else (float(low), float(high))


def quantile(miss: float, freedom: float) -> float:
    """Return t with ``P(|T| > t) = miss`` of Student's law.

    Examples:
        >>> round(quantile(0.05, 9), 3), round(quantile(0.05, 1e9), 3)
        (2.262, 1.96)
    """
    if freedom >= _NORMAL:
        return two_sided(miss)
    from scipy.special import stdtrit  # of few units alone

    return -float(stdtrit(freedom, miss / 2))


@dataclass(frozen=True, eq=False)
class WeightedLaw:
    """How weighted shares vary, by what each unit that was drawn adds to them.

    Attributes:
        shares: of any shape.
        units: (units, cells) what is left of each in the weighted shares, cells in row-major order:
            their squares and products add up to the covariances.
        freedom: degrees of freedom of these.
        exclusive: whether each respondent is in exactly one cell.
    """

    shares: Floats
    units: Floats
    freedom: float
    exclusive: bool = True

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        out: Floats = np.sqrt(np.einsum("ij,ij->j", self.units, self.units))
        return out.reshape(self.shares.shape)

    def at(self, shares: Floats) -> WeightedLaw:
        """Return the same: what was seen to vary is not known of other shares."""
        return WeightedLaw(shares, self.units, self.freedom, self.exclusive)

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``."""
        each = self.units @ weights.reshape(-1)
        return float(each @ each)

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how a weighted sum varies; without weights how each share does."""
        each = self.units if weights is None else self.units @ weights.reshape(-1)
        shape = self.shares.shape if weights is None else ()
        now, third = ((each**power).sum(axis=0).reshape(shape) for power in (2, 3))
        plain = Spread.normal(now)
        ends = plain.bottom, plain.top, plain.at_bottom, plain.at_top, plain.asked
        return Studentised(now, third, *ends, freedom=self.freedom)

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)`` by Student's law: ``"normal"`` symmetric; else moved as far as the
        law is skewed, and drawn in at 0 and 1 unless the whole interval lies beyond."""
        if simultaneous:
            together = pair_correlation(self.variance, self.stderr)
            miss = cell_miss(miss, self.shares.size, together)
        if kind == "normal":
            half = quantile(miss, self.freedom) * self.stderr
            return self.shares - half, self.shares + half
        low, high = self.spread().interval(self.shares, miss)
        return np.where(high < 0, low, low.clip(0)), np.where(low > 1, high, high.clip(max=1))

    def covariance(self) -> Covariance:
        """Return the covariances of all shares."""
        size = self.shares.size
        return Covariance(np.zeros(size), np.eye(size), self.units.T @ self.units)

    def summed(self, places: npt.NDArray[np.intp], shares: Floats) -> WeightedLaw:
        """Return the law of sums of the shares: ``places`` says to which each belongs."""
        onto = np.zeros((places.size, shares.size))
        onto[np.arange(places.size), places] = 1
        return WeightedLaw(shares, self.units @ onto, self.freedom, self.exclusive)
