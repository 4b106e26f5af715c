"""``Tree``: the law of rows that tables of a forest of pairs tell, and rows that follow it.

It knows what was measured, never the data: all here is post-processing, in floats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sudare.arrays import Floats, Integers

ROUNDS = 1000
_ENOUGH = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A table that was counted with noise.

    Attributes:
        columns: of one column or of two, by their places.
        counts: its cells, as they were drawn.
        variance: of the noise of a cell, or of each of a column.
    """

    columns: tuple[int, ...]
    counts: Floats
    variance: float | Floats


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A law of rows in which a column hangs on at most one other.

    ::

        P(row) = Π_roots P(x_r) Π_others P(x_c | x_parent(c))

    Attributes:
        parents: of each column, in an order in which they can be drawn, and the column it hangs on,
            -1 for none.
        laws: of each of them, in the same order: (1, cells), or (cells of the parent, cells),
            joint probabilities.
    """

    parents: tuple[tuple[int, int], ...]
    laws: tuple[Floats, ...]

    @classmethod
    def fitted(cls, sizes: Sequence[int], measured: Sequence[Measured], n: float) -> Tree:
        """Return the law whose tables come nearest to those that were measured.

        ::

            minimise   Σ_tables Σ_cells (n μ - count)² / variance

        over the tables μ of all laws on the tree, which are those that agree with one another and
        are >= 0: mirror descent, with the marginals by messages along the edges.

        Args:
            sizes: cells of each column.
            measured: tables of columns, and of pairs that form no circle.
            n: how many rows there are.

        Source: McKenna, Sheldon, Miklau 2019, algorithm 1.

        Examples:
            >>> rows = Measured((0,), np.array([30.0, 10.0]), 1.0)
            >>> both = Measured((0, 1), np.array([[30.0, -2.0], [3.0, 9.0]]), 1.0)
            >>> Tree.fitted([2, 2], [rows, both], 40).laws[1].round(3).tolist()
            [[0.743, 0.0], [0.054, 0.204]]
        """
        order = _order(len(sizes), [one.columns for one in measured if len(one.columns) == 2])
        goals = _goals(order, sizes, measured, n)
        logs = [np.zeros_like(one[0][0]) for one in goals]
        laws = _marginals(order, logs)
        value, slopes = _loss(goals, laws)
        rate = 1.0
        for _ in range(ROUNDS):
            while True:
                tried = [one - rate * slope for one, slope in zip(logs, slopes, strict=True)]
                found = _marginals(order, tried)
                after, slopes_after = _loss(goals, found)
                fall = sum(
                    float((slope * (old - new)).sum())
                    for slope, old, new in zip(slopes, laws, found, strict=True)
                )
                if value - after >= 0.5 * fall or rate < 1e-12:
                    break
                rate /= 2
            gain, logs, laws, slopes, value = value - after, tried, found, slopes_after, after
            if gain <= _ENOUGH * max(value, 1e-12):
                break
            rate *= 1.2
        return cls(order, tuple(laws))

    def rows(self, many: int, rng: np.random.Generator) -> list[Integers]:
        """Return rows that follow the law, a column of cells each.

        Of the rows with one cell of the parent as many have each cell as it is expected; what is
        left over of whole numbers is drawn.
        """
        out: dict[int, Integers] = {}
        for (column, parent), law in zip(self.parents, self.laws, strict=True):
            of = out[parent] if parent >= 0 else np.zeros(many, dtype=np.int64)
            found = np.empty(many, dtype=np.int64)
            order = np.argsort(of, kind="stable")
            ends = np.searchsorted(of[order], np.arange(law.shape[0] + 1))
            for row, (start, stop) in zip(law, pairwise(ends.tolist()), strict=True):
                found[order[start:stop]] = _shared(stop - start, row, rng)
            out[column] = found
        return [out[column] for column in range(len(out))]


def _order(size: int, edges: Sequence[tuple[int, ...]]) -> tuple[tuple[int, int], ...]:
    """Return each column and the one that it hangs on, parents first."""
    beside: list[list[int]] = [[] for _ in range(size)]
    for one, other in edges:
        beside[one].append(other)
        beside[other].append(one)

    def walk() -> Iterator[tuple[int, int]]:
        seen: set[int] = set()
        for root in range(size):
            left = [(root, -1)] if root not in seen else []
            while left:
                column, parent = left.pop()
                seen.add(column)
                yield column, parent
                left += [(one, column) for one in beside[column] if one != parent]

    return tuple(walk())


_Goals = list[list[tuple[Floats, Any, int | None]]]


def _goals(
    order: Sequence[tuple[int, int]], sizes: Sequence[int], measured: Sequence[Measured], n: float
) -> _Goals:
    """Return for each table of the tree what it is compared with: shares, weight, summed axis."""
    place = {column: i for i, (column, _) in enumerate(order)}
    least = min(float(np.min(one.variance)) for one in measured)
    scale = max(n, 1.0)
    out: _Goals = []
    for column, parent in order:
        shape = (1 if parent < 0 else sizes[parent], sizes[column])
        out.append([(np.zeros(shape), 0.0, None)])
    for one in measured:
        weight, shares = least / one.variance, one.counts / scale
        if len(one.columns) == 1:
            out[place[one.columns[0]]].append((shares, weight, 0))
        else:
            first, second = one.columns
            if order[place[second]][1] == first:
                out[place[second]].append((shares, weight, None))
            else:
                out[place[first]].append((shares.T, weight, None))
    return out


def _loss(goals: _Goals, laws: Sequence[Floats]) -> tuple[float, list[Floats]]:
    """Return the sum of squared distances, halved, and its slope by each cell."""
    value, slopes = 0.0, []
    for each, law in zip(goals, laws, strict=True):
        slope = np.zeros_like(law)
        for shares, weight, axis in each:
            off = (law if axis is None else law.sum(axis)) - shares
            value += 0.5 * float((weight * off * off).sum())
            slope += weight * off
        slopes.append(slope)
    return value, slopes


def _marginals(order: Sequence[tuple[int, int]], logs: Sequence[Floats]) -> list[Floats]:
    """Return the tables of the law ``∝ exp(Σ logs)``: messages to the roots, and back."""
    up: dict[int, Floats] = {}
    told: dict[int, Floats] = {}
    for (column, parent), one in zip(reversed(order), reversed(logs), strict=True):
        own = one + up.get(column, 0.0)
        told[column] = _log_sum(own, 1)
        if parent >= 0:
            up[parent] = up.get(parent, 0.0) + told[column]
    down: dict[int, Floats] = {}
    out = []
    for (column, parent), one in zip(order, logs, strict=True):
        own = one + up.get(column, 0.0)
        if parent >= 0:
            own = own + (down[parent] - told[column])[:, None]
        own = np.exp(own - own.max())
        own /= own.sum()
        with np.errstate(divide="ignore"):
            down[column] = np.log(own.sum(0))
        out.append(own)
    return out


def _log_sum(values: Floats, axis: int) -> Floats:
    most = values.max(axis)
    return np.asarray(most + np.log(np.exp(values - np.expand_dims(most, axis)).sum(axis)))


def _shared(many: int, law: Floats, rng: np.random.Generator) -> Integers:
    """Return so many cells in a random order, as many of each as a law expects, nearly."""
    if not many:
        return np.zeros(0, dtype=np.int64)
    whole = float(law.sum())
    share = law / whole if whole > 0 else np.full(law.size, 1 / law.size)
    wanted = share * many
    counts = np.floor(wanted).astype(np.int64)
    rest, left = wanted - counts, many - int(counts.sum())
    if left:
        ends = np.cumsum(rest)
        # systematic: one of each step, so that a cell gets its floor or one more
        spots = (np.arange(left) + rng.random()) * (ends[-1] / left)
        np.add.at(counts, np.searchsorted(ends, spots, side="right").clip(max=law.size - 1), 1)
    cells = np.repeat(np.arange(law.size), counts)
    rng.shuffle(cells)
    return cells
