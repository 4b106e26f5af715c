"""Two programs one behind the other, as one program; and the second of a wanted whole."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from sudare.errors import OutOfReachError
from sudare.exact import exp_bounds, log_bounds
from sudare.mechanisms.frequency.base import TOLERANCE
from sudare.samplers import Bits, Keep, Program, Subset

P = TypeVar("P", bound=Program)


def keep_twice(first: Keep, second: Keep) -> Keep:
    """Return the program of reporting what ``second`` says of what ``first`` said.

    Both keep with ``T T'`` of all words of both, and are uniform otherwise.
    """
    width, keep = first.width + second.width, first.keep * second.keep
    return Keep(k=first.k, width=width, keep=keep, step=((1 << width) - keep) // first.k)


def bits_twice(first: Bits, second: Subset) -> Bits:
    """Return the program of flipping each bit of ``first`` once more.

    ::

        p = p_1 p_2 + (1 - p_1) q_2,   q = q_1 p_2 + (1 - q_1) q_2
    """
    top = 1 << first.width
    own, other = (one * second.own + (top - one) * second.other for one in (first.own, first.other))
    return Bits(k=first.k, width=first.width + second.width, own=own, other=other)


def second_of(
    make: Callable[[int, int], tuple[P, Program]], least: Callable[[int], int], epsilon: Fraction
) -> P:
    """Return the second program that leaves of the first exactly ε, never more, within 1e-6.

    Args:
        make: from a width and how much is left to chance to the second program and the whole.
        least: from a width to how much may be left to chance at most.
        epsilon: of the whole.
    """
    gamma = exp_bounds(epsilon)[0]
    for width in (32, 64):
        low, high = 0, least(width)  # high leaves less than ε, low more
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if make(width, middle)[1].ratio <= gamma else (middle, high)
        second, whole = make(width, high)
        if 0 <= epsilon - log_bounds(whole.ratio)[0] <= TOLERANCE:
            return second
    raise OutOfReachError("epsilon", "is out of reach", "take another ε", got=float(epsilon))
