"""Numbers on a public grid: sums are of whole steps, so that noise can be exact."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from sudare.arrays import Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_rational

STEPS = 1 << 20
"""Steps between the bounds, about, where no grid is given."""

MOST_STEPS = 1 << 40

MOST_COUNTED = 1 << 22
"""Points of a grid for each of which a number fits in memory."""

BLOCK = 1 << 16
"""Rows that are worked on at once: they stay in the processor's cache."""

_MOST, _LOW, _DIGITS = (1 << 63) - 1, (1 << 32) - 1, 400

_WHY = (
    "without bounds one person could be anything, and no noise would hide that; take them from "
    "what the numbers mean, not from the data"
)


@dataclass(frozen=True, slots=True)
class Scale:
    """A column's bounds and the grid in between.

    Attributes:
        low, high: bounds as given, exactly.
        step: of the grid; a value stands for the nearest multiple.
    """

    low: Fraction
    high: Fraction
    step: Fraction

    @classmethod
    def of(
        cls,
        bounds: Any,
        grid: Any,
        own: Fraction | None,
        where: str,
        amount: Callable[[object, str], Fraction] | None = None,
    ) -> Scale:
        """Return a checked scale.

        Args:
            bounds: low and high.
            grid: the step; None for the column's own between bounds that are multiples of it, and
                else for about a million steps.
            own: what all values of the column are multiples of, 1 for whole numbers; None for
                fractions.
            where: the name of the bounds.
            amount: reads a bound; :func:`exact` for numbers.
        """
        if not isinstance(bounds, list | tuple) or len(bounds) != 2:
            raise WrongTypeError(where, "must be (low, high)", _WHY)
        low, high = ((amount or exact)(one, where) for one in bounds)
        if not low < high:
            raise DomainError(where, "must have low < high", _WHY)
        wide = max(high - low, abs(low), abs(high))
        if grid is not None:
            step = exact(grid, "grid")
        elif own and low % own == high % own == 0 and wide / own <= MOST_STEPS:
            step = own
        else:  # from the bounds alone; coarser where they are far from 0
            step = max(_power(high - low, STEPS), _power(wide, MOST_STEPS))
        if not 0 < step <= high - low or wide / step > MOST_STEPS:
            raise DomainError("grid", "must be > 0 and at most 2**40 steps", "change the step")
        return cls(low, high, step)

    @property
    def first(self) -> int:
        """The lower bound in steps."""
        return math.floor(self.low / self.step)

    @property
    def last(self) -> int:
        """The upper bound in steps."""
        return math.ceil(self.high / self.step)

    @property
    def middle(self) -> int:
        """The middle of the bounds in steps."""
        return (self.first + self.last) // 2

    @property
    def reach(self) -> int:
        """How far a bound is from the middle, in steps."""
        return max(self.last - self.middle, self.middle - self.first)

    def shown(self, steps: int | Fraction) -> float:
        """Return steps in the column's unit, between the bounds."""
        return float(min(max(steps * self.step, self.low), self.high))


def _power(span: Fraction, steps: int) -> Fraction:
    """Return the least power of two of which so many steps reach."""
    return Fraction(2) ** math.ceil(math.log2(span / steps))


def nearest(values: Integers, unit: Fraction, scale: Scale) -> tuple[Integers, bool]:
    """Return whole numbers of a unit in steps, half to even, and whether one was clamped.

    Which arithmetic it takes follows from the bounds alone.
    """
    low = max(math.ceil(scale.low / unit), -_MOST - 1)
    high = min(math.floor(scale.high / unit), _MOST)
    below, above = values < low, values > high
    beyond = bool(below.any() or above.any())
    inside = np.where(below | above, 0, values) if beyond else values
    up, down = (unit / scale.step).as_integer_ratio()
    if max(abs(low), abs(high)) * up >= _MOST >> 1 or down >= _MOST >> 1:
        inside = inside.astype(object)
    steps = inside * up
    if down > 1:
        scaled = steps
        steps = scaled // down
        rest = 2 * (scaled - steps * down)
        steps = steps + ((rest > down) | ((rest == down) & (steps % 2 == 1)))
    steps = steps.astype(np.int64, copy=False)
    if beyond:
        steps[below], steps[above] = round(scale.low / scale.step), round(scale.high / scale.step)
    return np.clip(steps, scale.first, scale.last), beyond


def nearest_one(unit: Fraction, scale: Scale) -> Callable[[Any], tuple[int, bool]]:
    """Return what does the same for one number without a limit: an int, Decimal or Fraction."""
    (low, low_of), (high, high_of) = scale.low.as_integer_ratio(), scale.high.as_integer_ratio()
    (up, down), (first, last) = (unit / scale.step).as_integer_ratio(), (scale.first, scale.last)
    least, most = round(scale.low / scale.step), round(scale.high / scale.step)
    (unit_up, unit_down) = unit.as_integer_ratio()

    def steps(value: Any) -> tuple[int, bool]:
        if isinstance(value, Decimal):
            if not value.is_finite() or value.adjusted() > _DIGITS:
                return min(max(most if value > 0 else least, first), last), True
            value = value if value.adjusted() > -_DIGITS else 0
        top, bottom = value.as_integer_ratio()
        if top * unit_up * low_of < low * bottom * unit_down:
            return min(max(least, first), last), True
        if top * unit_up * high_of > high * bottom * unit_down:
            return min(max(most, first), last), True
        whole, rest = divmod(top * up, bottom * down)
        half = 2 * rest - bottom * down
        return min(max(whole + (half > 0 or (half == 0 and whole % 2)), first), last), False

    return steps


def blocks(size: int) -> Iterator[slice]:
    """Yield the rows from one to another that are worked on at once."""
    for start in range(0, size, BLOCK):
        yield slice(start, min(start + BLOCK, size))


def whole_sum(values: Integers) -> int:
    """Return the exact sum of whole numbers, by sums of their halves: one path for all values.

    ``Σ x = 2³² Σ (x >> 32) + Σ (x mod 2³²)``: neither leaves 63 bits in a block.
    """
    out = 0
    for rows in blocks(values.size):
        some = values[rows]
        out += (int((some >> 32).sum()) << 32) + int((some & _LOW).sum())
    return out


def product_sum(one: Integers, other: Integers) -> int:
    """Return the exact sum of products of whole numbers up to 2⁴¹ in size, as :func:`whole_sum`.

    ``x y = 2⁴² a c + 2²¹ (a d + b c) + b d`` for ``x = 2²¹ a + b``, ``y = 2²¹ c + d``.
    """
    out = 0
    for rows in blocks(one.size):
        a, b = one[rows] >> 21, one[rows] & ((1 << 21) - 1)
        c, d = other[rows] >> 21, other[rows] & ((1 << 21) - 1)
        out += (int(a @ c) << 42) + (int(a @ d + b @ c) << 21) + int(b @ d)
    return out


def square_sum(values: Integers) -> int:
    """Return the exact sum of squares of whole numbers up to 2⁴¹ in size, as :func:`whole_sum`.

    ``x² = 2⁴² a² + 2²² a b + b²`` for ``|x| = 2²¹ a + b``.
    """
    out = 0
    for rows in blocks(values.size):
        size = np.abs(values[rows])
        high, low = size >> 21, size & ((1 << 21) - 1)
        out += int(high @ high) << 42
        out += (int(high @ low) << 22) + int(low @ low)
    return out


def sums_of(values: Integers, places: Integers, groups: int) -> list[int]:
    """Return the exact sum of the values of each group, as :func:`whole_sum`."""
    return joined(halves_of(values, places, groups))


def halves_of(values: Integers, places: Integers, groups: int) -> Integers:
    """Return the sums of each group's high and low halves, (2, groups): they add up over parts.

    They are added as floats: in a block they stay below 2⁵³, where these are exact.
    """
    halves = np.zeros((2, groups), dtype=np.int64)
    for rows in blocks(values.size):
        some = values[rows]
        for half, part in zip(halves, (some >> 32, some & _LOW), strict=True):
            half += np.bincount(places[rows], part, groups).astype(np.int64)
    return halves


def joined(halves: Integers) -> list[int]:
    """Return whole numbers from sums of their halves."""
    return [(int(high) << 32) + int(low) for high, low in halves.T]


def exact(value: object, where: str) -> Fraction:
    """Return a number below 10**15, exactly as the decimal that it prints as."""
    out = as_rational(value, where, "such as (0, 100)")
    if not abs(out) < 10**15:
        raise DomainError(where, "must be below 10**15", "use larger units")
    return out
