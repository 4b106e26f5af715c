"""Spark beside the embedded engine: the same plan, in turns, by the clock and by processor time.

    python benchmarks/spark.py                      # 100 million reports
    python benchmarks/spark.py --reports 1000000000
    python benchmarks/spark.py --reports 1000000000 --generated   # no files

The reports lie in Parquet files of a temporary folder; those beyond 100 million are the same files
under other names. Spark runs on this machine in one session that is begun and has counted once, as
a cluster's executors have. Processor time is that of this process and everything that it began.

``--generated``: each unit of a million reports is drawn where it is counted, by ``perturb`` from a
stream of its own, here over threads, there by ``spark.range`` and ``mapInArrow``; counts come back
as rows of data, as those of files do, and are equal.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial, reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import sudare as sd
from sudare.engines import AnyCounts, Job, Plan, plan
from sudare.engines.embedded import tally
from sudare.engines.spark import count_plan, session
from sudare.engines.spark.wire import SCHEMA, answer, batched, read_answers
from sudare.threads import in_threads_ahead

FILE = 10_000_000
UNIT = 1 << 20
TASK_UNITS = 1 << 10  # of reports of a byte: a gigabyte, as a plan's tasks


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


def drawn(place: int, job: Job) -> tuple[int, tuple[AnyCounts, ...]]:
    """Return the number and the counts of the reports of a unit, which are drawn for it."""
    mechanism = job.mechanism
    rng = sd.Entropy.seeded(f"unit {place}".encode())
    reports = mechanism.perturb(_values(mechanism.k), rng=rng)
    return UNIT, job.count([pa.Array.from_buffers(pa.uint8(), UNIT, [None, pa.py_buffer(reports)])])


@cache
def _values(k: int) -> np.ndarray:
    return (np.arange(UNIT) % k).astype(np.uint8)


def here(units: int, job: Job) -> tuple[AnyCounts, ...]:
    """Draw and count in this process."""
    parts = in_threads_ahead(lambda place: drawn(place, job)[1], range(units))
    return reduce(lambda a, b: tuple(map(add, a, b)), parts)


def there(units: int, job: Job, running: Any, tasks: int) -> tuple[AnyCounts, ...]:
    """Draw and count on Spark's executors."""
    module = Path(__file__).stem, str(Path(__file__).parent)

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        import importlib
        import os
        import sys

        os.environ["SUDARE_THREADS"] = "1"  # Spark gives a task a core
        name, folder = module
        if folder not in sys.path:
            sys.path.insert(0, folder)
        source = importlib.import_module(name)
        places = (place for batch in batches for place in batch.column(0).to_pylist())
        yield from batched(answer(place, partial(source.drawn, place, job)) for place in places)

    found = dict(read_answers(running.range(0, units, 1, tasks).mapInArrow(work, SCHEMA).collect()))
    assert len(found) == units
    return reduce(lambda a, b: tuple(map(add, a, b)), (counts for _, counts in found.values()))


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
    parser.add_argument("--generated", action="store_true")
    asked = parser.parse_args()
    cores = os.cpu_count() or 1
    settings = {"spark.ui.enabled": "false", "spark.driver.memory": "1g"}
    running = session(f"local[{cores}]", settings)
    with tempfile.TemporaryDirectory() as folder:
        mechanism = sd.GRR(43, 1.0)
        if asked.generated:
            units, job = asked.reports // UNIT, Job.of(mechanism)
            tasks = -(-units // TASK_UNITS // cores) * cores
            jobs = [lambda: here(units, job), lambda: there(units, job, running, tasks)]
        else:
            todo = written(Path(folder), mechanism, asked.reports)
            jobs = [lambda: tally(todo), lambda: count_plan(todo, running)]
        one, other = (job() for job in jobs)
        assert one == other
        both = [[timed(job) for job in jobs] for _ in range(asked.rounds)]
    for i, what in enumerate(("clock", "processor")):
        ours, theirs = (min(one[j][i] for one in both) for j in range(2))
        print(
            f"{asked.reports:,} {what}: embedded {ours:.2f} s, Spark {theirs:.2f} s, "
            f"ratio {theirs / ours:.2f}"
        )


if __name__ == "__main__":
    main()
