"""The grid that ``sudare map`` is asked for: of mesh codes, or of metres."""

from __future__ import annotations

import argparse
import re

from sudare.cli.options import Add
from sudare.errors import DomainError
from sudare.mechanisms.place import Grid, mesh

_CELL = re.compile(r"([0-9]{1,7}(?:\.[0-9]{1,9})?)[xX×]([0-9]{1,7}(?:\.[0-9]{1,9})?)", re.ASCII)
_PLACE = re.compile(r"(-?[0-9]{1,3}(?:\.[0-9]{1,15})?),(-?[0-9]{1,3}(?:\.[0-9]{1,15})?)", re.ASCII)


def add_grid(add: Add) -> None:
    """Add the options that describe a grid."""
    add("--mesh", help="mesh code in whose south-west corner the grid starts")
    add("--level", choices=mesh.LEVELS, help="of the cells, with --mesh (default: 1/8)")
    for name in ("--rows", "--columns"):
        add(name, type=int, help="how many; default: as far as the mesh code")
    add("--cell", help="HEIGHTxWIDTH of a cell in metres, instead of --mesh")
    add("--origin", help="LATITUDE,LONGITUDE of the south-west corner, with --cell")


def as_grid(arguments: argparse.Namespace) -> Grid:
    """Return the grid."""
    if (arguments.mesh is None) == (arguments.cell is None):
        raise DomainError("--mesh", "or --cell must be given, and not both", "see sudare map -h")
    if arguments.mesh is not None:
        if arguments.origin is not None:
            raise DomainError("--origin", "must be left out", "the mesh code says where")
        return _of_mesh(arguments)
    if arguments.level is not None:
        raise DomainError("--level", "must come with --mesh", "--cell says how large")
    for name in ("rows", "columns"):
        if getattr(arguments, name) is None:
            raise DomainError(f"--{name}", "must be given", "with --cell")
    size = _CELL.fullmatch(arguments.cell)
    if size is None:
        raise DomainError("--cell", "must be HEIGHTxWIDTH in metres", "such as 115.6x141.5")
    origin = None
    if arguments.origin is not None:
        place = _PLACE.fullmatch(arguments.origin)
        if place is None:
            raise DomainError("--origin", "must be LATITUDE,LONGITUDE", "such as 35.45,139.65")
        origin = (float(place[1]), float(place[2]))
    return Grid(arguments.rows, arguments.columns, float(size[1]), float(size[2]), origin)


def _of_mesh(arguments: argparse.Namespace) -> Grid:
    code = mesh.as_code(arguments.mesh)
    _, _, level = mesh.corners(code)
    cells = arguments.level or "1/8"
    tall, wide = mesh.size(mesh.LEVELS[level])
    height, width = mesh.size(cells)
    if height > tall:
        raise DomainError("--level", "must not be coarser than the mesh code", got=cells)
    rows = tall // height if arguments.rows is None else arguments.rows
    columns = wide // width if arguments.columns is None else arguments.columns
    return Grid.from_mesh(code, cells, rows=rows, columns=columns)
