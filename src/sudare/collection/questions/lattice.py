"""Where on the earth a map's cells lie, in whole numbers: the same on a device and in Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sudare.collection import schema
from sudare.errors import CollectionError, DomainError, SudareError, as_one_of
from sudare.mechanisms.place import Grid, mesh

MOST_SIDE = 64
MOST_CELLS = 1024
"""Of a map in a question: what a small screen can show, and a browser check at once."""

MOST_NARROWING = 0.05
"""ε is one per metre amid the rows; where cells are narrower, people are nearer than it counts."""

_FINE = 10**9  # units in a degree of maps that follow no mesh: a tenth of a millimetre
_SNAP = 1e-6
_LIMIT = 400 * _FINE
_FIELDS = ("per_degree", "south", "west", "height", "width")


@dataclass(frozen=True, slots=True)
class Lattice:
    """Cells of equal size in degrees, numbered row by row from the north-west.

    A position lies ``floor(degrees * per_degree + 1e-6)`` units north or east of zero, and in the
    row and column in which these whole units fall; a border belongs to the cell north or east.

    Attributes:
        rows, columns: how many cells, 1 to 64, at most 1,024 together.
        per_degree: units in a degree: 28,800 on a mesh (eighths of an arc-second), else 10^9.
        south, west: units of the south-west corner.
        height, width: units of a cell.

    Examples:
        >>> lattice = Lattice.from_mesh(53394611, "1/8", 8, 8)
        >>> lattice.cell(35.681236, 139.767125)
        18
    """

    rows: int
    columns: int
    per_degree: int
    south: int
    west: int
    height: int
    width: int

    def __post_init__(self) -> None:
        if not 2 <= self.rows * self.columns <= MOST_CELLS:
            raise CollectionError("rows", f"times columns must be 2 to {MOST_CELLS}")
        if self.per_degree not in (mesh.PER_DEGREE, _FINE):
            raise CollectionError("corner", "must have a known unit")
        north, east = self.south + self.rows * self.height, self.west + self.columns * self.width
        most_north, most_east = 85 * self.per_degree, 180 * self.per_degree
        if self.south < -most_north or north > most_north:
            raise CollectionError("rows", "must end within 85 degrees north and south")
        if self.west < -most_east or east > most_east:
            raise CollectionError("columns", "must end before the 180th meridian")
        widths = [mesh.degree_metres(y / self.per_degree)[1] for y in (self.south, north)]
        if not abs(min(widths) / self._degree_metres[1] - 1) <= MOST_NARROWING:
            raise CollectionError(
                "rows",
                f"must not reach where cells are {MOST_NARROWING:.0%} narrower than amid them",
                "take a map that is less tall: metres are those of its middle",
            )

    @classmethod
    def from_mesh(cls, code: object, level: object, rows: int, columns: int) -> Lattice:
        """Return mesh cells whose south-west one lies in the south-west of ``code``.

        Raises:
            CollectionError: no code or level, a code finer than the level, or a map that leaves
                the mesh.
        """
        level = as_one_of(level, "level", mesh.LEVELS, CollectionError)
        wanted = mesh.LEVELS.index(level)
        try:
            south, west, own = mesh.corners(mesh.as_code(code))
            if own > wanted:
                raise DomainError(
                    "mesh", f"must not be finer than level {level}", "give a coarser code"
                )
            height, width = mesh.size(level)
            corner = mesh.code_of(int(south), int(west), level)
            mesh.shift(corner, rows - 1, columns - 1)
        except SudareError as error:
            argument = "rows" if error.argument == "north" else "mesh"
            raise CollectionError(argument, error.rule, error.remedy) from None
        return cls(rows, columns, mesh.PER_DEGREE, int(south), int(west), height, width)

    @classmethod
    def from_origin(cls, origin: tuple[float, float], grid: Grid) -> Lattice:
        """Return cells of the grid's metres, north and east of ``origin``.

        Their size in degrees is that on the ellipsoid GRS80 amid the rows, to a billionth.

        Raises:
            CollectionError: a map that leaves the earth between 85° south and north.
        """
        south, west = origin
        span, width = mesh.degrees_of(south, grid.rows * grid.cell_height, grid.cell_width)
        tall, wide = round(span / grid.rows * _FINE), round(width * _FINE)
        if not (0 < tall < _LIMIT and 0 < wide < _LIMIT):
            raise CollectionError("cell_height", "and cell_width must fit on the earth")
        corner = math.floor(south * _FINE + 0.5), math.floor(west * _FINE + 0.5)
        return cls(grid.rows, grid.columns, _FINE, *corner, tall, wide)

    @property
    def metres(self) -> tuple[float, float]:
        """Height and width of a cell in metres, amid the rows, to a micrometre.

        Rounded, so that a survey file has one fingerprint on every machine.
        """
        meridian, parallel = self._degree_metres
        height, width = meridian * self.height, parallel * self.width
        return round(height / self.per_degree, 6), round(width / self.per_degree, 6)

    @property
    def _degree_metres(self) -> tuple[float, float]:
        middle = (self.south + self.rows * self.height / 2) / self.per_degree
        return mesh.degree_metres(middle)

    @property
    def level(self) -> str | None:
        """Level of the mesh that the cells belong to, or None."""
        if self.per_degree != mesh.PER_DEGREE:
            return None
        sizes = {mesh.size(level): level for level in mesh.LEVELS}
        return sizes.get((self.height, self.width))

    def cell(self, latitude: float, longitude: float) -> int | None:
        """Return the cell of a position in degrees, or None where it lies outside the map."""
        row = (self._units(latitude) - self.south) // self.height
        column = (self._units(longitude) - self.west) // self.width
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            return None
        return (self.rows - 1 - row) * self.columns + column

    def _units(self, degrees: float) -> int:
        return math.floor(degrees * self.per_degree + _SNAP)

    def corner(self, cell: int) -> tuple[int, int]:
        """Return the south-west corner of a cell in units."""
        row, column = divmod(cell, self.columns)
        return self.south + (self.rows - 1 - row) * self.height, self.west + column * self.width

    def centre(self, cell: int) -> tuple[float, float]:
        """Return latitude and longitude of a cell's centre in degrees."""
        south, west = self.corner(cell)
        latitude, longitude = south + self.height / 2, west + self.width / 2
        return latitude / self.per_degree, longitude / self.per_degree

    def code(self, cell: int) -> int | None:
        """Return the mesh code of a cell, or None where the map follows no mesh."""
        level = self.level
        return None if level is None else mesh.code_of(*self.corner(cell), level)

    def to_json(self) -> dict[str, int]:
        """Return the corner and the sizes as whole numbers."""
        return {name: getattr(self, name) for name in _FIELDS}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], rows: int, columns: int, where: str) -> Lattice:
        """Rebuild the lattice of so many rows and columns from :meth:`to_json`."""
        per_degree, south, west, height, width = (
            schema.whole(data[name], f"{where}.{name}", 1 if i in (0, 3, 4) else -_LIMIT, _LIMIT)
            for i, name in enumerate(_FIELDS)
        )
        return cls(rows, columns, per_degree, south, west, height, width)
