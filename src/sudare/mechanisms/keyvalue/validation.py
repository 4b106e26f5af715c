"""The borders of key-value mechanisms: what respondents hold, their reports, true populations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats
from sudare.errors import DomainError, ReportError, WrongTypeError, counted
from sudare.exact.parameters import is_real
from sudare.mechanisms.values import as_array, as_floats, as_marks

STEPS = 1 << 31
"""Positions from +1 down to -1: a value is rounded to a multiple of 2^-30, and its sign drawn."""

NOT_HELD = STEPS + 1
"""The position of a key that is not held."""

MOST_KEYS = 1 << 24

_CELLS = 1 << 16

Positions = npt.NDArray[np.uint32]

_REMEDY = "one row a respondent, True where the key is held, and its value in [-1, 1]"


@dataclass(frozen=True, slots=True)
class Holdings:
    """What n respondents hold, checked: (n, d) marks, and numbers in [-1, 1] where they are True.

    Positions, :data:`STEPS` from +1 down to -1, are worked out for the keys that are drawn alone.
    """

    held: Booleans
    values: npt.NDArray[Any]

    def __len__(self) -> int:
        return len(self.held)

    def positions(self, start: int, keys: npt.NDArray[Any]) -> Positions:
        """Return how far below +1 the values of these keys lie, of one respondent after the other.

        Args:
            start: the first of the respondents.
            keys: a key of each.
        """
        size = self.held.shape[1]
        cells = np.arange(start * size, (start + keys.size) * size, size, dtype=np.intp)
        cells += keys
        held = self.held.reshape(-1).take(cells)
        own = np.where(held, self.values.reshape(-1).take(cells), 0).astype(np.float64, copy=False)
        np.subtract(1.0, own, out=own)
        own *= STEPS // 2
        own += 0.5
        out = own.astype(np.uint32)  # rounds down
        out[~held] = NOT_HELD
        return out


def as_holdings(held: object, values: object, d: int) -> Holdings:
    """Return what n respondents hold, checked in blocks that stay in cache.

    Args:
        held: (n, d) booleans.
        values: (n, d) numbers in [-1, 1]; what stands where nothing is held is ignored.

    Raises:
        WrongTypeError, DomainError: other shapes or types, NaN or a value outside [-1, 1] where a
            key is held. The message names the row, never the value.
    """
    marks = as_marks(held, "held", d, _REMEDY)
    given = as_array(values)
    if given is None or given.dtype.kind not in "iuf":
        raise WrongTypeError("values", f"must be an array of numbers (n, {d})", _REMEDY)
    if given.shape != marks.shape:
        raise DomainError("values", "must have the shape of held", _REMEDY)
    rows = max(1, _CELLS // d)
    for start in range(0, len(marks), rows):
        part = given[start : start + rows]
        with np.errstate(invalid="ignore"):
            if part.min() >= -1 and part.max() <= 1:  # never so where one is NaN
                continue
            wrong = marks[start : start + rows] & ~((part >= -1) & (part <= 1))
        if wrong.any():
            row = start + int(np.flatnonzero(wrong.any(axis=1))[0])
            raise DomainError(
                "values", "must lie in [-1, 1] where the key is held", f"look at row {row}"
            )
    return Holdings(marks, given)


def as_holding(value: object, d: int) -> list[int]:
    """Return the positions of one respondent, given as a list of d values or None (not held).

    Raises:
        WrongTypeError, DomainError: as :func:`as_holdings`; the value is never shown.
    """
    remedy = f"list {counted(d, 'entry')}: a number in [-1, 1] where the key is held, else None"
    if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
        raise WrongTypeError("value", "must be a list", remedy)
    scalar = isinstance(value, np.ndarray) and value.ndim == 0
    if scalar or hasattr(type(value), "mask") or len(value) != d:
        raise DomainError("value", f"must have {counted(d, 'entry')}", remedy)
    return [_position(one, remedy) for one in value]


def _position(value: Any, remedy: str) -> int:
    if value is None:
        return NOT_HELD
    if not is_real(value):
        raise WrongTypeError("value", "must hold numbers or None", remedy)
    if not (value >= -1 and value <= 1):  # type: ignore[operator] # before float() overflows
        raise DomainError("value", "must lie in [-1, 1] where the key is held", remedy)
    exact = Fraction(value if isinstance(value, Fraction | int) else float(value))
    return math.floor((1 - exact) * (STEPS // 2) + Fraction(1, 2))


def as_keyed(reports: object, d: int) -> npt.NDArray[Any]:
    """Return (n, 2) reports, key and state, each checked to be in the alphabet."""
    rows = _whole(reports, (2,))
    seen = rows.view(f"u{rows.dtype.itemsize}")  # negatives look huge
    if rows.size and (int(seen[:, 0].max()) >= d or int(seen[:, 1].max()) > 2):
        raise ReportError(
            "reports", f"must name a key in [0, {d}) and a state in [0, 3)", "use perturb's output"
        )
    return rows


def as_states(reports: object, shape: tuple[int, ...], states: int = 3) -> npt.NDArray[Any]:
    """Return (n, *shape) reports of whole numbers, each checked to be below ``states``."""
    rows = _whole(reports, shape)
    seen = rows.view(f"u{rows.dtype.itemsize}")
    if rows.size and int(seen.max()) >= states:
        raise ReportError("reports", f"must lie in [0, {states})", "use perturb's output")
    return rows


def _whole(reports: object, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    rows = as_array(reports)
    if rows is None or rows.dtype.kind not in "iu":
        raise WrongTypeError("reports", "must be rows of whole numbers", "use perturb's output")
    if rows.ndim != 1 + len(shape) or rows.shape[1:] != shape:
        wanted = ", ".join(map(str, ("n", *shape)))
        raise ReportError("reports", f"must have the shape ({wanted})", "use perturb's output")
    return rows


def as_population(frequency: object, mean: object, d: int) -> tuple[Floats, Floats]:
    """Return true frequencies in [0, 1] and means in [-1, 1], each (d,), for simulations.

    A mean may be NaN where the frequency is 0.
    """
    f = _numbers(frequency, "frequency", d)
    m = np.where(f == 0, 0.0, _numbers(mean, "mean", d))
    for argument, numbers_, low in (("frequency", f, 0), ("mean", m, -1)):
        if not ((numbers_ >= low) & (numbers_ <= 1)).all():
            raise DomainError(argument, f"must lie in [{low}, 1]", "give the true ones")
    return f, m


def _numbers(values: object, argument: str, d: int) -> Floats:
    return as_floats(values, argument, (d,))


def as_means(means: Iterable[float] | None, d: int) -> Floats:
    """Return means in [-1, 1] as a collector feeds them back; NaN stands for 0."""
    array = np.nan_to_num(_numbers(means, "means", d), nan=0.0)
    if not (np.abs(array) <= 1).all():
        raise DomainError("means", "must lie in [-1, 1]", "clip them")
    return array
