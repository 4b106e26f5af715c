"""``sudare plan --shares``: what the true shares may be, from a file."""

from __future__ import annotations

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.files.blocks import read_blocks

COLUMN = "share"
"""The column that ``sudare estimate --out`` writes."""


def shares_from_file(path: str, k: int | None) -> Floats:
    """Return the numbers of a file's column ``share``, one a category, divided by their sum.

    Raises:
        DomainError: no such file or column, a cell that is no number >= 0, or another number of
            rows.
    """
    try:
        cells = [cell for part in read_blocks(path, COLUMN) for cell in part.to_pylist()]
    except DomainError as error:
        if error.argument == "column":
            rule, remedy = f"must have one column {COLUMN}, a row a category", "name it in its head"
            raise DomainError("--shares", rule, remedy, got=path) from None
        raise DomainError("--shares", error.rule, error.remedy, got=path) from None
    try:
        numbers = np.array([float(cell) for cell in cells])
    except (TypeError, ValueError):
        raise _of_numbers() from None
    if not np.isfinite(numbers).all() or (numbers < 0).any() or not numbers.sum() > 0:
        raise _of_numbers()
    if k not in (None, numbers.size):
        raise DomainError("-k", "must be left out, or the number of rows of --shares", got=k)
    out: Floats = numbers / numbers.sum()
    return out


def _of_numbers() -> DomainError:
    rule = "must hold numbers >= 0 in its column share, not all 0"
    return DomainError("--shares", rule, "estimated ones by --method projected")
