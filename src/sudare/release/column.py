"""A column of held data: exact values in arrays, and its numbers in steps of a public grid."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Integers, is_masked
from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_rational
from sudare.exact.parameters import as_float
from sudare.release.grid import Scale, blocks, exact, nearest, nearest_one
from sudare.release.kinds import PARTS, TIMES, Kind, as_time, kind_of, ticks_of
from sudare.release.labels import Labels
from sudare.release.persons import first_of_each
from sudare.release.types import TYPES, are_zoned, reader_of

_MOST = (1 << 63) - 1
_SCALARS: tuple[tuple[Any, Any], ...] = (
    (np.timedelta64, lambda one: one),  # it calls itself a whole number
    (np.integer, int),
    (np.floating, float),
    (np.bool_, bool),
)
_PLAIN: dict[str, set[Any]] = {"number": {int}, "text": {str}, "truth": {bool}}
"""Types of which all values are of a kind as they are."""

_UNITS = {
    "number": "",
    "date": "in days since 1970-01-01",
    "datetime": "in seconds since 1970-01-01T00:00",
    "time": "in seconds since midnight",
    "duration": "in seconds",
}


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column: no value of it is ever rounded, but those that come as floats.

    Attributes:
        name: of the column.
        kind: what it holds, apart from what is missing.
        values: whole numbers of any width (0 where missing), floats (NaN), codes of labels (-1), or
            objects (None): numbers of lists that are decimals or longer than 63 bits.
        missing: for each row whether it has no value.
        unit: what 1 of ``values`` is in the column's unit: days for dates, seconds for other times,
            the last digit of a decimal type.
        step: what all numbers of this type are multiples of; None for fractions.
        labels: what codes stand for: each text once, truth values, numbers of more than 63 bits.
        zoned: whether moments have a zone, and are of UTC here, by their type; None for those of
            text, where each cell says so itself. One without a zone is kept as if of UTC.
    """

    name: str
    kind: Kind
    values: npt.NDArray[Any]
    missing: Booleans
    unit: Fraction = Fraction(1)
    step: Fraction | None = None
    labels: Labels | None = None
    zoned: bool | None = False

    @classmethod
    def of(cls, name: str, values: Any, step: Fraction | None = None) -> Column:
        """Return a column of an array, or of ids; ``step``: of decimals whose type says it.

        Ids of several kinds are refused: a missing id would be nobody's, and one that is read as
        another somebody else's. Cells of any other list: :meth:`read`.
        """
        if is_masked(values):
            raise WrongTypeError("frame", "must not have masked arrays", "fill them with NaN")
        plain = list(values) if isinstance(values, list | tuple) else None
        types = set(map(type, plain or ()))
        if any(issubclass(one, np.generic) for one in types):
            plain = list(map(_own, plain or ()))
            types = set(map(type, plain))
        if plain is None or types in ({np.datetime64}, {np.timedelta64}) or types & {list, tuple}:
            array = _array(name, values if plain is None else plain)
            if array.dtype.kind == "f":
                floats = array.astype(np.float64)
                return cls(name, "number", floats, np.isnan(floats))
            if array.dtype.kind in "iu":
                return cls(name, "number", array.copy(), none(array.size), step=Fraction(1))
            if array.dtype.kind == "b":
                return cls(name, "truth", array.astype(np.int8), none(array.size), labels=TRUTH)
            if array.dtype.kind in "Mm" and (timed := _timed(name, array)) is not None:
                return timed
            plain = list(map(_own, array.tolist()))
        return _of_objects(name, plain, step)

    @classmethod
    def read(cls, name: str, cells: Sequence[Any], of: str, step: Fraction | None = None) -> Column:
        """Return cells, each by itself, as a type has them; missing where one does not fit.

        Args:
            name: of the column.
            cells: values of any types.
            of: one of :data:`~sudare.release.types.TYPES`, or a kind.
            step: what all numbers of it are multiples of, if its source says so; 1 for ``whole``.
        """
        read, kind = reader_of(of), TYPES.get(of, of)
        found = list(cells)
        if not set(map(type, cells)) <= _PLAIN.get(kind, set()):
            found = [None if is_missing(one) else read(own_scalar(one)) for one in cells]
        step = Fraction(1) if of == "whole" else step
        column = _of_read(name, kind, found, step)
        return replace(column, zoned=are_zoned(cells)) if kind == "datetime" else column

    @property
    def is_exact(self) -> bool:
        """Whether the values tell apart all that their source does: they are no floats."""
        return self.labels is not None or self.values.dtype.kind != "f"

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.missing.size

    @property
    def words(self) -> str:
        """The unit of its numbers in words; empty for plain numbers."""
        is_utc = self.kind == "datetime" and self.zoned is not False
        return _UNITS.get(self.kind, "") + (" UTC" if is_utc else "")

    def where(self, keep: Booleans | Integers | slice) -> Column:
        """Return some of the rows, by a truth value each, by their places or from one to another.

        Those from one to another are not copied.
        """
        return replace(self, values=self.values[keep], missing=self.missing[keep])

    def emptied(self) -> Column:
        """Return the column without its rows."""
        labels = None if self.labels is None else Labels([])
        return replace(self.where(slice(0)), labels=labels)

    def plain(self) -> list[Any]:
        """Return the values as they are told apart, None for what is missing."""
        values: list[Any] = self.values.tolist()
        if self.labels is not None:
            every = [*self.labels.listed(), None]
            return [every[code] for code in values]
        if not self.missing.any():
            return values
        pairs = zip(values, self.missing.tolist(), strict=True)
        return [None if missing else one for one, missing in pairs]

    def key(self, category: Any) -> Any:
        """Return a category as :meth:`plain` has it."""
        if self.kind in TIMES:
            return self.amount(category, "categories") / self.unit
        if self.kind == "number":
            return as_rational(category, "categories") / self.unit
        return category

    def check_compared(self) -> None:
        """Raise WrongTypeError where the values are such as nothing is compared with."""
        if self.kind == "other":
            rule = "must hold text, numbers, truth values, dates or times to be compared"
            raise WrongTypeError(
                f"column {self.name}", rule, "choose another column, or convert it"
            )

    def places(self, categories: Sequence[Any]) -> Integers:
        """Return for each row the place of its category, or as many as there are for any other."""
        index = {self.key(one): place for place, one in enumerate(categories)}
        return self.placed(index, len(categories))

    def placed(self, index: Mapping[Any, int], other: int) -> Integers:
        """Return for each row the place of its value, of values as :meth:`key` has them."""
        if self.labels is not None:
            return np.asarray(self.labels.places(index, other)[self.values])
        if self.values.dtype.kind == "O":
            found = (index.get(one, other) for one in self.plain())
            return np.fromiter(found, dtype=np.int64, count=self.size)
        fits = _fitting(index, self.values.dtype)
        if not fits:
            return np.full(self.size, other, dtype=np.int64)
        keys = np.array(list(fits), dtype=self.values.dtype)
        order = np.argsort(keys, kind="stable")
        near = np.searchsorted(keys[order], self.values).clip(max=keys.size - 1)
        same = (keys[order][near] == self.values) & ~self.missing
        return np.where(same, np.array(list(fits.values()), dtype=np.int64)[order][near], other)

    def codes(self) -> Integers:
        """Return a whole number for each row: one for each value, of a column without gaps."""
        return np.unique(labelled(self).values, return_inverse=True)[1].astype(np.int64)

    def amount(self, value: object, where: str) -> Fraction:
        """Return a number, or a date or time (ISO 8601), in the column's unit."""
        if self.kind not in TIMES:
            return exact(value, where)
        (ticks,), unit = ticks_of(self.kind, [as_time(self.kind, value, where)])
        return Fraction(ticks) * unit

    def typed(self, of: str | None) -> Column:
        """Return text as a type reads it, and the whole numbers of numbers; all else as it is.

        A value that does not fit is missing then. Whether one is there changes nothing else.
        """
        if of == "whole" and self.kind == "number":
            return self._whole()
        if of in (None, "text", "other") or self.kind != "text" or self.labels is None:
            return self
        # a missing value has the code -1: the last one
        return Column.read(self.name, [*self.labels.listed(), None], of).where(self.values)

    def _whole(self) -> Column:
        """Return numbers that are whole, all others missing."""
        if self.step == 1:
            return self
        values, least = self.values, self.unit.denominator
        gap: Any
        if self.labels is None and values.dtype.kind == "f":
            fits, gap = np.isfinite(values) & (values == np.rint(values)), np.nan
        elif self.labels is None and values.dtype.kind in "iu":
            fits, gap = np.asarray(values % least == 0), 0
        else:
            plain = self.plain()
            fits = np.array([one is not None and _is_multiple(one, self.unit) for one in plain])
            gap = -1 if self.labels is not None else None
        values = np.where(fits, values, np.asarray(gap, values.dtype))
        return replace(self, values=values, missing=self.missing | ~fits, step=Fraction(1))

    def steps(self, scale: Scale) -> tuple[Integers, bool]:
        """Return all rows in steps of a grid, clamped, 0 where missing; and whether one was.

        Row by row: no value moves another.
        """
        if self._are_steps(scale):
            return self.values, False
        out, beyond = np.zeros(self.size, dtype=np.int64), False
        lut = None if self.labels is None else _each(self.labels.listed(), self.unit, scale)
        for rows in blocks(self.size):
            missing, values = self.missing[rows], self.values[rows]
            there = ~missing if missing.any() else slice(None)
            if lut is None:
                out[rows][there], outside = _steps(values[there], self.unit, scale)
            else:
                codes = values[there]
                out[rows][there], outside = lut[0][codes], bool(lut[1][codes].any())
            beyond = beyond or outside
        return out, beyond

    def _are_steps(self, scale: Scale) -> bool:
        """Tell whether the values are steps between the bounds as they are."""
        if self.values.dtype != np.int64 or self.unit != scale.step or not self.size:
            return False
        low, high = scale.low / self.unit, scale.high / self.unit
        return not self.missing.any() and bool(
            self.values.min() >= low and self.values.max() <= high
        )


TRUTH = Labels([False, True])


def none(size: int) -> Booleans:
    """Return that no row is missing, in no memory."""
    return np.broadcast_to(np.False_, (size,))


def _fitting(index: Mapping[Any, int], dtype: np.dtype[Any]) -> dict[Any, int]:
    """Return those keys that a value of a type may be: a float is the decimal that it prints as.

    What a key fits must not hang on other rows, of which one may make floats of whole numbers.
    """
    if dtype.kind == "f":
        near = ((as_float(key), key, place) for key, place in index.items())
        return {
            one: place
            for one, key, place in near
            if math.isfinite(one) and as_rational(one, "categories") == key
        }
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    return {
        int(key): place
        for key, place in index.items()
        if key.denominator == 1 and least <= key <= most
    }


def _steps(values: npt.NDArray[Any], unit: Fraction, scale: Scale) -> tuple[Integers, bool]:
    if values.dtype.kind == "f":
        low, high = float(scale.low), float(scale.high)
        beyond = bool(((values < low) | (values > high)).any())
        near = np.rint(np.clip(values, low, high) / float(scale.step))
        found = np.clip(near, scale.first, scale.last).astype(np.int64)
        # as among whole numbers alone: a fraction in another row makes floats of them
        whole = (np.abs(values) < 1 << 53) & (values == np.rint(values))
        found[whole] = nearest(values[whole].astype(np.int64), unit, scale)[0]
        return found, beyond
    if values.dtype == np.uint64:  # what is more than 63 bits is beyond any bounds
        values = np.minimum(values, _MOST)
    if values.dtype.kind in "iu":
        return nearest(values.astype(np.int64, copy=False), unit, scale)
    found, outside = _each(values.tolist(), unit, scale)
    return found, bool(outside.any())


def _each(values: list[Any], unit: Fraction, scale: Scale) -> tuple[Integers, Booleans]:
    """Return numbers of any size in steps of a grid, and which of them were clamped."""
    pairs = list(map(nearest_one(unit, scale), values))
    return (
        np.array([steps for steps, _ in pairs], dtype=np.int64),
        np.array([outside for _, outside in pairs], dtype=np.bool_),
    )


def first_rows(column: Column, most: int) -> Booleans:
    """Tell which rows are among the first so many of their person, whom a column names.

    It holds text or whole numbers, also as decimals; never floats, which make one person of two
    whose numbers are long. A row of nobody is refused: as one person all of them would keep too few
    rows. So are ids that differ by the space around them alone: as two persons one would keep too
    many.
    """
    if not column.is_exact or column.kind in ("time", "other"):
        raise WrongTypeError(
            "unit", "must name a column of text or whole numbers", "read it as text, not as floats"
        )
    if column.kind == "number" and not _is_whole(column):
        raise WrongTypeError(
            "unit", "must name a column of text or whole numbers", "write fractions as text"
        )
    column = labelled(column)
    labels = column.labels
    if column.missing.any() or (labels is not None and labels.is_blank()):
        rule = f"must say whose each row is, and column {column.name} has blank ids"
        raise DomainError("unit", rule, "leave rows of nobody out")
    if labels is not None and labels.is_spaced():
        rule = f"must write each person one way, and column {column.name} has space around some ids"
        raise DomainError("unit", rule, "remove the space first")
    return first_of_each(column.values, most)


def _is_whole(column: Column) -> bool:
    """Tell whether all numbers that are there are finite and whole."""
    least = column.unit.denominator  # so many of the column's last digit make 1
    if column.labels is None and column.values.dtype.kind in "iu":
        return least == 1 or all(one % least == 0 for one in np.unique(column.values).tolist())
    some = column.values.tolist() if column.labels is None else column.labels.listed()
    return all(_is_multiple(one, column.unit) for one in some if one is not None)


def _is_multiple(number: Any, unit: Fraction) -> bool:
    """Tell whether a number of units is finite and whole; fractions take time, and are the last."""
    if not math.isfinite(number):
        return False
    if unit == 1 and isinstance(number, Decimal):
        return number == number.to_integral_value()
    return Fraction(number) * unit % 1 == 0


def labelled(column: Column) -> Column:
    """Return a column of objects, which are numbers, by codes."""
    if column.values.dtype.kind != "O":
        return column
    labels, codes = coded(column.values.tolist())
    return replace(column, values=codes, labels=labels)


def coded(values: Sequence[Any]) -> tuple[Labels, npt.NDArray[np.int32]]:
    """Return values once each, and their codes; None has the code -1."""
    index: dict[Any, int] = {}
    codes = [-1 if one is None else index.setdefault(one, len(index)) for one in values]
    return Labels(list(index)), np.array(codes, dtype=np.int32)


def own_scalar(value: Any) -> Any:
    """Return a scalar of NumPy as Python has it, dates and times to the microsecond."""
    if not isinstance(value, np.datetime64 | np.timedelta64):
        return _own(value)
    part, _ = np.datetime_data(value.dtype)
    days = isinstance(value, np.datetime64) and part in ("Y", "M", "W", "D")
    try:
        return value.astype(f"{value.dtype.kind}8[{'D' if days else 'us'}]").item()
    except (TypeError, ValueError, OverflowError):  # a span of months
        return None


def _own(value: Any) -> Any:
    """Return a scalar of NumPy as Python has it: NumPy makes one text of 7 and "7" in a list."""
    if not isinstance(value, np.generic):
        return value
    return next((to(value) for types, to in _SCALARS if isinstance(value, types)), value)


def nested(name: str) -> WrongTypeError:
    """Return the error of a column whose cells hold several values."""
    rule = f"must have columns of one dimension, and column {name} has not"
    return WrongTypeError("frame", rule, "leave it out, or give its parts one by one")


def _array(name: str, values: Any) -> npt.NDArray[Any]:
    try:
        array = np.asarray(values)
    except Exception:  # noqa: BLE001 - what another library raises may show a value
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise nested(name)
    return array


def _timed(name: str, array: npt.NDArray[Any]) -> Column | None:
    """Return dates and times of NumPy in the unit of their type; None for months and the like."""
    part, count = np.datetime_data(array.dtype)
    missing = np.isnat(array)
    if array.dtype.kind == "M" and part in ("Y", "M", "W"):
        array, part, count = array.astype("datetime64[D]"), "D", 1
    if part not in PARTS:
        return None
    ticks = np.where(missing, 0, array.astype(np.int64))
    if array.dtype.kind == "M" and part == "D":
        return Column(name, "date", ticks, missing, Fraction(count), Fraction(count))
    kind: Kind = "datetime" if array.dtype.kind == "M" else "duration"
    return Column(name, kind, ticks, missing, PARTS[part] * count)


def is_missing(value: Any) -> bool:
    """Tell whether a value of Python, NumPy or pandas stands for none."""
    if value is None or type(value).__name__ in ("NaTType", "NAType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, float) and value != value


def _of_read(name: str, kind: Any, found: list[Any], step: Fraction | None) -> Column:
    """Return values of one kind, None for what is missing."""
    missing = np.fromiter((one is None for one in found), dtype=np.bool_, count=len(found))
    if kind in ("text", "truth"):
        labels, codes = coded(found)
        return Column(name, kind, codes, missing, labels=labels)
    there, unit = [one for one in found if one is not None], Fraction(1)
    if kind in TIMES:
        there, unit = ticks_of(kind, there)
        step = unit if kind == "date" else None
    return Column(name, kind, _filled(there, missing, kind), missing, unit, step)


def _of_objects(name: str, plain: Sequence[Any], step: Fraction | None) -> Column:
    types = set(map(type, plain))
    gaps = np.zeros(len(plain), dtype=np.bool_)
    if not types <= {int, str, bool}:
        gaps = np.fromiter(map(is_missing, plain), dtype=np.bool_, count=len(plain))
    missing, there = gaps, list(plain)
    if missing.any():
        there = [one for one, gap in zip(plain, gaps.tolist(), strict=True) if not gap]
        types = set(map(type, there))
    kinds = {kind_of(one) if kind_of(one) != "other" else one for one in types}
    rounded = any(issubclass(one, float) for one in types)
    if len(kinds) > 1 or (rounded and any(issubclass(one, Decimal | Fraction) for one in types)):
        raise WrongTypeError(f"column {name}", "must hold one kind of value", "convert it first")
    if rounded and any(isinstance(one, int) and abs(one) > 1 << 53 for one in there):
        rule = "must not hold floats beside whole numbers beyond 2^53, which floats would round"
        raise WrongTypeError(f"column {name}", rule, "give all as decimal.Decimal, or as text")
    kind = kind_of(next(iter(types), object))
    if kind in ("text", "truth"):
        labels, codes = coded([None if gap else one for one, gap in zip(plain, gaps, strict=True)])
        return Column(name, kind, codes, missing, labels=labels)
    if rounded:
        floats = [np.nan if gap else as_float(one) for one, gap in zip(plain, gaps, strict=True)]
        return Column(name, kind, np.array(floats, dtype=np.float64), missing)
    unit = Fraction(1)
    zoned = kind == "datetime" and there[0].tzinfo is not None
    if kind in TIMES:
        there, unit = ticks_of(kind, there)
        step = unit if kind == "date" else None
    elif kind == "number" and all(issubclass(one, int) for one in types):
        step = Fraction(1) if step is None else step
    values = _filled(there, missing, kind)
    return Column(name, kind, values, missing, unit, step, zoned=zoned)


def _filled(there: list[Any], missing: Booleans, kind: Kind) -> npt.NDArray[Any]:
    """Return values between the gaps: as int64 if all are whole and fit."""
    whole = kind in TIMES or (kind == "number" and all(type(one) is int for one in there))
    if whole and (not there or max(max(there), -min(there)) < 1 << 63):
        out = np.zeros(missing.size, dtype=np.int64)
        out[~missing] = there
        return out
    objects = np.full(missing.size, None, dtype=object)
    objects[~missing] = np.fromiter(there, dtype=object, count=len(there))
    return objects
