"""Numbers of cells from a CSV file: by cell, by mesh code, or by point."""

from __future__ import annotations

import csv
import gzip
import math
import re
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError
from sudare.location import degrees, sum_points, sum_squares
from sudare.mechanisms.place import Grid, mesh

Floats = npt.NDArray[np.float64]
Columns = dict[str, list[float]]

DEGREES = ("latitude", "longitude")
KEYS = (("cell",), ("mesh",), DEGREES)
WHOLE = ("cell", "mesh")
_DIGITS = re.compile(r"[0-9]{1,11}", re.ASCII)


def people_of(path: str, grid: Grid) -> Floats:
    """Return the people in each cell, from a table with a column ``people``.

    Raises:
        DomainError, WrongTypeError: no such table; nobody on the grid.
    """
    table = _read(path, "people")
    if "cell" in table:
        return _by_cell(table["cell"], table["people"], grid)
    if "mesh" in table:
        return sum_squares(grid, np.array(table["mesh"], dtype=np.int64), table["people"])
    return sum_points(grid, table["latitude"], table["longitude"], table["people"])


def land_of(path: str, grid: Grid) -> Floats:
    """Return the share of land of each cell, from a table with a column ``land_fraction``.

    Cells and squares that are not listed are sea.

    Raises:
        DomainError, WrongTypeError: no such table; no land on the grid.
    """
    table = _read(path, "land_fraction")
    if "cell" in table:
        return _by_cell(table["cell"], table["land_fraction"], grid)
    if "mesh" not in table:
        raise DomainError("land_fraction", "must be told by cell or by mesh", "a point has no area")
    codes = np.array(table["mesh"], dtype=np.int64)
    height, width = mesh.size(mesh.LEVELS[mesh.corners(codes)[2]])
    borders = degrees(grid)
    many = borders.height * borders.width * mesh.PER_DEGREE**2 / (height * width)
    out: Floats = sum_squares(grid, codes, table["land_fraction"]) / max(1, round(many))
    return out


def _by_cell(cells: list[float], values: list[float], grid: Grid) -> Floats:
    out = np.zeros(grid.cells)
    for i, (cell, value) in enumerate(zip(cells, values, strict=True), 2):
        if not cell < grid.cells:
            raise DomainError("cell", f"must lie in [0, {grid.cells})", f"look at line {i}")
        out[int(cell)] += value
    return out


def _read(path: str, value: str) -> Columns:
    """Return the columns of a table that tell where, and one more."""
    file = Path(path)
    if not file.is_file():
        raise DomainError("file", "does not exist", "check the path", got=path)
    try:
        data = file.read_bytes()
        text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8-sig")
        rows = list(csv.reader(text.splitlines()))
    except (OSError, EOFError, UnicodeDecodeError, csv.Error):
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
