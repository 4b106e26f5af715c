"""``table``: any finite channel, one row of cumulative integer thresholds a value."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError
from sudare.exact.alias import MOST_DRAWS, Alias
from sudare.exact.entropy import BLOCK_BYTES, Entropy, EntropySource
from sudare.frozen import set_fields
from sudare.samplers import base
from sudare.samplers.fields import WIDTH, Field, threshold

_MOST_CELLS = 1 << 17  # of a law whose alias tables are made


@dataclass(frozen=True, slots=True)
class Table(base.Indexed):
    """Report the number of thresholds of the value's row that are not above the word.

    Row v holds ``outputs - 1`` cumulative thresholds ``t_1 <= t_2 <= ...``; report r has the
    probability ``(t_{r+1} - t_r) / 2**width`` with ``t_0 = 0`` and ``t_outputs = 2**width``.
    One report consumes one little-endian word.

    Examples:
        >>> Table(width=8, rows=((192,), (64,))).ratio      # binary randomised response
        Fraction(3, 1)
    """

    kind: ClassVar[str] = "table"
    fields: ClassVar[Mapping[str, Field]] = {"width": WIDTH, "rows": threshold(2)}
    width: int
    rows: tuple[tuple[int, ...], ...]
    _alias: Alias | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        base.check_width(self.width)
        lengths = {len(row) for row in self.rows}
        if len(self.rows) < 1 or len(lengths) != 1 or lengths == {0}:
            raise CollectionError("program.rows", "must be rows of one length, at least 1")
        for row in self.rows:
            if row[0] < 0 or row[-1] > 1 << self.width or any(a > b for a, b in pairwise(row)):
                raise CollectionError("program.rows", "must not decrease, within 0..2**width")

    @classmethod
    def from_weights(cls, weights: Sequence[Sequence[int]], width: int) -> Table:
        """Build the table of integer ``weights[value][report]``; each row sums to 2**width."""
        rows = []
        for row in weights:
            if sum(row) != 1 << width or min(row) < 0:
                raise CollectionError("weights", f"must be >= 0 and sum to 2**{width} in each row")
            total, cumulative = 0, []
            for weight in row[:-1]:
                total += weight
                cumulative.append(total)
            rows.append(tuple(cumulative))
        return cls(width=width, rows=tuple(rows))

    def weights(self) -> list[list[int]]:
        """Return the integer weights ``[value][report]``."""
        return [self._weights(row) for row in self.rows]

    def _weights(self, row: tuple[int, ...]) -> list[int]:
        return [b - a for a, b in pairwise((0, *row, 1 << self.width))]

    @property
    def inputs(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @property
    def outputs(self) -> int:
        """Number of thresholds plus one."""
        return len(self.rows[0]) + 1

    @property
    def ratio(self) -> Fraction:
        """Largest ratio of two weights of one report; an error where only one of them is 0."""
        largest = Fraction(1)
        for column in zip(*self.weights(), strict=True):
            low, high = min(column), max(column)
            if high and not low:
                raise CollectionError(
                    "program", "must not give a report to one value that another never sends"
                )
            if low:
                largest = max(largest, Fraction(high, low))
        return largest

    @property
    def guess_probability(self) -> float:
        """The largest weight of each report, added up."""
        most: int = sum(map(max, zip(*self.weights(), strict=True)))
        return most / (self.inputs << self.width)

    def laws(self, values: Sequence[int]) -> list[list[Fraction]]:
        """Return ``P[value][report]``."""
        total = 1 << self.width
        return [[Fraction(w, total) for w in self._weights(self.rows[v])] for v in values]

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[Any]:
        """Randomise values by alias tables; a few values, and large laws, row by row."""
        cells = self.inputs * self.outputs
        if cells > _MOST_CELLS or (self._alias is None and values.size < cells):
            return self._draw_rows(values, rng)
        alias = self._alias or Alias(self.weights())
        set_fields(self, _alias=alias)
        out = np.empty(values.shape[0], dtype=base.index_dtype(self.outputs))
        for start in range(0, out.size, MOST_DRAWS):
            part = slice(start, start + MOST_DRAWS)
            out[part] = alias.draw(values[part], rng)
        return out

    def _draw_rows(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[Any]:
        """Randomise values group by group (one sorted search a value that occurs)."""
        out = np.empty(values.shape[0], dtype=base.index_dtype(self.outputs))
        if self.width not in (32, 64):
            for i, value in enumerate(values.tolist()):
                out[i] = self.draw_one(value, rng)
            return out
        kind: Any = np.uint32 if self.width == 32 else np.uint64
        step = BLOCK_BYTES // (self.width // 8)
        top = 1 << self.width
        for value in np.unique(values).tolist():
            # A threshold of 2**width is never reached: leave it out, counts stay right.
            row = np.array([t for t in self.rows[value] if t < top], dtype=kind)
            places = np.flatnonzero(values == value)
            for start in range(0, places.size, step):
                chunk = places[start : start + step]
                out[chunk] = np.searchsorted(row, rng.block(chunk.size, kind), side="right")
        return out

    def draw_one(self, value: int, entropy: EntropySource) -> int:
        """Randomise one value: one word."""
        return bisect_right(self.rows[value], base.word(entropy, self.width))
