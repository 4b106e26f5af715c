"""Units of a CSV file: ranges of its lines, or all of it where a cell may hold a line's end."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from sudare.engines import ranges
from sudare.engines.jobs import Job
from sudare.engines.units import Unit
from sudare.errors import SudareError
from sudare.files.places import kind_to_read
from sudare.files.plain_json import is_utf8
from sudare.files.text_tables import TextTable


def divide(path: str, stamp: str, rows: int, encoding: str | None = None) -> Iterator[Unit]:
    """Yield ranges of lines; a compressed file, or one with quotation marks, is one unit."""
    table = _table(path, stamp, encoding)
    if not (table.plain and table.ends_in_newline) or ranges.has_quotes(path):
        size = Path(path).stat().st_size
        yield Unit(path, kind_to_read(path), stamp, 0, size, before=0, encoding=encoding)
        return
    yield from ranges.divide(path, ".csv", stamp, table.start)


def batches(unit: Unit, job: Job, rows: int) -> Iterator[Any]:
    """Yield whole numbers where all cells of a block are, else text."""
    import pyarrow as pa
    from pyarrow import csv

    table = _table(unit.path, unit.stamp, unit.encoding)
    if not unit.start:
        yield from table.blocks(job.columns)
        return
    form = table.form
    form.newlines_in_values = False
    options = csv.ReadOptions(
        column_names=table.columns, block_size=ranges.UNIT_BYTES, use_threads=False
    )
    data = ranges.read(unit)
    if b"\0" in data or (not data.isascii() and not is_utf8(data)):
        table.check()  # says which line, and what it looks like
    for kind in (pa.string(),) if job.binary else (pa.int64(), pa.string()):
        how = table.cells(job.columns, kind)
        try:
            found = csv.read_csv(pa.BufferReader(data), options, form, how)
        except pa.ArrowInvalid:
            continue
        yield from found.combine_chunks().to_batches()
        return
    if data.strip():
        table.check()
        raise ValueError("lines that Python's reader takes and Arrow's does not")


def names(path: str, stamp: str, encoding: str | None = None) -> list[str]:
    """Return the names of the columns."""
    return list(_table(path, stamp, encoding).columns)


def rows_before(unit: Unit) -> int:
    """Return how many rows of the file are before the unit."""
    table = _table(unit.path, unit.stamp, unit.encoding)
    blank = len(table.columns) == 1
    return ranges.lines_between(unit.path, table.start, unit.start, blank=blank)


def place(unit: Unit, row: int) -> str:
    """Return its line: a cell may hold several, and some are blank."""
    table = _table(unit.path, unit.stamp, unit.encoding)
    return f"line {table.line_of((rows_before(unit) if unit.start else 0) + row)}"


@lru_cache(32)
def _table(path: str, stamp: str, encoding: str | None) -> TextTable:
    try:
        return TextTable.of(Path(path), encoding)
    except SudareError as error:
        raise error.within(Path(path).name) from None
