"""Tallies of reports: histograms and column sums of packed bits, in cache-sized blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_HISTOGRAM_BLOCK = 1 << 17
_SUMS_BLOCK_BYTES = 1 << 18
_LEAST_ROWS = 24

Support = npt.NDArray[np.int64]


def histogram(reports: npt.NDArray[Any], k: int) -> Support:
    """Count how often each of ``0..k-1`` occurs among checked reports; int64 of shape (k,).

    Reports of one byte are counted in pairs (half the increments) and folded at the end.
    """
    pairs = reports.dtype == np.uint8 and reports.size >= 1 << 18 and reports.flags.c_contiguous
    cells = reports[: reports.size // 2 * 2].view(np.uint16) if pairs else reports
    length = 1 << 16 if pairs else k
    total = np.zeros(length, dtype=np.int64)
    index = np.empty(min(_HISTOGRAM_BLOCK, cells.size), dtype=np.intp)
    for start in range(0, cells.size, _HISTOGRAM_BLOCK):
        part = cells[start : start + _HISTOGRAM_BLOCK]
        block = index[: part.size]
        np.copyto(block, part, casting="unsafe")
        total += np.bincount(block, minlength=length)
    if not pairs:
        return total
    square = total.reshape(256, 256)
    folded: Support = square.sum(axis=0) + square.sum(axis=1)
    if reports.size % 2:
        folded[reports[-1]] += 1
    return folded[:k]


def packed_sums(rows: npt.NDArray[np.uint8], k: int) -> Support:
    """Return the column sums of packed bits (little-endian within a byte); int64 of shape (k,).

    Carry-save addition: three rows become a row of sums and a row of carries by five bit
    operations, so that only a sixth or less of the rows is ever unpacked.
    """
    n, size = rows.shape
    padded = -(-size // 8) * 8
    total = np.zeros(padded * 8, dtype=np.int64)
    step = max(3, _SUMS_BLOCK_BYTES // padded)
    for start in range(0, n, step):
        part = rows[start : start + step]
        if padded != size:
            wide = np.zeros((part.shape[0], padded), dtype=np.uint8)
            wide[:, :size] = part
        else:
            wide = np.ascontiguousarray(part)
        _carry_save(wide.view(np.uint64), 1, total)
    return total[:k]


def _carry_save(words: npt.NDArray[np.uint64], weight: int, total: Support) -> None:
    """Add ``weight`` times the column sums of ``words`` to ``total``."""
    while words.shape[0] >= _LEAST_ROWS:
        third = words.shape[0] // 3
        a, b, c = words[:third], words[third : 2 * third], words[2 * third : 3 * third]
        half = a ^ b
        carries = a & b
        carries |= half & c
        half ^= c
        _carry_save(carries, 2 * weight, total)
        rest = words[3 * third :]
        words = np.concatenate([half, rest]) if rest.shape[0] else half
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    total += weight * bits.sum(axis=0, dtype=np.int64)
