"""Cells as GeoJSON polygons, for any map program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import WrongTypeError
from sudare.location.globe import degrees
from sudare.location.maps.layer import as_numbers
from sudare.mechanisms.place.grid import Grid, as_mask


def to_geojson(
    grid: Grid,
    columns: Mapping[str, npt.ArrayLike],
    *,
    mask: npt.ArrayLike | None = None,
) -> dict[str, Any]:
    """Return the cells of a grid as a GeoJSON FeatureCollection, a polygon a cell.

    Args:
        grid: with an origin.
        columns: name to (cells,) or (rows, columns) numbers; they become properties beside
            ``cell``, ``row`` and ``column``. NaN becomes null.
        mask: the cells to include; None for all.

    Returns:
        data for ``json.dump``; longitudes and latitudes in degrees, rings counterclockwise.

    Raises:
        WrongTypeError, DomainError: a grid without an origin, or no such numbers or mask.

    Examples:
        >>> grid = Grid.from_mesh(533936, "3rd", rows=1, columns=2)
        >>> features = to_geojson(grid, {"people": [3, 4]})["features"]
        >>> features[1]["properties"]
        {'cell': 1, 'row': 0, 'column': 1, 'people': 4.0}
        >>> features[1]["geometry"]["coordinates"][0][0]
        [139.7625, 35.583333333]
    """
    borders = degrees(grid)
    south, west, north, east = borders.bounds
    if not isinstance(columns, Mapping) or not all(isinstance(name, str) for name in columns):
        raise WrongTypeError("columns", "must be names with numbers", 'such as {"people": counts}')
    tables = {name: as_numbers(grid, values) for name, values in columns.items()}
    lat, lon = borders.latitudes.tolist(), borders.longitudes.tolist()
    features = []
    for cell in np.flatnonzero(as_mask(mask, grid.cells, grid)).tolist():
        row, column = divmod(cell, grid.columns)
        top, bottom, left, right = lat[row], lat[row + 1], lon[column], lon[column + 1]
        ring = [[left, bottom], [right, bottom], [right, top], [left, top], [left, bottom]]
        properties: dict[str, Any] = {"cell": cell, "row": row, "column": column}
        for name, numbers in tables.items():
            value = float(numbers[cell])
            properties[name] = None if np.isnan(value) else value
        features.append(
            {
                "type": "Feature",
                "properties": properties,
                "geometry": {"type": "Polygon", "coordinates": [ring]},
            }
        )
    return {
        "type": "FeatureCollection",
        "bbox": [west, south, east, north],
        "features": features,
    }
