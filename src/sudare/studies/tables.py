"""Tables as CSV files: full precision, in the report's language."""

from __future__ import annotations

import csv
from pathlib import Path

from sudare.studies.parts import Cell, Table
from sudare.words import Language, say


def save(table: Table, folder: Path, language: Language) -> Path:
    """Write ``NAME.csv`` and return its path."""
    path = folder / f"{table.name}.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([say(column.title, language) for column in table.columns])
        writer.writerows([_plain(cell, language) for cell in row] for row in table.rows)
    return path


def _plain(cell: Cell, language: Language) -> str:
    if cell is None:
        return ""
    return repr(cell) if isinstance(cell, int | float) else say(cell, language)
