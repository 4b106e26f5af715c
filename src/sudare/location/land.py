"""Land and sea: which cells of a grid people can be in, and what surrounds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError
from sudare.exact.parameters import is_list
from sudare.location.globe import degrees
from sudare.mechanisms.place.grid import Grid, as_grid, as_mask
from sudare.mechanisms.values import as_array, as_floats
from sudare.shapes.polygons import check_polygons, covered, rings
from sudare.shapes.reading import Shapes, shapes_of

Mask = npt.NDArray[np.bool_]

LAND, SEA = "#", "."
LEAST = 0.5
"""Share of land from which a cell counts as land, unless said otherwise."""


def land_fraction(grid: Grid, geojson: object) -> Floats:
    """Return the share of each cell's area that polygons cover.

    Computed exactly, with straight edges between the points in longitude and latitude. Holes are
    taken off. Where polygons overlap, a share stops at 1. Parts outside the grid are left out.

    Args:
        grid: with an origin.
        geojson: GeoJSON data, as ``json.load`` gives it: a Polygon, MultiPolygon,
            GeometryCollection, Feature or FeatureCollection, in degrees (JGD2011 or WGS84); or what
            has a ``__geo_interface__`` of such, as frames of GeoPandas and shapes of shapely. Lines
            and points cover nothing.

    Returns:
        (cells,) shares in [0, 1].

    Raises:
        WrongTypeError, DomainError: a grid without an origin; no such polygons; rings that are not
            closed or cross themselves; coordinates that are no degrees, or of another system.

    Examples:
        >>> grid = Grid.from_mesh(533936, "3rd", rows=2, columns=2)
        >>> west, south, step = 139.75, 35 + 35 / 60, 1 / 80
        >>> corners = [(0, 0), (1.5, 0), (1.5, 2), (0, 2), (0, 0)]
        >>> ring = [(west + x * step, south + y / 120) for x, y in corners]
        >>> land_fraction(grid, {"type": "Polygon", "coordinates": [ring]}).round(3).tolist()
        [1.0, 0.5, 1.0, 0.5]
    """
    borders = degrees(grid)
    south, west, _, _ = borders.bounds
    shapes = geojson if isinstance(geojson, Shapes) else shapes_of(geojson)
    check_polygons(shapes)
    in_cells = [
        ((ring - (west, south)) / (borders.width, borders.height), hole)
        for ring, hole in rings(shapes.features)
    ]
    shares = covered(in_cells, *grid.shape)[::-1]  # the north first
    out: Floats = np.round(shares, 12).ravel()
    return out


def land_mask(grid: Grid, fraction: npt.ArrayLike, *, least: float = LEAST) -> Mask:
    """Return which cells are land: those with a share of at least ``least``.

    Args:
        grid: the map.
        fraction: (cells,) or (rows, columns) shares of land in [0, 1].
        least: above 0, at most 1. Small islands may need less than one half.

    Returns:
        (cells,) True for land.

    Raises:
        WrongTypeError, DomainError: no such shares, or no cell would be land.

    Examples:
        >>> land_mask(Grid(1, 3, 100, 100), [0.2, 0.5, 1.0]).tolist()
        [False, True, True]
    """
    shares = per_cell(grid, fraction, "fraction")
    if not shares.max() <= 1:
        raise DomainError("fraction", "must be shares in [0, 1]", "divide by the cells' area")
    number = as_array(least)
    if number is None or number.ndim or number.dtype.kind not in "iuf":
        raise WrongTypeError("least", "must be a number", "such as 0.5", got=least)
    if not 0 < least <= 1:
        raise DomainError("least", "must be above 0 and at most 1", "such as 0.5", got=least)
    out = shares >= least
    if not out.any():
        raise DomainError(
            "fraction",
            f"must reach {least} in some cell",
            "lower it, or compare the places; latitude and longitude may be swapped",
        )
    return out


def text_mask(rows: object) -> Mask:
    """Return a mask from rows of text, the north first: ``#`` is land, ``.`` is sea.

    Args:
        rows: one text with line ends, or a list of texts of one length.

    Returns:
        (rows, columns) True for land.

    Raises:
        WrongTypeError, DomainError: no such texts, or all sea.

    Examples:
        >>> text_mask("##.\\n#..").astype(int).tolist()
        [[1, 1, 0], [1, 0, 0]]
    """
    lines: Any = rows.split() if isinstance(rows, str) else rows
    if not is_list(lines) or not all(isinstance(line, str) for line in lines):
        raise WrongTypeError("rows", "must be text", f"write {LAND} for land and {SEA} for sea")
    if not len(lines) or not lines[0] or len({len(line) for line in lines}) != 1:
        raise DomainError("rows", "must be texts of one length", "fill up with . for the sea")
    for i, line in enumerate(lines):
        if set(line) - {LAND, SEA}:
            raise DomainError("rows", "must consist of # and .", f"look at row {i}")
    out = np.array([[sign == LAND for sign in line] for line in lines])
    if not out.any():
        raise DomainError("rows", "must have land", "write # where people can be")
    return out


def per_cell(grid: Grid, numbers: object, argument: str) -> Floats:
    """Return (cells,) finite numbers >= 0.

    Raises:
        WrongTypeError, DomainError: no such numbers, or another shape.
    """
    cells = as_grid(grid).cells
    out = as_floats(numbers, argument, (cells,), grid.shape, remedy="one for each cell").ravel()
    if not np.isfinite(out).all() or out.min() < 0:
        raise DomainError(argument, "must be finite and >= 0", "one number for each cell")
    return out


SURROUNDINGS = ("sea", "inland", "edge", "coast", "island")


def surroundings(grid: Grid, mask: npt.ArrayLike | None = None) -> tuple[str, ...]:
    """Return one of :data:`SURROUNDINGS` for each cell.

    An island is a piece of land, its cells touching by a side or a corner, that is neither the
    largest one nor reaches the border of the map. Other land beside the sea is coast, else at the
    border of the map edge, else inland.

    Raises:
        WrongTypeError, DomainError: no such mask.

    Examples:
        >>> from sudare.location.land import text_mask
        >>> mask = text_mask("###....\\n###..#.\\n###....")
        >>> surroundings(Grid(3, 7, 100, 100), mask)[7:14]
        ('edge', 'inland', 'coast', 'sea', 'sea', 'island', 'sea')
    """
    from scipy import ndimage

    as_grid(grid)
    land = as_mask(mask, grid.cells, grid).reshape(grid.shape)
    touching = np.ones((3, 3), dtype=np.bool_)
    border = np.ones(grid.shape, dtype=np.bool_)
    border[1:-1, 1:-1] = False
    out = np.where(border, 2, 1)
    out[ndimage.binary_dilation(~land, touching)] = 3
    pieces, _ = ndimage.label(land, touching)
    main = np.bincount(pieces[land]).argmax()
    out[~np.isin(pieces, [main, *pieces[border]])] = 4
    out[~land] = 0
    return tuple(SURROUNDINGS[kind] for kind in out.ravel().tolist())
