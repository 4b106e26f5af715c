"""Tails of binomial laws, and the least count that is not chance."""

from __future__ import annotations

import math

import numpy as np

_FAR = 40  # standard deviations, beyond which nothing is left in a float
_MARGIN = 1 + 1e-9  # of what sums of floats may have lost


def upper_tail(n: int, p: float, least: int) -> float:
    """Return ``P(X >= least)`` of X, the successes of n trials of probability p.

    Summed from the first term on; never below the exact value by more than what floats lose, which
    is added: a bound that rests on it holds.

    Examples:
        >>> round(upper_tail(4, 0.5, 3), 6)
        0.3125
        >>> upper_tail(10**6, 0.02, 20_700) < 1e-6 < upper_tail(10**6, 0.02, 20_600)
        True
    """
    if least <= 0 or p >= 1:
        return float(least <= n)
    if least > n or p <= 0:
        return 0.0
    if least < n * p:
        return 1 - upper_tail(n, 1 - p, n - least + 1)
    first = math.lgamma(n + 1) - math.lgamma(least + 1) - math.lgamma(n - least + 1)
    first += least * math.log(p) + (n - least) * math.log1p(-p)
    end = min(n, least + 50 + int(_FAR * math.sqrt(n * p * (1 - p))))
    behind = np.arange(least, end)
    steps = np.log((n - behind) / (behind + 1.0)) + (math.log(p) - math.log1p(-p))
    terms = np.exp(first + np.concatenate([[0.0], np.cumsum(steps)]))
    return min(1.0, float(terms.sum()) * _MARGIN)


def least_count(n: int, p: float, level: float) -> int:
    """Return the least count that n trials of probability p reach with at most ``level``.

    Examples:
        >>> least_count(4, 0.5, 0.1), least_count(4, 0.5, 0.01)
        (4, 5)
    """
    low, high = 0, n + 1  # at high it holds
    while low < high:
        middle = (low + high) // 2
        if upper_tail(n, p, middle) <= level:
            high = middle
        else:
            low = middle + 1
    return high
