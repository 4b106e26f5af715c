"""Local hashing: all functions decoded at once, beside a count of the reports and as published."""

from __future__ import annotations

import numpy as np
from timing import Row, interleave

import sudare as sd

N = 1_000_000
K = 1024
FEW = 50_000


def rows(rounds: int) -> list[Row]:
    oracle = sd.OLH(K, 1.0)
    reports = oracle.perturb(np.random.default_rng().integers(0, K, N))
    counted = reports.astype(np.intp)
    size = oracle.program.outputs
    few = reports[:FEW]
    decoded = [lambda: np.bincount(counted, minlength=size), lambda: oracle.aggregate(reports)]
    ways = [lambda: oracle.aggregate_published(few), lambda: oracle.aggregate(few)]
    return [
        Row(f"OLH k={K}: aggregate", "bincount", 8, n=N, times=interleave(decoded, rounds)),
        Row(f"OLH k={K}, n={FEW:,}: aggregate", "as published", 20, True, FEW * K,
            interleave(ways, rounds)),
    ]  # fmt: skip
