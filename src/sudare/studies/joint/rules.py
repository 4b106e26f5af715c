"""What the numbers of a run say to each claim: rules that can come out otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from sudare.studies.joint.theory import keep_probability, spread
from sudare.studies.judging import grade
from sudare.studies.parts import Verdict

TINY = 1e-9


def beliefs(printed: Sequence[float], ours: Sequence[float]) -> Verdict:
    """Percentages equal as rounded; roughly up to a point."""
    gaps = [abs(a - b) for a, b in zip(printed, ours, strict=True)]
    return grade(max(gaps) <= 0.5, max(gaps) <= 1)


def never_worse(sizes: Sequence[int], spread: Callable[[int, Fraction], Fraction] = spread) -> bool:
    """Whether RR has at most the error of NS (p = 0) from ``γ = 2(F - 1)/(F - 2)`` on."""
    return all(
        spread(size, keep_probability(times * Fraction(2 * (size - 1), size - 2), size))
        <= spread(size, Fraction(0))
        for size in sizes
        for times in (1, 2, 5, 50)
    )


def protection(asked: float, attributes: Sequence[float], whole: float) -> Verdict:
    """γ covers the whole report; roughly: each attribute, but not all together."""
    alone = all(one <= asked * (1 + TINY) for one in attributes)
    return grade(alone and whole <= asked * (1 + TINY), alone)


def depends(uniform: float, other: float) -> Verdict:
    """Errors of two distributions apart by at most 10 %; roughly 25 %."""
    gap = abs(other / uniform - 1)
    return grade(gap <= 0.1, gap <= 0.25)


def inverse_to_n(errors: Mapping[int, float]) -> bool:
    """Whether ``n E`` stays the same."""
    products = [n * error for n, error in errors.items()]
    return max(products) <= min(products) * (1 + TINY)


def grows_least(joint: Sequence[float], growth: Sequence[float]) -> Verdict:
    """The proposal's error grows, and least (the first); roughly: least, but not all the way."""
    least = growth[0] == min(growth)
    return grade(least and list(joint) == sorted(joint), least)


def falls(errors: Sequence[float]) -> Verdict:
    """Each error below the one before."""
    return grade(all(b < a for a, b in pairwise(errors)))


def smaller(ratios: Sequence[float]) -> Verdict:
    """The proposal's error smaller everywhere (ratios below 1); roughly: in three of four."""
    part = sum(ratio < 1 for ratio in ratios) / len(ratios)
    return grade(part == 1, part >= 0.75)


def groups(added: float, weighted: float) -> Verdict:
    """Adding is as good as weighting up to 1 %; roughly: weighting is better."""
    return grade(added <= 1.01 * weighted, math.isfinite(added))


def hundredth(ratio: float) -> Verdict:
    """1/ratio between 1/200 and 1/50; roughly between 1/1,000 and 1/10."""
    return grade(50 <= ratio <= 200, 10 <= ratio <= 1_000)


def ahead(small: Sequence[float], large: Sequence[float]) -> Verdict:
    """Iterative over proposal: below 1 at the smallest γ, and within a quarter at the largest.

    Roughly: the latter for some numbers of attributes alone.
    """
    better = all(ratio < 1 for ratio in small)
    near = [0.8 <= ratio <= 1.25 for ratio in large]
    return grade(better and all(near), better and any(near))


def one_sample(printed: float, errors: Sequence[float]) -> Verdict:
    """The printed error lies in the range of ours, a rounding apart; open below 20 of ours."""
    if min(errors) / 1.05 <= printed <= max(errors) * 1.05:
        return Verdict.HOLDS
    return Verdict.OPEN if len(errors) < 20 else Verdict.FAILS


def stopped(near: Sequence[int], error: float) -> Verdict:
    """The printed error fits one number of maps; roughly: several. Open where 3 % is not told."""
    if error > 0.04:
        return Verdict.OPEN
    return grade(len(near) == 1, bool(near))
