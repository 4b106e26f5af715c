"""Exact uniform draws: rejection of whole words, never floats and never a plain modulo."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sudare.exact.entropy import BLOCK_BYTES, Entropy, EntropySource

_TOP = 1 << 32


def uniform(n: int, outcomes: int, rng: Entropy) -> npt.NDArray[np.uint32]:
    """Return ``n`` independent whole numbers, each uniform on ``0..outcomes - 1`` exactly.

    A word of 32 bits is drawn again where it lies in the last ``2**32 mod outcomes`` of them;
    what is left divides evenly.

    Args:
        outcomes: 1 to 2**31.

    Examples:
        >>> sorted(set(uniform(200, 3, Entropy.seeded(b"uniform")).tolist()))
        [0, 1, 2]
    """
    out = np.empty(n, dtype=np.uint32)
    fair = _TOP - _TOP % outcomes
    step = BLOCK_BYTES // 4
    start = 0
    while start < n:
        words = rng.block(min(step, n - start), np.uint32)
        if fair < _TOP:
            words = words[words < np.uint32(fair)]
        part = out[start : start + words.size]
        np.remainder(words, np.uint32(outcomes), out=part)
        start += words.size
    return out


def uniform_one(outcomes: int, entropy: EntropySource) -> int:
    """Return one whole number, uniform on ``0..outcomes - 1`` exactly.

    The layout of entropy that the browser uses too: little-endian words of 32 bits until one lies
    below ``2**32 - 2**32 mod outcomes``; the number is its remainder.

    Args:
        outcomes: 1 to 2**31.

    Examples:
        >>> 0 <= uniform_one(3, Entropy.seeded(b"one")) < 3
        True
    """
    fair = _TOP - _TOP % outcomes
    while (word := int.from_bytes(entropy.take(4), "little")) >= fair:
        pass
    return word % outcomes
