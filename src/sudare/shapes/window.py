"""The part of the earth that a map of cells shows, in degrees."""

from __future__ import annotations

from dataclasses import dataclass

from sudare.arrays import Floats


@dataclass(frozen=True, slots=True)
class Window:
    """Cells of equal size in degrees: a straight line in degrees is one on the map.

    Attributes:
        south, west: the corner, in degrees.
        height, width: of a cell, in degrees.
        rows, columns: how many cells.
        shape: how much taller than wide a cell is drawn, by its metres.

    Examples:
        >>> import numpy as np
        >>> window = Window(35.0, 139.0, 0.5, 0.25, rows=2, columns=4, shape=1.6)
        >>> window.in_cells(np.array([[139.0, 36.0], [140.0, 35.0]])).tolist()
        [[0.0, 2.0], [4.0, 0.0]]
    """

    south: float
    west: float
    height: float
    width: float
    rows: int
    columns: int
    shape: float

    def in_cells(self, points: Floats) -> Floats:
        """Return (m, 2) longitudes and latitudes as cells east and north of the corner."""
        out: Floats = (points - (self.west, self.south)) / (self.width, self.height)
        return out
