"""Units of a CSV file: ranges of its lines, or all of it where a cell may hold a line's end."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from sudare.engines import ranges
from sudare.engines.jobs import Job
from sudare.engines.units import Unit
from sudare.files.blocks import BLOCK_BYTES, csv_form
from sudare.files.places import arrow_input


def divide(path: str, stamp: str, rows: int) -> Iterator[Unit]:
    """Yield ranges of lines; a compressed file, or one with quotation marks, is one unit."""
    with Path(path).open("rb") as file:
        head = file.readline()
    lines = head.endswith(b"\n") and not head.isspace() and b"\r" not in head[:-2]
    packed = path.lower().endswith(".gz")
    if packed or not lines or ranges.has_quotes(path):
        kind = ".csv.gz" if packed else ".csv"
        yield Unit(path, kind, stamp, 0, Path(path).stat().st_size, before=0)
        return
    yield from ranges.divide(path, ".csv", stamp, len(head))


def batches(unit: Unit, job: Job, rows: int) -> Iterator[Any]:
    """Yield whole numbers where all cells of a block are, else text."""
    import pyarrow as pa
    from pyarrow import csv

    names, form = _form(unit.path, unit.stamp)
    kinds = [pa.string()] if job.binary else [pa.int64(), pa.string()]
    if not unit.start:
        options = csv.ReadOptions(block_size=BLOCK_BYTES, use_threads=False)
        yield from csv.open_csv(arrow_input(unit.path), options, form, _cells(job, pa.string()))
        return
    options = csv.ReadOptions(column_names=names, block_size=1 << 22, use_threads=False)
    data = pa.py_buffer(ranges.read(unit))
    for kind in kinds:
        try:
            table = csv.read_csv(pa.BufferReader(data), options, form, _cells(job, kind))
        except pa.ArrowInvalid:
            if kind is kinds[-1]:
                raise
            continue
        break
    yield from table.combine_chunks().to_batches()


def names(path: str, stamp: str) -> list[str]:
    """Return the names of the columns."""
    return _form(path, stamp)[0]


def rows_before(unit: Unit) -> int:
    """Return how many rows of the file are before the unit."""
    with Path(unit.path).open("rb") as file:
        head = len(file.readline())
    blank = len(names(unit.path, unit.stamp)) == 1
    return ranges.lines_between(unit.path, head, unit.start, blank=blank)


def place(unit: Unit, row: int) -> str:
    """Return nothing: the row says all."""
    return ""


def _cells(job: Job, kind: Any) -> Any:
    from pyarrow import csv

    return csv.ConvertOptions(
        include_columns=list(job.columns),
        column_types=dict.fromkeys(job.columns, kind),
        null_values=[""],
        strings_can_be_null=True,
    )


@lru_cache(32)
def _form(path: str, stamp: str) -> tuple[list[str], Any]:

    known, form = csv_form(path)
    quoted = path.lower().endswith(".gz") or ranges.has_quotes(path)
    form.newlines_in_values = quoted
    return known, form
