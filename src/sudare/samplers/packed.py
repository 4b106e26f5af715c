"""What the kinds of one bit a category share: two thresholds, packed bits, their wire."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError, ReportError
from sudare.exact.entropy import EntropySource
from sudare.samplers import base


@dataclass(frozen=True, slots=True)
class Packed(base.Program):
    """Bit i is 1 where word i is below ``own`` (the value holds i) or ``other`` (it does not).

    A report is ``ceil(k / 8)`` bytes, bit i at byte ``i >> 3``, position ``i & 7``; padding
    bits are 0. One report consumes k little-endian words in the order of the categories.
    """

    k: int
    width: int
    own: int
    other: int

    def __post_init__(self) -> None:
        base.check_width(self.width)
        if not 0 < self.other < self.own < 1 << self.width:
            raise CollectionError("program", "must satisfy 0 < other < own < 2**width")

    @property
    def outputs(self) -> int:
        """Number of reports: 2**k."""
        return 1 << self.k

    def _draw_bits(self, held: Container[int], entropy: EntropySource) -> bytes:
        """Draw one report of a value that holds the categories ``held``: k words."""
        size = self.width // 8
        raw = entropy.take(self.k * size)
        packed = 0
        for i in range(self.k):
            w = int.from_bytes(raw[i * size : (i + 1) * size], "little")
            packed |= (w < (self.own if i in held else self.other)) << i
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


def thresholds(data: Mapping[str, Any], most: int) -> dict[str, int]:
    """Read k (at most ``most``), the width and the two thresholds of a program's JSON data."""
    width = base.integer(data, "width", 8, 4096)
    return {
        "k": base.integer(data, "k", 2, most),
        "width": width,
        "own": base.threshold(data["own"], "own", width),
        "other": base.threshold(data["other"], "other", width),
    }
