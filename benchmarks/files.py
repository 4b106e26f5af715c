"""``sudare perturb`` of a column of a file, beside PyArrow that reads and writes as much; and files
that are named, beside their own resolved paths."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, json, parquet
from timing import Row, interleave

import sudare as sd
from sudare.engines.planning import files_of
from sudare.files import Column, write_reports

N = 1 << 20
NAMED = 16_000
REGIONS = ("north", "south", "west", "east", "centre")


def crowd(folder: Path) -> dict[str, Path]:
    """Write the same people in each format."""
    rng = np.random.default_rng()
    regions = np.array(REGIONS)[rng.integers(0, len(REGIONS), N)]
    names = [f"p{i}" for i in range(N)]
    table = pa.table({"name": names, "region": regions, "age": rng.integers(18, 90, N)})
    paths = {kind: folder / f"people.{kind}" for kind in ("csv", "parquet", "jsonl")}
    csv.write_csv(table, paths["csv"])
    parquet.write_table(table, paths["parquet"])
    ages = table.column("age").to_pylist()
    rows = zip(names, regions.tolist(), ages, strict=True)
    lines = (f'{{"name": "{a}", "region": "{b}", "age": {c}}}\n' for a, b, c in rows)
    paths["jsonl"].write_text("".join(lines), "utf-8")
    return paths


def by_arrow(path: Path, out: Path, reports: pa.Table) -> None:
    """Read the column, and write as many reports (JSON lines are read alone)."""
    if path.suffix == ".parquet":
        parquet.read_table(path, columns=["region"])
        parquet.write_table(reports, out)
    elif path.suffix == ".csv":
        csv.read_csv(path, convert_options=csv.ConvertOptions(include_columns=["region"]))
        csv.write_csv(reports, out)
    else:
        schema = pa.schema([("region", pa.string())])
        form = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        json.read_json(path, parse_options=form)


def perturb(path: Path, out: Path, mechanism: sd.GRR) -> None:
    """Randomise the column as the command does."""
    column = Column(path, "region", REGIONS)
    write_reports(out, mechanism, (mechanism.perturb(block) for block in column.blocks()))


def rows(rounds: int) -> list[Row]:
    mechanism = sd.GRR(len(REGIONS), 1.0)
    reports = pa.table({"report": mechanism.perturb(np.zeros(N, dtype=np.int64))})
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, path in crowd(folder).items():
            jobs = [
                lambda path=path, kind=kind: by_arrow(path, folder / f"arrow.{kind}", reports),
                lambda path=path, kind=kind: perturb(path, folder / f"reports.{kind}", mechanism),
            ]
            times = interleave(jobs, max(2, rounds // 4), time.process_time)
            limit = "PyArrow reads" + ("" if kind == "jsonl" else " and writes")
            found.append(Row(f"perturb of a column, {kind}", limit, 3, n=N, times=times))
        found.append(named(folder / "many", rounds))
    return found


def named(folder: Path, rounds: int) -> Row:
    """Return the row of what every reader asks of a list of files before it reads the first."""
    folder.mkdir()
    paths = [folder / f"{number}.csv" for number in range(NAMED)]
    for path in paths:
        path.touch()
    jobs = [lambda: [os.path.realpath(path) for path in paths], lambda: files_of(paths)]
    times = interleave(jobs, max(2, rounds // 4), time.process_time)
    return Row(f"{NAMED:,} files by their names", "realpath of each", 10, n=NAMED, times=times)
