"""Tallies of reports: histograms and column sums of packed bits, in cache-sized blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_HISTOGRAM_BLOCK = 1 << 18
_SUMS_BLOCK_BYTES = 1 << 19

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

    Carry-save addition (Harley and Seal) of whole blocks of rows: three blocks of one weight
    become a block of sums and a block of carries of twice the weight by five bit operations.
    At the end at most two blocks a weight are left, and only these are unpacked.
    """
    n, size = rows.shape
    fits = min(_SUMS_BLOCK_BYTES // size, n)
    height = max(8, 1 << fits.bit_length() >> 1)  # a power of two: whole 64-bit words a block
    left: list[list[npt.NDArray[np.uint64]]] = []  # left[i]: one or two blocks of weight 2**i
    for start in range(0, n, height):
        part = rows[start : start + height]
        if part.shape[0] < height:
            part = np.concatenate([part, np.zeros((height - part.shape[0], size), dtype=np.uint8)])
        block = np.ascontiguousarray(part).reshape(-1).view(np.uint64)
        for blocks in left:
            if len(blocks) < 2:
                blocks.append(block)
                break
            a, b = blocks
            half = a ^ b
            carry = a & b
            carry |= half & block
            half ^= block
            blocks[:] = [half]
            block = carry
        else:
            left.append([block])
    total = np.zeros(8 * size, dtype=np.int64)
    for weight, blocks in enumerate(left):
        for block in blocks:
            total += _unpacked_sums(block, min(height, 128), size) << weight
    return total[:k]


def _unpacked_sums(block: npt.NDArray[np.uint64], depth: int, size: int) -> Support:
    """Sum the rows of a block: first as ``depth`` long rows, which fits bytes, then the rest."""
    bits = np.unpackbits(block.view(np.uint8), bitorder="little")
    lanes = bits.reshape(depth, -1).sum(axis=0, dtype=np.uint8)
    sums: Support = lanes.reshape(-1, 8 * size).sum(axis=0, dtype=np.int64)
    return sums
