"""People and land of the cells of a grid, from tables by cell, by mesh code or by point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.location.census import sum_points, sum_squares
from sudare.location.globe import degrees
from sudare.mechanisms.place import Grid, mesh

Table = Mapping[str, Sequence[float]]


def people_of(table: Table, grid: Grid) -> Floats:
    """Return the people in each cell, from a table with a column ``people``.

    Args:
        table: columns as :func:`sudare.files.read_cells` returns them.
        grid: the cells.

    Raises:
        DomainError, WrongTypeError: cells that are not the grid's; nobody on the grid.

    Examples:
        >>> grid = Grid(rows=2, columns=2, cell_height=100, cell_width=100)
        >>> people_of({"cell": [0, 3], "people": [12, 7]}, grid).tolist()
        [12.0, 0.0, 0.0, 7.0]
    """
    if "cell" in table:
        return _by_cell(table["cell"], table["people"], grid)
    if "mesh" in table:
        return sum_squares(grid, np.array(table["mesh"], dtype=np.int64), table["people"])
    return sum_points(grid, table["latitude"], table["longitude"], table["people"])


def land_of(table: Table, grid: Grid) -> Floats:
    """Return the share of land of each cell, from a table with a column ``land_fraction``.

    Cells and squares that are not listed are sea.

    Raises:
        DomainError, WrongTypeError: no such table; no land on the grid.
    """
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


def _by_cell(cells: Sequence[float], values: Sequence[float], grid: Grid) -> Floats:
    out = np.zeros(grid.cells)
    for i, (cell, value) in enumerate(zip(cells, values, strict=True), 2):
        if not cell < grid.cells:
            raise DomainError("cell", f"must lie in [0, {grid.cells})", f"look at line {i}")
        out[int(cell)] += value
    return out
