"""Exact uniform draws: rejection of whole words, never floats and never a plain modulo."""

from __future__ import annotations

from typing import Any

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
        if fair == _TOP:  # a power of two
            np.bitwise_and(words, np.uint32(outcomes - 1), out=part)
        else:
            np.remainder(words, np.uint32(outcomes), out=part)
        start += words.size
    return out


def uniform_each(outcomes: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[np.uint32]:
    """Return for each of these numbers m a whole number, uniform on ``0..m - 1`` exactly.

    Of a word of 32 bits times m the upper half is the number; the word is drawn again where the
    lower half lies below ``2**32 mod m``, so that each number has equally many words.

    Args:
        outcomes: (n,) whole numbers from 1 to 2**31.

    Source: Lemire 2019; proof: ``docs/proofs/tables.md``.

    Examples:
        >>> uniform_each(np.array([1, 1, 2**20]), Entropy.seeded(b"each")).tolist()[:2]
        [0, 0]
    """
    out = np.empty(outcomes.size, dtype=np.uint32)
    step = BLOCK_BYTES // 4
    for start in range(0, out.size, step):
        many, part = outcomes[start : start + step].astype(np.uint64), out[start : start + step]
        left: Any = slice(None)
        while many.size:
            product = rng.block(many.size, np.uint32) * many
            part[left] = product >> np.uint64(32)
            low = product.astype(np.uint32)
            few = np.flatnonzero(low < many)
            again = few[low[few] < _TOP % many[few]]
            left = again if isinstance(left, slice) else left[again]
            many = many[again]
    return out


def uniform_one(outcomes: int, entropy: EntropySource) -> int:
    """Return one whole number, uniform on ``0..outcomes - 1`` exactly.

    The layout of entropy that the browser uses too: little-endian words of 32 bits until one lies
    below ``2**32 - 2**32 mod outcomes``; the number is its remainder.

    Args:
        outcomes: 1 to 2**32.

    Examples:
        >>> 0 <= uniform_one(3, Entropy.seeded(b"one")) < 3
        True
    """
    fair = _TOP - _TOP % outcomes
    while (word := int.from_bytes(entropy.take(4), "little")) >= fair:
        pass
    return word % outcomes
