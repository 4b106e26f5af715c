"""Exact Bernoulli draws in bulk: integer thresholds against secure words, never floats.

Four kernels, one law each:

* :func:`bernoulli` compares whole words: ``P(1) = threshold / 2**width`` exactly.
* :func:`bernoulli_columns` draws one *byte* a cell and refines the ties, so that a 64-bit
  threshold costs little more than a byte of entropy (proof: ``docs/proofs/bernoulli.md``).
* :func:`bernoulli_either` does so for one of two thresholds a cell.
* :func:`dyadic_planes` combines ``b`` packed planes of fair bits into packed bits of
  probability ``j / 2**b``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.exact.entropy import BLOCK_BYTES, Entropy

Bits = npt.NDArray[np.bool_]
Packed = npt.NDArray[np.uint8]

_CELLS = 1 << 15  # at a time; were all of them tied, one block of words would do


def bernoulli(n: int, threshold: int, width: int, rng: Entropy) -> Bits:
    """Return ``n`` booleans, each True with probability ``threshold / 2**width`` exactly.

    ``width`` is 32 or 64; ``0 <= threshold <= 2**width``.
    """
    out = np.empty(n, dtype=np.bool_)
    if threshold >= 1 << width:
        out[:] = True
        return out
    kind: Any = np.uint32 if width == 32 else np.uint64
    step = BLOCK_BYTES // (width // 8)
    bound = kind(threshold)
    for start in range(0, n, step):
        stop = min(start + step, n)
        np.less(rng.block(stop - start, kind), bound, out=out[start:stop])
    return out


def bernoulli_columns(cells: int, threshold: int, width: int, rng: Entropy) -> Bits:
    """Return ``cells`` booleans of probability ``threshold / 2**width``, a byte a cell.

    Compare the leading byte of the word with the leading byte of the threshold; only where
    they are equal (1 cell in 256) are the remaining ``width - 8`` bits drawn.
    """
    out = np.empty(cells, dtype=np.bool_)
    if threshold >= 1 << width:
        out[:] = True
        return out
    lead, rest = divmod(threshold, 1 << (width - 8))
    # The rest is compared as a whole 64-bit word: scale it to 64 bits (exact, a shift).
    rest_word = np.uint64(rest << (64 - (width - 8)))
    lead_byte = np.uint8(lead)
    for start in range(0, cells, BLOCK_BYTES):
        stop = min(start + BLOCK_BYTES, cells)
        block = rng.block(stop - start, np.uint8)
        part = out[start:stop]
        np.less(block, lead_byte, out=part)
        ties = np.flatnonzero(block == lead_byte)
        if ties.size:
            part[ties] = rng.block(ties.size, np.uint64) < rest_word
    return out


def bernoulli_either(held: Bits, own: int, other: int, width: int, rng: Entropy) -> Bits:
    """Return a boolean for each of held: of probability ``own / 2**width`` where it is True, else
    of ``other / 2**width``.

    A byte a cell is compared with the leading byte of its threshold; ties as for
    :func:`bernoulli_columns`. ``0 < other < own < 2**width``.
    """
    marks = held.reshape(-1).view(np.uint8)
    out = np.empty(marks.size, dtype=np.bool_)
    (low, low_rest), (high, high_rest) = (divmod(one, 1 << (width - 8)) for one in (other, own))
    shift = 64 - (width - 8)
    rests = np.array([low_rest << shift, high_rest << shift], dtype=np.uint64)
    for start in range(0, marks.size, _CELLS):
        mark, part = marks[start : start + _CELLS], out[start : start + _CELLS]
        leads = mark * np.uint8(high - low)
        leads += np.uint8(low)
        block = rng.block(part.size, np.uint8)
        np.less(block, leads, out=part)
        ties = np.flatnonzero(block == leads)
        if ties.size:
            part[ties] = rng.block(ties.size, np.uint64) < rests.take(mark[ties])
    return out.reshape(held.shape)


def dyadic_planes(packed: Packed, numerator: int, bits: int, rng: Entropy) -> None:
    """Overwrite ``packed`` with independent bits of probability ``numerator / 2**bits``.

    From the least significant bit of the numerator up: OR with a fair plane where the bit is
    1, AND where it is 0; each step maps the probability P to ``(bit + P) / 2``.
    """
    flat = packed.reshape(-1)
    while numerator % 2 == 0 and bits > 0:
        numerator //= 2
        bits -= 1
    words = BLOCK_BYTES // 8
    whole = flat.size // 8 * 8
    body = flat[:whole].view(np.uint64)
    for start in range(0, body.size, words):
        _combine(body[start : start + words], numerator, bits, rng)
    if whole < flat.size:
        _combine(flat[whole:], numerator, bits, rng)


def _combine(out: npt.NDArray[Any], numerator: int, bits: int, rng: Entropy) -> None:
    rng.fill(out)  # the lowest bit is 1: 0 OR a fair plane
    for position in range(1, bits):
        plane = rng.block(out.size, out.dtype)
        if numerator >> position & 1:
            np.bitwise_or(out, plane, out=out)
        else:
            np.bitwise_and(out, plane, out=out)
