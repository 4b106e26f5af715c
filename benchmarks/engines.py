"""The embedded engine beside DuckDB's SQL for the same counts, and beside PyArrow's reading.

``python benchmarks/engines.py [--rows 100_000_000] [--rounds 3]`` writes its files to a folder of
its own and removes them. All take turns; a line tells the least wall and processor time of each
and the ratio of either. On a machine that others use, only processor time tells much.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

import sudare as sd
from sudare.engines import counts_from

GRR, UNARY, PACKED = sd.GRR(43, 1.0), sd.OUE(128, 1.0), sd.OUE(40, 1.0)
_BLOCK = 1 << 20
_MEMORY = """
import re, sys
import sudare as sd
sd.estimate_from(sys.argv[1], sd.GRR(43, 1.0))
print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024)
"""  # a child's ru_maxrss would begin with that of its parent
_TABLES = """
import re, sys, time
import sudare as sd
from sudare.engines import Job, plan, tables_from
names = [f"c{i}" for i in range(20)]
todo = plan(sys.argv[1], Job.of(sd.JointRR([20] * 20, gamma=5), names))
start = time.process_time()
made = sum(1 for _ in tables_from(todo, 2))
spent = time.process_time() - start
used = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
print(f"{made} tables of {todo.rows:,} rows: {used:.0f} MiB, processor {spent:.1f} s")
"""

Work = Callable[[], object]


def write(folder: Path, rows: int) -> dict[str, Path]:
    """Write uniform reports: GRR as Parquet, all rows and a tenth of them, these as CSV too, and as
    many packed bits; of 128 bits a hundredth, as DuckDB's unnest takes long."""
    rng = np.random.default_rng(1)
    few = rows // 10
    paths = {name: folder / name for name in ("grr.parquet", "few.parquet")}
    for name, n in (("grr.parquet", rows), ("few.parquet", few)):
        with parquet.ParquetWriter(paths[name], pa.schema([("report", pa.uint8())])) as out:
            for start in range(0, n, _BLOCK):
                codes = rng.integers(0, 43, min(_BLOCK, n - start), dtype=np.uint8)
                out.write_batch(pa.record_batch([pa.array(codes)], ["report"]))
    for name, size, n in (("unary.parquet", 16, few // 10), ("packed.parquet", 5, few)):
        paths[name], kind = folder / name, pa.binary(size)
        with parquet.ParquetWriter(paths[name], pa.schema([("report", kind)])) as out:
            for start in range(0, n, _BLOCK):
                many = min(_BLOCK, n - start)
                data = pa.py_buffer(rng.bytes(size * many))
                cells = pa.FixedSizeBinaryArray.from_buffers(kind, many, [None, data])
                out.write_batch(pa.record_batch([cells], ["report"]))
    paths["few.csv"] = folder / "few.csv"
    csv.write_csv(parquet.read_table(paths["few.parquet"]), paths["few.csv"])
    return paths


def write_wide(path: Path, rows: int) -> None:
    """Write uniform reports of 20 attributes of 20 categories each."""
    rng, names = np.random.default_rng(2), [f"c{i}" for i in range(20)]
    with parquet.ParquetWriter(path, pa.schema([(name, pa.uint8()) for name in names])) as out:
        for start in range(0, rows, _BLOCK):
            codes = rng.integers(0, 20, (20, min(_BLOCK, rows - start)), dtype=np.uint8)
            out.write_batch(pa.record_batch(list(map(pa.array, codes)), names))


def sql(query: str, path: Path) -> Work:
    """Return DuckDB's run of a query over a file, on as many threads as there are processors."""
    import duckdb

    connection = duckdb.connect(config={"threads": len(os.sched_getaffinity(0))})
    return lambda: connection.sql(query.format(path=path)).fetchall()


def timed(jobs: list[Work], rounds: int) -> list[tuple[float, float]]:
    """Return the least wall and processor seconds of each, all threads together."""
    least = [(np.inf, np.inf)] * len(jobs)
    for turn in range(rounds + 1):  # the first round is not counted
        for i, job in enumerate(jobs):
            wall, spent = time.perf_counter(), time.process_time()
            job()
            found = time.perf_counter() - wall, time.process_time() - spent
            if turn:
                least[i] = min(least[i][0], found[0]), min(least[i][1], found[1])
    return least


def told(what: str, ours: Work, other: Work, rounds: int, bound: str) -> None:
    """Print the ratios ours : other."""
    (wall, spent), (others, spent_there) = timed([ours, other], rounds)
    print(
        f"{what:<58} {wall:7.3f} s {others:7.3f} s  wall {wall / others:5.2f}  "
        f"processor {spent / spent_there:5.2f}  goal {bound}",
        flush=True,
    )


def main() -> None:
    """Write, measure, remove."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**8)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    count = "SELECT report, count(*) FROM '{path}' GROUP BY report"
    unnest = (
        "SELECT i, count(*) FROM (SELECT unnest(range(128)) AS i, report FROM '{path}') "
        "WHERE get_bit(report::BIT, i::INTEGER) = 1 GROUP BY i"
    )
    with tempfile.TemporaryDirectory(prefix="sudare-bench-") as name:
        paths = write(Path(name), given.rows)
        big, few, unary, packed, text = paths.values()

        def ours(path: Path, mechanism: Any = GRR, threads: int | None = None) -> Work:
            return lambda: counts_from(path, mechanism, threads=threads)

        turns = given.rounds
        told("GRR, all reports : DuckDB", ours(big), sql(count, big), turns, "0.8")
        told("one thread : all threads, GRR", ours(big, threads=1), ours(big), turns, ">= 1.6")
        told("unary k = 128 : DuckDB's unnest", ours(unary, UNARY), sql(unnest, unary), 1, "0.33")
        reading = "Parquet : reading it by PyArrow"
        told(reading, ours(few), lambda: parquet.read_table(few), turns, "2")
        told(
            "packed bits, k = 40 : reading them by PyArrow (goal: of the clock)",
            ours(packed, PACKED), lambda: parquet.read_table(packed), turns, "0.6 s",
        )  # fmt: skip
        told("CSV : reading it by PyArrow", ours(text), lambda: csv.read_csv(text), turns, "1.5")
        for path in (few, big):
            command = [sys.executable, "-c", _MEMORY, str(path)]
            used = float(subprocess.run(command, capture_output=True, check=True).stdout)
            rows = parquet.read_metadata(path).num_rows
            print(f"memory of estimate_from, {rows:,} rows: {used:.0f} MiB  goal 200")
        for rows in (given.rows // 100, given.rows // 25, given.rows // 10):
            wide = Path(name) / "wide.parquet"
            write_wide(wide, rows)
            command = [sys.executable, "-c", _TABLES, str(wide)]
            print(
                subprocess.run(command, capture_output=True, check=True, text=True).stdout, end=""
            )


if __name__ == "__main__":
    main()
