"""What the kinds of one bit a category share: packed bits, their wire, two thresholds."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError, ReportError
from sudare.exact.entropy import EntropySource
from sudare.samplers import base
from sudare.samplers.fields import WIDTH, Field, threshold, whole

_BLOCK_BYTES = 1 << 18
_WORDS = {size: np.dtype(f"<u{size}") for size in (1, 2, 4, 8)}  # that an array can hold
_FEW_WORDS = 3  # whose ones fit in a byte


class Row(base.Program):
    """A report is k bits in ``ceil(k / 8)`` bytes, bit i at byte ``i >> 3``, position ``i & 7``.

    Padding bits are 0. The law counts reports by their bits as a little-endian number.
    """

    k: int

    @property
    def outputs(self) -> int:
        """Number of reports: 2**k."""
        return 1 << self.k

    @property
    def report_bytes(self) -> int:
        """``ceil(k / 8)``."""
        return (self.k + 7) // 8

    def encode_one(self, report: bytes | npt.NDArray[np.uint8]) -> bytes:
        """Return the packed bits (they are the wire form already)."""
        wire = bytes(report)
        self.check_wire(wire)
        return wire

    def decode(self, wire: bytes) -> npt.NDArray[np.uint8]:
        """Return packed rows ``(n, ceil(k / 8))``, with the padding checked to be 0."""
        rows = base.wire_rows(wire, self.report_bytes)
        if self.k % 8 and rows.size and int(rows[:, -1].max()) >> self.k % 8:
            raise _padded()
        return rows

    def check_wire(self, wire: bytes) -> None:
        """Check one row."""
        self._check_length(wire)
        if self.k % 8 and wire[-1] >> self.k % 8:
            raise _padded()


def _padded() -> ReportError:
    return ReportError("report", "must have zero padding bits")


@dataclass(frozen=True, slots=True)
class Packed(Row):
    """Bit i is 1 where word i is below ``own`` (the value holds i) or ``other`` (it does not).

    One report consumes k little-endian words in the order of the categories.
    """

    fields: ClassVar[Mapping[str, Field]] = {
        "k": whole(2, 1 << 24),
        "width": WIDTH,
        "own": threshold(),
        "other": threshold(),
    }
    k: int
    width: int
    own: int
    other: int

    def __post_init__(self) -> None:
        base.check_width(self.width)
        if not 0 < self.other < self.own < 1 << self.width:
            raise CollectionError("program", "must satisfy 0 < other < own < 2**width")

    @abstractmethod
    def _held(self, value: Any) -> Collection[int]:
        """Return the categories that a value holds."""

    def laws(self, values: Sequence[Any]) -> list[list[Fraction]]:
        """Return ``P[value][report]``, by how many of the held and of the other bits are 1."""
        total = 1 << self.width
        p, q = Fraction(self.own, total), Fraction(self.other, total)
        laws = []
        for held in map(self._held, values):
            most, mask = len(held), sum(1 << i for i in held)
            own = [p**i * (1 - p) ** (most - i) for i in range(most + 1)]
            rest = self.k - most
            other = [q**i * (1 - q) ** (rest - i) for i in range(rest + 1)]
            laws.append(
                [
                    own[(report & mask).bit_count()] * other[(report & ~mask).bit_count()]
                    for report in range(1 << self.k)
                ]
            )
        return laws

    def draw_one(self, value: Any, entropy: EntropySource) -> bytes:
        """Randomise one value: k words."""
        size, held = self.width // 8, self._held(value)
        raw = entropy.take(self.k * size)
        if kind := _WORDS.get(size):
            words = np.frombuffer(raw, kind)
            bits = words < kind.type(self.other)
            for i in held:
                bits[i] = words[i] < self.own
            return np.packbits(bits, bitorder="little").tobytes()
        packed = 0
        for i in range(self.k):
            w = int.from_bytes(raw[i * size : (i + 1) * size], "little")
            packed |= (w < (self.own if i in held else self.other)) << i
        return packed.to_bytes(self.report_bytes, "little")


def pack(cells: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """Return (n, k) booleans as packed rows; all rows are packed as one, filled up before."""
    n, k = cells.shape
    if k % 8:
        wide = np.zeros((n, -(-k // 8) * 8), dtype=np.bool_)
        wide[:, :k] = cells
        cells = wide
    return np.packbits(cells.reshape(-1), bitorder="little").reshape(n, -1)


def ones(rows: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
    """Return the number of ones of each packed row."""
    size = rows.shape[1]
    word = np.dtype(f"u{math.gcd(size, 8)}")
    words = size // word.itemsize
    counts = np.bitwise_count(np.ascontiguousarray(rows).view(word))
    if words <= _FEW_WORDS:
        return np.asarray(reduce(np.add, counts.T))
    # whole numbers below 2**24 are exact in these floats, whose products are quick
    return np.asarray(counts.astype(np.float32) @ np.ones(words, dtype=np.float32))


def all_have(rows: npt.NDArray[np.uint8], size: int) -> bool:
    """Return whether each packed row has so many ones."""
    step = max(1, _BLOCK_BYTES // rows.shape[1])
    blocks = (rows[start : start + step] for start in range(0, len(rows), step))
    return all(bool((ones(block) == size).all()) for block in blocks)
