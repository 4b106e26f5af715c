"""Numbers of places from a table: by cell of a grid, by mesh code, or by point."""

from __future__ import annotations

from typing import Any

from sudare.errors import DomainError
from sudare.files.blocks import names_of, place_of, read_blocks
from sudare.files.buffers import may_be_numbers
from sudare.files.numerals import number_of, why_no_number
from sudare.files.places import Where

Columns = dict[str, list[float]]

DEGREES = ("latitude", "longitude")
KEYS = (("cell",), ("mesh",), DEGREES)
WHOLE = ("cell", "mesh")
_MOST_WHOLE = 10**11


def read_cells(path: Where, value: str, *, encoding: str | None = None) -> Columns:
    """Return the columns of a table that tell where, and one more.

    Args:
        path: as of :func:`~sudare.files.read_blocks`.
        value: the column of numbers wanted; the others are ``cell``, or ``mesh``, or ``latitude``
            and ``longitude``.
        encoding: of text; None for UTF-8, or UTF-16 with a mark.

    Raises:
        DomainError: no such table, or a cell of it that is no such number: the line is named, and
            what is wrong with it.

    Examples:
        >>> from pathlib import Path
        >>> path = Path("people.csv")
        >>> _ = path.write_text("cell,people\\n0,12\\n3,7\\n")
        >>> read_cells(path, "people")
        {'cell': [0, 3], 'people': [12.0, 7.0]}
    """
    head = names_of(path, encoding)
    key = next((names for names in KEYS if set(names) <= set(head)), None)
    if key is None or value not in head:
        raise DomainError(
            "file",
            f"must have a column {value}, and cell, mesh, or latitude and longitude",
            "rename the columns",
        )
    out: Columns = {}
    for name in (*key, value):
        cells: list[Any] = []
        for part in read_blocks(path, name, encoding=encoding):
            if not may_be_numbers(part.type):
                rule = f"must hold numbers, and is of the type {part.type}"
                raise DomainError(f"column {name}", rule, "choose another column")
            cells += part.to_pylist()
        numbers = [_number(cell, name) for cell in cells]
        wrong = next((i for i, one in enumerate(numbers) if isinstance(one, tuple)), None)
        if wrong is not None:
            rule, remedy = numbers[wrong]  # type: ignore[misc]
            where = f"look at {place_of(path, wrong, encoding)}"
            raise DomainError(name, rule, f"{where}: {remedy}" if remedy else where)
        out[name] = numbers  # type: ignore[assignment]
    if not out[value]:
        raise DomainError("file", "must have rows", "check the file")
    return out


def _number(cell: Any, name: str) -> float | tuple[str, str]:
    """Return the number of a cell, or what is wrong with it and what to do."""
    number = number_of(cell)
    if number is None:
        return why_no_number(cell)
    if name in WHOLE:
        if number != int(number) or not 0 <= number < _MOST_WHOLE:
            return "must be a whole number >= 0", ""
        return int(number)
    if number < 0 and name not in DEGREES:
        return "must be >= 0", ""
    return number
