"""``offset``: a cell of a map, by its distance from the true one and its own weight."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError, ReportError
from sudare.exact.entropy import BLOCK_BYTES, Entropy, EntropySource
from sudare.frozen import set_fields
from sudare.samplers import base
from sudare.samplers.fields import Field, threshold, whole
from sudare.samplers.moves import Moves

WEIGHT_BITS = 32
KERNEL_BITS = 4096
MOST_CELLS = 1 << 20

_FEW = 16  # people for whom no tables are made


@dataclass(frozen=True, slots=True)
class Offset(base.Indexed):
    """Report a cell with a weight that depends on its distance, times the cell's own weight.

    ``kernel[i * columns + j]`` is the weight of a cell i rows and j columns away, the same in all
    four directions, and ``weights[o]`` that of the cell o; whole numbers::

        P(o | r) = kernel[o - r] weights[o] / Z(r),   Z(r) = Σ_o kernel[o - r] weights[o]

    exactly, and without a table of all pairs. One report consumes ``ceil(b / 8)`` bytes, b the bits
    of ``Z(r) - 1``, again until their lowest b bits, little-endian, are a number below Z(r); of the
    cells in their order it is the one in whose weight the number lies.

    Examples:
        >>> line = Offset(rows=1, columns=2, kernel=(2, 1), weights=(2**32, 2**32))
        >>> line.ratio, line.matrix()[0]
        (Fraction(2, 1), [Fraction(2, 3), Fraction(1, 3)])
    """

    kind: ClassVar[str] = "offset"
    fields: ClassVar[Mapping[str, Field]] = {
        "rows": whole(1, MOST_CELLS),
        "columns": whole(1, MOST_CELLS),
        "kernel": threshold(1, bits=KERNEL_BITS),
        "weights": threshold(1, bits=WEIGHT_BITS),
    }
    rows: int
    columns: int
    kernel: tuple[int, ...]
    weights: tuple[int, ...]
    _moves: Moves | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        cells = self.rows * self.columns
        if not (self.rows >= 1 and self.columns >= 1 and 2 <= cells <= MOST_CELLS):
            raise CollectionError("program.rows", f"times columns must be 2 to {MOST_CELLS}")
        if len(self.kernel) != cells or min(self.kernel) < 1:
            raise CollectionError("program.kernel", "must be a positive weight for each distance")
        if len(self.weights) != cells or min(self.weights) < 0 or not max(self.weights) > 0:
            raise CollectionError("program.weights", "must be a weight >= 0 a cell, not all 0")

    @property
    def inputs(self) -> int:
        """Cells."""
        return self.rows * self.columns

    @property
    def outputs(self) -> int:
        """Cells; those of weight 0 are never reported."""
        return self.rows * self.columns

    def masses(self, r: int) -> list[int]:
        """Return ``kernel[o - r] weights[o]`` for each cell o."""
        row, column = divmod(r, self.columns)
        away = [abs(j - column) for j in range(self.columns)]
        out = []
        for i in range(self.rows):
            start, first = abs(i - row) * self.columns, i * self.columns
            own = self.weights[first : first + self.columns]
            out += [self.kernel[start + j] * w for j, w in zip(away, own, strict=True)]
        return out

    @property
    def ratio(self) -> Fraction:
        """Largest ratio of one report's probabilities under any two cells, however far apart."""
        rows = [self.masses(r) for r in range(self.inputs)]
        totals = [sum(row) for row in rows]
        best = Fraction(1)
        for column in zip(*rows, strict=True):
            if column[0]:
                odds = [Fraction(m, total) for m, total in zip(column, totals, strict=True)]
                best = max(best, max(odds) / min(odds))
        return best

    def laws(self, values: Sequence[int]) -> list[list[Fraction]]:
        """Return ``P[value][report]``."""
        rows = [self.masses(r) for r in values]
        return [[Fraction(mass, total) for mass in row] for row in rows if (total := sum(row))]

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[Any]:
        """Randomise cells by one table of moves; a few, and cells whose moves are lost, apart."""
        if self._moves is None and values.size < _FEW:
            return self._draw_groups(values, rng)
        moves = self._moves or Moves(self.rows, self.columns, self.kernel, self.weights)
        set_fields(self, _moves=moves)
        rare = moves.rare.any() and moves.rare[values]
        if not np.any(rare):
            return moves.draw(values, rng)
        out = np.empty(values.shape[0], dtype=base.index_dtype(self.outputs))
        out[~rare] = moves.draw(values[~rare], rng)
        out[rare] = self._draw_groups(values[rare], rng)
        return out

    def _draw_groups(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[Any]:
        """Randomise cells by the table of each that occurs."""
        out = np.empty(values.shape[0], dtype=base.index_dtype(self.outputs))
        order = np.argsort(values, kind="stable")
        kinds, starts = np.unique(values[order], return_index=True)
        for value, places in zip(kinds.tolist(), np.split(order, starts[1:]), strict=True):
            ends = list(accumulate(self.masses(value)))
            left = places
            while left.size:
                drawn = self._cells(ends, min(left.size, BLOCK_BYTES // 8), rng)
                fits = np.flatnonzero(drawn < self.outputs)
                out[left[: fits.size]] = drawn[fits]
                left = left[fits.size :]
        return out

    def _cells(self, ends: list[int], n: int, rng: Entropy) -> npt.NDArray[np.int64]:
        """Draw n cells; the number of cells where a word lies beyond them all.

        Of wide words the leading 64 bits decide, but where they equal those of an end: then the
        rest is drawn too.
        """
        bits = (ends[-1] - 1).bit_length()
        words = rng.block(n, np.uint64).copy()
        if bits < 64:
            words &= np.uint64((1 << bits) - 1)
        rest = max(0, bits - 64)
        # an end of 2**bits is never reached: left out, the counts stay right
        tops = np.array([e >> rest for e in ends if e >> rest < 1 << 64], dtype=np.uint64)
        found = np.searchsorted(tops, words, side="right").astype(np.int64)
        if rest:
            tied = np.flatnonzero(np.searchsorted(tops, words, side="left") != found)
            for place in tied.tolist():
                low = _number(rng, rest)
                found[place] = bisect_right(ends, int(words[place]) << rest | low)
        return found

    def draw_one(self, value: int, entropy: EntropySource) -> int:
        """Randomise one cell."""
        ends = list(accumulate(self.masses(value)))
        bits = (ends[-1] - 1).bit_length()
        while (number := _number(entropy, bits)) >= ends[-1]:
            pass
        return bisect_right(ends, number)

    def encode_one(self, report: int) -> bytes:
        """Return the cell's number, little-endian."""
        if not 0 <= report < self.outputs or not self.weights[report]:
            raise ReportError("report", "must be a cell that can be reported")
        return super(Offset, self).encode_one(report)

    def decode(self, wire: bytes) -> npt.NDArray[Any]:
        """Return the cells, each checked to be one that can be reported."""
        cells = super(Offset, self).decode(wire)
        if not np.array(self.weights, dtype=np.uint64)[cells].all():
            raise _impossible()
        return cells

    def check_wire(self, wire: bytes) -> None:
        """Check one cell."""
        if not self.weights[base.decode_index(wire, self.outputs)]:
            raise _impossible()


def _impossible() -> ReportError:
    return ReportError("report", "must be a cell that can be reported")


def _number(entropy: EntropySource, bits: int) -> int:
    """Read a number of so many bits: the lowest ones of as few bytes as hold them."""
    taken = int.from_bytes(entropy.take((bits + 7) // 8), "little")
    return taken & ((1 << bits) - 1)
