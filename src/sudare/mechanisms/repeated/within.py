"""A mechanism of repeated questions for a wanted ε of all rounds together."""

from __future__ import annotations

from fractions import Fraction

from sudare.errors import OutOfReachError
from sudare.exact.parameters import EPSILON_MAX
from sudare.mechanisms.repeated.base import Repeated

COVERS = ("steady", "any")
"""Whom the ε of all rounds covers: people who give one answer, or whatever is answered."""
STEP = Fraction(1, 1000)
_SHORT = 10**12


def within(
    cls: type[Repeated],
    k: int,
    epsilon: Fraction,
    rounds: int,
    covers: str,
    report: Fraction | None = None,
    wide: bool = False,
) -> Repeated | None:
    """Return the mechanism of this class whose rounds spend ε together; None where there is none.

    Args:
        cls: one of those with two steps.
        k: number of categories.
        epsilon: of all rounds together.
        rounds: how many.
        covers: one of :data:`COVERS`: ``"steady"`` takes ``epsilon`` for the permanent answer,
            ``"any"`` the largest report, in steps of 0.001, whose total is proved to stay within.
        report: ε of one report for ``"steady"``; default half of ``epsilon``, as 12 decimal places
            write it.
        wide: as of :func:`bounds_of`.
    """
    if covers == "steady":
        half = Fraction(int(epsilon / 2 * _SHORT), _SHORT)
        return constant(cls, k, half if report is None else report, epsilon)

    def fitting(steps: int) -> Repeated | None:
        m = constant(cls, k, steps * STEP, EPSILON_MAX)
        bounds = None if m is None else bounds_of(m, rounds, wide)
        return m if bounds is not None and bounds[1] <= epsilon else None

    low, high, best = 0, int(min(epsilon, EPSILON_MAX - 1) / STEP) + 1, None
    while high - low > 1:
        middle = (low + high) // 2
        m = fitting(middle)
        low, high, best = (low, middle, best) if m is None else (middle, high, m)
    return best


def bounds_of(m: Repeated, rounds: int, wide: bool) -> tuple[Fraction, Fraction] | None:
    """Return rationals around the ε of any two sequences of answers; None where it is infinite.

    Args:
        m: of each round.
        rounds: how many.
        wide: by the bound of versions before 0.3, which stands in what they have published.
    """
    return m.wide_bounds(rounds) if wide else m.total_bounds(rounds)


def constant(cls: type[Repeated], k: int, report: Fraction, epsilon: Fraction) -> Repeated | None:
    """Return the mechanism of such a report and permanent answer; None where it cannot be had."""
    try:
        return cls(k, report, epsilon)
    except OutOfReachError:
        return None
