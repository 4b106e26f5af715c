"""Rows of several tables side by side, by the person whose they are; so many of each person.

Which rows of a person stand side by side follows from that person's rows alone, in their order:
``docs/proofs/joins.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from sudare.arrays import Booleans, Integers
from sudare.release.column import Column, labelled
from sudare.release.grid import blocks


@dataclass(frozen=True, eq=False)
class Joined:
    """Rows of tables side by side; a question reads the columns that it is about.

    Attributes:
        read: gives a whole column, of each table.
        table: from the name of a column to its table.
        find: tells for each table which of its rows stands in each row here; -1 for none.
        only: tells of columns which of the rows are wanted; None for all.
        needs: the columns that it looks at.
    """

    read: tuple[Callable[[str], Column], ...]
    table: Mapping[str, int]
    find: Callable[[], tuple[Integers, ...]]
    only: Callable[[Mapping[str, Column]], Booleans] | None = None
    needs: tuple[str, ...] = ()

    def column(self, name: str) -> Column:
        """Return a whole column, of the rows that are wanted."""
        whole = self._some(self._whole([name, *self.needs]), slice(None), [name])
        return whole[name]

    def parts(self, names: Sequence[str]) -> Iterator[dict[str, Column]]:
        """Yield columns of some rows at a time, of those that are wanted."""
        wanted = list(dict.fromkeys(names)) or list(self.table)[:1]
        whole = self._whole([*wanted, *self.needs])
        size = self.find()[0].size
        for rows in blocks(size) if size else [slice(0)]:
            yield self._some(whole, rows, wanted)

    def _whole(self, names: Sequence[str]) -> dict[str, Column]:
        """Return columns with all rows of their tables, and a gap at the end where one is asked."""
        out = {}
        for name in dict.fromkeys(names):
            column, table = self.read[self.table[name]](name), self.table[name]
            gaps = self.find()[table].min(initial=0) < 0
            out[name] = _with_gap(column) if gaps else column
        return out

    def _some(
        self, whole: Mapping[str, Column], rows: slice, names: Sequence[str]
    ) -> dict[str, Column]:
        some = {
            name: column.where(self.find()[self.table[name]][rows])
            for name, column in whole.items()
        }
        if self.only is not None:
            keep = self.only({name: some[name] for name in self.needs})
            return {name: some[name].where(keep) for name in names}
        return {name: some[name] for name in names}


def _with_gap(column: Column) -> Column:
    """Return a column with one row more, which has no value."""
    gap: Any = 0 if column.labels is None else -1
    if column.values.dtype.kind in "fO":
        gap = None if column.values.dtype.kind == "O" else np.nan
    values = np.append(column.values, np.array([gap], dtype=column.values.dtype))
    return replace(column, values=values, missing=np.append(column.missing, True))


def paired(
    mine: Integers, theirs: Integers, most: int, *, left: bool = False
) -> tuple[Integers, Integers]:
    """Return the rows of a join on persons: the places of those of one table, and of the other.

    Of each person the first so many pairs: those of the first row with each of the other table's,
    then those of the second. No more are made on the way.

    Args:
        mine, theirs: whose each row is, from 0; -1 for somebody without a row in the first table.
        most: rows of a person that come out.
        left: keep the rows of the first table without another one, which is then at -1.

    Examples:
        >>> [one.tolist() for one in paired(np.array([0, 1, 0]), np.array([0, 0, -1]), 3)]
        [[0, 0, 2], [0, 1, 0]]
        >>> [one.tolist() for one in paired(np.array([0, 1]), np.array([0, 0]), 1, left=True)]
        [[0, 1], [0, -1]]
    """
    order = np.argsort(theirs, kind="stable")[np.count_nonzero(theirs < 0) :]
    each = np.bincount(theirs[order], minlength=int(mine.max(initial=-1)) + 1)
    there, first = each[mine], (np.cumsum(each) - each)[mine]
    taken = _taken(_ranks(mine), np.maximum(there, 1) if left else there, most)
    rows = np.repeat(np.arange(mine.size), taken)
    within = np.arange(rows.size) - np.repeat(np.cumsum(taken) - taken, taken)
    if left:
        order = np.append(order, -1)
        first = np.where(there == 0, order.size - 1, first)
    return rows, order[first[rows] + within]


def _taken(ranks: Integers, there: Integers, most: int) -> Integers:
    """Return how many pairs each row makes, with those of its person before it at most so many."""
    return np.asarray(np.clip(most - ranks * there, 0, there))


def _ranks(persons: Integers) -> Integers:
    """Return how many rows of the same person stand before each."""
    order = np.argsort(persons, kind="stable")
    ordered = persons[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: persons.size])
    sizes = np.diff(np.append(begins, persons.size))
    out = np.empty(persons.size, dtype=np.int64)
    out[order] = np.arange(persons.size) - np.repeat(begins, sizes)
    return out


def persons_of(mine: Column, theirs: Column) -> tuple[Integers, Integers]:
    """Return whose each row of two tables is: one number for one id, exactly.

    Numbers are from 0; -1 for who has no row in the first table.
    """
    mine, theirs = labelled(mine), labelled(theirs)
    if _are_plain(mine, theirs):
        keys, own = np.unique(mine.values, return_inverse=True)
        near = np.searchsorted(keys, theirs.values).clip(max=keys.size - 1)
        return own, np.where(keys[near] == theirs.values, near, -1)
    if mine.labels is not None and theirs.labels is not None and mine.kind == "text":
        return mine.values.astype(np.int64), mine.labels.codes(theirs.labels)[theirs.values]
    index: dict[Any, int] = {}
    first = [index.setdefault(one, len(index)) for one in _ids(mine)]
    return np.array(first), np.array([index.get(one, -1) for one in _ids(theirs)])


def _are_plain(mine: Column, theirs: Column) -> bool:
    """Tell whether two columns are whole numbers that NumPy compares exactly."""
    some = (mine, theirs)
    wide = {one.values.dtype == np.uint64 for one in some}  # beside others by way of floats
    return all(one.labels is None for one in some) and mine.unit == theirs.unit and len(wide) == 1


def _ids(column: Column) -> Iterator[Any]:
    for one in column.plain():
        yield one if isinstance(one, str | bool) else Fraction(one) * column.unit
