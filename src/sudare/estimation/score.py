"""Intervals by inverting both tails of the support count: no normal law, however few reports.

An interval holds every share x in [0, 1] at which neither tail of the count C is below half the
chance of a miss (Clopper and Pearson 1934). The law of C at x: for the population
``Binomial(n, q + (p - q) x)``; for respondents of whom ``m = n x`` hold the category
``Binomial(m, p) + Binomial(n - m, q)``.

- Up to 24 reports of the rarer kind both tails are summed, so that the coverage is never below the
  stated one; of respondents too where at most one report in all is expected not to be its value.
- Beyond, they follow from the saddlepoint, at c ∓ ½, with K the cumulants of C and K'(t) = c::

      P(C >= c) = P(Z >= r + ln(v / r) / r),   r² = 2 (t c - K(t)),   v = 2 sinh(t / 2) √K''(t)

A count far below the one expected at x = 0 leaves next to nothing of [0, 1], or nothing at all.
It is no proof that the share is exactly 0: of [0, 1] at least one standard error is left then.

Source: Daniels 1987 (tails of lattice laws), Barndorff-Nielsen 1986 (the form above).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sudare.arrays import Booleans, Floats, Integers
from sudare.estimation.confidence import two_sided
from sudare.estimation.crossing import crossing, last_step

SUMMED = 24
"""Reports of the rarer kind up to which tails are summed."""

AtMost = Callable[[Integers, Integers, Floats, Integers, Floats], Floats]


def limits(
    support: Integers,
    n: int | Integers,
    p: float,
    q: float,
    miss: float,
    *,
    sampled: bool,
) -> tuple[Floats, Floats]:
    """Return ``(low, high)`` in [0, 1] for each support count.

    Args:
        support: (cells,) counts.
        n: number of reports, of all cells or of each.
        p, q: support probabilities, p ≠ q.
        miss: chance that one interval misses.
        sampled: True for the population, False for the respondents.

    Examples:
        >>> low, high = limits(np.array([0, 7, 14]), 14, 0.9, 0.1, 0.05, sampled=True)
        >>> low.round(3).tolist(), high.round(3).tolist()
        ([0.0, 0.163, 0.835], [0.165, 0.837, 1.0])
    """
    size = np.broadcast_to(n, support.shape)
    if p < q:  # a report speaks against its value: count those that do not support
        support, p, q = size - support, 1 - p, 1 - q
    (counts, sizes), place = np.unique(np.stack([support, size]), axis=1, return_inverse=True)
    left = counts <= sizes // 2  # the others are the same problem, seen from the other side
    fewer = np.where(left, counts, sizes - counts)
    rates = np.where(left, p, 1 - q), np.where(left, q, 1 - p)
    ends = _saddle(fewer, sizes, *rates, miss, sampled=sampled)
    few = fewer <= SUMMED
    sure = ~few & (sizes * np.maximum(1 - rates[0], rates[1]) <= 1) & (not sampled)
    for some, at_most in ((few, _at_most), (sure, _at_most_of_sure)):
        if some.any():
            own = fewer[some], sizes[some], rates[0][some], rates[1][some]
            ends[:, some] = _summed(*own, miss, ends[:, some], at_most, sampled=sampled)
    low, high = np.where(left, ends, 1 - ends[::-1])
    x = np.clip((counts / sizes - q) / (p - q), 0, 1)
    room = np.sqrt([q * (1 - q) / sizes, p * (1 - p) / sizes]).clip(0, p - q) / (p - q)
    low = np.minimum(low, np.minimum(x, 1 - room[1]))  # x may lie between two m / n
    high = np.maximum(high, np.maximum(x, room[0]))
    place = place.reshape(-1)
    return low[place], high[place]


def _saddle(
    c: Integers, n: Integers, p: Floats, q: Floats, miss: float, *, sampled: bool
) -> Floats:
    """Return both limits, (2, cells), of counts up to n / 2, p > q, by the saddlepoint.

    Each is sought from where the normal law at it has it, a quadratic equation (Wilson 1927)::

        (c/n - q - (p - q) x)² = z²/n V(x),   V(x) = a + b x + d x²
    """
    z = np.repeat([1.0, -1.0], c.size) * two_sided(miss)
    at = np.concatenate([(c - 0.5).clip(0.5), c + 0.5])
    n, p, q = np.tile(n, 2), np.tile(p, 2), np.tile(q, 2)
    apart, level = p - q, z * z / n
    a, b = q * (1 - q), apart * (1 - 2 * q if sampled else 1 - p - q)
    d = -apart * apart if sampled else np.zeros_like(apart)
    lead, off = apart * apart - level * d, at / n - q
    half = off * apart + level * b / 2
    root = np.sqrt((half * half - lead * (off * off - level * a)).clip(0))
    x = ((half - np.sign(z) * root) / lead).clip(0, 1)
    slope = -apart * np.sqrt(n / (a + b * x + d * x * x).clip(1e-200))

    def beyond(x: Floats) -> Floats:
        """Return how far c lies above where the law at x has it, as a normal number."""
        if not sampled:
            return _root(at, n * x, p, n * (1 - x), q) - z
        y = q + apart * x
        return _root(at, n * x, y, n * (1 - x), y) - z

    return crossing(beyond, x, slope).reshape(2, -1)


def _summed(
    c: Integers,
    n: Integers,
    p: Floats,
    q: Floats,
    miss: float,
    near: Floats,
    at_most: AtMost,
    *,
    sampled: bool,
) -> Floats:
    """Return both limits, p > q, by sums of their tails; they are ``near``."""
    upper = np.repeat([False, True], c.size)
    most = np.concatenate([c - 1, c])
    n, p, q = np.tile(n, 2), np.tile(p, 2), np.tile(q, 2)
    start = near.reshape(-1)

    def tail(m: Integers, own: Floats, other: Floats) -> Floats:
        """Return ``P(C <= c)`` where the upper limit is sought, else ``P(C >= c)``."""
        below = at_most(most, m, own, n - m, other)
        return np.where(upper, below, (1 - below).clip(0))

    def holds(m: Integers) -> Booleans:
        chance = tail(m, p, q)
        return np.where(upper, chance > miss / 2, chance <= miss / 2)

    def falls(x: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            beyond = np.log(tail(np.zeros_like(n), p, q + (p - q) * x) / (miss / 2))
        return np.where(upper, beyond, -beyond)

    if sampled:
        y = q + (p - q) * start
        steep = two_sided(miss) + 0.4  # about how fast the logarithm of a normal tail falls
        slope = -steep * (p - q) * np.sqrt(n / (y * (1 - y)).clip(1e-200))
        return crossing(falls, start, slope).reshape(2, -1)
    last = last_step(holds, n, np.rint(n * start).astype(np.int64))
    return np.asarray((last + ~upper) / n).reshape(2, -1)


def _root(c: Floats, m: Floats, p: Floats, rest: Floats, q: Floats) -> Floats:
    """Return r + ln(v / r) / r of ``Binomial(m, p) + Binomial(rest, q)`` at c, in (0, m + rest)."""
    p, q = (np.clip(one, 1e-300, 1 - 2.0**-53) for one in (p, q))
    lead, last = (m + rest - c) * p * q, c * (1 - p) * (1 - q)
    half = (m * p * (1 - q) + rest * q * (1 - p) - c * ((1 - p) * q + (1 - q) * p)) / 2
    root = np.sqrt(half * half + lead * last)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.where(half > 0, last / (half + root), (root - half) / lead)  # K'(ln u) = c
    t = np.log(u)
    own, other = p * u / (1 - p + p * u), q * u / (1 - q + q * u)
    k = m * np.log1p(p * (u - 1)) + rest * np.log1p(q * (u - 1))
    r = np.sign(t) * np.sqrt(np.maximum(2 * (t * c - k), 0))
    v = 2 * np.sinh(t / 2) * np.sqrt(m * own * (1 - own) + rest * other * (1 - other))
    near = np.abs(r) < 1e-4
    safe = np.where(near, 1.0, r)
    return np.asarray(r + np.where(near, 0.0, np.log(np.where(near, 1.0, v / safe)) / safe))


def _at_most(c: Integers, m: Integers, p: Floats, rest: Integers, q: Floats) -> Floats:
    """Return ``P(Binomial(m, p) + Binomial(rest, q) <= c)``, a row each."""
    terms = np.arange(max(int(c.max()), 0) + 1)
    second = np.cumsum(_probabilities(rest, q, terms), axis=1)
    if not m.any():
        return np.where(c < 0, 0.0, second[np.arange(c.size), np.maximum(c, 0)])
    first = _probabilities(m, p, terms)
    left = c[:, None] - terms
    within = np.take_along_axis(second, np.maximum(left, 0), axis=1)
    total: Floats = np.where(left >= 0, first * within, 0.0).sum(axis=1)
    return total


def _at_most_of_sure(c: Integers, m: Integers, p: Floats, rest: Integers, q: Floats) -> Floats:
    """Return the same where hardly a report differs from its value: ``m - A + B <= c``."""
    terms = np.arange(SUMMED)
    others = np.cumsum(_probabilities(rest, q, terms), axis=1)
    room = (c - m)[:, None] + terms
    within = np.take_along_axis(others, room.clip(0, SUMMED - 1), axis=1)
    total: Floats = np.where(room >= 0, _probabilities(m, 1 - p, terms) * within, 0.0).sum(axis=1)
    return total


def _probabilities(trials: Integers, chance: Floats, terms: Integers) -> Floats:
    """Return ``P(Binomial(trials, chance) = j)`` for j = 0, 1, ...: (rows, terms)."""
    chance = np.clip(chance, 1e-300, 1 - 2.0**-53)[:, None]
    size = trials.astype(np.float64)[:, None]
    left = np.maximum(size - terms[:-1], 0)
    with np.errstate(divide="ignore"):
        ratios = np.log(left / (terms[:-1] + 1))
    choose = np.concatenate([np.zeros_like(size), np.cumsum(ratios, axis=1)], axis=1)
    powers = terms * np.log(chance) + np.maximum(size - terms, 0) * np.log1p(-chance)
    out: Floats = np.exp(choose + powers)
    return out
