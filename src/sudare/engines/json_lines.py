"""Units of a file of JSON lines: ranges of its lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any

from sudare.encodings import Utf8Stream
from sudare.engines import ranges
from sudare.engines.jobs import Job
from sudare.engines.units import Unit
from sudare.files.blocks import json_cells, json_records, whole_lines
from sudare.files.plain_json import plain_cells


def divide(path: str, stamp: str, rows: int, encoding: str | None = None) -> Iterator[Unit]:
    """Yield ranges of lines; a compressed file is one unit."""
    if path.lower().endswith(".gz"):
        yield Unit(path, ".jsonl.gz", stamp, 0, Path(path).stat().st_size, before=0)
        return
    yield from ranges.divide(path, ".jsonl", stamp, 0)


def batches(unit: Unit, job: Job, rows: int) -> Iterator[Any]:
    """Yield the job's fields, by Arrow's reader where all are what it takes, else line by line."""
    import pyarrow as pa

    packed, rows_read = unit.kind == ".jsonl.gz", 0
    for data in whole_lines(Path(unit.path)) if packed else [ranges.read(unit)]:
        cells = [plain_cells(data, name) for name in job.columns]
        if any(one is None for one in cells):
            records = json_records(
                BytesIO(data).readlines(), job.columns, rows_before(unit) + rows_read
            )
            cells = [json_cells(records, name) for name in job.columns]
        batch = pa.record_batch(cells, names=list(job.columns))
        rows_read += batch.num_rows
        yield batch


def names(path: str, stamp: str, encoding: str | None = None) -> list[str]:
    """Return the fields of the first row; those of the others are looked at as they are read."""
    with BufferedReader(Utf8Stream(Path(path))) as file:
        for line in file:
            if not line.isspace():
                return list(json.loads(line))
    return []


def rows_before(unit: Unit) -> int:
    """Return how many rows of the file are before the unit."""
    return ranges.lines_between(unit.path, 0, unit.start, blank=False)


def place(unit: Unit, row: int) -> str:
    """Return nothing: the row says all."""
    return ""
