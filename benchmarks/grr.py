"""GRR with 100 categories: against the randomness it needs, and against the usual float code."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from randomness import words
from timing import Row, interleave

import sudare as sd
from sudare.exact.entropy import as_entropy
from sudare.samplers import Keep

N = 1 << 18
MILLION = 1 << 20  # respondents of the comparison with the usual code, whole arrays at a time
K = 100
EPSILON = 1.0


def usual(values: npt.NDArray[np.int64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """GRR as it is usually written: a float coin, and one of the k - 1 others."""
    p = math.exp(EPSILON) / (math.exp(EPSILON) + K - 1)
    keep = rng.random(values.size) < p
    other = rng.integers(0, K - 1, values.size)
    other += other >= values
    return np.where(keep, values, other)


def program(width: int) -> Keep:
    """Return the sampler program of GRR at a given width of its word."""
    step = math.ceil((1 << width) / (math.exp(EPSILON) + K - 1))
    return Keep(k=K, width=width, keep=(1 << width) - K * step, step=step)


def rows(rounds: int) -> list[Row]:
    rng = np.random.default_rng()
    wide = rng.integers(0, K, N)
    narrow = wide.astype(np.uint8)
    oracle, wide_words = sd.GRR(K, EPSILON), program(64)
    if oracle.program != program(32):
        raise AssertionError("GRR does not take one 32-bit word here")
    limit = words(N)

    def against_words(
        bound: float, name: str, draw: Callable[[npt.NDArray[Any]], object]
    ) -> list[Row]:
        found = []
        for values in (narrow, wide):
            times = interleave([limit, lambda values=values: draw(values)], rounds)
            kernel = f"{name}, {values.dtype} in"
            found.append(Row(kernel, "one secure u64 word a value", bound, n=N, times=times))
        return found

    found = against_words(1.4, "GRR.perturb k=100, 32-bit word", oracle.perturb)
    found += against_words(
        2.2, "GRR k=100, 64-bit word", lambda values: wide_words.draw(values, as_entropy(None))
    )
    many = rng.integers(0, K, MILLION)
    for values in (many.astype(np.uint8), many):
        jobs = [lambda: usual(many, rng), lambda values=values: oracle.perturb(values)]
        times = interleave(jobs, max(2, rounds // 2))
        kernel = f"GRR.perturb k=100, {values.dtype} in"
        found.append(Row(kernel, "float code, 2**20 values", 8, True, MILLION, times))
    return found
