"""Trips over a grid: which moves there are, and the rule by which any trip becomes one of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.mechanisms.place.grid import Grid, as_cells
from sudare.mechanisms.values import as_array

_REMEDY = "give a list of cells a person, or an array of rows that are filled with -1"


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The moves of a map: from each cell to each of the up to eight around it.

    Attributes:
        pairs: (moves, 2) cells, from and to, in their order.
        number: (cells, 9) number of a move by its direction, ``3 (down + 1) + right + 1``; -1 where
            there is none.
    """

    pairs: Integers
    number: Integers


@lru_cache(16)
def neighbours(rows: int, columns: int) -> Neighbours:
    """Return the moves of a map of so many rows and columns.

    Examples:
        >>> neighbours(1, 3).pairs.tolist()
        [[0, 1], [1, 0], [1, 2], [2, 1]]
    """
    cells = np.arange(rows * columns)[:, None]
    down, right = np.divmod(np.arange(9), 3)
    row, column = cells // columns + down - 1, cells % columns + right - 1
    there = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
    there[:, 4] = False
    pairs = np.stack([np.broadcast_to(cells, there.shape), row * columns + column], axis=-1)[there]
    number = np.full(there.shape, -1)
    number[there] = np.arange(len(pairs))
    return Neighbours(pairs, number)


def as_trips(trips: Any, grid: Grid, longest: int) -> Integers:
    """Return the trips of n people, (n, longest) cells, -1 behind the last one.

    The rule for each: cells that follow themselves are one; a jump is filled with the cells on the
    straight line; what is longer than ``longest`` cells is cut behind them.

    Raises:
        WrongTypeError, DomainError: no trips, or one without a cell, or with one off the map; the
            message never shows a cell.
    """
    given = trips if isinstance(trips, np.ndarray | list | tuple) else as_array(trips)
    if isinstance(given, np.ndarray) and given.dtype.kind in "iu":
        padded = _as_padded(given, grid.cells)
    elif isinstance(given, np.ndarray) and given.dtype != object:
        raise WrongTypeError("trips", "must be whole numbers", _REMEDY)
    else:
        padded = _filled([_as_trip(one, grid) for one in _listed(given)])
    rough = ~_is_walked(padded, grid)
    if rough.any():
        rows = [mended(row[row >= 0], grid) for row in padded[rough]]
        wide = _filled(rows, padded.shape[1])
        own = np.full((len(padded), wide.shape[1]), -1)
        own[:, : padded.shape[1]] = padded
        own[rough] = wide
        padded = own
    out = np.full((len(padded), longest), -1)
    width = min(longest, padded.shape[1])
    out[:, :width] = padded[:, :width]
    return out


def _listed(given: Any) -> list[Any]:
    rows = given.tolist() if isinstance(given, np.ndarray) and given.ndim == 1 else given
    if not isinstance(rows, list | tuple):
        raise WrongTypeError("trips", "must be trips of cells", _REMEDY)
    if not rows:
        raise DomainError("trips", "must not be empty", "give at least one person's trip")
    return list(rows)


def _as_trip(trip: Any, grid: Grid) -> Integers:
    if not isinstance(trip, np.ndarray | list | tuple):
        raise WrongTypeError("trips", "must each be a list of cells", _REMEDY)
    if not len(trip):
        rule = "must each have a cell"
        raise DomainError("trips", rule, "leave people without a trip out, and say so")
    return as_cells(trip, grid.cells, "trips").astype(np.int64)


def _filled(rows: list[Integers], width: int = 1) -> Integers:
    lengths = np.array([len(row) for row in rows])
    out = np.full((len(rows), max(width, int(lengths.max()))), -1)
    out[np.arange(out.shape[1]) < lengths[:, None]] = np.concatenate(rows)
    return out


def _as_padded(given: npt.NDArray[Any], cells: int) -> Integers:
    if given.ndim != 2 or not given.size:
        raise DomainError("trips", "must have a row for each person", _REMEDY, got=given.shape)
    if given.dtype.kind == "u" and int(given.max()) >= cells:
        raise DomainError("trips", f"must lie in [0, {cells})", "count cells from 0")
    array = given.astype(np.int64)
    if int(array.max()) >= cells or int(array.min()) < -1:
        raise DomainError("trips", f"must lie in [0, {cells}), or be -1 behind the end", _REMEDY)
    over = array < 0
    if over[:, 0].any() or (over[:, :-1] & ~over[:, 1:]).any():
        raise DomainError("trips", "must begin in the first column, without gaps", _REMEDY)
    return array


def _is_walked(trips: Integers, grid: Grid) -> Booleans:
    """Return which rows go from neighbour to neighbour already."""
    row, column = np.divmod(trips, grid.columns)
    apart = np.maximum(np.abs(np.diff(row)), np.abs(np.diff(column)))
    walked: Booleans = ((apart == 1) | (trips[:, 1:] < 0)).all(axis=1)
    return walked


def mended(trip: Integers, grid: Grid) -> Integers:
    """Return a trip from neighbour to neighbour, however long.

    Examples:
        >>> mended(np.array([0, 0, 2, 1]), Grid(1, 3, 100.0, 100.0)).tolist()
        [0, 1, 2, 1]
    """
    out = [trip[:1]]
    for start, stop in zip(trip[:-1].tolist(), trip[1:].tolist(), strict=True):
        (a, b), (c, d) = divmod(start, grid.columns), divmod(stop, grid.columns)
        steps = max(abs(c - a), abs(d - b))
        i = np.arange(1, steps + 1)
        if steps:  # on the straight line, rounded half up: in whole numbers
            row = a + (2 * i * (c - a) + steps) // (2 * steps)
            out.append(row * grid.columns + b + (2 * i * (d - b) + steps) // (2 * steps))
    return np.concatenate(out)


def moves_of(trips: Integers, grid: Grid) -> Integers:
    """Return the number of each move, (n, longest - 1), of trips that :func:`as_trips` gave; the
    number of moves stands where the trip is over."""
    row, column = np.divmod(trips, grid.columns)
    found = neighbours(grid.rows, grid.columns)
    over = trips[:, 1:] < 0
    way = np.where(over, 0, 3 * (np.diff(row) + 1) + np.diff(column) + 1)
    out: Integers = np.where(over, len(found.pairs), found.number[trips[:, :-1], way])
    return out
