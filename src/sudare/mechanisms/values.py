"""The border: respondents' values are checked here, before anything is randomised."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.alignment import Axis, align
from sudare.arrays import is_masked, is_missing, runs_of
from sudare.errors import DomainError, SudareError, WrongTypeError
from sudare.exact import as_integer
from sudare.samplers import packed
from sudare.samplers.base import index_dtype

FILL = (
    "fill missing values with a category of their own, which is randomised like the others, or "
    "leave these people out"
)
_ENCODED = "encode the categories as 0..k-1"
_WRITTEN = "write them as the labels are written"
MAX_CATEGORIES = 1 << 24
MAX_RESPONDENTS = 1 << 60

_CELLS = 1 << 17
_NEAR = 1 << 15  # of values that are read twice: the second time from the cache


def as_categories_count(k: object, argument: str = "k") -> int:
    """Return the number of categories after checking ``2 <= k <= 2**24``."""
    return as_integer(k, argument, low=2, high=MAX_CATEGORIES)


def as_categories(values: object, k: int, *, labelled: bool = False) -> npt.NDArray[Any]:
    """Return values as a contiguous native integer array after checking each to be in ``[0, k)``;
    in the smallest dtype where they are of a wider one.

    Raises:
        WrongTypeError: not integers (floats, text, booleans), or missing (NaN, None, masked cells).
        DomainError: empty, not one-dimensional, or a value outside its domain. The message
            names the position, never the value.
    """
    array = as_array(values)
    if array is None or array.dtype.kind not in "iu" or has_booleans(values):
        refuse_missing(values)
        if array is not None and array.shape == (0,):
            raise _empty()  # of any type: there is nothing to encode
        rule = f"must be whole numbers in [0, {k})"
        if labelled:
            rule = f"must be labels, or {rule.removeprefix('must be ')}"
        raise WrongTypeError("values", rule, _instead(values, labelled))
    if array.ndim != 1:
        raise DomainError("values", "must be a one-dimensional array", "one value a respondent")
    if array.size == 0:
        raise _empty()
    # Seen as unsigned, a negative number is huge: one pass finds both kinds of outsiders.
    seen, kind = array.view(f"u{array.dtype.itemsize}"), index_dtype(k)
    wide = array.dtype.itemsize > kind.itemsize
    out = np.empty(array.size, dtype=kind) if wide else array
    step = _NEAR if wide else array.size
    for start in range(0, array.size, step):
        part = seen[start : start + step]
        if int(part.max()) >= k:
            place = start + int(np.flatnonzero(part >= k)[0])
            raise DomainError(
                "values",
                f"must lie in [0, {k})",
                f"look at position {place}; add a category for anything else",
            )
        if wide:
            out[start : start + step] = part
    return out


def _empty() -> DomainError:
    return DomainError("values", "must not be empty", "give at least one respondent's value")


def _instead(values: object, labelled: bool) -> str:
    """Return what to give in the place of what is no column of whole numbers."""
    if hasattr(values, "columns"):
        return 'give one column, such as frame["tea"]'
    if isinstance(values, str | bytes):
        return "give a list, one value a respondent"
    return f"{_WRITTEN}, such as column.astype(str)" if labelled else _ENCODED


def listed(values: object) -> list[Any] | None:
    """Return a column as a list of Python values, from whichever library; None for no column.

    A frame is none: passed through, it would give the names of its columns.

    Whatever an object's own conversion raises stays inside: its text may quote a value.
    """
    if isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
        return None
    if len(getattr(values, "shape", "1")) != 1:
        return None
    try:
        ways = (getattr(values, name, None) for name in ("to_pylist", "tolist", "to_list"))
        way: Any = next(filter(callable, ways), values.__iter__)
        out: list[Any] = list(way())
    except Exception:  # noqa: BLE001 - any object may be given, and may raise anything
        return None
    return out


def refuse_missing(values: object) -> None:
    """Raise WrongTypeError where a value is missing: None, NaN, NaT, pandas.NA, a masked cell."""
    for place, value in enumerate(listed(values) or ()):
        if is_missing(value):
            raise WrongTypeError(
                "values", "must not be missing", f"look at position {place}; {FILL}"
            )


def as_array(data: object) -> npt.NDArray[Any] | None:
    """Return data as a contiguous array in native byte order; None where it is not an array.

    Whatever an object's own conversion raises stays inside: its text may quote a value.
    """
    if isinstance(data, np.ndarray) and hasattr(type(data), "mask"):
        return None  # a masked array, told without loading numpy.ma (12 ms of a device's start)
    try:
        runs = runs_of(data)
        array = np.asarray(data if runs is None else runs)
        return array.astype(array.dtype.newbyteorder("="), order="C", copy=False)
    except Exception:  # noqa: BLE001 - any object may be given, and may raise anything
        return None


def has_booleans(values: object) -> bool:
    """Whether a list holds booleans, which an array of numbers would hide."""
    if isinstance(values, np.ndarray) or not isinstance(values, Iterable):
        return False
    return any(isinstance(value, bool | np.bool_) for value in values)


def as_category(value: object, k: int, *, labelled: bool = False) -> int:
    """Return one value after checking it to be an integer in ``[0, k)``; never shown in errors."""
    remedy = _WRITTEN if labelled else _ENCODED
    try:
        number = None if isinstance(value, bool | np.bool_) else operator.index(value)  # type: ignore[arg-type]
    except Exception:  # noqa: BLE001 - an object's own __index__ may raise anything
        number = None
    if number is None and is_missing(value):
        raise WrongTypeError("value", "must not be missing", FILL)
    if number is None:
        rule = f"must be a label, or a whole number in [0, {k})"
        raise WrongTypeError(
            "value", rule if labelled else rule.replace("a label, or ", ""), remedy
        )
    if not 0 <= number < k:
        raise DomainError("value", f"must lie in [0, {k})", remedy)
    return number


def as_floats(
    given: object,
    argument: str,
    *shapes: tuple[int, ...],
    remedy: str = "",
    labels: Sequence[str] | None = None,
) -> npt.NDArray[np.float64]:
    """Return numbers as float64, of one of these shapes; also NaN and infinity.

    What comes with labels is put in the order of these, or of 0, 1, ... of the shape.
    """
    likely = shapes[-1] if hasattr(given, "columns") else shapes[0]
    array = as_array(align(given, _axes(likely, labels), argument))
    if array is None or array.dtype.kind not in "iuf":
        raise WrongTypeError(argument, "must be numbers", remedy)
    if array.shape not in shapes:
        raise DomainError(argument, f"must have the shape {shapes[0]}", got=array.shape)
    with np.errstate(over="ignore"):  # longer floats may come
        return array.astype(np.float64)


def _axes(shape: tuple[int, ...], labels: Sequence[str] | None) -> list[Axis]:
    """Return the categories along each axis: labels are those of the last one."""
    return [*shape[:-1], labels or shape[-1]] if shape else []


def _as_counts(
    given: object, shape: tuple[int, ...], labels: Sequence[str] | None
) -> npt.NDArray[Any]:
    array = as_array(align(given, _axes(shape, labels), "true_counts"))
    if array is None or array.dtype.kind not in "iu":
        raise WrongTypeError("true_counts", "must be whole numbers", "round them first")
    if array.shape != shape:
        raise DomainError("true_counts", f"must have the shape {shape}", got=array.shape)
    return array


def as_true_counts(
    true_counts: object, *shape: int, labels: Sequence[str] | None = None
) -> npt.NDArray[np.int64]:
    """Return true counts (whole numbers >= 0, not all 0) as int64, for simulations."""
    array = _as_counts(true_counts, shape, labels)
    if int(array.min()) < 0 or not 0 < array.sum(dtype=np.float64) <= MAX_RESPONDENTS:
        raise DomainError("true_counts", f"must be >= 0 and sum to 1..{MAX_RESPONDENTS}")
    return array.astype(np.int64)


def as_shares(
    shares: object, *shape: int, argument: str = "shares", labels: Sequence[str] | None = None
) -> npt.NDArray[np.float64]:
    """Return true shares (numbers >= 0 that sum to 1); None stands for the uniform ones."""
    if shares is None:
        return np.full(shape, 1 / math.prod(shape))
    array = as_floats(shares, argument, shape, remedy="or None for uniform shares", labels=labels)
    if not np.isfinite(array).all() or array.min() < 0 or abs(array.sum() - 1) > 1e-6:
        raise DomainError(argument, "must be >= 0 and sum to 1", "divide the counts by their sum")
    return array


def as_sets(values: object, k: int, most: int) -> npt.NDArray[np.bool_]:
    """Return n sets as a contiguous (n, k) boolean array, each checked to hold at most ``most``.

    They come as such an array, or as lists (sets) of the indices that each respondent holds.

    Raises:
        WrongTypeError: not booleans (numbers, NaN, None, text, masked cells), nor lists of indices.
        DomainError: empty, another shape, or a set that is too large. The message names the
            position, never the set.
    """
    if isinstance(values, list | tuple) and _are_indices(values, k):
        values = _marked(values, k, most)
    remedy = (
        "give one row a respondent, True where the category is held (of 0 and 1 .astype(bool)), or "
        "a list of the indices that each one holds, such as [[0, 2], [1], []]"
    )
    array = as_marks(values, "values", k, remedy)
    rows = max(1, _CELLS // k)
    for start in range(0, len(array) if most < k else 0, rows):
        large = np.flatnonzero(packed.ones(packed.pack(array[start : start + rows])) > most)
        if large.size:
            place = f"look at position {start + int(large[0])}"
            raise DomainError("values", f"must hold at most {most} in each row", place)
    return array


def _are_indices(values: Sequence[Any], k: int) -> bool:
    """Tell whether these are lists of indices, and cannot be rows of 0 and 1.

    A row of 0 and 1 names an index twice, and is refused, unless it has two cells.
    """
    if not all(isinstance(one, list | tuple | set | frozenset) for one in values):
        return False
    if any(isinstance(index, bool | np.bool_) for one in values for index in one):
        return False
    return bool(values) and not (
        k == 2 and all(isinstance(one, list | tuple) and len(one) == 2 for one in values)
    )


def _marked(values: Sequence[Any], k: int, most: int) -> npt.NDArray[np.bool_]:
    out = np.zeros((len(values), k), dtype=np.bool_)
    for place, one in enumerate(values):
        try:
            out[place, list(as_set(one, k, most))] = True
        except SudareError as error:
            remedy = f"look at position {place}; {error.remedy}"
            raise type(error)("values", error.rule, remedy) from None
    return out


def as_marks(given: object, argument: str, k: int, remedy: str) -> npt.NDArray[np.bool_]:
    """Return a contiguous (n, k) boolean array of at least one row."""
    array = as_array(given)
    if array is None or (array.dtype != np.bool_ and array.size):
        raise WrongTypeError(argument, f"must be an array of booleans (n, {k})", remedy)
    if array.size == 0:
        raise DomainError(argument, "must not be empty", "give at least one respondent's row")
    if array.ndim != 2 or array.shape[1] != k:
        raise DomainError(argument, f"must have the shape (n, {k})", remedy)
    return array


def as_set(value: Any, k: int, most: int) -> tuple[int, ...]:
    """Return one set of distinct indices in order, checked; never shown in errors."""
    remedy = "list the indices of the categories that are held"
    row = isinstance(value, np.ndarray) and not is_masked(value)
    if not (isinstance(value, list | tuple | set | frozenset) or (row and np.ndim(value) == 1)):
        raise WrongTypeError("value", f"must be a list of whole numbers in [0, {k})", remedy)
    held = sorted({as_category(index, k) for index in value})
    if len(held) != len(value):
        raise DomainError("value", "must not name a category twice", remedy)
    if len(held) > most:
        raise DomainError("value", f"must hold at most {most} categories", remedy)
    return tuple(held)


def as_held_counts(true_counts: object, k: int, n: int, most: int) -> npt.NDArray[np.int64]:
    """Return how many of n respondents hold each category, as int64, for simulations."""
    array = _as_counts(true_counts, (k,), None)
    if int(array.min()) < 0 or int(array.max()) > n:
        raise DomainError("true_counts", "must lie in [0, n]", "n is the number of respondents")
    if sum(array.tolist()) > n * most:
        raise DomainError("true_counts", f"must sum to at most {most} n", "or raise most")
    return array.astype(np.int64)


def as_held_shares(
    shares: object, k: int, most: int, labels: Sequence[str] | None = None
) -> npt.NDArray[np.float64]:
    """Return the shares of respondents who hold each category: k numbers from 0 to 1."""
    remedy = "or None for the least favourable ones"
    array = as_floats(shares, "shares", (k,), remedy=remedy, labels=labels)
    if not np.isfinite(array).all() or array.min() < 0 or array.max() > 1:
        raise DomainError("shares", "must lie between 0 and 1", "divide the counts by n")
    if array.sum() > most + 1e-6:
        raise DomainError("shares", f"must sum to at most {most}", "or raise most")
    return array


def as_numbers(numbers: object, argument: str, remedy: str = "") -> npt.NDArray[np.float64]:
    """Return finite numbers as float64, of any shape."""
    array = as_array(numbers)
    if array is None or array.dtype.kind not in "iuf":
        raise WrongTypeError(argument, "must be numbers")
    if not np.isfinite(array).all():
        raise DomainError(argument, "must be finite", remedy)
    return array.astype(np.float64, copy=False)
