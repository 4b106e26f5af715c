"""Confidence levels: normal quantiles, and how several intervals share one chance of a miss."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError
from sudare.exact.parameters import is_real

if TYPE_CHECKING:
    from statistics import NormalDist

_HALVINGS = 30
LEAST = 1e-15
"""The least level: of a much smaller one, 1 less it is 1, and no interval misses so often."""


def check_confidence(confidence: object) -> float:
    """Return a confidence level between 0 and 1, at least 1e-15; a typed error otherwise."""
    if not is_real(confidence):
        raise WrongTypeError("confidence", "must be a number", "try 0.95", got=confidence)
    try:
        level = float(confidence)
    except OverflowError:
        level = math.inf
    if not 0 < level < 1:
        raise DomainError("confidence", "must lie between 0 and 1", "try 0.95", got=confidence)
    if level < LEAST:
        raise DomainError("confidence", f"must be at least {LEAST}", "try 0.95", got=confidence)
    return level


def check_flag(value: object, name: str) -> bool:
    """Return ``value`` if it is True or False; WrongTypeError otherwise."""
    if not isinstance(value, bool | np.bool_):
        raise WrongTypeError(name, "must be True or False", got=value)
    return bool(value)


def possible(
    low: float, high: float, ends: tuple[float, float] = (0.0, 1.0)
) -> tuple[float, float]:
    """Return the part of an interval that is possible; the nearest end where none of it is.

    Tables, files and pages show intervals like this. ``estimate.interval`` and JSON have them as
    they are: the cut ones cannot be averaged or compared.

    Args:
        low, high: of the interval.
        ends: the least and the greatest value that is possible; of a share 0 and 1.

    Examples:
        >>> possible(-0.01, 0.03), possible(0.9, 1.2), possible(-0.2, -0.1)
        ((0.0, 0.03), (0.9, 1.0), (0.0, 0.0))
        >>> possible(0.5, 5.5, (1, 5))
        (1, 5)
    """
    least, most = ends
    return min(max(low, least), most), min(max(high, least), most)


def normal_quantile(confidence: float, cells: int = 1) -> float:
    """Return z with ``P(|Z| <= z) = confidence``, Bonferroni-shared by ``cells`` intervals."""
    return two_sided((1 - confidence) / cells)


@cache
def _normal() -> NormalDist:
    from statistics import NormalDist  # for intervals: an estimate does without

    return NormalDist()


def two_sided(miss: float) -> float:
    """Return z with ``P(|Z| > z) = miss``: a miss of 1e-17 is not lost in ``1 - miss``."""
    return -_normal().inv_cdf(miss / 2)


def spaced(miss: float, space: float) -> float:
    """Return z with ``P(Z > z) + P(Z > z + space) = miss``.

    Of two limits that lie z or more beyond the truth, together z + z + space, that is the largest
    chance that one is passed, however the space is shared: the sum is convex in it.

    Args:
        miss: above 0 and below 1.
        space: at least 0. Without any z is :func:`two_sided`; it is never below 0.

    Examples:
        >>> round(spaced(0.05, 0.0), 3), round(spaced(0.05, 0.7), 3), round(spaced(0.05, 9.0), 3)
        (1.96, 1.724, 1.645)
    """
    low = -_normal().inv_cdf(miss) if miss < 0.5 else 0.0
    high = two_sided(miss)
    for _ in range(_HALVINGS):
        z = (low + high) / 2
        if _normal().cdf(-z) + _normal().cdf(-z - space) > miss:
            low = z
        else:
            high = z
    return high


@lru_cache(128)  # every kind of interval of an estimate asks for the same
def cell_miss(miss: float, cells: int, correlation: float = 0.0) -> float:
    """Return the chance of a miss for one cell, so that all cells together miss with ``miss``.

    Three cells or more share it equally (Bonferroni): whatever the correlations of the cells of
    a histogram, the coverage of 95 % then lies between 95 and 97 %. Two cells can be one and the
    same (GRR: the second share is 1 less the first), so that their correlation is used::

        P(|Z1| > z or |Z2| > z) = 2 P(|Z1| > z) - P(|Z1| > z and |Z2| > z) = miss

    Args:
        miss: chance that at least one interval misses.
        cells: number of intervals.
        correlation: of the two, where ``cells`` is 2.

    Examples:
        >>> cell_miss(0.05, 10), cell_miss(0.05, 2, -1.0)
        (0.005, 0.05)
    """
    if cells != 2:
        return miss / max(cells, 1)
    low, high = miss / 2, miss
    while high - low > 1e-6 * miss:
        middle = (low + high) / 2
        if 2 * middle - _both(two_sided(middle), abs(correlation)) < miss:
            low = middle
        else:
            high = middle
    return high


def _both(z: float, rho: float) -> float:
    """Return ``P(|Z1| > z and |Z2| > z)`` of a normal pair, by Simpson's rule over Z1."""
    rest = math.sqrt(max(0.0, 1 - rho * rho))
    if rest < 1e-6:
        return 2 * _normal().cdf(-z)
    steps, width, scale = 80, 5.0, rest * math.sqrt(2)
    total = 0.0
    for i in range(steps + 1):
        t = z + i * width / steps
        beyond = math.erfc((z - rho * t) / scale) + math.erfc((z + rho * t) / scale)
        weight = 1 if i in (0, steps) else 4 if i % 2 else 2
        total += weight * math.exp(-t * t / 2) * beyond / 2
    return 2 * total * width / steps / 3 / math.sqrt(2 * math.pi)


def pair_correlation(variance: Callable[[Floats], float], stderr: Floats) -> float:
    """Return the correlation of two cells from the variances of sums; 0 for other numbers."""
    product = float(np.prod(stderr)) if stderr.size == 2 else 0.0
    if not product > 0:
        return 0.0
    covariance = (variance(np.ones_like(stderr)) - float((stderr**2).sum())) / 2
    return max(-1.0, min(1.0, covariance / product))
