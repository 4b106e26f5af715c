"""``offset``: move over a grid by a random offset, and again wherever that leaves the map."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, product
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError, ReportError
from sudare.exact.entropy import BLOCK_BYTES, Entropy, EntropySource
from sudare.samplers import base

WEIGHT_BITS = 32
MOST_CELLS = 1 << 20


@dataclass(frozen=True)
class Offset(base.Program):
    """Report a cell by its distance from the true one, times the cell's own weight.

    ``kernel[i * columns + j]`` is the integer weight of a cell i rows and j columns away, the same
    in all four directions, and ``weights[o]`` that of the cell o::

        P(o | r) = kernel[o - r] weights[o] / Σ_o' kernel[o' - r] weights[o']

    exactly, without a table of all pairs: draw an offset from the kernel, draw again where it
    leaves the map, and keep the cell with probability ``weights[o] / 2**32``, else begin anew.

    A round consumes a little-endian word of ``width`` bits, again until it lies below the sum of
    all offsets' weights; and, where the cell is on the map, one of 32 bits for its weight.

    Examples:
        >>> line = Offset(rows=1, columns=2, width=8, kernel=(128, 64), weights=(2**32, 2**32))
        >>> line.ratio, line.matrix()[0][0]
        (Fraction(2, 1), Fraction(2, 3))
    """

    kind: ClassVar[str] = "offset"
    rows: int
    columns: int
    width: int
    kernel: tuple[int, ...]
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        base.check_width(self.width)
        cells = self.rows * self.columns
        if not (1 <= self.rows and 1 <= self.columns and 2 <= cells <= MOST_CELLS):
            raise CollectionError("program.rows", f"times columns must be 2 to {MOST_CELLS}")
        if len(self.kernel) != cells or min(self.kernel) < 1:
            raise CollectionError("program.kernel", "must be a positive weight for each distance")
        if len(self.weights) != cells or not 0 <= min(self.weights):
            raise CollectionError("program.weights", "must be a weight >= 0 for each cell")
        if not 0 < max(self.weights) <= 1 << WEIGHT_BITS:
            raise CollectionError("program.weights", f"must not all be 0, nor above 2**{WEIGHT_BITS}")
        if self._ends[-1] > 1 << self.width:
            raise CollectionError("program.kernel", "must sum to at most 2**width over all offsets")

    @cached_property
    def _ends(self) -> list[int]:
        """Cumulative weights of all offsets, from the north-west to the south-east."""
        down, right = range(1 - self.rows, self.rows), range(1 - self.columns, self.columns)
        return list(accumulate(self.kernel[self._at(i, j)] for i, j in product(down, right)))

    def _at(self, down: int, right: int) -> int:
        return abs(down) * self.columns + abs(right)

    @property
    def inputs(self) -> int:
        """Cells."""
        return self.rows * self.columns

    @property
    def outputs(self) -> int:
        """Cells; those of weight 0 are never reported."""
        return self.rows * self.columns

    @cached_property
    def totals(self) -> list[int]:
        """``Σ_o kernel[o - r] weights[o]`` for each true cell r, exactly."""
        return [
            sum(self._mass(r, o) for o in range(self.outputs) if self.weights[o])
            for r in range(self.inputs)
        ]

    def _mass(self, r: int, o: int) -> int:
        (a, b), (c, d) = divmod(r, self.columns), divmod(o, self.columns)
        return self.kernel[self._at(a - c, b - d)] * self.weights[o]

    @property
    def ratio(self) -> Fraction:
        """Largest ratio of one report's probabilities under any two cells, however far apart."""
        totals = self.totals
        best = Fraction(1)
        for o in range(self.outputs):
            if self.weights[o]:
                odds = [Fraction(self._mass(r, o), totals[r]) for r in range(self.inputs)]
                best = max(best, max(odds) / min(odds))
        return best

    def matrix(self) -> list[list[Fraction]]:
        """Return ``P[report][value]``."""
        self._refuse_enumeration()
        totals = self.totals
        return [
            [Fraction(self._mass(r, o), totals[r]) for r in range(self.inputs)]
            for o in range(self.outputs)
        ]

    @cached_property
    def _leading(self) -> npt.NDArray[np.uint64]:
        """The leading 64 bits of each cumulative weight that words of 64 bits can reach."""
        shift = self.width - 64
        tops = [end >> shift if shift >= 0 else end << -shift for end in self._ends]
        return np.array([top for top in tops if top < 1 << 64], dtype=np.uint64)

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[Any]:
        """Randomise cells, all that are left in each round together."""
        out = np.empty(values.shape[0], dtype=base.index_dtype(self.outputs))
        row, column = np.divmod(values.astype(np.int64), self.columns)
        bounds = np.array(self.weights, dtype=np.uint64)
        left = np.arange(values.shape[0])
        step = BLOCK_BYTES // 8
        while left.size:
            again = []
            for start in range(0, left.size, step):
                part = left[start : start + step]
                offset = self._offsets(part.size, rng)
                down, right = np.divmod(offset, 2 * self.columns - 1)
                down += row[part] - (self.rows - 1)
                right += column[part] - (self.columns - 1)
                fits = (offset < len(self._ends)) & (down >= 0) & (down < self.rows)
                fits &= (right >= 0) & (right < self.columns)
                cell = np.where(fits, down * self.columns + right, 0)
                fits &= rng.block(part.size, np.uint32) < bounds[cell]
                out[part[fits]] = cell[fits]
                again.append(part[~fits])
            left = np.concatenate(again)
        return out

    def _offsets(self, n: int, rng: Entropy) -> npt.NDArray[np.int64]:
        """Draw n offsets; one too large where a word lies beyond them all.

        Of a wide word the leading 64 bits decide, but where they equal those of a threshold: then
        the rest is drawn too.
        """
        words = rng.block(n, np.uint64).copy()
        found = np.searchsorted(self._leading, words, side="right")
        if self.width > 64:
            tied = np.flatnonzero(np.searchsorted(self._leading, words, side="left") != found)
            for place in tied.tolist():
                rest = self.width - 64
                whole = int(words[place]) << rest | base.word(rng, rest)
                found[place] = bisect_right(self._ends, whole)
        elif self.width < 64:
            shifted = words >> np.uint64(64 - self.width)
            ends = np.array(self._ends, dtype=np.uint64)
            found = np.searchsorted(ends, shifted, side="right")
        return found.astype(np.int64)

    def draw_one(self, value: int, entropy: EntropySource) -> int:
        """Randomise one cell."""
        row, column = divmod(value, self.columns)
        while True:
            offset = bisect_right(self._ends, base.word(entropy, self.width))
            down, right = divmod(offset, 2 * self.columns - 1)
            down, right = down + row - self.rows + 1, right + column - self.columns + 1
            if offset == len(self._ends) or not 0 <= down < self.rows:
                continue
            if not 0 <= right < self.columns:
                continue
            cell = down * self.columns + right
            if base.word(entropy, WEIGHT_BITS) < self.weights[cell]:
                return cell

    @property
    def report_bytes(self) -> int:
        """Bytes of a cell's number."""
        return base.index_bytes(self.outputs)

    def encode_one(self, report: int) -> bytes:
        """Return the cell's number, little-endian."""
        if not 0 <= report < self.outputs or not self.weights[report]:
            raise ReportError("report", "must be a cell that can be reported")
        return int(report).to_bytes(self.report_bytes, "little")

    def decode(self, wire: bytes) -> npt.NDArray[Any]:
        """Return the cells, each checked to be one that can be reported."""
        cells = base.decode_indices(wire, self.outputs)
        if not np.array(self.weights, dtype=np.uint64)[cells].all():
            raise ReportError("report", "must be a cell that can be reported")
        return cells

    def to_json(self) -> dict[str, Any]:
        """Return the program as JSON data."""
        return {
            "kind": self.kind,
            "rows": self.rows,
            "columns": self.columns,
            "width": self.width,
            "kernel": [base.hexadecimal(k) for k in self.kernel],
            "weights": [base.hexadecimal(w) for w in self.weights],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Offset:
        """Rebuild the program from its JSON data."""
        width = base.integer(data, "width", 8, 4096)
        return cls(
            rows=base.integer(data, "rows", 1, MOST_CELLS),
            columns=base.integer(data, "columns", 1, MOST_CELLS),
            width=width,
            kernel=tuple(base.threshold(text, "kernel", width) for text in data["kernel"]),
            weights=tuple(base.threshold(text, "weights", WEIGHT_BITS) for text in data["weights"]),
        )
