"""``Match``: which rows of a column a public condition is true of; a missing value never is.

What becomes of a row depends on that row alone, whatever the others make of the column in memory.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from sudare.arrays import Booleans, Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_rational, exact_text, rational_from_text
from sudare.exact.parameters import as_float
from sudare.release.column import Column
from sudare.release.kinds import TIMES
from sudare.release.types import reader_of

Cut: TypeAlias = tuple[Fraction, int]
"""A place between numbers, in the column's unit: ``(v, 0)`` just below v, ``(v, 1)`` just above."""

ORDERS: dict[str, tuple[str, int]] = {
    ">=": ("low", 0), ">": ("low", 1), "<": ("high", 0), "<=": ("high", 1),
}  # fmt: skip

_WHOLE = 1 << 53
_DIGITS = 400


@dataclass(frozen=True, slots=True)
class Match:
    """All that is asked of one column, in one form however it is written.

    Attributes:
        low, high: cuts that a number must lie between; None for no limit.
        only: the values that it must be one of, sorted; None for any.
        never: those that it must not be, sorted.
    """

    low: Cut | None = None
    high: Cut | None = None
    only: tuple[Any, ...] | None = None
    never: tuple[Any, ...] = ()

    @classmethod
    def of(cls, column: Column, asked: Iterable[tuple[str, Sequence[Any]]]) -> Match:
        """Return the conjunction of comparisons.

        Args:
            column: what is compared; its values are not looked at.
            asked: ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=`` or ``in``, each with its values.

        Raises:
            WrongTypeError: a value is not of the column's kind, or the kind has no order.
            DomainError: no row can match.
        """
        only: set[Any] | None = None
        never: set[Any] = set()
        cuts: dict[str, list[Cut]] = {"low": [], "high": []}
        asked = list(asked)
        for sign, given in asked:
            values = {as_value(column, one) for one in given}
            if sign in ORDERS:
                if column.kind != "number" and column.kind not in TIMES:
                    # a slip in the value made text of a column without a schema: the value first
                    _check_orders(asked)
                    rule = f"must not order column {column.name}, which holds {column.kind}"
                    raise WrongTypeError(
                        "where", rule, "give bounds, or say its type: types=, --type"
                    )
                side, after = ORDERS[sign]
                cuts[side] += [(one, after) for one in values]
            elif sign == "!=":
                never |= values
            else:
                only = values if only is None else only & values
        low, high = max(cuts["low"], default=None), min(cuts["high"], default=None)
        if low and high and (low[0], high[0], low[1], high[1]) == (low[0], low[0], 0, 1):
            only = {low[0]} if only is None else only & {low[0]}

        def inside(one: Any) -> bool:
            return (low is None or (one, 0.5) > low) and (high is None or (one, 0.5) < high)

        if only is not None:
            only = {one for one in only - never if inside(one)}
            out = cls(only=tuple(sorted(only)))
        else:
            out = cls(low, high, None, tuple(sorted(filter(inside, never))))
        if out.only == () or (out.low and out.high and out.low >= out.high):
            rule = f"must be true of some row: nothing fits all that is asked of {column.name}"
            raise DomainError("where", rule, "widen it")
        return out

    def allows(self, column: Column, value: Any) -> bool:
        """Tell whether a row with this public value can match."""
        one = as_value(column, value)
        return (
            (self.only is None or one in self.only)
            and one not in self.never
            and (self.low is None or (one, 0.5) > self.low)
            and (self.high is None or (one, 0.5) < self.high)
        )

    def meets(self, first: Cut, last: Cut) -> bool:
        """Tell whether a number between two cuts can match."""
        if self.only is not None:
            return any(first < (one, 0.5) < last for one in self.only)
        low, high = self.low or first, self.high or last
        return max(low, first) < min(high, last)

    def told(self, column: Column) -> dict[str, Any]:
        """Return it as it stands in the ledger: one form for all that means the same."""

        def shown(one: Any) -> Any:
            if column.kind == "date" and one.denominator == 1:
                return str(np.datetime64(int(one), "D"))
            if not isinstance(one, Fraction):
                return one
            return str(one) if one.denominator == 1 else exact_text(one)

        out: dict[str, Any] = {"column": column.name}
        if self.low:
            out["above" if self.low[1] else "from"] = shown(self.low[0])
        if self.high:
            out["to" if self.high[1] else "below"] = shown(self.high[0])
        if self.only is not None:
            out["in"] = [shown(one) for one in self.only]
        if self.never:
            out["not in"] = [shown(one) for one in self.never]
        return out

    def rows(self, column: Column) -> Booleans:
        """Return for each row whether it matches."""
        out = np.logical_not(column.missing)
        for values, wanted in ((self.only, True), (self.never or None, False)):
            if values is not None:
                out &= (column.placed(_index(column, values), 1) == 0) == wanted
        cuts = [cut for cut in (self.low, self.high) if cut is not None]
        if cuts:
            out &= reached(column, cuts) == (self.low is not None)
        return out


def as_value(column: Column, value: Any) -> Any:
    """Return what a column is compared with: exact numbers, times in its unit, text, truth values.

    Raises:
        WrongTypeError, DomainError: not of the column's kind.
    """
    column.check_compared()
    where, kind = "where", column.kind
    if isinstance(value, np.bool_ | np.number | np.str_):
        value = value.item()
    if kind == "number" and not isinstance(value, bool):
        if isinstance(value, str):
            return rational_from_text(value, where, "such as age >= 18")
        return as_rational(value, where)
    if kind in TIMES:
        return column.amount(value, where)
    if kind == "truth":
        value = {"true": True, "false": False}.get(str(value).lower(), value)
    if (kind == "truth" and isinstance(value, bool)) or (kind == "text" and type(value) is str):
        return value
    raise WrongTypeError(where, f"must compare {column.name} with its kind, {kind}")


def _check_orders(asked: Iterable[tuple[str, Sequence[Any]]]) -> None:
    """Refuse a value that has no order itself, before a column is blamed for it."""
    for sign, given in asked:
        for value in given if sign in ORDERS else ():
            if all(reader_of(of)(value) is None for of in ("number", *TIMES)):
                rule = f"must compare with a number, a date or a time by {sign}"
                remedy = "such as age >= 18, or give the values of text: region in north,south"
                raise WrongTypeError("where", rule, remedy, got=value)


def reached(column: Column, cuts: Sequence[Cut]) -> Integers:
    """Return for each row how many cuts, from the lowest, its number is above.

    Exact but for fractions that come as floats: such a one is the decimal that it prints as. Of a
    row without a value it is anything.
    """
    keys = [(value / column.unit, after) for value, after in cuts]
    values = column.values
    if column.labels is not None:
        each = list(map(_above(keys), column.labels.listed()))
        return np.asarray(np.array([*each, 0], dtype=np.int64)[values])
    if values.dtype.kind == "O":
        above = _above(keys)
        found = (0 if one is None else above(one) for one in values.tolist())
        return np.fromiter(found, dtype=np.int64, count=column.size)
    if values.dtype.kind == "f":
        ends = np.array([_least_float(cut) for cut in keys], dtype=np.float64)
        floats = values.astype(np.float64, copy=False)
        return np.asarray(np.searchsorted(ends, floats, side="right"))
    own = np.dtype(np.uint64 if values.dtype == np.uint64 else np.int64)
    low, high = int(np.iinfo(own).min), int(np.iinfo(own).max)
    whole = [math.floor(value) + 1 if after else math.ceil(value) for value, after in keys]
    least = np.array([max(one, low) for one in whole if one <= high], dtype=own)
    return np.asarray(np.searchsorted(least, values.astype(own, copy=False), side="right"))


def _index(column: Column, values: Iterable[Any]) -> dict[Any, int]:
    """Return place 0 for values as the column's keys are."""
    return {one / column.unit if isinstance(one, Fraction) else one: 0 for one in values}


def _is_alike(near: float, value: Fraction) -> bool:
    """Tell whether a float stands for a number: whole ones for themselves, as whole numbers do."""
    return not near.is_integer() or abs(near) >= _WHOLE or near == value


def _least_float(cut: Cut) -> float:
    """Return the least float above a cut."""
    value, after = cut
    near = as_float(value)
    above = not after if _is_alike(near, value) else near > value
    return near if above else math.nextafter(near, math.inf)


def _above(keys: Sequence[Cut]) -> Callable[[Any], int]:
    """Return what tells how many cuts a number is above: an int, Decimal or Fraction."""

    def above(one: Any) -> int:
        if isinstance(one, Decimal):
            if not one.is_finite() or one.adjusted() > _DIGITS:
                return len(keys) if one > 0 else 0
            one = one if one.adjusted() > -_DIGITS else 0
        return bisect_left(keys, (Fraction(one), 0.5))

    return above
