"""Bulk draws of ``offset``: one law of moves for all cells; moves that leave the map are redrawn.

Every cell moves by the same law, whose weights depend on the distance alone: given that a move
stays on the map, it follows the law of the cell. Where cells have weights, a move is kept with the
weight of the cell that it reaches, as a share of the largest one. Redrawing tells nothing about
the move that is kept (proof: ``docs/proofs/tables.md``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats
from sudare.exact.alias import MOST_DRAWS, Alias
from sudare.exact.entropy import Entropy
from sudare.samplers.base import index_dtype

FEWEST_KEPT = 1 / 32
"""Cells of which fewer moves are kept are drawn in another way."""

_WORD = 32


class Moves:
    """Tables of a map, made once.

    Args:
        rows, columns: of the map.
        kernel: (cells,) weights by rows and columns apart, the same in all four directions.
        weights: (cells,) weights of the cells, 0 to ``2**32``.
    """

    __slots__ = ("_alias", "_cells", "_homes", "_places", "_tops", "rare")

    def __init__(
        self, rows: int, columns: int, kernel: Sequence[int], weights: Sequence[int]
    ) -> None:
        down, right = _ways(rows), _ways(columns)
        moves = [kernel[abs(i) * columns + abs(j)] for i in down.tolist() for j in right.tolist()]
        # between two rows of the table lie columns - 1 places off the map: no move crosses them
        width = 2 * columns - 1
        kind = np.int32 if 3 * rows * width < 1 << 31 else np.int64
        self._alias = Alias([moves], (down[:, None] * width + right).ravel().astype(kind))
        at = (np.arange(rows)[:, None] + rows - 1) * width + np.arange(columns) + columns - 1
        self._homes, self._cells = at.ravel().astype(kind), rows * columns
        self._places = np.full((3 * rows - 1) * width, self._cells, index_dtype(self._cells + 1))
        even = min(weights) == max(weights)
        # the largest weight is moved to between a half of all words and all of them
        shift = _WORD - (max(weights) - 1).bit_length()
        odds = np.array([1 << _WORD if even else w << shift for w in weights], dtype=np.uint64)
        held = np.flatnonzero(odds)
        self._places[self._homes[held]] = held
        self._tops = None if even else np.append(odds - (odds > 0), 0).astype(np.uint32)
        total = sum(moves)
        shares = np.array([one / total for one in moves]).reshape(down.size, right.size)
        kept = _sums(shares, odds.reshape(rows, columns) / 2.0**_WORD)
        self.rare: Booleans = kept < FEWEST_KEPT
        """(cells,) of which too few moves are kept."""

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[Any]:
        """Return a report of each of these cells."""
        out = np.empty(values.size, dtype=index_dtype(self._cells))
        for start in range(0, values.size, MOST_DRAWS):
            homes = self._homes.take(values[start : start + MOST_DRAWS])
            part = out[start : start + MOST_DRAWS]
            part[:], left = self._moved(homes, rng)
            while left.size:
                part[left], again = self._moved(homes[left], rng)
                left = left[again]
        return out

    def _moved(
        self, homes: npt.NDArray[Any], rng: Entropy
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
        """Move once; return the cells, and where that must be done again."""
        homes = homes + self._alias.draw(homes.size, rng)
        cells = self._places.take(homes)
        lost = cells == self._cells
        if self._tops is not None:
            lost |= rng.block(cells.size, np.uint32) > self._tops.take(cells)
        return cells, np.flatnonzero(lost)


def _ways(size: int) -> npt.NDArray[np.int64]:
    """Return all steps along a side: forward from 0, then backward from the farthest."""
    return np.concatenate([np.arange(size), np.arange(1 - size, 0)])


def _sums(shares: Floats, odds: Floats) -> Floats:
    """Return for each cell the sum of the odds of all cells, each by the share of its move."""
    size = shares.shape
    waves = np.fft.rfft2(shares) * np.fft.rfft2(odds, s=size)
    sums: Floats = np.fft.irfft2(waves, s=size)[: odds.shape[0], : odds.shape[1]].ravel()
    return sums
