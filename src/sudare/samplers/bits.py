"""``bits``: one independent bit a category, likelier where the category is the value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError, ReportError
from sudare.exact.bernoulli import bernoulli_columns, dyadic_planes
from sudare.exact.entropy import Entropy, EntropySource
from sudare.samplers import base

_BLOCK_ROWS = 1 << 16  # a multiple of 8: whole 64-bit words in every block
_BLOCK_CELLS = 1 << 18
_PLANES_MOST = 8  # beyond this many planes a byte a cell is cheaper


@dataclass(frozen=True, slots=True)
class Bits(base.Program):
    """Set bit i where a word is below ``own`` (i is the value) or ``other`` (it is not).

    A report is ``ceil(k / 8)`` bytes, bit i at byte ``i >> 3``, position ``i & 7``; padding
    bits are 0. One report consumes k little-endian words in the order of the categories.

    Examples:
        >>> Bits(k=3, width=8, own=128, other=64).ratio     # p = 1/2, q = 1/4
        Fraction(3, 1)
    """

    kind: ClassVar[str] = "bits"
    k: int
    width: int
    own: int
    other: int

    def __post_init__(self) -> None:
        base.check_width(self.width)
        if not 0 < self.other < self.own < 1 << self.width:
            raise CollectionError("program", "must satisfy 0 < other < own < 2**width")

    @property
    def inputs(self) -> int:
        """Number of values: k."""
        return self.k

    @property
    def outputs(self) -> int:
        """Number of reports: 2**k."""
        return 1 << self.k

    @property
    def ratio(self) -> Fraction:
        """``p (1 - q) / (q (1 - p))``: two values differ in two bits."""
        total = 1 << self.width
        return Fraction(self.own * (total - self.other), self.other * (total - self.own))

    def matrix(self) -> list[list[Fraction]]:
        """Return ``P[report][value]`` with the report's bits as a little-endian number."""
        self._refuse_enumeration()
        total = 1 << self.width
        p, q = Fraction(self.own, total), Fraction(self.other, total)
        rows = []
        for report in range(1 << self.k):
            ones = report.bit_count()
            row = []
            for value in range(self.k):
                own = report >> value & 1
                rest = q ** (ones - own) * (1 - q) ** (self.k - 1 - ones + own)
                row.append((p if own else 1 - p) * rest)
            rows.append(row)
        return rows

    def _dyadic(self) -> tuple[int, int]:
        """Return ``(j, b)`` with ``other / 2**width = j / 2**b`` in lowest terms."""
        zeros = (self.other & -self.other).bit_length() - 1
        return self.other >> zeros, self.width - zeros

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[np.uint8]:
        """Randomise values into packed rows; the own bit is drawn apart and put in place."""
        n, size = values.shape[0], self.report_bytes
        if self.width not in (32, 64):
            wire = b"".join(self.draw_one(v, rng) for v in values.tolist())
            return np.frombuffer(wire, dtype=np.uint8).reshape(n, size)
        out = np.empty((n, size), dtype=np.uint8)
        rows = _BLOCK_ROWS
        heads = np.arange(0, min(rows, n) * size, size, dtype=np.intp)  # where its rows begin
        for start in range(0, n, rows):
            part = out[start : start + rows]
            self._draw_others(part, rng)
            self._place_own(part, values[start : start + rows], heads[: part.shape[0]], rng)
        return out

    def _draw_others(self, out: npt.NDArray[np.uint8], rng: Entropy) -> None:
        numerator, planes = self._dyadic()
        if planes <= _PLANES_MOST:
            dyadic_planes(out, numerator, planes, rng)
            if self.k % 8:
                out[:, -1] &= np.uint8((1 << self.k % 8) - 1)
            return
        rows = max(1, _BLOCK_CELLS // self.k)
        for start in range(0, out.shape[0], rows):
            part = out[start : start + rows]
            cells = bernoulli_columns(part.shape[0] * self.k, self.other, self.width, rng)
            part[:] = np.packbits(cells.reshape(-1, self.k), axis=1, bitorder="little")

    def _place_own(
        self,
        out: npt.NDArray[np.uint8],
        values: npt.NDArray[Any],
        heads: npt.NDArray[np.intp],
        rng: Entropy,
    ) -> None:
        bit = np.left_shift(np.uint8(1), (values & 7).astype(np.uint8, copy=False))
        place = heads + (values >> 3).astype(np.intp, copy=False)
        flat = out.reshape(-1)
        cells = flat[place]
        cells &= ~bit
        bit *= bernoulli_columns(bit.size, self.own, self.width, rng)
        cells |= bit
        flat[place] = cells

    def draw_one(self, value: int, entropy: EntropySource) -> bytes:
        """Randomise one value: k words."""
        size = self.width // 8
        raw = entropy.take(self.k * size)
        packed = 0
        for i in range(self.k):
            w = int.from_bytes(raw[i * size : (i + 1) * size], "little")
            packed |= (w < (self.own if i == value else self.other)) << i
        return packed.to_bytes(self.report_bytes, "little")

    @property
    def report_bytes(self) -> int:
        """``ceil(k / 8)``."""
        return (self.k + 7) // 8

    def encode_one(self, report: bytes | npt.NDArray[np.uint8]) -> bytes:
        """Return the packed bits (they are the wire form already)."""
        wire = bytes(report)
        if len(wire) != self.report_bytes:
            raise ReportError("report", f"must be {self.report_bytes} bytes long")
        self.decode(wire)
        return wire

    def decode(self, wire: bytes) -> npt.NDArray[np.uint8]:
        """Return packed rows ``(n, ceil(k / 8))``, with the padding checked to be 0."""
        size = self.report_bytes
        if len(wire) % size:
            raise ReportError("report", f"must be {size} bytes long")
        rows = np.frombuffer(wire, dtype=np.uint8).reshape(-1, size)
        if self.k % 8 and rows.size and int(rows[:, -1].max()) >> self.k % 8:
            raise ReportError("report", "must have zero padding bits")
        return rows

    def to_json(self) -> dict[str, Any]:
        """Return the program as JSON data."""
        return {
            "kind": self.kind,
            "k": self.k,
            "width": self.width,
            "own": base.hexadecimal(self.own),
            "other": base.hexadecimal(self.other),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Bits:
        """Rebuild the program from its JSON data."""
        width = base.integer(data, "width", 8, 4096)
        return cls(
            k=base.integer(data, "k", 2, 1 << 24),
            width=width,
            own=base.threshold(data["own"], "own", width),
            other=base.threshold(data["other"], "other", width),
        )
