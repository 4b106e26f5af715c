"""``sudare plan --shares``: what the true shares may be, from a file."""

from __future__ import annotations

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.files.blocks import names_of, place_of, read_blocks
from sudare.files.numerals import number_of, why_no_number

COLUMN = "share"
"""The column that ``sudare estimate --out`` writes."""


def shares_from_file(path: str, k: int | None, encoding: str | None = None) -> Floats:
    """Return the numbers of a file's column ``share``, one a category, divided by their sum.

    Raises:
        DomainError: no such file or column, a cell that is no number >= 0, or another number of
            rows.
    """
    try:
        if COLUMN not in names_of(path, encoding):
            rule, remedy = f"must have one column {COLUMN}, a row a category", "name it in its head"
            raise DomainError("--shares", rule, remedy, got=path)
        parts = read_blocks(path, COLUMN, encoding=encoding)
        cells = [cell for part in parts for cell in part.to_pylist()]
    except DomainError as error:
        raise error if error.argument == "--shares" else error.within("--shares") from None
    found = [number_of(cell) for cell in cells]
    if None in found:
        row = found.index(None)
        cause, remedy = why_no_number(cells[row])
        where = f"look at {place_of(path, row, encoding)}"
        raise DomainError("--shares", f"must hold numbers: one {cause}", f"{where}: {remedy}")
    numbers = np.array(found, dtype=np.float64)
    if (numbers < 0).any() or not numbers.sum() > 0:
        raise _of_numbers()
    if k not in (None, numbers.size):
        raise DomainError("-k", "must be left out, or the number of rows of --shares", got=k)
    out: Floats = numbers / numbers.sum()
    return out


def _of_numbers() -> DomainError:
    rule = "must hold numbers >= 0 in its column share, not all 0"
    return DomainError("--shares", rule, "estimated ones by --method projected")
