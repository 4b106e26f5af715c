"""Numbers on a public grid: sums are of whole steps, so that noise can be exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_rational

Ints = npt.NDArray[np.int64]

STEPS = 1 << 20
"""Steps between the bounds, about, where no grid is given."""

MOST_STEPS = 1 << 40

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
    def of(cls, bounds: Any, grid: Any, whole: bool, where: str) -> Scale:
        """Return a checked scale; whole numbers have the step 1, others about a million steps.

        Raises:
            WrongTypeError, DomainError: no bounds, reversed ones, no such step.
        """
        if not isinstance(bounds, list | tuple) or len(bounds) != 2:
            raise WrongTypeError(where, "must be (low, high)", _WHY)
        low, high = (exact(one, where) for one in bounds)
        if not low < high:
            raise DomainError(where, "must have low < high", _WHY)
        wide = max(high - low, abs(low), abs(high))
        if grid is None:
            even = all(one.denominator == 1 for one in (low, high))
            power = Fraction(2) ** math.ceil(math.log2((high - low) / STEPS))
            step = Fraction(1) if whole and even else power
        else:
            step = exact(grid, "grid")
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

    def steps(self, values: npt.NDArray[Any]) -> Ints:
        """Return values in steps, clamped to the bounds. Row by row: no value moves another."""
        low, high = float(self.low), float(self.high)
        near = np.rint(np.clip(values.astype(np.float64), low, high) / float(self.step))
        out: Ints = np.clip(near, self.first, self.last).astype(np.int64)
        return out


def whole_sum(values: npt.NDArray[Any]) -> int:
    """Return the exact sum of whole numbers, however large it is."""
    return int((values if is_small(values) else values.astype(object)).sum())


def is_small(values: npt.NDArray[Any]) -> bool:
    """Tell whether no sum of some of them leaves 64 bits."""
    if not values.size or values.dtype == object:
        return values.dtype != object
    return max(int(values.max()), -int(values.min())) * values.size < 1 << 63


def exact(value: object, where: str) -> Fraction:
    """Return a number below 10**15, exactly as the decimal that it prints as."""
    out = as_rational(value, where, "such as (0, 100)")
    if not abs(out) < 10**15:
        raise DomainError(where, "must be below 10**15", "use larger units")
    return out
