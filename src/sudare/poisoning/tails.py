"""The upper tail of a binomial law, without SciPy: a collector has none."""

from __future__ import annotations

import math

import numpy as np

FOUR_SIGMA = math.erfc(4 / math.sqrt(2)) / 2
"""Chance that a normal number exceeds 4: the false-alarm rate of one test, 3.2e-5."""

MOST_TRIALS = 1 << 40
"""Up to here floats tell the tail to three digits, and a few million numbers hold it."""

_REACH = 14
"""Standard deviations above the mean; beyond them the tail is below 1e-16."""


def critical_count(n: int, probability: float, rate: float) -> tuple[int, float]:
    """Return the least t with ``P(X >= t) <= rate`` and that probability, X of Bin(n, probability).

    From the exact probabilities, by the ratio of neighbours; ``n + 1`` and 0 where even n is not
    rare enough.

    Args:
        n: number of reports, 1 to :data:`MOST_TRIALS`.
        probability: above 0 and below 1.
        rate: below 1/2.

    Examples:
        >>> t, chance = critical_count(100_000, 1 / 50, FOUR_SIGMA)
        >>> t, chance < FOUR_SIGMA
        (2180, True)
    """
    mean, odds = n * probability, probability / (1 - probability)
    start = math.floor(mean)
    spread = math.sqrt(mean * (1 - probability))
    stop = min(n, math.ceil(mean + _REACH * spread) + 60)
    j = np.arange(start, stop, dtype=np.float64)
    first = (
        math.lgamma(n + 1)
        - math.lgamma(start + 1)
        - math.lgamma(n - start + 1)
        + start * math.log(probability)
        + (n - start) * math.log1p(-probability)
    )
    logs = first + np.concatenate([[0.0], np.cumsum(np.log((n - j) / (j + 1) * odds))])
    tail = np.cumsum(np.exp(logs)[::-1])[::-1]  # P(X >= start), P(X >= start + 1), ...
    rare = np.flatnonzero(tail <= rate)
    if not rare.size:
        return n + 1, 0.0
    return start + int(rare[0]), float(tail[rare[0]])
