"""``SparseCounts``: the tally of reports over more cells than memory holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import is_masked
from sudare.errors import DomainError, EstimationError, ReportError, SudareError, WrongTypeError
from sudare.estimation.counts import SPARSE_FORMAT, Counts, check_axes, common_mechanism
from sudare.exact import as_integer
from sudare.frozen import set_fields

INDEX_LIMIT = 1 << 62

DENSE_LIMIT = 10**8
"""Most cells of counts that are kept as an array; beyond, as a list of those that occur."""


@dataclass(frozen=True, eq=False)
class SparseCounts:
    """The cells that occur, by row-major index, and how often.

    Args:
        cells: (m,) int64, strictly increasing row-major indices below the product of ``shape``.
        support: (m,) int64, how many reports name each, at least 1; they sum to ``n``.
        shape: sizes of the attributes.
        mechanism: JSON data of the mechanism that made the reports, or None.

    Raises:
        WrongTypeError, ReportError: not whole numbers, or cells out of order or range.

    Examples:
        >>> a = SparseCounts([1, 7], [2, 1], (5, 3, 2))
        >>> (a + a).n, a.marginal([1]).support.tolist()
        (6, [3, 0, 0])
    """

    cells: npt.NDArray[np.int64]
    support: npt.NDArray[np.int64]
    shape: tuple[int, ...]
    mechanism: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        try:
            shape = tuple(as_integer(size, "shape", low=1, high=INDEX_LIMIT) for size in self.shape)
        except TypeError:
            raise WrongTypeError("shape", "must be a list of sizes") from None
        if not shape or prod(shape) > INDEX_LIMIT:
            raise ReportError("shape", "must have at most 2**62 cells", "tally fewer attributes")
        if self.mechanism is not None and not isinstance(self.mechanism, Mapping):
            raise WrongTypeError("mechanism", "must be a mechanism's JSON data or None")
        columns = []
        for name in ("cells", "support"):
            try:
                column = np.asarray(getattr(self, name))
            except ValueError:
                raise WrongTypeError(name, "must be an array of whole numbers") from None
            masked = is_masked(getattr(self, name))
            if masked or column.ndim != 1 or (column.size and column.dtype.kind not in "iu"):
                raise WrongTypeError(name, "must be an array of whole numbers")
            if column.size and int(column.max()) > INDEX_LIMIT:  # before it wraps around
                raise ReportError(name, "must be at most 2**62")
            column = column.astype(np.int64)
            column.flags.writeable = False
            set_fields(self, **{name: column})
            columns.append(column)
        cells, support = columns
        if cells.shape != support.shape or (support < 1).any():
            raise ReportError("support", "must be above 0, one for each cell")
        if support.sum(dtype=np.float64) > INDEX_LIMIT:
            raise ReportError("support", "must sum to at most 2**62")
        if cells.size and (cells[0] < 0 or cells[-1] >= prod(shape) or (np.diff(cells) < 1).any()):
            raise ReportError("cells", "must increase, within the shape")
        set_fields(self, shape=shape)

    @property
    def n(self) -> int:
        """Number of reports."""
        return int(self.support.sum())

    def __add__(self, other: SparseCounts) -> SparseCounts:
        if not isinstance(other, SparseCounts):
            return NotImplemented
        if self.shape != other.shape:
            raise EstimationError("counts", "must have the same shape to be added")
        maker = common_mechanism(self.mechanism, other.mechanism)
        cells, places = np.unique(np.concatenate([self.cells, other.cells]), return_inverse=True)
        support = np.zeros(cells.size, dtype=np.int64)
        np.add.at(support, places, np.concatenate([self.support, other.support]))
        return SparseCounts(cells, support, self.shape, maker)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SparseCounts):
            return NotImplemented
        return (
            self.shape == other.shape
            and self.mechanism == other.mechanism
            and np.array_equal(self.cells, other.cells)
            and np.array_equal(self.support, other.support)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"SparseCounts(cells={self.cells.size}, n={self.n}, shape={self.shape})"

    def marginal(self, axes: Sequence[int]) -> Counts:
        """Return the counts of some attributes alone, in the order named, as dense counts.

        Raises:
            WrongTypeError, DomainError: not distinct attributes of the shape.
        """
        kept = check_axes(axes, len(self.shape))
        sizes = tuple(self.shape[axis] for axis in kept)
        if prod(sizes) > DENSE_LIMIT:
            raise DomainError(
                "axes", "must have at most 1e8 cells together", "name fewer", got=kept
            )
        places = np.zeros(self.cells.size, dtype=np.int64)
        for axis, size in zip(kept, sizes, strict=True):
            places *= size
            places += self.cells // prod(self.shape[axis + 1 :]) % size
        support = np.zeros(prod(sizes), dtype=np.int64)
        np.add.at(support, places, self.support)
        return Counts(support.reshape(sizes), self.n)

    def to_json(self) -> str:
        """Return the counts as JSON text."""
        return json.dumps(
            {
                "format": SPARSE_FORMAT,
                "mechanism": self.mechanism,
                "shape": list(self.shape),
                "cells": self.cells.tolist(),
                "support": self.support.tolist(),
            }
        )

    @classmethod
    def from_json(cls, text: str) -> SparseCounts:
        """Rebuild counts from :meth:`to_json`.

        Raises:
            ReportError: the text is not counts of this format.
        """
        try:
            data = json.loads(text)
            if data["format"] != SPARSE_FORMAT:
                raise KeyError("format")
            return cls(data["cells"], data["support"], tuple(data["shape"]), data["mechanism"])
        except SudareError:
            raise
        except (ValueError, LookupError, TypeError, RecursionError, OverflowError):
            raise ReportError("counts", f"must be JSON of the format {SPARSE_FORMAT}") from None
