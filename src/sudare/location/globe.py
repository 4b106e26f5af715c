"""Where the cells of a grid lie on the globe: degrees of their borders and centres."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.mechanisms.place.grid import Grid, as_grid
from sudare.mechanisms.place.mesh import degrees_of

_REMEDY = "give Grid(..., origin=(latitude, longitude)) of its south-west corner, or from_mesh"
_LEAST = 1e-6  # degrees
_DIGITS = 9  # a tenth of a millimetre: mesh corners come out as they are written


@dataclass(frozen=True, slots=True, eq=False)
class Degrees:
    """The borders of a grid's cells in degrees.

    Attributes:
        latitudes: (rows + 1,) from the north border to the south border.
        longitudes: (columns + 1,) from west to east.
    """

    latitudes: Floats
    longitudes: Floats

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """``(south, west, north, east)`` of the grid."""
        lat, lon = self.latitudes, self.longitudes
        return float(lat[-1]), float(lon[0]), float(lat[0]), float(lon[-1])

    @property
    def height(self) -> float:
        """Of a cell."""
        return float(self.latitudes[0] - self.latitudes[-1]) / (self.latitudes.size - 1)

    @property
    def width(self) -> float:
        """Of a cell."""
        return float(self.longitudes[-1] - self.longitudes[0]) / (self.longitudes.size - 1)

    def centres(self) -> tuple[Floats, Floats]:
        """Return (cells,) latitudes and (cells,) longitudes of the cells' centres."""
        lat = (self.latitudes[:-1] + self.latitudes[1:]) / 2
        lon = (self.longitudes[:-1] + self.longitudes[1:]) / 2
        return np.repeat(lat, lon.size), np.tile(lon, lat.size)


def degrees(grid: Grid) -> Degrees:
    """Return the borders of a grid's cells in degrees, from its origin and its metres.

    A degree has the metres that it has on the ellipsoid GRS80 at the grid's middle latitude, as in
    :meth:`Grid.from_mesh`: those grids get their mesh's corners back.

    Raises:
        WrongTypeError, DomainError: no grid, no origin, or one from which the grid would leave the
            latitudes -85 to 85 or the longitudes -180 to 180; cells too small for degrees.

    Examples:
        >>> degrees(Grid.from_mesh(53394611323, rows=2, columns=2)).bounds
        (35.680208333, 139.765625, 35.682291667, 139.76875)
    """
    as_grid(grid)
    if grid.origin is None:
        raise DomainError("grid", "must have an origin to lie on a map of the world", _REMEDY)
    south, west = grid.origin
    tall, wide = grid.rows * grid.cell_height, grid.columns * grid.cell_width
    span, width = degrees_of(south, tall, wide)
    east = west + width if south + span <= 85 else math.inf
    if not (south >= -85 and west >= -180 and east <= 180):
        raise DomainError(
            "grid", "must lie between 85° south and north, 180° west and east", "move its origin"
        )
    if min(span / grid.rows, (east - west) / grid.columns) < _LEAST:
        raise DomainError("grid", "must have cells of at least 10 cm to lie on a map of the world")
    return Degrees(
        np.round(np.linspace(south + span, south, grid.rows + 1), _DIGITS),
        np.round(np.linspace(west, east, grid.columns + 1), _DIGITS),
    )
