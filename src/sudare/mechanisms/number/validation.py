"""The borders of mechanisms for numbers: the range, and what respondents hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError
from sudare.exact.parameters import is_real
from sudare.mechanisms.parameters import NAN, Parameter
from sudare.mechanisms.values import as_array, has_booleans

_BLOCK = 1 << 17

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


def _as_edges(edges: object, m: Any) -> tuple[float, ...] | None:
    """Return where unequal bins begin and end, checked; None where bins are equal."""
    if edges is None:
        return None
    remedy = "where bins begin and end, such as (0, 10, 20, 50, 100)"
    if isinstance(edges, str | bytes) or not isinstance(edges, Sequence | np.ndarray):
        raise WrongTypeError("edges", "must be a list of numbers", remedy)
    own = tuple(_as_bound(one, "edges") for one in edges)
    if len(own) != m.bins + 1:
        raise DomainError("edges", f"must be one more than the {m.bins} bins", remedy, got=len(own))
    if any(one >= other for one, other in pairwise(own)):
        raise DomainError("edges", "must rise", remedy)
    if (own[0], own[-1]) != (m.low, m.high):
        raise DomainError("edges", "must begin with low and end with high", remedy)
    return own


def _read_edges(texts: object) -> tuple[float, ...] | None:
    edges = [_read_bound(one) for one in texts] if isinstance(texts, list) else [None]
    return None if None in edges else tuple(one for one in edges if one is not None)


UNEVEN = Parameter(
    name="edges",
    attribute="uneven",
    read=_as_edges,
    write=lambda edges: None if edges is None else [repr(one) for one in edges],
    parse=_read_edges,
    show=lambda edges: "" if edges is None else f"edges={edges}",
    optional=True,
    examples=(None, (0.0, 5.0, 10.0, 20.5, 50.0, 100.0), None),
    bad=(
        *((value, DomainError) for value in ((-1.0, 1.0), (), [-1.0, 0.0, 0.0, 0.5, 1.0])),
        *((value, DomainError) for value in ([-1, -0.5, 0, 0.5, 2], [-2, -0.5, 0, 0.5, 1])),
        *((value, DomainError) for value in ([-1, -0.5, NAN, 0.5, 1], [-1, 0.5, 0, 0.7, 1])),
        *((value, WrongTypeError) for value in ("01234", 3, True, b"01234", {0, 1})),
        *(([-1.0, -0.5, one, 0.5, 1.0], WrongTypeError) for one in ("0", None, False, [0])),
    ),
)
"""Where unequal bins begin and end, from ``low`` to ``high``; None where bins are equal."""


def each_within(
    values: object,
    low: float,
    high: float,
    work: Callable[[Floats], npt.NDArray[Any]],
    kind: npt.DTypeLike,
) -> npt.NDArray[Any]:
    """Return what is worked out of n numbers of the range, which comes as floats in blocks.

    A block is checked and worked on while it is in the cache.

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
    out = np.empty(array.size, dtype=kind)
    for start in range(0, array.size, _BLOCK):
        part = array[start : start + _BLOCK]
        with np.errstate(invalid="ignore"):
            inside = part.min() >= low and part.max() <= high  # never so where one is NaN
        if not inside:
            place = start + int(np.flatnonzero(~((part >= low) & (part <= high)))[0])
            remedy = f"look at position {place}; clamp it if you mean to"
            raise DomainError("values", "must lie in the range", remedy)
        own = np.clip(part.astype(np.float64, copy=False), low, high)  # longer ones round
        out[start : start + _BLOCK] = work(own)
    return out


def as_parts(values: object, low: float, high: float) -> Floats:
    """Return how far along the range each of n numbers lies: 0 for ``low``, 1 for ``high``.

    Raises:
        WrongTypeError, DomainError: as :func:`each_within`.
    """
    return each_within(values, low, high, lambda own: (own - low) / (high - low), np.float64)


def as_one_within(value: Any, low: float, high: float) -> float:
    """Return one number of the range, as a float.

    Raises:
        WrongTypeError, DomainError: as :func:`each_within`; the value is never shown.
    """
    if not is_real(value):
        raise WrongTypeError("value", "must be a number")
    if not (value >= low and value <= high):  # type: ignore[operator] # before float() overflows
        raise DomainError("value", "must lie in the range", "clamp it if you mean to")
    return float(value)


def as_part(value: Any, low: float, high: float) -> float:
    """Return how far along the range one number lies, by the arithmetic of :func:`as_parts`.

    Raises:
        WrongTypeError, DomainError: as :func:`each_within`; the value is never shown.
    """
    return (as_one_within(value, low, high) - low) / (high - low)
