"""The collector's store at 1 to 5 million reports: its start, and acknowledgements while it folds.

    python benchmarks/store.py [--reports 1000000 5000000] [--json]

One run, everything beside its limit: an acknowledgement beside a bare synced commit of the same
bytes on the same disk, a start beside ``PRAGMA quick_check`` of the same file. While 20,000 reports
are folded into the file, single reports are acknowledged one after the other.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path

from sudare.collection import Collection
from sudare.collector.schema import open_database, transaction, truncate_log
from sudare.collector.store import Store
from sudare.collector.versions import register

TEXT = """
[collection]
name = "tea"
epsilon = 2.0
publish = "end"
closes = 2099-01-01T00:00:00Z
[[question]]
id = "brand"
type = "choice"
text = "Which tea?"
choices = ["a", "b", "c", "d", "e", "f"]
"""
SLICE = 100_000
FOLDED = 20_000
SINGLES = 50


def fill(database: Path, tea: Collection, reports: int) -> None:
    """Write a file with so many folded reports."""
    with closing(open_database(database)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        book = register(connection, tea)
        ids = sorted(os.urandom(16) for _ in range(reports))
        for start in range(0, reports, SLICE):
            some = ids[start : start + SLICE]
            with transaction(connection):
                book.insert(connection, b"".join(some), bytes(i % 6 for i in range(len(some))))
        connection.execute("UPDATE fold SET settled = 1")
        truncate_log(connection)


def bare_commit(folder: Path, number: int) -> float:
    """Return the median seconds of a synced commit of one small row, with nothing else going on."""
    with closing(sqlite3.connect(folder / "bare.sqlite3", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE IF NOT EXISTS row (seq INTEGER PRIMARY KEY, ids, payload)")
        times = []
        for _ in range(number):
            started = time.perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO row (ids, payload) VALUES (?, ?)", (b"x" * 16, b"y"))
            connection.execute("COMMIT")
            times.append(time.perf_counter() - started)
    return statistics.median(times)


def acknowledged(store: Store, tea: Collection) -> float:
    """Return the seconds until one report is acknowledged."""
    started = time.perf_counter()
    store.add(tea.fingerprint, os.urandom(16), b"\x01").result()
    return time.perf_counter() - started


def measure(folder: Path, tea: Collection, reports: int) -> dict[str, float]:
    database = folder / f"{reports}.sqlite3"
    fill(database, tea, reports)
    with closing(sqlite3.connect(database)) as connection:
        started = time.perf_counter()
        connection.execute("PRAGMA quick_check(1)").fetchall()
        check = time.perf_counter() - started
    bare = bare_commit(folder, SINGLES)
    started = time.perf_counter()
    store = Store(database, [tea])
    start = time.perf_counter() - started
    with store:
        beside = [acknowledged(store, tea) for _ in range(SINGLES)]  # it is checked and recounted
        store.add(tea.fingerprint, os.urandom(16 * FOLDED), bytes(FOLDED)).result()
        started = time.perf_counter()
        counts = store.counts(tea.fingerprint)
        folding = []
        while not counts.done():
            folding.append(acknowledged(store, tea))
        fold = time.perf_counter() - started
        counts.result()
        deadline = time.monotonic() + 120
        while not store._folder._recount.done and time.monotonic() < deadline:
            time.sleep(0.05)
        recount = time.perf_counter() - started
        assert store.ready, store.ready.reason
        started = time.perf_counter()
    return {
        "reports": reports,
        "megabytes": database.stat().st_size / 1e6,
        "bare commit": bare,
        "quick_check": check,
        "start": start,
        "acknowledged at the start, median": statistics.median(beside),
        "acknowledged at the start, worst": max(beside),
        f"fold of {FOLDED}": fold,
        "acknowledged meanwhile": len(folding),
        "acknowledged meanwhile, median": statistics.median(folding),
        "acknowledged meanwhile, worst": max(folding),
        "recounted after": recount,
        "end": time.perf_counter() - started,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reports", type=int, nargs="+", default=[1_000_000, 5_000_000])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    tea = Collection.from_toml(TEXT)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        found = [measure(Path(folder), tea, reports) for reports in arguments.reports]
    if arguments.json:
        print(json.dumps(found, indent=2))
        return
    for one in found:
        for name, value in one.items():
            print(
                f"{name:>40} {value:12.4f}"
                if isinstance(value, float)
                else f"{name:>40} {value:>12}"
            )
        bare, check = one["bare commit"], one["quick_check"]
        print(
            f"{'worst acknowledgement / bare commit':>40} "
            f"{one['acknowledged meanwhile, worst'] / bare:12.1f}"
        )
        print(f"{'start / quick_check':>40} {one['start'] / check:12.2f}\n")


if __name__ == "__main__":
    main()
