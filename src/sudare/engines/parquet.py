"""Units of a Parquet file: some of its row groups."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from sudare.engines.jobs import Job
from sudare.engines.units import Unit
from sudare.files.parquet import open_file, read_batches

BUFFER_BYTES = 1 << 20


def divide(path: str, stamp: str, rows: int, encoding: str | None = None) -> Iterator[Unit]:
    """Yield units of at least so many rows, or one row group."""
    about = _metadata(path, stamp)
    start = before = held = 0
    for group in range(about.num_row_groups):
        held += about.row_group(group).num_rows
        if held >= rows or group == about.num_row_groups - 1:
            yield Unit(path, ".parquet", stamp, start, group + 1, held, before)
            start, before, held = group + 1, before + held, 0


def batches(unit: Unit, job: Job, rows: int) -> Iterator[Any]:
    """Yield the unit's record batches of the job's columns, each of so many rows at most."""
    about = _metadata(unit.path, unit.stamp)
    groups = range(unit.start, unit.stop)
    with open_file(unit.path, metadata=about, buffer_size=BUFFER_BYTES) as file:
        yield from read_batches(file, unit.name, job.columns, rows, groups, use_threads=False)


def names(path: str, stamp: str, encoding: str | None = None) -> list[str]:
    """Return the names of the columns."""
    found: list[str] = _metadata(path, stamp).schema.to_arrow_schema().names
    return found


def rows_before(unit: Unit) -> int:
    """Return how many rows of the file are before the unit."""
    return unit.before or 0


def place(unit: Unit, row: int) -> str:
    """Return in words where a row of the unit is: its row group."""
    about = _metadata(unit.path, unit.stamp)
    for group in range(unit.start, unit.stop):
        row -= about.row_group(group).num_rows
        if row < 0:
            break
    return f"row group {group}"


@lru_cache(32)
def _metadata(path: str, stamp: str) -> Any:
    from pyarrow import parquet

    return parquet.read_metadata(path)
