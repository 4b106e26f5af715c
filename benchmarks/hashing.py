"""Hashing: all functions decoded at once, beside a count of the reports and as published."""

from __future__ import annotations

import numpy as np
from timing import Row, interleave

import sudare as sd

N = 1_000_000
K = 1024
FEW = 50_000
PEOPLE = 100_000


def rows(rounds: int) -> list[Row]:
    oracle = sd.OLH(K, 1.0)
    reports = oracle.perturb(np.random.default_rng().integers(0, K, N))
    counted = reports.astype(np.intp)
    size = oracle.program.outputs
    few = reports[:FEW]
    decoded = [lambda: np.bincount(counted, minlength=size), lambda: oracle.aggregate(reports)]
    ways = [lambda: oracle.aggregate_published(few), lambda: oracle.aggregate(few)]
    linear = sd.LinearHashing(65_536, 2.0)
    values = np.random.default_rng().integers(0, linear.k, FEW).astype(np.uint16)
    drawn = interleave([lambda: linear.perturb(values)], rounds)[0]
    sent = linear.perturb(np.resize(values, N))
    counted_in = interleave([lambda: linear.aggregate(sent)], max(2, rounds // 4))[0]
    planned = sd.LinearHashing(1000, 1.0)
    held = np.bincount(np.arange(PEOPLE) % planned.k)
    answers = np.repeat(np.arange(planned.k), held)
    simulated = interleave(
        [lambda: planned.aggregate(planned.perturb(answers)), lambda: planned.simulate(held)],
        rounds,
    )
    name, limits = f"LinearHashing k={linear.k:,}, ε=2", (FEW * 150e-9, 3.0)
    return [
        Row(f"{name}: perturb", "150 ns a person", 1, n=FEW, times=[[limits[0]] * rounds, drawn]),
        Row(f"{name}: aggregate, 1e6 reports", "3 s", 1,
            times=[[limits[1]] * len(counted_in), counted_in]),
        Row(f"LinearHashing k={planned.k:,}: simulate, {PEOPLE:,} people", "every report", 10,
            n=PEOPLE, times=simulated),
        Row(f"OLH k={K}: aggregate", "bincount", 8, n=N, times=interleave(decoded, rounds)),
        Row(f"OLH k={K}, n={FEW:,}: aggregate", "as published", 20, True, FEW * K,
            interleave(ways, rounds)),
    ]  # fmt: skip
