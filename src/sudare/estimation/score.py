"""Intervals from a test of the support count: for few reports, where the normal law is rough.

An interval holds every share x in [0, 1] that a two-sided test of the count C does not reject.
The law of C at x: for the population ``Binomial(n, q + (p - q) x)``; for respondents of whom
``m = n x`` hold the category ``Binomial(m, p) + Binomial(n - m, q)``.

- where the variance of C is below 40, the test is exact: both tails by summation
  (Clopper and Pearson 1934), so that the coverage is never below the stated one;
- elsewhere it is the score test ``(x̂ - x)² <= z² Var(x)`` (Wilson 1927): a quadratic in x.

A count far below the one expected at x = 0 leaves next to nothing of [0, 1], or nothing at all.
It is no proof that the share is exactly 0: of [0, 1] at least one standard error is left then.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sudare.arrays import Booleans, Floats, Integers
from sudare.estimation.confidence import two_sided

EXACT_BELOW = 40.0
"""Variance of the support count below which the tails are summed."""

_MOST_TERMS = 2000
_GRID = 1 << 32  # the population's shares are found to this resolution


def count_variance(x: Floats, n: int, p: float, q: float, *, sampled: bool) -> Floats:
    """Return the variance of a support count at shares x; ``sampled`` for the population."""
    y = q + (p - q) * x
    return n * (y * (1 - y) if sampled else x * p * (1 - p) + (1 - x) * q * (1 - q))


def limits(
    support: Integers, n: int, p: float, q: float, miss: float, *, sampled: bool
) -> tuple[Floats, Floats]:
    """Return ``(low, high)`` in [0, 1] for each support count.

    Args:
        support: (cells,) counts.
        n: number of reports.
        p, q: support probabilities, p ≠ q.
        miss: chance that one interval misses.
        sampled: True for the population, False for the respondents.

    Examples:
        >>> low, high = limits(np.array([0, 7, 14]), 14, 0.9, 0.1, 0.05, sampled=True)
        >>> low.round(3).tolist(), high.round(3).tolist()
        ([0.0, 0.163, 0.835], [0.165, 0.837, 1.0])
    """
    if p < q:  # a report speaks against its value: count those that do not support
        support, p, q = n - support, 1 - p, 1 - q
    counts, place = np.unique(support, return_inverse=True)
    gap, z2 = p - q, two_sided(miss) ** 2 / n
    raw = (counts / n - q) / gap
    edge = np.sqrt(count_variance(np.array([0.0, 1.0]), n, p, q, sampled=sampled)) / (n * gap)
    least, most = min(edge[0], 1.0), max(1 - edge[1], 0.0)
    x = np.clip(raw, 0, 1)
    rare = count_variance(x, n, p, q, sampled=sampled) < EXACT_BELOW
    own, other = p * (1 - p) / gap**2, q * (1 - q) / gap**2
    extra = 1 if sampled else 0
    step = np.where(rare, 1 / (n * gap), 0.0)
    low, high = wilson(raw, z2 * other, z2 * (own - other + extra), z2 * extra, step)
    empty = np.isnan(low) | (high <= 0) | (low >= 1)
    low = np.where(empty, np.where(raw > 0.5, most, 0.0), low.clip(0, 1))
    high = np.where(empty, np.where(raw > 0.5, 1.0, least), high.clip(0, 1))
    rare &= np.minimum(counts, n - counts) <= _MOST_TERMS
    left = rare & (counts <= n // 2)
    right = rare & ~left  # the same problem seen from the other side
    if left.any():
        low[left], high[left] = _exact(counts[left], n, p, q, miss, sampled=sampled)
    if right.any():
        lows, highs = _exact(n - counts[right], n, 1 - q, 1 - p, miss, sampled=sampled)
        low[right], high[right] = 1 - highs, 1 - lows
    low = np.where(rare, np.minimum(low, np.minimum(x, most)), low)  # x̂ may lie between two m / n
    high = np.where(rare, np.maximum(high, np.maximum(x, least)), high)
    return low[place], high[place]


def wilson(
    raw: Floats, a: Floats | float, b: float, c: float, step: Floats | float = 0.0
) -> tuple[Floats, Floats]:
    """Solve ``(x̂ - x)² = a + b x - c x²`` for x, with x̂ moved out by half a step of the lattice.

    NaN where no x passes.
    """
    lead = 1 + c

    def middle_and_root(x: Floats) -> tuple[Floats, Floats]:
        middle = 2 * x + b
        square = middle**2 - 4 * lead * (x * x - a)
        return middle, np.sqrt(np.where(square < 0, np.nan, square))

    middle, root = middle_and_root(raw - step / 2)
    low = (middle - root) / (2 * lead)
    middle, root = middle_and_root(raw + step / 2)
    return low, (middle + root) / (2 * lead)


def _exact(
    counts: Integers, n: int, p: float, q: float, miss: float, *, sampled: bool
) -> tuple[Floats, Floats]:
    """Return Clopper and Pearson's limits of counts c <= n / 2, p > q."""
    steps = _GRID if sampled else n

    def at_most(c: Integers, step: Integers) -> Floats:
        """Return ``P(C <= c)`` at the share ``step / steps``."""
        if sampled:
            chance = q + (p - q) * (step / steps)
            return _at_most(c, np.zeros_like(step), p, np.full_like(step, n), chance)
        return _at_most(c, step, p, n - step, np.full(step.shape, q))

    def search(holds: Callable[[Integers], Booleans]) -> Integers:
        """Return the last step at which ``holds``; -1 where there is none."""
        inside, outside = np.full_like(counts, -1), np.full_like(counts, steps + 1)
        while (searching := outside - inside > 1).any():
            middle = inside + (outside - inside) // 2
            held = holds(middle.clip(0, steps))
            inside = np.where(searching & held, middle, inside)
            outside = np.where(searching & ~held, middle, outside)
        return inside

    low = search(lambda step: 1 - at_most(counts - 1, step) <= miss / 2) + 1
    high = search(lambda step: at_most(counts, step) > miss / 2)
    return low / steps, high / steps


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
