"""Colours of numbers, in steps that all eyes tell apart, and pictures of them as PNG."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.arrays import Bytes, Floats

STOPS = (
    "#440154", "#48186a", "#472d7b", "#424086", "#3b528b", "#33638d", "#2c728e", "#26828e",
    "#21918c", "#1fa088", "#28ae80", "#3fbc73", "#5ec962", "#84d44b", "#addc30", "#d8e219",
    "#fde725",
)  # fmt: skip
"""Viridis at every sixteenth: its lightness rises evenly, whatever colours an eye lacks."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From numbers to [0, 1].

    Attributes:
        low, high: the numbers at both ends.
        log: whether equal factors take equal steps; what is not above 0 lies at the low end.
    """

    low: float
    high: float
    log: bool = False

    @classmethod
    def of(cls, values: Floats, log: bool = False) -> Scale:
        """Return the scale of some numbers, NaN left out."""
        known = values[np.isfinite(values)]
        if log:
            known = known[known > 0]
        if not known.size:
            return cls(0.0, 1.0)
        return cls(float(known.min()), float(known.max()), log)

    def place(self, values: Floats) -> Floats:
        """Return where numbers lie: 0 at the low end, 1 at the high end; NaN for NaN."""
        low, high, given = self.low, self.high, values
        if self.log:
            low, high = np.log(low), np.log(high)
            given = np.log(np.where(values > 0, values, self.low) + 0 * values)  # NaN stays NaN
        if high <= low:
            return np.where(np.isnan(given), np.nan, 0.5)
        out: Floats = np.clip((given - low) / (high - low), 0.0, 1.0)
        return out

    def ticks(self) -> tuple[float, float, float]:
        """Return the numbers at the low end, amid, and at the high end."""
        middle = (self.low * self.high) ** 0.5 if self.log else (self.low + self.high) / 2
        return self.low, middle, self.high


def rgba(places: Floats) -> Bytes:
    """Return (..., 4) colours of places in [0, 1]; NaN is transparent."""
    stops = np.array([[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in STOPS])
    at = np.linspace(0, 1, len(STOPS))
    known = np.nan_to_num(places)
    out = np.empty((*places.shape, 4), dtype=np.uint8)
    for channel in range(3):
        out[..., channel] = np.rint(np.interp(known, at, stops[:, channel]))
    out[..., 3] = np.where(np.isnan(places), 0, 255)
    return out


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """Return (height, width, 4) red, green, blue and opacity as a PNG file.

    Source: PNG specification, third edition, colour type 6, filter 0.

    Examples:
        >>> png(np.zeros((2, 3, 4), dtype=np.uint8))[:4]
        b'\\x89PNG'
    """
    height, width, _ = pixels.shape
    lines = np.zeros((height, 1 + 4 * width), dtype=np.uint8)  # each begins with its filter
    lines[:, 1:] = pixels.reshape(height, -1)
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
