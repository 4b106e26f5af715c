"""People and land of the cells of a grid: sums of points or mesh squares, and tables of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sudare.alignment import align_to
from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError
from sudare.location.globe import degrees
from sudare.mechanisms.place import Grid, mesh
from sudare.mechanisms.values import as_numbers

_SNAP = 1e-6  # of a cell: a point on a border lies north and east of it, as in the mesh


def sum_points(
    grid: Grid,
    latitudes: npt.ArrayLike,
    longitudes: npt.ArrayLike,
    people: npt.ArrayLike | None = None,
) -> Floats:
    """Return the people in each cell, from points; those outside the grid are left out.

    Args:
        grid: with an origin.
        latitudes, longitudes: (m,) degrees.
        people: (m,) numbers >= 0; None: one at each point.

    Returns:
        (cells,) sums: a prior.

    Raises:
        WrongTypeError, DomainError: no such numbers, a grid without an origin, or nobody on it.

    Examples:
        >>> grid = Grid.from_mesh(533936, "3rd", rows=2, columns=2)
        >>> sum_points(grid, [35.585, 35.585, 35.6], [139.755, 139.77, 139.77], [5, 2, 9]).tolist()
        [0.0, 0.0, 5.0, 2.0]
    """
    borders = degrees(grid)
    south, west, _, _ = borders.bounds
    lat, lon = _column(latitudes, "latitudes"), _column(longitudes, "longitudes")
    many = np.ones(lat.size) if people is None else _column(people, "people")
    if not lat.size == lon.size == many.size:
        raise DomainError("longitudes", "and people must be as many as latitudes")
    if not (np.abs(lat) <= 90).all() or not (np.abs(lon) <= 180).all():
        raise DomainError("latitudes", "and longitudes must be degrees", "look at the columns")
    if many.min(initial=0) < 0:
        raise DomainError("people", "must be >= 0", "count the people")
    up = np.floor((lat - south) / borders.height + _SNAP).astype(np.int64)
    right = np.floor((lon - west) / borders.width + _SNAP).astype(np.int64)
    inside = (up >= 0) & (up < grid.rows) & (right >= 0) & (right < grid.columns)
    cells = (grid.rows - 1 - up[inside]) * grid.columns + right[inside]
    out = np.bincount(cells, many[inside], grid.cells).astype(np.float64)
    if not out.any():
        raise DomainError("people", "must include somebody on the grid", "compare the places")
    return out


def sum_squares(grid: Grid, codes: npt.ArrayLike, people: npt.ArrayLike) -> Floats:
    """Return the people in each cell, from mesh squares no larger than the cells.

    A square counts where its centre lies; those outside the grid are left out.

    Args:
        grid: with an origin.
        codes: (m,) mesh codes of one level.
        people: (m,) numbers >= 0.

    Returns:
        (cells,) sums: a prior.

    Raises:
        WrongTypeError, DomainError: no such codes or numbers, squares larger than the cells, a grid
            without an origin, or nobody on it.

    Examples:
        >>> grid = Grid.from_mesh(533936, "3rd", rows=2, columns=2)
        >>> sum_squares(grid, [533936001, 533936004, 533936011], [1, 2, 4]).tolist()
        [0.0, 0.0, 3.0, 4.0]
    """
    borders = degrees(grid)
    north, east, level = mesh.corners(codes)
    height, width = mesh.size(mesh.LEVELS[level])
    tall, wide = borders.height * mesh.PER_DEGREE, borders.width * mesh.PER_DEGREE
    if height > tall * 1.001 or width > wide * 1.001:
        raise DomainError(
            "codes",
            "must be of squares no larger than the cells",
            "take larger cells, or people of smaller squares",
        )
    lat, lon = (north + height / 2) / mesh.PER_DEGREE, (east + width / 2) / mesh.PER_DEGREE
    counted = align_to(people, codes, "people")
    return sum_points(grid, lat.ravel(), lon.ravel(), counted)


def _column(numbers: object, argument: str) -> Floats:
    out = as_numbers(numbers, argument, "leave out what is not known")
    if out.ndim != 1:
        raise WrongTypeError(argument, "must be a list of numbers")
    return out


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
