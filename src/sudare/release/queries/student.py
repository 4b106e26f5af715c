"""``student``: how far Student's t reaches."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

MANY = 10_000
"""Degrees of freedom from which the normal law, with its first correction, is t to 2e-6 of it."""


@lru_cache(maxsize=256)
def student(miss: float, freedom: float) -> float:
    """Return the t with ``P(|T| > t) = miss`` of Student's law.

    Args:
        miss: above 0 and below 1.
        freedom: degrees of freedom, at least 1; infinitely many for the normal law.
    """
    normal = -NormalDist().inv_cdf(miss / 2)
    if freedom >= MANY:
        return normal * (1 + (normal**2 + 1) / (4 * freedom))
    low, high = 0.0, 1.0  # of ln(1 + t² / freedom)
    while _beyond(high, freedom) > miss:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _beyond(middle, freedom) > miss else (low, middle)
    return math.sqrt(freedom) * math.exp(high / 2) * math.sqrt(-math.expm1(-high))


def _beyond(at: float, freedom: float) -> float:
    """Return ``P(|T| > t)``, ``at = ln(1 + t² / freedom)``: I_x(freedom / 2, 1/2), x = exp(-at).

    The continued fraction of the incomplete beta function (NIST DLMF 8.17.22), from whichever end
    it converges at.
    """
    a, x, rest = freedom / 2, math.exp(-at), -math.expm1(-at)
    if rest == 0:
        return 1.0
    scale = math.lgamma(a + 0.5) - math.lgamma(a) - math.lgamma(0.5) - a * at
    front = math.exp(scale + math.log(rest) / 2)
    if x < (a + 1) / (a + 2.5):
        return front / a * _fraction(a, 0.5, x)
    return 1 - front / 0.5 * _fraction(0.5, a, rest)


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction at x, from its last term to the first."""
    out = 1.0
    for m in range(200, 0, -1):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        out = 1 + even / (1 + odd / out)
    return 1 / (1 - (a + b) * x / (a + 1) / out)
