"""The border: respondents' values are checked here, before anything is randomised."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_integer

MAX_CATEGORIES = 1 << 24


def as_categories_count(k: object) -> int:
    """Return the number of categories after checking ``2 <= k <= 2**24``."""
    return as_integer(k, "k", low=2, high=MAX_CATEGORIES)


def as_categories(values: object, k: int) -> npt.NDArray[Any]:
    """Return values as a one-dimensional integer array after checking each to be in ``[0, k)``.

    Raises:
        WrongTypeError: not integers (floats, NaN, None, text, booleans).
        DomainError: empty, not one-dimensional, or a value outside its domain. The message
            names the position, never the value.
    """
    try:
        array = np.asarray(values)
    except (ValueError, TypeError):
        array = np.asarray(None)
    if array.ndim != 1:
        raise DomainError("values", "must be a one-dimensional array", "one value a respondent")
    if array.size == 0:
        raise DomainError("values", "must not be empty", "give at least one respondent's value")
    if array.dtype.kind not in "iu":
        raise WrongTypeError(
            "values", f"must be whole numbers in [0, {k})", "encode the categories as 0..k-1"
        )
    # Seen as unsigned, a negative number is huge: one pass finds both kinds of outsiders.
    unsigned = array.view(f"u{array.dtype.itemsize}") if array.flags.c_contiguous else array
    if unsigned.dtype.kind == "u":
        outside = int(unsigned.max()) >= k
    else:
        outside = int(array.max()) >= k or int(array.min()) < 0
    if outside:
        place = int(np.flatnonzero((array < 0) | (array >= k))[0])
        raise DomainError(
            "values",
            f"must lie in [0, {k})",
            f"look at position {place}; add a category for anything else",
        )
    return array


def as_category(value: object, k: int) -> int:
    """Return one value after checking it to be an integer in ``[0, k)``; never shown in errors."""
    remedy = "encode the categories as 0..k-1"
    if isinstance(value, bool | np.bool_):
        raise WrongTypeError("value", f"must be a whole number in [0, {k})", remedy)
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise WrongTypeError("value", f"must be a whole number in [0, {k})", remedy) from None
    if not 0 <= number < k:
        raise DomainError("value", f"must lie in [0, {k})", remedy)
    return number


def as_true_counts(true_counts: object, k: int) -> npt.NDArray[np.int64]:
    """Return true counts (k whole numbers >= 0, not all 0) as int64, for simulations."""
    array = np.asarray(true_counts)
    if array.shape != (k,):
        raise DomainError("true_counts", f"must have the shape ({k},)", got=array.shape)
    if array.dtype.kind not in "iu":
        raise WrongTypeError("true_counts", "must be whole numbers", "round them first")
    counts = array.astype(np.int64)
    if int(counts.min()) < 0 or int(counts.sum()) == 0:
        raise DomainError("true_counts", "must be >= 0 and not all 0")
    return counts


def as_shares(shares: object, k: int) -> npt.NDArray[np.float64]:
    """Return true shares (k numbers >= 0 that sum to 1); None stands for the uniform ones."""
    if shares is None:
        return np.full(k, 1 / k)
    try:
        array = np.asarray(shares, dtype=np.float64)
    except (ValueError, TypeError):
        raise WrongTypeError("shares", "must be numbers", "or None for uniform shares") from None
    if array.shape != (k,):
        raise DomainError("shares", f"must have the shape ({k},)", got=array.shape)
    if not np.isfinite(array).all() or array.min() < 0 or abs(array.sum() - 1) > 1e-6:
        raise DomainError("shares", "must be >= 0 and sum to 1", "divide the counts by their sum")
    return array
