"""The borders of mechanisms for numbers: the range, and what respondents hold."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError
from sudare.exact.parameters import is_real
from sudare.mechanisms.parameters import NAN, Parameter
from sudare.mechanisms.values import as_array, has_booleans

FARTHEST = 1e100
"""Bounds lie within this of 0, and at least its inverse apart: squares stay finite."""


def _as_high(value: object, low: float) -> float:
    high = _as_bound(value, "high")
    if not high - low >= 1 / FARTHEST:
        raise DomainError("high", "must be above low", "give the least number first", got=value)
    return high


def _as_bound(value: object, argument: str) -> float:
    remedy = "give the ends of the range in which all answers lie"
    if not is_real(value):
        raise WrongTypeError(argument, "must be a number", remedy, got=value)
    if not -FARTHEST <= value <= FARTHEST:  # type: ignore[operator]
        raise DomainError(argument, "must be finite, within ±1e100", remedy, got=value)
    return float(value)


def _read_bound(text: object) -> float | None:
    """Return the number of ``repr(float)``; None where the text is of another form."""
    try:
        value = float(text) if isinstance(text, str) else math.nan
    except ValueError:
        return None
    return value if repr(value) == text and math.isfinite(value) else None


_BAD = (
    *((value, DomainError) for value in (NAN, math.inf, 1e101, -(10**400))),
    *((value, WrongTypeError) for value in ("0", None, True, [0], 1j, Decimal(0), np.array([0.0]))),
)
LOW = Parameter(
    name="low",
    read=lambda low, _: _as_bound(low, "low"),
    write=repr,
    parse=_read_bound,
    examples=(-1.0, 0.0, -20.5),
    bad=_BAD,
)
HIGH = Parameter(
    name="high",
    read=lambda high, m: _as_high(high, m.low),
    write=repr,
    parse=_read_bound,
    examples=(1.0, 100.0, -20.0),
    bad=(*_BAD, (-1.0, DomainError), (-2, DomainError)),
)
"""Ends of the range of a number, within ±1e100, the second at least 1e-100 above the first."""


def as_parts(values: object, low: float, high: float) -> Floats:
    """Return how far along the range each of n numbers lies: 0 for ``low``, 1 for ``high``.

    Raises:
        WrongTypeError: not numbers (text, None, booleans, masked cells).
        DomainError: empty, not one-dimensional, NaN or outside the range. The message names the
            position, never the value.
    """
    array = as_array(values)
    if array is None or array.dtype.kind not in "iuf" or has_booleans(values):
        raise WrongTypeError("values", "must be numbers", "one number a respondent")
    if array.ndim != 1:
        raise DomainError("values", "must be a one-dimensional array", "one number a respondent")
    if array.size == 0:
        raise DomainError("values", "must not be empty", "give at least one respondent's number")
    inside = (array >= low) & (array <= high)
    if not inside.all():
        place = int(np.flatnonzero(~inside)[0])
        raise DomainError(
            "values", "must lie in the range", f"look at position {place}; clamp it if you mean to"
        )
    own = np.clip(array.astype(np.float64, copy=False), low, high)  # longer floats are rounded
    out: Floats = (own - low) / (high - low)
    return out


def as_part(value: Any, low: float, high: float) -> float:
    """Return how far along the range one number lies, by the arithmetic of :func:`as_parts`.

    Raises:
        WrongTypeError, DomainError: as :func:`as_parts`; the value is never shown.
    """
    if not is_real(value):
        raise WrongTypeError("value", "must be a number")
    if not (value >= low and value <= high):  # type: ignore[operator] # before float() overflows
        raise DomainError("value", "must lie in the range", "clamp it if you mean to")
    return (float(value) - low) / (high - low)
