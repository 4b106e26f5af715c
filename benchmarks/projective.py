"""Projective geometry: many categories in short reports, beside local hashing as published."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from randomness import words
from timing import Row, interleave

import sudare as sd

N = 1 << 16
REPORTS = 1_000_000
HASHED = 16  # reports whose categories are all hashed; the rest is scaled
PERTURB_NS, DECODE_S = 150, 3


def hashed(k: int, seeds: npt.NDArray[np.uint64], reports: npt.NDArray[np.uint64]) -> object:
    """Count what each report of local hashing supports: all categories are hashed, one by one."""
    values, prime = np.arange(k, dtype=np.uint64), np.uint64((1 << 31) - 1)
    support = np.zeros(k, dtype=np.int64)
    for (a, b), report in zip(seeds, reports, strict=True):
        support += (a * values + b) % prime % np.uint64(4) == report
    return support


def rows(rounds: int) -> list[Row]:
    rng = np.random.default_rng()
    found = []
    for epsilon in (0.5, 1.0, 4.0):
        oracle = sd.ProjectiveGeometry(10_000, epsilon)
        values = rng.integers(0, oracle.k, N).astype(np.uint16)
        times = interleave([lambda o=oracle, v=values: o.perturb(v)], rounds)
        kernel = f"ProjectiveGeometry.perturb k=10,000, ε={epsilon:g}"
        times = [[N * PERTURB_NS * 1e-9] * len(times[0]), times[0]]
        found.append(Row(kernel, f"{PERTURB_NS} ns a person", 1, n=N, times=times))
        times = interleave([words(3 * N), lambda o=oracle, v=values: o.perturb(v)], rounds)
        found.append(Row(kernel, "3 secure u64 words a person", n=N, times=times))
    oracle = sd.ProjectiveGeometry(65_536, 1.0)
    reports = oracle.perturb(rng.integers(0, oracle.k, REPORTS))
    seeds = rng.integers(1, 1 << 31, (HASHED, 2)).astype(np.uint64)
    answers = rng.integers(0, 4, HASHED).astype(np.uint64)
    jobs = [lambda: hashed(oracle.k, seeds, answers), lambda: oracle.aggregate(reports)]
    times = interleave(jobs, max(2, rounds // 4))
    kernel = "ProjectiveGeometry.aggregate k=65,536, 1e6 reports"
    limit = [seconds * REPORTS / HASHED for seconds in times[0]]
    found.append(Row(kernel, f"{DECODE_S} s", 1, times=[[DECODE_S] * len(limit), times[1]]))
    found.append(Row(kernel, "local hashing, all hashed", 20, True, times=[limit, times[1]]))
    return found
