"""How rarely honest reports raise an alarm: by their number, or because they fit no honest law."""

from __future__ import annotations

import math

import numpy as np

from sudare.arrays import Floats
from sudare.estimation.keyvalue.triangle import likelihood, maximise

FOUR_SIGMA = math.erfc(4 / math.sqrt(2)) / 2
"""Chance that a normal number exceeds 4: the false-alarm rate of one test, 3.2e-5."""

MOST_TRIALS = 1 << 40
"""Up to here floats tell the tail to three digits, and a few million numbers hold it."""

BETAS = (0.01, 0.02, 0.05, 0.1)
"""Shares of fakes among all reports that bands are made for."""

DIGITS = 6
"""Decimal places of published figures."""

_REACH = 14
"""Standard deviations above the mean; beyond them the tail is below 1e-16."""

MOST_RATIO = 22.0
"""Twice the log-likelihood ratio above which a key's reports are called infeasible."""

FALSE_ALARM = 1e-4
"""Chance that honest reports about a key do: more than the 1.7e-5 in the limit of many reports
(:func:`most_exceeding`), and than what enumeration of all counts finds of few (4.4e-5)."""


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


def likelihood_ratios(counts: Floats, channel: Floats) -> Floats:
    """Return for each key how much better its reports fit some law than any honest one.

    ::

        2 ( max over all laws Σ c ln(law)  -  max over θ in the triangle Σ c ln(Mθ) )

    0 where inversion gives possible shares, and where there is no report. Of many honest reports
    it follows a mixture of χ² laws (chi-bar-squared, ``docs/poisoning.md``), and exceeds t with
    probability at most :func:`most_exceeding`.

    Args:
        counts: (d, 3) reports of each kind.
        channel: (3, 3), ``M[report, state]``.
    """
    with np.errstate(invalid="ignore"):
        shares = counts / counts.sum(axis=1, keepdims=True)
    free = likelihood(counts, np.eye(3), shares)
    bound = likelihood(counts, channel, maximise(counts, channel))
    return np.nan_to_num(2 * (free - bound), nan=0.0).clip(0)


def most_exceeding(ratio: float) -> float:
    """Return ``P(χ²_2 > t) = e^(-t/2)``, the largest of the limits: P(χ²_1 > t) is smaller.

    Examples:
        >>> round(most_exceeding(MOST_RATIO), 6)
        1.7e-05
    """
    return math.exp(-ratio / 2)
