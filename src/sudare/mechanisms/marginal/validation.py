"""The borders of marginal mechanisms: picked reports, and one list for each attribute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, ReportError, WrongTypeError
from sudare.estimation import histogram
from sudare.estimation.estimate import Target
from sudare.exact.parameters import is_list
from sudare.mechanisms.joint.rows import Sizes, has_odd_rows
from sudare.mechanisms.values import as_array, as_shares, as_true_counts

T = TypeVar("T")

DRAWN_LIMIT = 10**9
"""Respondents from which a random group is drawn, at most: a limit of NumPy."""


def tally_picked(reports: object, sizes: Sizes) -> npt.NDArray[np.int64]:
    """Count (n, 2) reports, attribute and category, each checked to be in the alphabet.

    Returns:
        (Σ sizes,) the categories of one attribute after the other.
    """
    array = as_array(reports)
    if array is None or array.dtype.kind not in "iu" or has_odd_rows(reports):
        raise WrongTypeError("reports", "must be rows of whole numbers", "use perturb's output")
    if array.ndim != 2 or array.shape[1] != 2:
        raise ReportError("reports", "must have the shape (n, 2)", "use perturb's output")
    if array.dtype == np.uint8 and max(*sizes, len(sizes)) <= 1 << 8:
        pairs = histogram(array.view("<u2")[:, 0], 1 << 16).reshape(256, 256)
        support = np.concatenate([pairs[:size, i] for i, size in enumerate(sizes)])
        if int(support.sum()) == len(array):
            return support
    places = _places(array.view(f"u{array.dtype.itemsize}"), np.array(sizes))
    return histogram(places, sum(sizes))


def _places(reports: npt.NDArray[Any], sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the place of each report among all categories; negatives look huge."""
    if reports.size and int(reports[:, 0].max()) >= sizes.size:
        raise ReportError("reports", f"must name attributes in [0, {sizes.size})")
    attributes = reports[:, 0].astype(np.intp)
    if (reports[:, 1] >= sizes[attributes]).any():
        raise ReportError("reports", "must lie in the size of the attribute that they name")
    places: npt.NDArray[np.int64] = (np.cumsum(sizes) - sizes)[attributes]
    places += reports[:, 1].astype(np.int64)
    return places


def as_all_shares(shares: object, sizes: Sizes) -> list[Floats]:
    """Return the true shares of each attribute; None stands for uniform ones."""
    if shares is None:
        return [as_shares(None, size) for size in sizes]
    return _each(shares, sizes, "shares", as_shares)


def as_truths(true_counts: object, sizes: Sizes, *, drawn: bool) -> list[npt.NDArray[np.int64]]:
    """Return true counts of each attribute, all of the same sum; below 1e9 where ``drawn``."""
    truths = _each(true_counts, sizes, "true_counts", as_true_counts)
    sums = {int(truth.sum()) for truth in truths}
    if len(sums) > 1:
        raise DomainError("true_counts", "must have the same sum for each attribute")
    if drawn and max(sums) >= DRAWN_LIMIT:
        raise DomainError("true_counts", f"must sum to less than {DRAWN_LIMIT}", got=max(sums))
    return truths


def _each(lists: object, sizes: Sizes, argument: str, check: Callable[[object, int], T]) -> list[T]:
    if not is_list(lists):
        raise WrongTypeError(argument, "must be a list for each attribute")
    if len(lists) != len(sizes):
        raise DomainError(argument, f"must hold {len(sizes)} lists", "one for each attribute")
    return [check(one, size) for one, size in zip(lists, sizes, strict=True)]


def known_part(group: int, people: int, target: Target) -> float:
    """Return ``known`` of a :class:`~sudare.estimation.shares.ShareLaw` for such a group."""
    if target == "population":
        return 0.0
    return (group - 1) / (people - 1) if people > 1 else 1.0


def mean_reciprocal(n: int, parts: int) -> float:
    """Return ``E[1/N | N >= 1]`` for ``N ~ Binomial(n, 1/parts)``, to double precision.

    ::

        E[1/N; N >= 1] = Σ_{i=0}^{n-1} (r^i - r^n) / (n - i),   r = 1 - 1/parts

    (integrate ``(E[t^N] - r^n) / t``). Terms below e^-45 of the first one are left out.

    Examples:
        >>> mean_reciprocal(2, 2), 2 / 3 * 1 + 1 / 3 * 1 / 2
        (0.8333..., 0.8333...)
    """
    if parts == 1:
        return 1 / n
    rest = 1 - 1 / parts
    i = np.arange(min(n, int(-45 / np.log(rest)) + 1), dtype=np.float64)
    none = rest ** min(n, 2**52)
    return float(((rest**i - none) / (n - i)).sum()) / (1 - none)
