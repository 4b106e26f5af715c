"""Tokyo: land and census population of 25,600 squares of 500 m, and the coast as polygons."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, Integers
from sudare.data.files import DataFile, as_text, locate
from sudare.errors import DomainError, WrongTypeError, as_one_of
from sudare.exact import as_integer
from sudare.exact.parameters import is_list
from sudare.mechanisms.place import Grid, mesh
from sudare.mechanisms.values import as_array

CENSUS = (
    "出典：政府統計の総合窓口(e-Stat)「平成27年国勢調査 4次メッシュ（500mメッシュ）」を加工して"
    "作成. Statistics Bureau of Japan, 2015 Population Census, 500 m grid squares; edited."
)
COAST = (
    "「国土数値情報（行政区域データ）」（国土交通省）https://nlftp.mlit.go.jp/ksj/ を加工して作成. "
    "Ministry of Land, Infrastructure, Transport and Tourism, National Land Numerical "
    "Information, administrative areas, 1 January 2021; simplified and edited."
)
LICENCE = "Government of Japan terms of use: free, with the source and a note of editing"
LICENCE_COAST = "terms of the Ministry of Land, Infrastructure, Transport and Tourism; CC BY 4.0"
_shape = partial(DataFile, url="", licence=LICENCE_COAST, cite=COAST)
SQUARES = DataFile(
    "tokyo_mesh500_5339.csv.gz",
    "4c6f7c0a47cd24dc35a1096441757b58e40b9ef508f460cc0614ab3c01bbec9a",
    size=213_231,
    url="",
    licence=LICENCE,
    cite=f"{CENSUS} {COAST}",
)
LAND = _shape(
    "tokyo_bay_land.geojson.gz",
    "bafee21d5ec1bffb3b547bfb42610997560087b42a6718377ed9dc4ff98d6d1e",
    size=7_280,
)
MUNICIPALITIES = _shape(
    "tokyo_bay_municipalities.geojson.gz",
    "8ed510fa66197ad21bb28f431c7238be95093ee37c6d137a69694c86848b0183",
    size=66_218,
)
SHAPES = {"land": LAND, "municipalities": MUNICIPALITIES}

PRIMARY = 5339
"""The primary mesh that the squares fill: longitude 139 to 140, latitude 35°20' to 36°."""
SIDE = 160
"""Squares from south to north, and from west to east."""
LEVEL = "1/2"


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """A window of Tokyo in squares of 500 m, numbered row by row from the north-west.

    Attributes:
        grid: the squares as cells, with their origin.
        codes: (cells,) mesh codes of 9 digits.
        land_fraction: (cells,) share of each square that is land, 0 to 1; lakes and rivers count
            as land, and the simplified coast is wrong by up to a few hundred metres.
        population: (cells,) people of the census of 2015.
        attribution: whom to credit.
        licence: what one may do with the data.
    """

    grid: Grid
    codes: Integers
    land_fraction: Floats
    population: Integers
    attribution: str
    licence: str


def tokyo(
    code: int | str = PRIMARY,
    *,
    rows: int | None = None,
    columns: int | None = None,
    bounds: tuple[float, float, float, float] | None = None,
) -> Squares:
    """Return a window of Tokyo: land and people of squares of 500 m.

    Central Tokyo, Yokohama and the northern half of Tokyo Bay. Reads
    ``tokyo_mesh500_5339.csv.gz``.

    Args:
        code: mesh code of the 1st, 2nd, 3rd or 1/2 level within 5339. The window starts in its
            south-west corner.
        rows, columns: how many squares northwards and eastwards; by default as far as ``code``.
        bounds: (south, west, north, east) in degrees instead of ``code``, widened to whole squares.

    Raises:
        WrongTypeError, DomainError: no such code, or a window that leaves 5339.
        StorageError: no file, or a wrong one.
    """
    south, west, tall, wide = _window(code, rows, columns) if bounds is None else _within(bounds)
    for start, many, what in ((south, tall, "rows"), (west, wide, "columns")):
        if not 0 <= start <= start + many <= SIDE:
            raise DomainError(what, "must stay within mesh 5339", "take a smaller window")
    _, path = locate(SQUARES)
    with as_text(path) as text:
        table = list(csv.reader(text))[1:]

    def cut(column: int, kind: type[np.int64 | np.float64]) -> npt.NDArray[Any]:
        whole = np.array([kind(row[column]) for row in table]).reshape(SIDE, SIDE)
        return whole[south : south + tall, west : west + wide][::-1].ravel()  # north first

    codes = cut(0, np.int64)
    grid = Grid.from_mesh(int(codes[-wide]), LEVEL, rows=tall, columns=wide)
    land, people = cut(5, np.float64), cut(6, np.int64)
    return Squares(grid, codes, land, people, f"{CENSUS} {COAST}", LICENCE)


def tokyo_shapes(which: str = "land") -> dict[str, Any]:
    """Return polygons of the coast of Tokyo Bay as GeoJSON data.

    Longitude 139 to 140.5, latitude 34.85 to 36. Reads ``tokyo_bay_land.geojson.gz`` or
    ``tokyo_bay_municipalities.geojson.gz``.

    Args:
        which: ``"land"``, or ``"municipalities"``: 250 of them, their names in Japanese.

    Raises:
        DomainError: others.
        StorageError: no file, or a wrong one.
    """
    as_one_of(which, "which", SHAPES)
    _, path = locate(SHAPES[which])
    with as_text(path) as text:
        shapes: dict[str, Any] = json.load(text)
    return shapes


def _window(code: object, rows: object, columns: object) -> tuple[int, int, int, int]:
    """Return the southernmost row, the westernmost column, and how many of each."""
    y, x, level = (int(one) for one in mesh.corners(mesh.as_code(code)))
    if level > mesh.LEVELS.index(LEVEL):
        raise DomainError("code", "must be of the 1st, 2nd, 3rd or 1/2 level", got=code)
    origin_y, origin_x, _ = (int(one) for one in mesh.corners(PRIMARY))
    height, width = mesh.size(LEVEL)
    tall, wide = mesh.size(mesh.LEVELS[level])
    south, west = (y - origin_y) // height, (x - origin_x) // width
    if not (0 <= south < SIDE and 0 <= west < SIDE):
        raise DomainError("code", "must lie within mesh 5339", "such as 533936", got=code)
    return (
        south,
        west,
        tall // height if rows is None else as_integer(rows, "rows", low=1, high=SIDE),
        wide // width if columns is None else as_integer(columns, "columns", low=1, high=SIDE),
    )


def _within(bounds: object) -> tuple[int, int, int, int]:
    given = as_array(bounds) if is_list(bounds) else None
    if given is None or given.shape != (4,) or given.dtype.kind not in "iuf":
        raise WrongTypeError("bounds", "must be (south, west, north, east) in degrees")
    south, west, north, east = given.astype(np.float64).tolist()
    if not (-90 <= south < north <= 90 and -180 <= west < east <= 180):
        raise DomainError("bounds", "must be (south, west, north, east) in degrees")
    origin = np.array(mesh.bounds(PRIMARY)[:2])
    places = (given.reshape(2, 2) - origin) / (np.array(mesh.size(LEVEL)) / mesh.PER_DEGREE)
    snap = 1e-6  # of a square
    low, high = np.floor(places[0] + snap), np.ceil(places[1] - snap)
    return tuple(np.concatenate([low, high - low]).astype(int).tolist())
