"""The borders of joint mechanisms: rows of one category for each attribute."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, ReportError, SudareError, WrongTypeError
from sudare.exact.entropy import Entropy
from sudare.exact.parameters import is_list
from sudare.mechanisms.parameters import Bad, Parameter
from sudare.mechanisms.values import FILL, as_array, as_categories_count, as_category
from sudare.samplers import Program
from sudare.samplers.base import index_dtype

MAX_ATTRIBUTES = 1_000

ROWS = 1 << 17
"""Rows that are worked on at a time, so that they stay in the cache."""

_NEAR_BYTES = 1 << 20
_LONG = 512  # numbers of a row that is read at a time

Sizes = tuple[int, ...]


def as_sizes(sizes: object) -> Sizes:
    """Return the numbers of categories of 1 to 1,000 attributes after checking each."""
    if not is_list(sizes):
        raise WrongTypeError("sizes", "must be a list of whole numbers", "such as [16, 5]")
    check_number(len(sizes))
    return tuple(as_categories_count(size, "sizes") for size in sizes)


WRONG_SIZES: Bad = (
    *((sizes, DomainError) for sizes in ([], [3, 1], [3, 0], [2] * 1001, [2, 2**40], np.array([]))),
    *((sizes, WrongTypeError) for sizes in (3, None, "33", b"33", np.array(3), {2, 3})),
    *((sizes, WrongTypeError) for sizes in ([2.5], [3, True], [3, None], [3, "2"], [[3]])),
)
SIZES = Parameter(
    name="sizes",
    read=lambda sizes, _: as_sizes(sizes),
    write=list,
    parse=lambda data: data if isinstance(data, list) else None,
    show=lambda sizes: str(list(sizes)),
    examples=((3, 2), (2,), (2, 3, 4)),
    bad=WRONG_SIZES,
)
"""Numbers of categories of the attributes."""


def check_number(attributes: int) -> None:
    """Refuse no attributes, or more than a thousand."""
    if not 1 <= attributes <= MAX_ATTRIBUTES:
        raise DomainError("sizes", f"must name 1 to {MAX_ATTRIBUTES} attributes", got=attributes)


def as_row(value: Any, sizes: Sizes) -> list[int]:
    """Return one respondent's row after checking it; never shown in errors."""
    if not isinstance(value, list | tuple) and not (
        isinstance(value, np.ndarray) and value.ndim == 1
    ):
        raise WrongTypeError("value", f"must be a row of {len(sizes)} whole numbers")
    if len(value) != len(sizes):
        raise DomainError("value", f"must have {len(sizes)} entries", "one an attribute")
    return [as_category(v, size) for v, size in zip(value, sizes, strict=True)]


def as_values(values: object, sizes: Sizes) -> npt.NDArray[Any]:
    """Return (n, attributes) values after checking each to be in its attribute's ``[0, size)``.

    Raises:
        WrongTypeError: not whole numbers.
        DomainError: empty, the wrong number of columns, or a value outside its attribute. The
            message names the attribute and the position, never the value.
    """
    array = as_rows(values, sizes)
    check_rows(array, sizes)
    return array


def as_rows(values: object, sizes: Sizes) -> npt.NDArray[Any]:
    """Return values as :func:`as_values`, none of them checked to be in its attribute's range:
    for those who check block by block, while each is in the cache."""
    array = _whole(values, sizes, "values")
    if array.shape[0] == 0:
        raise DomainError("values", "must not be empty", "give at least one respondent's row")
    return array


def check_rows(rows: npt.NDArray[Any], sizes: Sizes, start: int = 0) -> None:
    """Check rows of :func:`as_rows`, the first of which is at position ``start``."""
    _check(rows, sizes, "values", DomainError, start)


def narrowed(rows: npt.NDArray[Any], sizes: Sizes, start: int = 0) -> npt.NDArray[Any]:
    """Return rows of :func:`as_rows` after checking them, as :func:`check_rows`; in the smallest
    dtype where they are of a wider one: each part is read once from far, and once in the cache."""
    kind = np.dtype(index_dtype(max(sizes)))
    if rows.dtype.itemsize <= kind.itemsize:
        check_rows(rows, sizes, start)
        return rows
    out = np.empty(rows.shape, dtype=kind)
    step = max(1, _NEAR_BYTES // (rows.dtype.itemsize * len(sizes)))
    for at in range(0, len(rows), step):
        near = rows[at : at + step]
        check_rows(near, sizes, start + at)
        out[at : at + step] = near
    return out


def draw_columns(
    values: object, sizes: Sizes, programs: Sequence[Program], rng: Entropy
) -> npt.NDArray[Any]:
    """Randomise each attribute by its own program: (n, attributes) in the smallest dtype.

    Rows are checked and drawn block by block, in which columns lie in the cache.

    Raises:
        WrongTypeError, DomainError: as :func:`as_values`.
    """
    rows = as_rows(values, sizes)
    out = np.empty(rows.shape, dtype=index_dtype(max(sizes)))
    for start in range(0, len(rows), ROWS):
        drawn = out[start : start + ROWS]
        block = narrowed(rows[start : start + ROWS], sizes, start)
        for i, program in enumerate(programs):
            drawn[:, i] = program.draw(block[:, i].astype(out.dtype), rng)
    return out


def as_reports(reports: object, sizes: Sizes) -> npt.NDArray[Any]:
    """Return (n, attributes) reports after checking each to be in its attribute's alphabet."""
    array = _whole(reports, sizes, "reports")
    _check(array, sizes, "reports", ReportError)
    return array


def _whole(data: object, sizes: Sizes, argument: str) -> npt.NDArray[Any]:
    array = as_array(data)
    if array is not None and array.dtype.kind == "O":
        array = _of_nullable(data, argument)
    if array is None or array.dtype.kind not in "iu" or has_odd_rows(data):
        raise WrongTypeError(
            argument, "must be rows of whole numbers", "encode each attribute as 0..size-1"
        )
    if array.ndim != 2 or array.shape[1] != len(sizes):
        raise DomainError(
            argument, f"must have the shape (n, {len(sizes)})", "one column for each attribute"
        )
    return array


def _of_nullable(data: Any, argument: str) -> npt.NDArray[Any] | None:
    """Return a frame of pandas whose columns hold whole numbers or nothing; None for others."""
    kinds = getattr(data, "dtypes", ())
    if len(kinds) == 0 or any(getattr(kind, "kind", "O") not in "iu" for kind in kinds):
        return None
    if data.isna().to_numpy().any():
        raise WrongTypeError(argument, "must not be missing", FILL)
    signed = all(kind.kind == "i" for kind in kinds)
    return as_array(data.to_numpy(dtype="int64" if signed else "uint64"))


def _check(
    array: npt.NDArray[Any],
    sizes: Sizes,
    argument: str,
    error: type[SudareError],
    start: int = 0,
) -> None:
    if not array.shape[0]:
        return
    largest = column_maxima(array.view(f"u{array.dtype.itemsize}"))  # negatives look huge
    for attribute, (most, size) in enumerate(zip(largest.tolist(), sizes, strict=True)):
        if most >= size:
            column = array[:, attribute]
            place = start + int(np.flatnonzero((column < 0) | (column >= size))[0])
            raise error(
                argument,
                f"must lie in [0, {size}) for attribute {attribute}",
                f"look at position {place}; add a category for anything else",
            )


def column_maxima(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the largest of each column of contiguous rows, at least one.

    Many short rows are read as fewer long ones, which takes a fifteenth of the time.

    Examples:
        >>> column_maxima(np.array([[1, 5], [4, 2]])).tolist()
        [4, 5]
    """
    columns = rows.shape[1]
    folded = max(1, _LONG // columns)
    whole = len(rows) // folded * folded
    tops = rows[whole:]
    if whole:
        long = rows[:whole].reshape(-1, folded * columns).max(axis=0)
        tops = np.concatenate([tops, long.reshape(folded, columns)])
    out: npt.NDArray[Any] = tops.max(axis=0)
    return out


def has_odd_rows(data: object) -> bool:
    """Whether a list holds booleans or masked rows, which an array of it would take for numbers."""
    if isinstance(data, np.ndarray) or not isinstance(data, Iterable):
        return False
    return any(_is_odd(row) for row in data)


def _is_odd(row: object) -> bool:
    if isinstance(row, np.ndarray):
        return row.dtype.kind == "b" or hasattr(type(row), "mask")
    return isinstance(row, Iterable) and any(isinstance(v, bool | np.bool_) for v in row)
