"""Intervals of numbers whose variance was seen in the reports themselves, skewed or few."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.estimation.confidence import cell_miss, pair_correlation, two_sided
from sudare.estimation.covariance import Covariance
from sudare.estimation.estimate import Kind
from sudare.estimation.spread import Spread

_NORMAL = 10_000
"""Degrees of freedom from which on Student's law is taken for the normal one."""


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
class Studentised(Spread):
    """The spread of a number whose variance was estimated from units.

    Attributes:
        freedom: degrees of freedom of that variance.
        along: covariance of the number and its estimated variance; None: ``third``, as of a
            mean and the variance seen in its addends.
        slope: how much the variance grows with the number, where few were seen; else 0.
    """

    freedom: float = math.inf
    along: Any = None
    slope: Any = 0.0

    @classmethod
    def of(
        cls,
        now: Any,
        third: Any,
        freedom: float,
        along: Any = None,
        step: Any = 0.0,
        slope: Any = 0.0,
    ) -> Studentised:
        """Return the spread of a number without ends."""
        plain = Spread.normal(now)
        ends = plain.bottom, plain.top, plain.at_bottom, plain.at_top, plain.asked
        return cls(now, third, *ends, step, freedom, along, slope)

    def interval(self, value: Any, miss: float) -> tuple[Any, Any]:
        """Return ``value + shift ± (half + step / 2)``.

        ::

            shift = (3 t² along - (t² - 1) third) / (6 now),   (1 + 2 t²) third / (6 now) of a mean
            half² = t² now + (t² slope / 2)²

        as an error bar that is estimated from the same reports is short where the value is low,
        of a skewed law.

        The slope makes it as wide as a score test does where the variance is ``now + slope (x -
        value)`` at a number x (Wilson 1927): most of it where next to nothing was seen to vary.

        Source: Johnson 1978, with ``(x - mean)² = t² now`` at the ends; Cornish, Fisher 1938.
        """
        t, now = quantile(miss, self.freedom), np.asarray(self.now)
        along = self.third if self.along is None else self.along
        skew = (3 * t * t * along - (t * t - 1) * self.third) / 6
        shift = np.divide(skew, now, out=np.zeros(now.shape), where=now > 0)
        reach = np.sqrt(t * t * now + (t * t * self.slope / 2) ** 2)
        middle, half = value + shift, reach + self.step / 2
        low, high = middle - half, middle + half
        return (low, high) if np.ndim(low) else (float(low), float(high))


@dataclass(frozen=True, eq=False)
class StudentLaw(ABC):
    """How shares vary, by what was seen to vary.

    Must implement: ``stderr``, ``variance``, ``spread``, ``covariance``, ``summed``.

    Attributes:
        shares: of any shape.
        freedom: degrees of freedom of the variances.
    """

    exclusive: ClassVar[bool] = True
    shares: Floats
    freedom: float

    @property
    @abstractmethod
    def stderr(self) -> Floats:
        """Standard error of each share."""

    @abstractmethod
    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``."""

    @abstractmethod
    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how a weighted sum varies; without weights how each share does."""

    @abstractmethod
    def covariance(self) -> Covariance:
        """Return the covariances of all shares."""

    @abstractmethod
    def summed(self, places: npt.NDArray[np.intp], shares: Floats) -> StudentLaw:
        """Return the law of sums of the shares: ``places`` says to which each belongs."""

    def at(self, shares: Floats) -> StudentLaw:
        """Return the same: what was seen to vary is not known of other shares."""
        return self

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


def onto(places: npt.NDArray[np.intp], size: int) -> Floats:
    """Return the (cells, sums) matrix of which cell belongs to which sum."""
    out = np.zeros((places.size, size))
    out[np.arange(places.size), places] = 1
    return out
