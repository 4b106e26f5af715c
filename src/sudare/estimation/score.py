"""Intervals by inverting both tails of the support count: no normal law, however few reports.

An interval holds every share x in [0, 1] at which neither tail of the count C is below half the
chance of a miss (Clopper and Pearson 1934). The law of C at x: for the population
``Binomial(n, q + (p - q) x)``; for respondents of whom ``m = n x`` hold the category
``Binomial(m, p) + Binomial(n - m, q)``.

- Up to 24 reports of the rarer kind both tails are summed, so that the coverage is never below the
  stated one.
- Beyond, they follow from the saddlepoint, at c ∓ ½, with K the cumulants of C and K'(t) = c::

      P(C >= c) = P(Z >= r + ln(v / r) / r),   r² = 2 (t c - K(t)),   v = 2 sinh(t / 2) √K''(t)

A count far below the one expected at x = 0 leaves next to nothing of [0, 1], or nothing at all.
It is no proof that the share is exactly 0: of [0, 1] at least one standard error is left then.

Source: Daniels 1987 (tails of lattice laws), Barndorff-Nielsen 1986 (the form above).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sudare.arrays import Booleans, Floats, Integers
from sudare.estimation.confidence import two_sided

SUMMED = 24
"""Reports of the rarer kind up to which tails are summed."""

_GRID = 1 << 32  # shares are found to this resolution

Search = Callable[[Callable[[Floats], Booleans]], Floats]


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
    low, high = np.empty(counts.shape), np.empty(counts.shape)
    left, few = counts <= sizes // 2, np.minimum(counts, sizes - counts) <= SUMMED
    for side in (True, False):  # the right one is the same problem, seen from the other side
        for tails in (_summed, _saddle):
            some = (left == side) & (few == (tails is _summed))
            if some.any():
                c, m = counts[some], sizes[some]
                ends = (c, m, p, q) if side else (m - c, m, 1 - q, 1 - p)
                least, most = tails(*ends, miss, sampled=sampled)
                low[some], high[some] = (least, most) if side else (1 - most, 1 - least)
    x = np.clip((counts / sizes - q) / (p - q), 0, 1)
    room = np.sqrt([q * (1 - q) / sizes, p * (1 - p) / sizes]).clip(0, p - q) / (p - q)
    low = np.minimum(low, np.minimum(x, 1 - room[1]))  # x may lie between two m / n
    high = np.maximum(high, np.maximum(x, room[0]))
    place = place.reshape(-1)
    return low[place], high[place]


def _searched(holds: Callable[[Integers], Booleans], steps: Integers) -> Integers:
    """Return the last step at which ``holds``; -1 where there is none."""
    inside, outside = np.full_like(steps, -1), steps + 1
    while (searching := outside - inside > 1).any():
        middle = inside + (outside - inside) // 2
        held = holds(np.clip(middle, 0, steps))
        inside = np.where(searching & held, middle, inside)
        outside = np.where(searching & ~held, middle, outside)
    return inside


def _summed(
    counts: Integers, n: Integers, p: float, q: float, miss: float, *, sampled: bool
) -> tuple[Floats, Floats]:
    """Return the limits of few counts, p > q, by sums of their tails."""
    steps = np.full_like(n, _GRID) if sampled else n.copy()

    def at_most(c: Integers, step: Integers) -> Floats:
        """Return ``P(C <= c)`` at the share ``step / steps``."""
        if sampled:
            chance = q + (p - q) * (step / steps)
            return _at_most(c, np.zeros_like(step), p, n, chance)
        return _at_most(c, step, p, n - step, np.full(step.shape, q))

    low = _searched(lambda step: 1 - at_most(counts - 1, step) <= miss / 2, steps) + 1
    high = _searched(lambda step: at_most(counts, step) > miss / 2, steps)
    return low / steps, high / steps


def _saddle(
    counts: Integers, n: Integers, p: float, q: float, miss: float, *, sampled: bool
) -> tuple[Floats, Floats]:
    """Return the limits of many counts, p > q, by the saddlepoint."""
    z, steps = two_sided(miss), np.full_like(n, _GRID)

    def beyond(c: Any, step: Integers) -> Floats:
        """Return how far c lies above the middle of the law at this share, as a normal number."""
        x = step / _GRID
        if not sampled:
            return _root(c, n * x, p, n * (1 - x), q)
        y = q + (p - q) * x
        return _root(c, n * x, y, n * (1 - x), y)

    low = _searched(lambda step: beyond(counts - 0.5, step) >= z, steps) + 1
    high = _searched(lambda step: beyond(counts + 0.5, step) > -z, steps)
    return low / _GRID, high / _GRID


def _root(c: Any, m: Floats, p: Floats | float, rest: Floats, q: Floats | float) -> Floats:
    """Return r + ln(v / r) / r of ``Binomial(m, p) + Binomial(rest, q)`` at c, in (0, m + rest)."""
    p, q = (np.clip(one, 1e-300, 1 - 2.0**-53) for one in (p, q))
    lead, last = (m + rest - c) * p * q, c * (1 - p) * (1 - q)
    half = (m * p * (1 - q) + rest * q * (1 - p) - c * ((1 - p) * q + (1 - q) * p)) / 2
    root = np.sqrt(half * half + lead * last)
    u = np.where(half > 0, last / (half + root), (root - half) / lead)  # K'(ln u) = c
    t = np.log(u)
    own, other = p * u / (1 - p + p * u), q * u / (1 - q + q * u)
    k = m * np.log1p(p * (u - 1)) + rest * np.log1p(q * (u - 1))
    r = np.sign(t) * np.sqrt(np.maximum(2 * (t * c - k), 0))
    v = 2 * np.sinh(t / 2) * np.sqrt(m * own * (1 - own) + rest * other * (1 - other))
    near = np.abs(r) < 1e-4
    safe = np.where(near, 1.0, r)
    return np.asarray(r + np.where(near, 0.0, np.log(np.where(near, 1.0, v / safe)) / safe))


def _at_most(c: Integers, m: Integers, p: float, rest: Integers, q: Floats) -> Floats:
    """Return ``P(Binomial(m, p) + Binomial(rest, q) <= c)``, a row each."""
    terms = np.arange(max(int(c.max()), 0) + 1)
    first = _probabilities(m, np.full(m.shape, p), terms)
    second = np.cumsum(_probabilities(rest, q, terms), axis=1)
    left = c[:, None] - terms
    within = np.take_along_axis(second, np.maximum(left, 0), axis=1)
    total: Floats = np.where(left >= 0, first * within, 0.0).sum(axis=1)
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
