"""Land and people that ``sudare map`` is asked for: from files, or those of Tokyo."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from sudare.cli.options import Add, tell_form
from sudare.data import tokyo, tokyo_shapes
from sudare.data.tokyo import CENSUS, LAND, SQUARES
from sudare.errors import DomainError, SudareError, counted
from sudare.files import read_cells, read_text
from sudare.files.cells import Columns
from sudare.files.places import READ, STANDARD, kind_of
from sudare.location import (
    People,
    land_fraction,
    land_mask,
    land_of,
    people_of,
    sum_squares,
    text_mask,
)
from sudare.mechanisms.place import Grid
from sudare.shapes.reading import read_shapes
from sudare.words import Text

TOKYO = "tokyo"


def add_people(add: Add) -> None:
    """Add the options that say where people are."""
    add(
        "--land",
        help="where people can be: .geojson polygons, a table of land_fraction, a .txt file "
        "of # and ., or tokyo; - for such a table on standard input",
    )
    add("--least", type=float, default=0.5, help="share of land from which a cell counts as land")
    add(
        "--prior",
        help="where people are: a table of people by cell, mesh, or latitude and longitude, "
        "or tokyo, - for standard input; default: alike everywhere",
    )
    add("--encoding")


def as_people(arguments: argparse.Namespace, grid: Grid) -> People:
    """Return where people are.

    Cells without people are left out of the map: nobody can be told apart there.
    """
    out = People()
    cells = partial(_cells, encoding=arguments.encoding)
    for flag, read in (("--land", _land), ("--prior", _prior)):
        given = getattr(arguments, flag[2:])
        if given is not None:
            try:
                read(given, grid, arguments.least, out, cells)
            except SudareError as error:
                raise error.within(f"{flag} {given}") from None
    if out.prior is not None:
        land = np.ones(grid.cells, dtype=np.bool_) if out.mask is None else out.mask
        outside, whole = float(out.prior[~land].sum()), float(out.prior.sum())
        if outside:
            out.notes.append(
                Text(
                    f"{outside:,.0f} of {whole:,.0f} people are in cells that count as sea; a "
                    "smaller --least keeps more of them.",
                    f"{whole:,.0f}人のうち{outside:,.0f}人は、海とみなされるセルにいます"
                    "（--least を小さくすると減ります）。",
                )
            )
        empty = int((land & (out.prior == 0)).sum())
        if empty:
            out.notes.append(
                Text(
                    f"{empty:,} of {counted(int(land.sum()), 'cell')} of land have no "
                    "people and are left "
                    "out of the map.",
                    f"人のいない陸のセル{empty:,}個は対象外です。",
                )
            )
        out.prior = np.where(land, out.prior, 0.0)
        out.mask = land & (out.prior > 0)
        if not out.mask.any():
            raise DomainError("--prior", "must have people on land", "compare the two files")
    return out


Read = Callable[[str, str], Columns]


def _cells(path: str, value: str, encoding: str | None) -> Columns:
    tell_form("map", path, encoding)
    return read_cells(path, value, encoding=encoding)


def _land(given: str, grid: Grid, least: float, out: People, cells: Read) -> None:
    if given == TOKYO:
        out.data.append(LAND.provenance())
        out.credits.append(LAND.cite)
        fraction = land_fraction(grid, tokyo_shapes())
    elif given == STANDARD or kind_of(given) is not None or Path(given).is_dir():
        fraction = land_of(cells(given, "land_fraction"), grid)
    elif _ending(given) == ".txt":
        mask = text_mask(read_text(given))
        if mask.shape != grid.shape:
            raise DomainError("rows", f"must have the shape {grid.shape}", got=mask.shape)
        out.mask = mask.ravel()
        return
    else:
        fraction = land_fraction(grid, read_shapes(given))
    out.mask = land_mask(grid, fraction, least=least)


def _prior(given: str, grid: Grid, _: float, out: People, cells: Read) -> None:
    if given == TOKYO:
        squares = tokyo()
        out.data.append(SQUARES.provenance())
        out.credits.append(CENSUS)
        out.prior = sum_squares(grid, squares.codes, squares.population)
    elif given == STANDARD or kind_of(given) is not None or Path(given).is_dir():
        out.prior = people_of(cells(given, "people"), grid)
    else:
        raise DomainError("file", f"must end in {', '.join(READ)}", "or name tokyo")


def _ending(name: str) -> str:
    path = Path(name)
    return Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
