"""Spark beside the embedded engine: the same plan, in turns, by the clock and by processor time.

    python benchmarks/spark.py                      # 100 million reports
    python benchmarks/spark.py --reports 1000000000

The reports lie in Parquet files of a temporary folder; those beyond 100 million are the same files
under other names. Spark runs on this machine in one session that is begun and has counted once, as
a cluster's executors have. Processor time is that of this process and everything that it began.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import sudare as sd
from sudare.engines import Job, Plan, plan
from sudare.engines.embedded import tally
from sudare.engines.spark import count_plan, session

FILE = 10_000_000


def written(folder: Path, mechanism: sd.GRR, reports: int) -> Plan:
    """Write files of reports, ten of them; the others are links to these."""
    for number in range(reports // FILE):
        path = folder / f"{number:03}.parquet"
        if number < 10:
            own = mechanism.perturb(np.arange(FILE) % mechanism.k)
            parquet.write_table(pa.table({"report": own}), path, row_group_size=1 << 20)
        else:
            os.link(folder / f"{number % 10:03}.parquet", path)
    return plan(folder, Job.of(mechanism))


def processor(children: set[int]) -> float:
    """Return the processor seconds of this process and of all below it, ended or not."""
    tick = os.sysconf("SC_CLK_TCK")
    stats = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        fields = text.rpartition(")")[2].split()
        stats[int(path.parent.name)] = (int(fields[1]), sum(map(int, fields[11:15])) / tick)
    ours = {os.getpid()} | children
    grown = True
    while grown:
        more = {pid for pid, (parent, _) in stats.items() if parent in ours} - ours
        ours |= more
        grown = bool(more)
    children |= ours
    return sum(seconds for pid, (_, seconds) in stats.items() if pid in ours)


def timed(job: Callable[[], object]) -> tuple[float, float]:
    """Return seconds by the clock and of the processors."""
    children: set[int] = set()
    before, start = processor(children), time.perf_counter()
    job()
    return time.perf_counter() - start, processor(children) - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reports", type=int, default=100_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    cores = os.cpu_count() or 1
    settings = {"spark.ui.enabled": "false", "spark.driver.memory": "1g"}
    running = session(f"local[{cores}]", settings)
    with tempfile.TemporaryDirectory() as folder:
        todo = written(Path(folder), sd.GRR(43, 1.0), asked.reports)

        def embedded() -> object:
            return tally(todo)

        def spark() -> object:
            return count_plan(todo, running)

        assert embedded() == spark()
        both = [[timed(job) for job in (embedded, spark)] for _ in range(asked.rounds)]
    for i, what in enumerate(("clock", "processor")):
        here, there = (min(one[j][i] for one in both) for j in range(2))
        print(
            f"{asked.reports:,} {what}: embedded {here:.2f} s, Spark {there:.2f} s, "
            f"ratio {there / here:.2f}"
        )


if __name__ == "__main__":
    main()
