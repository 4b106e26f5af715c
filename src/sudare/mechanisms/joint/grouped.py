"""Counting many tables of the same rows: slices of a table that stay in the cache."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from sudare.estimation import Counts, histogram
from sudare.mechanisms.joint.base import Joint
from sudare.mechanisms.joint.rows import Sizes, as_reports
from sudare.samplers.base import index_dtype
from sudare.threads import in_threads

NEAR_CELLS = 1 << 13
"""Of a table that stays in the cache while all rows are counted."""
_ROWS = 1 << 16

Axes: TypeAlias = tuple[int, ...]
Support: TypeAlias = npt.NDArray[np.int64]


def columns_of(rows: npt.NDArray[Any], sizes: Sizes) -> list[npt.NDArray[Any]]:
    """Return the columns of checked rows, each contiguous, in the smallest dtypes."""
    return [rows[:, i].astype(index_dtype(size)) for i, size in enumerate(sizes)]


class Grouped:
    """Rows, sorted by one attribute where its tables are too large for the cache as a whole.

    Args:
        sizes: of all attributes.
        columns: of :func:`columns_of`.
        first: the attribute.
        cells: most cells of a table.
    """

    def __init__(
        self, sizes: Sizes, columns: Sequence[npt.NDArray[Any]], first: int, cells: int
    ) -> None:
        self._sizes, self._first = sizes, first
        self._alone = histogram(columns[first], sizes[first])
        self.n = len(columns[first])
        self._sorted = cells > NEAR_CELLS
        if self._sorted:
            order = np.argsort(columns[first], kind="stable")
            bounds = [0, *np.cumsum(self._alone).tolist()]
            self._parts = list(enumerate(pairwise(bounds)))
            self._columns = {i: columns[i][order] for i in range(first + 1, len(columns))}
        else:
            ends = [*range(0, self.n, _ROWS), self.n]
            self._parts = [(0, between) for between in pairwise(ends)]
            self._columns = dict(enumerate(columns))

    def add(self, prefix: Axes, lasts: Axes, supports: Sequence[Support]) -> None:
        """Add the counts of the tables of the first attribute, a prefix, and each of these last
        ones to flat ``supports``; without last ones those of the first attribute alone."""
        sizes = self._sizes
        if not lasts:
            supports[0][:] += self._alone
            return
        head = prefix if self._sorted else (self._first, *prefix)
        cells = prod(sizes[i] for i in head)
        dtype = np.min_scalar_type(cells * max(sizes[i] for i in lasts))  # holds the sizes too
        base = np.zeros(self.n, dtype=dtype)
        for i in head:
            base *= dtype.type(sizes[i])
            base += self._columns[i]
        for last, support in zip(lasts, supports, strict=True):
            self._count(base, cells * sizes[last], last, support)

    def _count(self, base: npt.NDArray[Any], cells: int, last: int, support: Support) -> None:
        """Add counts to slices of so many cells: those of a group, or all of them."""
        size, column = base.dtype.type(self._sizes[last]), self._columns[last]
        slices = support.reshape(-1, cells)
        for place, (start, stop) in self._parts:
            codes = base[start:stop] * size  # in the cache
            codes += column[start:stop]
            slices[place] += np.bincount(codes.astype(np.intp), minlength=cells)


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
            own = list(some)
            cells = max(self._supports[i].size for i in own)
            grouped = Grouped(self._mechanism.sizes, columns, first, cells)
            in_threads(partial(self._add, grouped), list(self._heads(own)))

    def _heads(self, places: Iterable[int]) -> Iterator[list[int]]:
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
    support = support.reshape(sub.sizes)
    support.flags.writeable = False
    return Counts(support, n, sub.to_json())
