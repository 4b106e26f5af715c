"""The formats that are read, each by a module that divides files and reads their units."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from sudare.engines import csv_files, ipc, json_lines, parquet
from sudare.engines.jobs import Job
from sudare.engines.units import Unit


class Format(Protocol):
    """What a module of a format has."""

    def divide(
        self, path: str, stamp: str, rows: int, encoding: str | None = None
    ) -> Iterator[Unit]:
        """Yield the units of a file, of about so many rows; text may be in another encoding."""
        ...

    def batches(self, unit: Unit, job: Job, rows: int) -> Iterator[Any]:
        """Yield record batches of the job's columns, of so many rows at most."""
        ...

    def names(self, path: str, stamp: str, encoding: str | None = None) -> list[str]:
        """Return the names of the columns."""
        ...

    def rows_before(self, unit: Unit) -> int:
        """Return how many rows of the file are before the unit: for messages, it may be slow."""
        ...

    def place(self, unit: Unit, row: int) -> str:
        """Return in words where a row of the unit is."""
        ...


FORMATS: dict[str, Format] = {  # the values of sudare.files.places.READ
    ".parquet": parquet,
    ".arrow": ipc,
    ".csv": csv_files,
    ".csv.gz": csv_files,
    ".jsonl": json_lines,
    ".jsonl.gz": json_lines,
}
