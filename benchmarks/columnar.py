"""Held data of many rows: opening it and asking it, beside PyArrow's reading of the same columns.

``python benchmarks/columnar.py [--rows 10_000_000] [--rounds 3]`` writes a Parquet file to a folder
of its own and removes it. Each line is measured in a process of its own: processor time of all its
threads, and the most memory that the whole process had. PyArrow's lines come from the same run: a
ratio compares with reading (the table at once) or scanning (batch by batch) of the same columns.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

COLUMNS = ["score", "income", "region"]
BOUNDS = {"score": (0, 100), "income": (0, 200_000), "paid": (0, 10_000)}
REGIONS = [f"region-{i}" for i in range(47)]
_BLOCK = 1 << 20

Work = Callable[[], object]


def write(path: Path, rows: int) -> None:
    """Write whole numbers, fractions, text, decimals, and ids of 20 digits in two forms."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    rng, out = np.random.default_rng(1), None
    for start in range(0, rows, _BLOCK):
        n = min(_BLOCK, rows - start)
        codes = pa.array(rng.integers(0, len(REGIONS), n).astype(np.int8))
        people = rng.integers(0, rows // 2, n).astype(np.uint64) + np.uint64(10**19)
        batch = pa.record_batch({
            "score": rng.integers(0, 101, n),
            "income": rng.gamma(2, 20_000, n),
            "region": pa.DictionaryArray.from_arrays(codes, REGIONS).cast(pa.string()),
            "paid": pa.array(rng.integers(0, 10**6, n)).cast(pa.decimal128(24, 2)),
            "number": people,
            "name": pa.array(people).cast(pa.string()),
        })  # fmt: skip
        out = out or parquet.ParquetWriter(path, batch.schema)
        out.write_batch(batch)
    if out:
        out.close()


def memory() -> float:
    """Return the most MiB that this process had; a child's ru_maxrss begins with its parent's."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024


def scan(path: str, columns: list[str], text: list[str] | None = None) -> Work:
    from pyarrow import parquet

    def work() -> None:
        with parquet.ParquetFile(path, read_dictionary=text, buffer_size=1 << 20) as file:
            for _ in file.iter_batches(1 << 17, columns=columns, use_threads=False):
                pass

    return work


def job(name: str, path: str) -> tuple[Work, Work]:
    """Return what comes before, and what is timed."""
    from pyarrow import parquet

    if name.startswith("read:"):
        columns = name.split(":")[1].split(",")
        return lambda: None, lambda: parquet.read_table(path, columns=columns)
    if name.startswith("scan:"):
        columns = name.split(":")[1].split(",")
        return lambda: None, scan(path, columns, [one for one in columns if one == "region"])
    from sudare.ledger import Cost
    from sudare.release import Ask, Dataset

    where, what = name.split(" ", 1)
    made: dict[str, Any] = {}

    def frame() -> Any:
        return path if where == "file:" else made["table"]

    def read(columns: list[str]) -> Work:
        def work() -> None:
            if where == "memory:":
                made["table"] = parquet.read_table(
                    path, columns=columns, read_dictionary=["region"]
                )

        return work

    def opened(columns: list[str], unit: Any = None) -> Work:
        def work() -> None:
            bounds = {one: BOUNDS[one] for one in columns if one in BOUNDS}
            budget = Cost.of(epsilon=9, delta=1e-5)
            made["db"] = Dataset(frame(), bounds=bounds, unit=unit, budget=budget)

        return work

    if what == "open":
        return read(COLUMNS), opened(COLUMNS)
    if what.startswith("persons"):
        whose = what.split(" ")[1]
        return read(["score", whose]), opened(["score"], (whose, 3))
    text = f"histogram:region={','.join(REGIONS)}" if what == "histogram" else what
    column = text.split(":")[1].partition("@")[0].partition("=")[0].split(" ")[0]
    columns = [*dict.fromkeys([column, *(one for one in COLUMNS if f"{one} " in f"{text} ")])]
    columns += ["region"] if "region" in text and "region" not in columns else []

    def before() -> None:
        read(columns)()
        opened(columns)()
        made.pop("table", None)

    cost = Cost.of(epsilon=1)
    return before, lambda: Ask.parse(text).to(made["db"], cost)


def measured(name: str, path: str) -> None:
    """Print the seconds and MiB of one job: what happens in a process of its own."""
    before, work = job(name, path)
    before()
    start = time.process_time()
    work()
    print(json.dumps([time.process_time() - start, memory()]))


def least(name: str, path: Path, rounds: int) -> tuple[float, float]:
    """Return the least seconds, and the MiB, of a job."""
    command = [sys.executable, __file__, "--job", name, "--path", os.fspath(path)]
    found = [
        json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        for _ in range(rounds)
    ]
    return min(one[0] for one in found), min(one[1] for one in found)


LINES = [  # what, beside what, and what was wanted
    ("memory: open", f"read:{','.join(COLUMNS)}", "3 s, 700 MiB"),
    ("file: open", f"scan:{','.join(COLUMNS)}", "3 s, 700 MiB"),
    ("file: sum:score", "scan:score", "1 s, 200 MiB"),
    ("file: sum:paid", "scan:paid", ""),
    ("file: histogram", "scan:region", "1 s, 200 MiB"),
    ("file: median:score", "scan:score", ""),
    ("file: mean:income@region=region-1,region-2", "scan:income,region", ""),
    ("file: sum:score where income > 40000", "scan:score,income", ""),
    ("file: count:score=5 where region in region-1,region-2", "scan:score,region", ""),
    ("file: bins:income=0,20000,50000,100000,ends", "scan:income", ""),
    ("file: discover:region=1e-6", "scan:region", ""),
    ("file: distinct:region", "scan:region", ""),
    ("file: distinct:income", "scan:income", ""),
    ("memory: distinct:income", "scan:income", ""),
    ("memory: sum:score where income > 40000", "scan:score,income", ""),
    ("memory: bins:income=0,20000,50000,100000,ends", "scan:income", ""),
    ("memory: discover:region=1e-6", "scan:region", ""),
    ("memory: sum:score", "scan:score", ""),
    ("memory: histogram", "scan:region", ""),
    ("memory: variance:score", "scan:score", "0.25 s"),
    ("memory: variance:income", "scan:income", "0.25 s"),
    ("memory: median:score", "scan:score", "0.2 s"),
    ("memory: median:income", "scan:income", "0.2 s"),
    ("file: persons number", "scan:score,number", ""),
    ("file: persons name", "scan:score,name", ""),
    ("memory: persons name", "read:score,name", ""),
    ("file: count:name=10000000000000000007", "scan:name", ""),
]


def main() -> None:
    """Write, measure, remove."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="lines that this expression finds")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.job:
        measured(given.job, given.path)
        return
    with tempfile.TemporaryDirectory(prefix="sudare-bench-") as folder:
        path = Path(folder) / "people.parquet"
        write(path, given.rows)
        print(f"{given.rows:,} rows, {path.stat().st_size >> 20} MiB in Parquet")
        others: dict[str, tuple[float, float]] = {}
        for name, other, wanted in LINES:
            if not re.search(given.only, name):
                continue
            if other not in others:
                others[other] = least(other, path, given.rounds)
            (mine, most), (theirs, their_most) = least(name, path, given.rounds), others[other]
            print(
                f"{name:<55} {mine:7.3f} s {most:6.0f} MiB | {other:<26} {theirs:6.3f} s "
                f"{their_most:5.0f} MiB | {mine / theirs:6.2f} {most / their_most:5.2f}  {wanted}",
                flush=True,
            )


if __name__ == "__main__":
    main()
