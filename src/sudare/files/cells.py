"""Numbers of places from a CSV file: by cell of a grid, by mesh code, or by point."""

from __future__ import annotations

import csv
import math
import re

from sudare.errors import DomainError
from sudare.files.places import Where, read_text

Columns = dict[str, list[float]]

DEGREES = ("latitude", "longitude")
KEYS = (("cell",), ("mesh",), DEGREES)
WHOLE = ("cell", "mesh")
_DIGITS = re.compile(r"[0-9]{1,11}", re.ASCII)


def read_cells(path: Where, value: str) -> Columns:
    """Return the columns of a CSV table that tell where, and one more.

    Args:
        path: ``.csv`` or ``.csv.gz``, or ``-`` for standard input.
        value: the column of numbers wanted; the others are ``cell``, or ``mesh``, or ``latitude``
            and ``longitude``.

    Raises:
        DomainError: no such table, or a cell of it that is no such number: the line is named.

    Examples:
        >>> from pathlib import Path
        >>> path = Path("people.csv")
        >>> _ = path.write_text("cell,people\\n0,12\\n3,7\\n")
        >>> read_cells(path, "people")
        {'cell': [0, 3], 'people': [12.0, 7.0]}
    """
    try:
        rows = list(csv.reader(read_text(path).splitlines()))
    except csv.Error:
        raise DomainError("file", "must be a CSV file in UTF-8", "check the file") from None
    head = [name.strip() for name in rows[0]] if rows else []
    key = next((names for names in KEYS if set(names) <= set(head)), None)
    if key is None or value not in head:
        raise DomainError(
            "file",
            f"must have a column {value}, and cell, mesh, or latitude and longitude",
            "rename the columns",
        )
    out: Columns = {}
    for name in (*key, value):
        at = head.index(name)
        out[name] = [_number(row, at, name, i) for i, row in enumerate(rows[1:], 2)]
    if not out[value]:
        raise DomainError("file", "must have rows", "check the file")
    return out


def _number(row: list[str], at: int, name: str, line: int) -> float:
    text = row[at].strip() if at < len(row) else ""
    if name in WHOLE:
        if not _DIGITS.fullmatch(text):
            raise DomainError(name, "must be a whole number", f"look at line {line}")
        return int(text)
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise DomainError(name, "must be a finite number", f"look at line {line}")
    if number < 0 and name not in DEGREES:
        raise DomainError(name, "must be >= 0", f"look at line {line}")
    return number
