"""Standard errors by the bootstrap: 1,000 collections of 100 categories, drawn and estimated."""

from __future__ import annotations

from functools import partial

import numpy as np
from timing import Row, interleave

import sudare as sd

K, N, RUNS = 100, 100_000, 1_000


def rows(rounds: int) -> list[Row]:
    few, draws, law = max(2, rounds // 4), np.random.default_rng(1), np.full(K, 1 / K)

    def drawn() -> object:
        return draws.multinomial(N, law, size=RUNS)

    found = []
    for mechanism in (sd.GRR(K, 1.0), sd.DyadicUnary(K, 1.0)):
        counts = mechanism.simulate(np.full(K, N // K))
        jobs = [drawn, partial(sd.bootstrap, mechanism, counts)]
        needed, taken = interleave(jobs, few)
        name = f"bootstrap {mechanism.name} k={K}"
        found.append(Row(name, "0.04 s", 1, times=[[0.04] * few, taken]))
        found.append(Row(name, "the multinomials of the truths", times=[needed, taken]))
    return found
