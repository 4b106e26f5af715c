"""Rows of marks as words of 64 bits: how many are set, and where the n-th one is."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans

Words = npt.NDArray[np.uint64]


def packed_words(marks: Booleans) -> Words:
    """Return (n, d) marks as (words, n): mark i is bit ``i % 64`` of word ``i // 64``.

    Examples:
        >>> packed_words(np.array([[True, False, True]])).tolist()
        [[5]]
    """
    bits = np.packbits(marks, axis=1, bitorder="little")
    n, size = bits.shape
    if size % 8:
        wide = np.zeros((n, -(-size // 8) * 8), dtype=np.uint8)
        wide[:, :size] = bits
        bits = wide
    return np.ascontiguousarray(bits.view("<u8").T)


def count_ones(words: Words) -> npt.NDArray[np.int64]:
    """Return the number of marks in each row."""
    out: npt.NDArray[np.int64] = np.bitwise_count(words).sum(axis=0, dtype=np.int64)
    return out


def nth_ones(words: Words, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return where in each row the mark is that so many others precede; any place if none is.

    The word is found by counting; within it the half that holds the mark is taken three times, and
    the bit of the byte that is left comes from a table.

    Examples:
        >>> nth_ones(packed_words(np.array([[False, True, True]] * 2)), np.array([0, 1])).tolist()
        [1, 2]
    """
    counts = np.bitwise_count(words)
    ends = np.cumsum(counts, axis=0, dtype=np.int32)
    at: npt.NDArray[np.int64] = (ends <= places).sum(axis=0, dtype=np.int64)
    np.minimum(at, len(words) - 1, out=at)
    cells = at * places.size
    cells += np.arange(places.size)
    left = places - ends.ravel().take(cells) + counts.ravel().take(cells)
    word: Any = words.ravel().take(cells)
    at <<= 6
    for half in (32, 16, 8):
        low = np.bitwise_count(word & np.uint64((1 << half) - 1))
        above = left >= low
        left -= low * above
        steps = above * np.int64(half)
        word >>= steps.view(np.uint64)
        at += steps
    word &= np.uint64(255)
    at += _nth_of_byte().take(word.view(np.int64) * 8 + (left & 7))
    return at


@cache
def _nth_of_byte() -> npt.NDArray[np.uint8]:
    """Return for each byte where its first, second, ... one is; 0 where there are fewer."""
    table = np.zeros((256, 8), dtype=np.uint8)
    for byte in range(256):
        found = [i for i in range(8) if byte >> i & 1]
        table[byte, : len(found)] = found
    return table.ravel()
