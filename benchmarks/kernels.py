"""Measure Sudare's kernels against the limits of this machine: ``python benchmarks/kernels.py``.

Never part of the tests: a verdict on time belongs to a person who knows what else ran.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys

import bootstrap
import bulk
import device
import files
import grr
import hashing
import joint
import keyvalue
import location
import number
import numpy as np
import projective
import randomness
import release
import startup
import tally
import unary
from timing import Row

import sudare

FAMILIES = {
    "randomness": randomness,
    "grr": grr,
    "unary": unary,
    "hashing": hashing,
    "tally": tally,
    "projective": projective,
    "joint": joint,
    "bootstrap": bootstrap,
    "keyvalue": keyvalue,
    "number": number,
    "location": location,
    "release": release,
    "startup": startup,
    "device": device,
    "bulk": bulk,
    "files": files,
}
ROUNDS = 12
PASSES = 5
_HEADER = ("kernel", "limit", "ratio", "median", "target", "verdict", "time")
_UNITS = (("ns", 1e9), ("µs", 1e6), ("ms", 1e3))


def measure(families: list[str], rounds: int, passes: int) -> list[Row]:
    """Measure all families in several passes: a bad second then costs no kernel its verdict."""
    rows: dict[tuple[str, str], Row] = {}
    for _ in range(passes):
        for family in families:
            for row in FAMILIES[family].rows(rounds):
                key = row.kernel, row.limit
                rows[key] = rows[key].merged(row) if key in rows else row
    return list(rows.values())


def target(row: Row) -> str:
    """Return the target as text."""
    if row.target is None:
        return "—"
    return f"≥ {row.target:g} × faster" if row.faster else f"≤ {row.target:g}"


def duration(seconds: float | None) -> str:
    """Return a duration in the unit that suits it."""
    if seconds is None:
        return "exact"
    unit, scale = next((u for u in _UNITS if seconds * u[1] < 1000), _UNITS[-1])
    return f"{seconds * scale:.3g} {unit}"


def cells(row: Row) -> tuple[str, ...]:
    """Return a row as text."""
    return (
        row.kernel,
        row.limit or "—",
        "—" if row.ratio is None else f"{row.ratio:.4g}" if row.exact else f"{row.ratio:.3g}",
        "—" if row.median is None or row.exact else f"{row.median:.3g}",
        target(row),
        {True: "met", False: "MISSED", None: "—"}[row.met],
        duration(row.seconds),
    )


def to_json(row: Row) -> dict[str, object]:
    """Return a row as JSON data."""
    names = ("kernel", "limit", "ratio", "median", "target", "faster", "met", "seconds")
    return {name: getattr(row, name) for name in names}


def table(rows: list[Row]) -> str:
    """Return the rows as a Markdown table that also reads well in a terminal."""
    lines = [_HEADER, *map(cells, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(_HEADER))]
    lines.insert(1, tuple("-" * width for width in widths))
    padded = [[c.ljust(w) for c, w in zip(line, widths, strict=True)] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in padded)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--quick", action="store_true", help="few rounds: a look, not a verdict")
    parser.add_argument("--only", choices=FAMILIES, action="append", help="measure this family")
    options = parser.parse_args()
    os.environ["SUDARE_THREADS"] = "1"  # the clock is one thread's; "bulk" takes two
    rounds, passes = (3, 2) if options.quick else (ROUNDS, PASSES)
    rows = measure(options.only or list(FAMILIES), rounds, passes)
    machine = {
        "machine": f"{platform.machine()}, {platform.system()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "sudare": sudare.__version__,
        "rounds": f"{passes} x {rounds}",
    }
    if options.json:
        print(json.dumps({**machine, "rows": [to_json(row) for row in rows]}, indent=2))
    else:
        print(", ".join(f"{name} {value}" for name, value in machine.items()), end="\n\n")
        print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
