"""Secure randomness: the fill itself, and the two limits that other families are held to."""

from __future__ import annotations

import numpy as np
from timing import Job, Row, interleave

from sudare.exact.entropy import BLOCK_BYTES, Entropy


def words(count: int) -> Job:
    """Return the job that draws ``count`` secure 64-bit words, a cache-sized block at a time."""
    rng = Entropy.system()
    block = BLOCK_BYTES // 8

    def draw() -> None:
        for start in range(0, count, block):
            rng.block(min(block, count - start), np.uint64)

    return draw


def rows(rounds: int) -> list[Row]:
    rng, toy = Entropy.system(), np.random.Generator(np.random.PCG64())
    out = np.empty(BLOCK_BYTES // 8)

    def secure() -> None:
        for _ in range(16):
            rng.fill(out)

    def pcg() -> None:
        for _ in range(16):
            toy.random(out=out)

    times = interleave([pcg, secure], rounds)
    return [
        Row("secure fill, 256 KiB", "PCG64 random(out=)", 2, True, 16 * out.size, times),
    ]
