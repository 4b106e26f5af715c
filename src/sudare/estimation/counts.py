"""``Counts``: the integer tally of reports. All that an estimate needs, and it merges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sudare.alignment import align, is_labelled
from sudare.arrays import is_masked
from sudare.errors import DomainError, EstimationError, ReportError, SudareError, WrongTypeError
from sudare.exact import as_integer
from sudare.exact.parameters import is_list
from sudare.frozen import set_fields
from sudare.guesses import Guessed

Table = TypeVar("Table", bound=npt.NDArray[Any])

FORMAT = "sudare-counts/1"
SPARSE_FORMAT = "sudare-sparse-counts/1"


@dataclass(frozen=True, eq=False)
class Counts(Guessed):
    """How many reports support each cell, out of ``n`` reports.

    Args:
        support: non-negative whole numbers in the shape of the mechanism's domain; int64.
        n: number of reports.
        mechanism: JSON data of the mechanism that made the reports
            (:meth:`~sudare.mechanisms.FrequencyOracle.to_json`), or None where unknown.

    Raises:
        WrongTypeError: support is not made of whole numbers.
        ReportError: a support is negative or above ``n``.

    Examples:
        >>> Counts((1, 2), 3) + Counts((0, 1), 1)
        Counts(support=[1, 3], n=4)
    """

    support: npt.NDArray[np.int64]
    n: int
    mechanism: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        given = self._in_order(self.support)
        try:
            raw = np.asarray(given)
        except ValueError:
            raise WrongTypeError("support", "must be an array of whole numbers") from None
        if raw.dtype.kind not in "iu" or is_masked(self.support):
            raise WrongTypeError("support", "must be whole numbers", "tally reports by aggregate()")
        n = as_integer(self.n, "n", low=0, high=2**62)
        if self.mechanism is not None and not isinstance(self.mechanism, Mapping):
            raise WrongTypeError("mechanism", "must be a mechanism's JSON data or None")
        kept = raw.dtype == np.int64 and raw.base is None and not raw.flags.writeable
        support = raw if kept else raw.astype(np.int64)  # nobody can write to it: no copy
        if support.size and (int(support.min()) < 0 or int(support.max()) > n):
            raise ReportError("support", "must lie in [0, n]", "tally reports by aggregate()")
        support.flags.writeable = False
        set_fields(self, support=support, n=n)

    def _in_order(self, support: Any) -> Any:
        """Return support that comes with labels in the order of the mechanism's categories."""
        if not is_labelled(support):
            return support
        if hasattr(support, "columns"):
            return align(support, support.shape, "support")
        known = (self.mechanism or {}).get("k") if isinstance(self.mechanism, Mapping) else None
        return align(support, (known if is_list(known) else len(support),), "support")

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        if self.support.shape != other.support.shape:
            raise EstimationError("counts", "must have the same shape to be added")
        maker = common_mechanism(self.mechanism, other.mechanism)
        return Counts(self.support + other.support, self.n + other.n, maker)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return (
            self.n == other.n
            and self.mechanism == other.mechanism
            and np.array_equal(self.support, other.support)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = np.array2string(self.support, separator=", ", threshold=12)
        return f"Counts(support={shown}, n={self.n})"

    def marginal(self, axes: Sequence[int]) -> Counts:
        """Return the counts of some axes alone, in the order named, summed over the others.

        The mechanism is left open: a part of a report has another one.

        Raises:
            WrongTypeError, DomainError: not distinct axes of the support.

        Examples:
            >>> Counts([[1, 2], [3, 4]], 10).marginal([1])
            Counts(support=[4, 6], n=10)
        """
        return Counts(margin(self.support, check_axes(axes, self.support.ndim)), self.n)

    def to_json(self) -> str:
        """Return the counts as JSON text."""
        import json  # a tally that is not written does without

        return json.dumps(
            {
                "format": FORMAT,
                "mechanism": self.mechanism,
                "n": self.n,
                "support": self.support.tolist(),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Counts:
        """Rebuild counts from :meth:`to_json`.

        Raises:
            ReportError: the text is not counts of this format.
        """
        import json

        try:
            data = json.loads(text)
            if data["format"] == SPARSE_FORMAT:
                raise ReportError(
                    "counts", "are those of a sparse table", "read them by SparseCounts.from_json"
                )
            if data["format"] != FORMAT:
                raise KeyError("format")
            support = np.array(data["support"])
            return cls(support, data["n"], data["mechanism"])
        except SudareError:
            raise
        except (ValueError, LookupError, TypeError, RecursionError):
            raise ReportError("counts", f"must be JSON of the format {FORMAT}") from None


def as_counts(given: object) -> Counts:
    """Return counts as they are.

    Raises:
        EstimationError: anything else, such as a list, of which nobody knows whether it holds
            reports or sums of them.
    """
    if not isinstance(given, Counts):
        raise EstimationError(
            "counts",
            "must be sudare.Counts",
            "of reports write m.estimate(m.aggregate(reports)); of sums that you have "
            "m.estimate(sudare.Counts(sums, n)) with the number of reports n",
        )
    return given


def common_mechanism(
    ours: Mapping[str, Any] | None, others: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    """Return the mechanism of two counts that are added; EstimationError where they are two."""
    if ours is not None and others is not None and ours != others:
        raise EstimationError(
            "counts",
            "must come from one mechanism to be added",
            "estimate each on its own, then combine the estimates",
        )
    return ours or others


def margin(table: Table, axes: tuple[int, ...]) -> Table:
    """Return the sums of a table over all but some axes, in the order named.

    Examples:
        >>> margin(np.array([[1, 2], [3, 4]]), (1,)).tolist()
        [4, 6]
    """
    others = tuple(axis for axis in range(table.ndim) if axis not in axes)
    summed: Table = table.sum(axis=others).transpose(np.argsort(np.argsort(axes)))
    return summed


def check_axes(axes: Sequence[int], dimensions: int) -> tuple[int, ...]:
    """Return distinct axes, at least one, of so many dimensions; a typed error otherwise."""
    if not is_list(axes):
        raise WrongTypeError("axes", "must be a list of attribute numbers", "such as [0, 2]")
    kept = tuple(as_integer(axis, "axes", low=0, high=dimensions - 1) for axis in axes)
    if not kept or len(set(kept)) < len(kept):
        raise DomainError("axes", "must name at least one attribute, each once", got=kept)
    return kept
