"""``Grid``: a map of equal rectangular cells, numbered row by row from the north-west corner."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.alignment import align
from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_integer
from sudare.exact.parameters import as_number
from sudare.frozen import set_fields
from sudare.mechanisms.place import mesh
from sudare.mechanisms.values import as_array, has_booleans

MOST_CELLS = 1 << 20
LEAST_METRES = 0.01
"""Of a cell's sides: distances are whole picometres, and ε makes up for that down to here."""

_CORNER = "of the south-west corner, such as (35.45, 139.65)"


@dataclass(frozen=True)
class Grid:
    """A map of ``rows`` × ``columns`` cells of one size in metres.

    Cell ``i`` lies in row ``i // columns`` (0 is the northernmost) and column ``i % columns`` (0 is
    the westernmost). The distance of two cells is that of their centres on the plane.

    Args:
        rows: number of rows, at least 1.
        columns: number of columns, at least 1; 2 to 1,048,576 cells together.
        cell_height: metres from south to north.
        cell_width: metres from west to east.
        origin: south-west corner as (latitude, longitude) in degrees, to draw the grid on a map;
            or None.

    Raises:
        WrongTypeError, DomainError: not such numbers.

    Examples:
        >>> g = Grid(rows=15, columns=15, cell_height=115.6, cell_width=141.5)
        >>> g.cells, round(g.distance(0, 16), 2)
        (225, 182.72)
    """

    rows: int
    columns: int
    cell_height: float
    cell_width: float
    origin: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        rows = as_integer(self.rows, "rows", low=1, high=MOST_CELLS)
        columns = as_integer(self.columns, "columns", low=1, high=MOST_CELLS)
        if not 2 <= rows * columns <= MOST_CELLS:
            raise DomainError("rows", f"times columns must be 2 to {MOST_CELLS}", "change the grid")
        set_fields(
            self,
            rows=rows,
            columns=columns,
            cell_height=as_metres(self.cell_height, "cell_height"),
            cell_width=as_metres(self.cell_width, "cell_width"),
            origin=None if self.origin is None else as_origin(self.origin),
        )

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.rows * self.columns

    @property
    def shape(self) -> tuple[int, int]:
        """``(rows, columns)``."""
        return self.rows, self.columns

    def distance(self, i: int, j: int) -> float:
        """Return the distance of two cells' centres in metres."""
        first = as_integer(i, "i", low=0, high=self.cells - 1)
        second = as_integer(j, "j", low=0, high=self.cells - 1)
        (a, b), (c, d) = divmod(first, self.columns), divmod(second, self.columns)
        return math.hypot((a - c) * self.cell_height, (b - d) * self.cell_width)

    @cached_property
    def offsets(self) -> Floats:
        """(2 rows - 1, 2 columns - 1) distances in metres by rows and columns apart; 0 amid."""
        down = (np.arange(2 * self.rows - 1) - (self.rows - 1)) * self.cell_height
        right = (np.arange(2 * self.columns - 1) - (self.columns - 1)) * self.cell_width
        out: Floats = np.hypot(down[:, None], right)
        out.flags.writeable = False
        return out

    def distances(self) -> Floats:
        """Return the (cells, cells) distances in metres, for at most 5,000 cells."""
        if self.cells > 5000:
            raise DomainError(
                "grid", "must have at most 5,000 cells to be written out", "use .offsets"
            )
        row, column = np.divmod(np.arange(self.cells), self.columns)
        out: Floats = np.hypot(
            np.subtract.outer(row, row) * self.cell_height,
            np.subtract.outer(column, column) * self.cell_width,
        )
        return out

    def symmetric_orbits(self) -> npt.NDArray[np.intp]:
        """Return for each cell a number that mirror images in both axes share."""
        row, column = np.divmod(np.arange(self.cells), self.columns)
        row = np.minimum(row, self.rows - 1 - row)
        column = np.minimum(column, self.columns - 1 - column)
        found = np.unique(row * self.columns + column, return_inverse=True)[1]
        return found.astype(np.intp)

    @classmethod
    def from_mesh(
        cls, code: int | str, level: str = "1/8", *, rows: int = 15, columns: int = 15
    ) -> Grid:
        """Return a grid of regional mesh cells whose south-west cell lies in the south-west of
        ``code``; height and width are true to the latitude of its middle.

        Args:
            code: mesh code (JIS X 0410) of any level at least as coarse as ``level``.
            level: of the cells: one of :data:`sudare.mechanisms.place.mesh.LEVELS`.
            rows, columns: how many cells.

        Raises:
            WrongTypeError, DomainError: no code in Japan, or no level.

        Examples:
            >>> g = Grid.from_mesh(53394611323)
            >>> round(g.cell_height, 2), round(g.cell_width, 2)
            (115.58, 141.43)
        """
        south, west, _, _ = mesh.bounds(code)
        tall = as_integer(rows, "rows", low=1, high=MOST_CELLS)
        wide = as_integer(columns, "columns", low=1, high=MOST_CELLS)
        height, width = mesh.cell_metres(south, level, tall)
        return cls(tall, wide, height, width, origin=(south, west))


def as_grid(grid: object) -> Grid:
    """Return a grid, checked."""
    if not isinstance(grid, Grid):
        raise WrongTypeError("grid", "must be a Grid", "such as Grid(15, 15, 115.6, 141.5)")
    return grid


def as_metres(value: object, argument: str) -> float:
    """Return a length in metres, at least 0.01 and finite."""
    number = as_number(value, argument, "in metres")
    if not LEAST_METRES <= number < 1e7:
        raise DomainError(argument, "must be metres from 0.01 to below 10,000 km", got=value)
    return number


def as_origin(origin: object) -> tuple[float, float]:
    """Return a south-west corner as two numbers of degrees."""
    if not isinstance(origin, tuple | list) or len(origin) != 2:
        raise WrongTypeError("origin", "must be (latitude, longitude)", _CORNER)
    latitude, longitude = (as_number(one, "origin", _CORNER) for one in origin)
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
        raise DomainError("origin", "must be (latitude, longitude) in degrees", _CORNER)
    return latitude, longitude


def as_cells(values: object, cells: int, argument: str = "values") -> npt.NDArray[Any]:
    """Return cell numbers, each checked to be on the map; never shown in errors."""
    array = as_array(values)
    whole = array is not None and array.dtype.kind in "iu" and not has_booleans(values)
    if array is None or not whole or array.ndim != 1:
        raise WrongTypeError(
            argument, f"must be whole numbers in [0, {cells})", "number them from 0"
        )
    seen = array.view(f"u{array.dtype.itemsize}")
    if array.size == 0 or int(seen.max()) >= cells:
        raise DomainError(argument, f"must lie in [0, {cells})", "count from 0")
    return array


def as_mask(
    mask: object, cells: int, grid: Grid | None, argument: str = "mask"
) -> npt.NDArray[np.bool_]:
    """Return a mask (cells,), True somewhere; None stands for every cell."""
    if mask is None:
        return np.ones(cells, dtype=np.bool_)
    axes = grid.shape if grid is not None and hasattr(mask, "columns") else (cells,)
    array = as_array(align(mask, axes, argument))
    if array is None or array.dtype.kind != "b":
        raise WrongTypeError(argument, "must be booleans", "one for each cell")
    if array.shape != (cells,) and (grid is None or array.shape != grid.shape):
        raise DomainError(argument, f"must have the shape ({cells},)", got=array.shape)
    if not array.any():
        raise DomainError(argument, "must be True somewhere", "keep at least one cell")
    return array.ravel()
