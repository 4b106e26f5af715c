"""Counting many tables of the same rows: sorted by one attribute, slices stay in the cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from sudare.estimation import Counts
from sudare.mechanisms.joint.base import Joint
from sudare.mechanisms.joint.rows import Sizes, as_reports
from sudare.samplers.base import index_dtype
from sudare.threads import in_threads

Axes: TypeAlias = tuple[int, ...]
Support: TypeAlias = npt.NDArray[np.int64]


def columns_of(rows: npt.NDArray[Any], sizes: Sizes) -> list[npt.NDArray[Any]]:
    """Return the columns of checked rows, each contiguous, in the smallest dtypes."""
    return [rows[:, i].astype(index_dtype(size)) for i, size in enumerate(sizes)]


class Grouped:
    """Rows, sorted by one attribute."""

    def __init__(self, sizes: Sizes, columns: Sequence[npt.NDArray[Any]], first: int) -> None:
        self._sizes = sizes
        key = columns[first]
        order = np.argsort(key, kind="stable")
        bounds = np.zeros(sizes[first] + 1, dtype=np.int64)
        np.cumsum(np.bincount(key, minlength=sizes[first]), out=bounds[1:])
        self._bounds = bounds.tolist()
        self._columns = {i: columns[i][order] for i in range(first + 1, len(columns))}

    @property
    def n(self) -> int:
        """How many rows."""
        return int(self._bounds[-1])

    def add(self, prefix: Axes, lasts: Axes, supports: Sequence[Support]) -> None:
        """Add the counts of the tables of the first attribute, a prefix, and each of these last
        ones to flat ``supports``; without last ones those of the first attribute alone."""
        sizes = self._sizes
        if not lasts:
            supports[0][:] += np.diff(self._bounds)
            return
        head = prod(sizes[i] for i in prefix)
        dtype = np.min_scalar_type(head * max(sizes[i] for i in lasts))  # holds the sizes too
        base = np.zeros(self.n, dtype=dtype)
        for i in prefix:
            base *= dtype.type(sizes[i])
            base += self._columns[i]
        for last, support in zip(lasts, supports, strict=True):
            self._count(base, head, last, support)

    def _count(self, base: npt.NDArray[Any], head: int, last: int, support: Support) -> None:
        size = self._sizes[last]
        column = self._columns[last]
        slices = support.reshape(len(self._bounds) - 1, -1)
        for own, (start, stop) in zip(slices, pairwise(self._bounds), strict=True):
            codes = base[start:stop] * base.dtype.type(size)  # a group at a time, in the cache
            codes += column[start:stop]
            own += np.bincount(codes.astype(np.intp), minlength=head * size)


class TableTally:
    """Counts of some tables, to which rows are added block by block.

    Examples:
        >>> from sudare.mechanisms import JointRR
        >>> tally = TableTally(JointRR([3, 2, 2], gamma=5), [(0, 1), (0, 2)])
        >>> for block in ([[0, 1, 1], [2, 0, 1]], [[0, 0, 1]]):
        ...     tally.add(block)
        >>> [counts.support.tolist() for counts in tally.counts()]
        [[[1, 1], [0, 0], [1, 0]], [[0, 2], [0, 0], [0, 1]]]
    """

    def __init__(self, mechanism: Joint, tables: Sequence[Axes]) -> None:
        self._mechanism = mechanism
        self._tables = tuple(tables)
        sizes = mechanism.sizes
        self._supports = [np.zeros(prod(sizes[i] for i in one), np.int64) for one in tables]
        self._n = 0

    def add(self, reports: npt.ArrayLike) -> None:
        """Add rows, over threads: each table belongs to one.

        Raises:
            WrongTypeError, ReportError: not this mechanism's reports; nothing is added.
        """
        rows = as_reports(reports, self._mechanism.sizes)
        if not len(rows):
            return
        columns = columns_of(rows, self._mechanism.sizes)
        self._n += len(rows)
        places = range(len(self._tables))
        for first, some in groupby(places, key=lambda i: self._tables[i][0]):
            grouped = Grouped(self._mechanism.sizes, columns, first)
            in_threads(partial(self._add, grouped), list(self._heads(some)))

    def _heads(self, places: Iterator[int]) -> Iterator[list[int]]:
        """Yield tables that differ in their last attribute alone."""
        for _, own in groupby(places, key=lambda i: self._tables[i][:-1]):
            yield list(own)

    def _add(self, grouped: Grouped, places: list[int]) -> None:
        tables = [self._tables[i] for i in places]
        lasts = tuple(one[-1] for one in tables if len(one) > 1)
        grouped.add(tables[0][1:-1], lasts, [self._supports[i] for i in places])

    def counts(self) -> tuple[Counts, ...]:
        """Return the counts of the tables; no row can be added any more."""
        supports, self._supports = self._supports, []
        return tuple(
            table_counts(self._mechanism, axes, support, self._n)
            for axes, support in zip(self._tables, supports, strict=True)
        )


def table_counts(mechanism: Joint, axes: Axes, support: Support, n: int) -> Counts:
    """Return the counts of a table, whose support nothing else holds."""
    sub = mechanism.subset(axes)
    support.shape = sub.sizes
    support.flags.writeable = False
    return Counts(support, n, sub.to_json())
