"""What the kinds of one bit a category share: packed bits, their wire, two thresholds."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError, ReportError
from sudare.exact.entropy import EntropySource
from sudare.exact.subsets import bit_count
from sudare.samplers import base
from sudare.samplers.fields import WIDTH, Field, threshold, whole

_BLOCK_BYTES = 1 << 16


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
            raise ReportError("report", "must have zero padding bits")
        return rows


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
        packed = 0
        for i in range(self.k):
            w = int.from_bytes(raw[i * size : (i + 1) * size], "little")
            packed |= (w < (self.own if i in held else self.other)) << i
        return packed.to_bytes(self.report_bytes, "little")


def ones(rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    """Return the number of ones of each packed row."""
    n, size = rows.shape
    word = np.dtype(f"u{math.gcd(size, 8)}")
    out, ones_of = np.empty(n, dtype=np.intp), np.ones(size // word.itemsize, dtype=np.float32)
    step = max(1, _BLOCK_BYTES // size)
    for start in range(0, n, step):
        part = np.ascontiguousarray(rows[start : start + step]).view(word)
        # whole numbers below 2**24 are exact in these floats, whose products are quick
        out[start : start + step] = bit_count(part).astype(np.float32) @ ones_of
    return out
