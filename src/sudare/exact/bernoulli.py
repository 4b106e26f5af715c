"""Exact Bernoulli draws in bulk: integer thresholds against secure words, never floats.

Three kernels, one law each:

* :func:`bernoulli` compares whole words: ``P(1) = threshold / 2**width`` exactly.
* :func:`bernoulli_columns` draws one *byte* a cell and refines the ties, so that a 64-bit
  threshold costs little more than a byte of entropy (proof: ``docs/proofs/bernoulli.md``).
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
    out[:] = rng.block(out.size, out.dtype)  # the lowest bit is 1: 0 OR a fair plane
    for position in range(1, bits):
        plane = rng.block(out.size, out.dtype)
        if numerator >> position & 1:
            np.bitwise_or(out, plane, out=out)
        else:
            np.bitwise_and(out, plane, out=out)
