"""Units of a file of Arrow's IPC format (Feather too): some of its record batches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sudare.engines.jobs import Job
from sudare.engines.units import Unit
from sudare.files.parquet import read_batch

UNIT_BYTES = 1 << 24


def divide(path: str, stamp: str, rows: int, encoding: str | None = None) -> Iterator[Unit]:
    """Yield units of about so many bytes, or one record batch."""
    with _reader(path) as reader:
        number = reader.num_record_batches
    step = max(1, number * UNIT_BYTES // max(1, Path(path).stat().st_size))
    for start in range(0, number, step):
        yield Unit(path, ".arrow", stamp, start, min(number, start + step))


def batches(unit: Unit, job: Job, rows: int) -> Iterator[Any]:
    """Yield the unit's record batches, each of so many rows at most."""
    with _reader(unit.path, job.columns) as reader:
        for number in range(unit.start, unit.stop):
            batch = read_batch(reader, number, unit.name)
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)


def names(path: str, stamp: str, encoding: str | None = None) -> list[str]:
    """Return the names of the columns."""
    with _reader(path) as reader:
        found: list[str] = reader.schema.names
    return found


def rows_before(unit: Unit) -> int:
    """Return how many rows of the file are before the unit."""
    with _reader(unit.path) as reader:
        return sum(reader.get_batch(number).num_rows for number in range(unit.start))


def place(unit: Unit, row: int) -> str:
    """Return in words where a row of the unit is: its record batch."""
    with _reader(unit.path) as reader:
        for number in range(unit.start, unit.stop):
            row -= reader.get_batch(number).num_rows
            if row < 0:
                break
    return f"record batch {number}"


@contextmanager
def _reader(path: str, columns: tuple[str, ...] = ()) -> Iterator[Any]:
    import pyarrow as pa

    with pa.memory_map(path) as data:
        reader = pa.ipc.open_file(data)
        if columns:
            fields = sorted(reader.schema.names.index(name) for name in columns)
            reader = pa.ipc.open_file(data, options=pa.ipc.IpcReadOptions(included_fields=fields))
        yield reader
