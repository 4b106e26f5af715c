"""What ``sudare map`` shows the cells with: a base map, and the names of areas."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field

from sudare.cli.options import Add
from sudare.errors import DomainError, SudareError
from sudare.location import degrees
from sudare.mechanisms.place import Grid
from sudare.shapes.areas import find_areas
from sudare.shapes.outline import Outline, outline
from sudare.shapes.reading import read_shapes
from sudare.shapes.tiles import lines_of, read_base
from sudare.shapes.window import Window


@dataclass(frozen=True, slots=True)
class MapOverlay:
    """What is shown with the cells.

    Attributes:
        base: the outline that is drawn upon them; None for none.
        names: of cells in named areas.
    """

    base: Outline | None = None
    names: dict[int, str] = field(default_factory=dict)


def add_atlas(add: Add) -> None:
    """Add the options of base map and areas."""
    add("--base-map", help="GeoJSON or PMTiles file whose outlines the page draws upon the cells")
    add("--base-layers", help="of PMTiles the layers to draw, such as water,roads")
    add("--areas", help="GeoJSON file of polygons with names, by which cells are called")
    add("--area-name", help="property that holds the names, or several, such as ward,town")


def as_shown(arguments: argparse.Namespace, grid: Grid) -> MapOverlay:
    """Return the base map and the names that are asked for."""
    given, named = arguments.areas, arguments.area_name
    if named is not None and given is None:
        raise DomainError("--area-name", "must come with --areas")
    if arguments.base_map is None and given is None:
        return MapOverlay()
    own = degrees(grid)
    south, west, _, _ = own.bounds
    shape = grid.cell_height / grid.cell_width
    window = Window(south, west, own.height, own.width, grid.rows, grid.columns, shape)
    base, names, tongue = None, {}, arguments.language
    try:
        flag = f"--base-map {arguments.base_map}"
        if arguments.base_map is not None:
            layers = arguments.base_layers.split(",") if arguments.base_layers else ()
            base = outline(lines_of(read_base(arguments.base_map), window, layers), window)
        flag = f"--areas {given}"
        if given is not None:
            properties = None if named is None else {tongue: named.split(",")}
            areas = find_areas(read_shapes(given), window, (tongue,), properties)
            names = areas.labels([True] * grid.cells, (tongue,))
    except SudareError as error:
        raise error.within(flag) from None
    return MapOverlay(base, names)
