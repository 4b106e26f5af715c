"""Large arrays by two threads against one: bulk perturb and aggregate, by the clock on the wall."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from timing import Job, Row, interleave

import sudare as sd
from sudare.threads import VARIABLE

N = 1 << 23
WIDE = 1 << 21  # respondents whose reports or answers are wider
KEYS = 100
GRID = sd.Grid(rows=15, columns=15, cell_height=100.0, cell_width=100.0)


def by(threads: int, job: Job) -> Job:
    """Return the job as so many threads do it."""

    def run() -> object:
        before = os.environ.get(VARIABLE)
        os.environ[VARIABLE] = str(threads)
        try:
            return job()
        finally:
            os.environ.pop(VARIABLE)
            if before is not None:
                os.environ[VARIABLE] = before

    return run


def rows(rounds: int) -> list[Row]:
    rng = np.random.default_rng()
    cases: list[tuple[str, Any, tuple[Any, ...]]] = [
        ("GRR k=100", sd.GRR(100, 1.0), (rng.integers(0, 100, N),)),
        ("DyadicUnary k=128, ε=1", sd.DyadicUnary(128, 1.0), (rng.integers(0, 128, WIDE),)),
        ("OLH k=100", sd.OLH(100, 1.0), (rng.integers(0, 100, WIDE),)),
        ("JointRR 20⁴", sd.JointRR([20] * 4, gamma=10), (rng.integers(0, 20, (WIDE, 4)),)),
        ("Piecewise", sd.Piecewise(1.0, -1, 1), (rng.random(WIDE) * 2 - 1,)),
        ("GridExponential 15 × 15", sd.GridExponential(GRID, 0.02), (rng.integers(0, 225, WIDE),)),
    ]
    held = rng.random((WIDE // 8, KEYS)) < 0.3
    values = rng.random(held.shape) * 2 - 1
    cases.append((f"PrivKV d={KEYS}", sd.PrivKV(KEYS, 1.0), (held, values)))
    found = []
    for name, oracle, given in cases:
        jobs: dict[str, Callable[[], Any]] = {"perturb": lambda m=oracle, g=given: m.perturb(*g)}
        reports = jobs["perturb"]()
        if reports.nbytes >= N:  # fewer are tallied by one thread
            jobs["aggregate"] = lambda m=oracle, r=reports: m.aggregate(r)
        for what, job in jobs.items():
            times = interleave([by(1, job), by(2, job)], max(3, rounds // 2), time.perf_counter)
            kernel = f"{name}: {what}, two threads"
            found.append(Row(kernel, "one thread", 1.6, True, len(reports), times))
    return found
