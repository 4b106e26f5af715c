"""What kinds of values there are, and dates and times as whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from sudare.errors import WrongTypeError

Kind = Literal["number", "text", "truth", "date", "datetime", "time", "duration", "other"]

TIMES = ("date", "datetime", "time", "duration")

_MICRO = timedelta(microseconds=1)
_START = datetime(1970, 1, 1, tzinfo=UTC)
PARTS = {"D": Fraction(86_400), "h": Fraction(3_600), "m": Fraction(60), "s": Fraction(1)} | {
    name: Fraction(1, 10**digits)
    for name, digits in (("ms", 3), ("us", 6), ("ns", 9), ("ps", 12), ("fs", 15), ("as", 18))
}
_KINDS: tuple[tuple[Any, Kind], ...] = (
    ((bool, np.bool_), "truth"),
    ((int, float, Decimal, Fraction), "number"),
    (str, "text"),
    (datetime, "datetime"),
    (date, "date"),
    (time, "time"),
    (timedelta, "duration"),
)


def kind_of(of: type) -> Kind:
    """Return the kind of the values of a type."""
    return next((kind for types, kind in _KINDS if issubclass(of, types)), "other")


def kind_of_time(value: Any) -> Kind:
    """Return what a bound is: text is a time of day, a date, or both."""
    if isinstance(value, str):
        with_date = value.count("-") >= 2
        return ("datetime" if ":" in value else "date") if with_date else "time"
    return kind_of(type(value))


def as_time(kind: Kind, value: object, where: str) -> Any:
    """Return a date or time of a kind from itself or from ISO 8601."""
    readers: dict[str, Any] = {"date": date, "datetime": datetime, "time": time}
    try:
        if isinstance(value, str) and kind in readers:
            return readers[kind].fromisoformat(value.strip())
        if isinstance(value, date) and not isinstance(value, datetime) and kind == "datetime":
            return datetime.combine(value, time())
    except ValueError:
        pass
    if value is not None and kind_of(type(value)) == kind:
        return value
    raise WrongTypeError(where, f"must be of the kind {kind}", "as ISO 8601 writes it")


def ticks_of(kind: Kind, times: Sequence[Any]) -> tuple[list[int], Fraction]:
    """Return times as whole numbers of a unit: days, microseconds, or finer where they are."""
    if kind == "date":
        return [one.toordinal() - _START.toordinal() for one in times], Fraction(1)
    if kind == "time":
        spans = [datetime.combine(_START, one.replace(tzinfo=UTC)) - _START for one in times]
        return [one // _MICRO for one in spans], PARTS["us"]
    if kind == "datetime":
        if len({one.tzinfo is None for one in times}) > 1:
            raise WrongTypeError("frame", "must have times all with a zone, or all without")
        finer = [getattr(one, "nanosecond", 0) for one in times]
        spans = [(one.replace(tzinfo=UTC) if one.tzinfo is None else one) - _START for one in times]
    else:
        finer = [getattr(one, "nanoseconds", 0) for one in times]
        spans = list(times)
    if not any(finer):
        return [int(one // _MICRO) for one in spans], PARTS["us"]
    return [int(a // _MICRO) * 1000 + b for a, b in zip(spans, finer, strict=True)], PARTS["ns"]
