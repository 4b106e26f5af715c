"""The borders of mechanisms for numbers: the range, and what respondents hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError, DomainError, WrongTypeError
from sudare.exact.parameters import is_real
from sudare.mechanisms.values import as_array, has_booleans

Floats = npt.NDArray[np.float64]

FARTHEST = 1e100
"""Bounds lie within this of 0, and at least its inverse apart: squares stay finite."""


def as_range(low: object, high: object) -> tuple[float, float]:
    """Return the ends of a range of numbers.

    Raises:
        WrongTypeError, DomainError: not two numbers within ±1e100, the second at least 1e-100
            above the first.
    """
    ends = _as_bound(low, "low"), _as_bound(high, "high")
    if not ends[1] - ends[0] >= 1 / FARTHEST:
        raise DomainError("high", "must be above low", "give the least number first", got=high)
    return ends


def _as_bound(value: object, argument: str) -> float:
    remedy = "give the ends of the range in which all answers lie"
    if not is_real(value):
        raise WrongTypeError(argument, "must be a number", remedy, got=value)
    if not -FARTHEST <= value <= FARTHEST:  # type: ignore[operator]
        raise DomainError(argument, "must be finite, within ±1e100", remedy, got=value)
    return float(value)


def read_bound(text: object) -> float:
    """Return the number of ``repr(float)``.

    Raises:
        CollectionError: not such text.
    """
    try:
        value = float(text) if isinstance(text, str) else math.nan
    except ValueError:
        value = math.nan
    if repr(value) != text or not math.isfinite(value):
        raise CollectionError("mechanism", "must have low and high as exact text")
    return value


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
