"""Regional mesh codes of Japan (JIS X 0410), exactly: in whole eighths of an arc-second.

========= ====== ============= =================== ====
level     digits height, width height × width      km
========= ====== ============= =================== ====
``"1st"`` 4      40', 1°       19,200 × 28,800     80
``"2nd"`` 6      5', 7.5'      2,400 × 3,600       10
``"3rd"`` 8      30", 45"      240 × 360           1
``"1/2"`` 9      15", 22.5"    120 × 180           0.5
``"1/4"`` 10     7.5", 11.25"  60 × 90             0.25
``"1/8"`` 11     3.75", 5.625" 30 × 45             0.125
========= ====== ============= =================== ====

The size of a cell in metres follows the latitude. A point on a border belongs to the cell north and
east of it; a number of degrees within 4 micrometres of a border is taken to lie on it, so that a
cell's own south-west corner is in the cell.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.alignment import check_rows
from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError, as_one_of
from sudare.exact import as_integer
from sudare.exact.parameters import as_number
from sudare.mechanisms.values import as_array

Codes = npt.NDArray[np.int64]

LEVELS = ("1st", "2nd", "3rd", "1/2", "1/4", "1/8")

PER_DEGREE = 28_800
"""Eighths of an arc-second in a degree."""

_HEIGHTS = (19_200, 2_400, 240, 120, 60, 30)
_WIDTHS = (28_800, 3_600, 360, 180, 90, 45)
_DIGITS = (4, 6, 8, 9, 10, 11)
_PARTS = (1, 8, 10, 2, 2, 2)
_SOUTH, _NORTH, _WEST, _EAST = (degree * PER_DEGREE for degree in (20, 46, 122, 154))
_ORIGIN = 100 * PER_DEGREE  # of the longitude
_SNAP = 1e-6  # eighths of an arc-second: 4 micrometres
_A, _E2 = 6_378_137.0, 0.006_694_380_022_90  # GRS80

_REMEDY = "give mesh codes of Japan: 4, 6, 8, 9, 10 or 11 digits"


def encode(latitude: npt.ArrayLike, longitude: npt.ArrayLike, level: str = "1/8") -> Codes:
    """Return the mesh codes of points.

    Args:
        latitude, longitude: degrees (JGD2011 or WGS84), of one shape; 20 to 46 north, 122 to 154
            east.
        level: one of :data:`LEVELS`.

    Raises:
        WrongTypeError, DomainError: not such degrees; the message never shows a place.

    Examples:
        >>> int(encode(35.681236, 139.767125))
        53394611323
    """
    i = _level(level)
    check_rows({"latitude": latitude, "longitude": longitude})
    north = _units(latitude, "latitude", _SOUTH, _NORTH)
    east = _units(longitude, "longitude", _WEST, _EAST)
    if north.shape != east.shape:
        raise DomainError("longitude", "must have the shape of latitude")
    return _code(north, east - _ORIGIN, i)


def decode(codes: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return the south-west corners of mesh cells: latitudes and longitudes in degrees.

    Raises:
        WrongTypeError, DomainError: no codes of Japan, or of mixed levels.

    Examples:
        >>> [float(x) for x in decode(53394611)]
        [35.675, 139.7625]
    """
    north, east, _ = corners(codes)
    return north / PER_DEGREE, east / PER_DEGREE


def corners(codes: npt.ArrayLike) -> tuple[Codes, Codes, int]:
    """Return south-west corners in eighths of an arc-second, and the index of the level.

    Raises:
        WrongTypeError, DomainError: no codes of Japan, or of mixed levels.
    """
    given = _whole(codes)
    digits = np.char.str_len(given.astype(str)) if given.size else np.array([4])
    if not (digits == digits.flat[0]).all():
        raise DomainError("codes", "must be of one level", "give each level on its own")
    if int(digits.flat[0]) not in _DIGITS:
        raise DomainError("codes", "must have 4, 6, 8, 9, 10 or 11 digits", _REMEDY)
    level = _DIGITS.index(int(digits.flat[0]))
    north, east = np.zeros_like(given), np.zeros_like(given)
    wrong = np.zeros(given.shape, dtype=np.bool_)
    left = given
    for i in range(level, 0, -1):
        if _PARTS[i] == 2:
            left, quarter = np.divmod(left, 10)
            wrong |= (quarter < 1) | (quarter > 4)
            row, column = np.divmod(quarter - 1, 2)
        else:
            left, pair = np.divmod(left, 100)
            row, column = np.divmod(pair, 10)
            wrong |= (row >= _PARTS[i]) | (column >= _PARTS[i])
        north += row * _HEIGHTS[i]
        east += column * _WIDTHS[i]
    row, column = np.divmod(left, 100)
    north += row * _HEIGHTS[0]
    east += column * _WIDTHS[0] + _ORIGIN
    wrong |= (north < _SOUTH) | (north >= _NORTH) | (east < _WEST) | (east >= _EAST)
    if wrong.any():
        place = int(np.flatnonzero(wrong.ravel())[0])
        raise DomainError("codes", "must be mesh codes of Japan", f"look at position {place}")
    return north, east, level


def bounds(codes: Any) -> tuple[Any, Any, Any, Any]:
    """Return ``(south, west, north, east)`` of cells in degrees: floats of one code, else arrays.

    Raises:
        WrongTypeError, DomainError: no codes of Japan, or of mixed levels.

    Examples:
        >>> bounds(5339)
        (35.333333333333336, 139.0, 36.0, 140.0)
        >>> bounds([5339, 5340])[1].tolist()
        [139.0, 140.0]
    """
    single = is_mesh_code(codes)
    south, west, level = corners(as_code(codes) if single else codes)
    edges = (south, west, south + _HEIGHTS[level], west + _WIDTHS[level])
    if single:
        return tuple(int(edge) / PER_DEGREE for edge in edges)  # type: ignore[return-value]
    return tuple(edge / PER_DEGREE for edge in edges)  # type: ignore[return-value]


def shift(codes: npt.ArrayLike, north: int, east: int) -> Codes:
    """Return the codes so many cells further north and east.

    Raises:
        WrongTypeError, DomainError: no codes, or a cell that would lie outside Japan.

    Examples:
        >>> int(shift(53394611323, 0, 1)), int(shift(5339, 1, 0))
        (53394611324, 5439)
    """
    far = 1 << 20
    rows = as_integer(north, "north", low=-far, high=far)
    columns = as_integer(east, "east", low=-far, high=far)
    y, x, level = corners(codes)
    y, x = y + rows * _HEIGHTS[level], x + columns * _WIDTHS[level]
    if ((y < _SOUTH) | (y >= _NORTH) | (x < _WEST) | (x >= _EAST)).any():
        raise DomainError("north", "and east must stay in Japan", "take a shorter way")
    return _code(y, x - _ORIGIN, level)


def neighbours(codes: Any) -> Codes:
    """Return the cells around a cell, from the south-west to the north-east, row by row.

    Of one code those that lie in Japan, up to 8; of an array (n,) of codes (n, 8), 0 outside Japan.

    Raises:
        WrongTypeError, DomainError: no codes of Japan, or of mixed levels.

    Examples:
        >>> neighbours(5339).tolist()
        [5238, 5239, 5240, 5338, 5340, 5438, 5439, 5440]
        >>> int(neighbours([5339, 5340])[1, 3])
        5339
    """
    single = is_mesh_code(codes)
    y, x, level = corners(as_code(codes) if single else codes)
    around = np.array([(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j])
    rows = y[..., None] + around[:, 0] * _HEIGHTS[level]
    columns = x[..., None] + around[:, 1] * _WIDTHS[level]
    inside = (rows >= _SOUTH) & (rows < _NORTH) & (columns >= _WEST) & (columns < _EAST)
    found = np.where(inside, _code(rows, columns - _ORIGIN, level), 0)
    return found[inside] if single else found


def is_mesh_code(codes: object) -> bool:
    """Tell whether this is one code, not an array of them."""
    return isinstance(codes, str) or np.ndim(as_array(codes)) == 0  # type: ignore[arg-type]


def cell_metres(latitude: float, level: str = "1/8", rows: int = 1) -> tuple[float, float]:
    """Return height and width in metres of the cells amid ``rows`` of them that start there.

    On the ellipsoid GRS80: the arc of the meridian, and that of the parallel.

    Args:
        latitude: of the south side of the southernmost cell, in degrees.
        level: one of :data:`LEVELS`.
        rows: how many cells lie above one another.

    Raises:
        WrongTypeError, DomainError: no latitude, level or number, or cells beyond a pole.

    Examples:
        >>> [round(x, 2) for x in cell_metres(35.68)]
        [115.58, 141.45]
    """
    i = _level(level)
    height, width = _HEIGHTS[i] / PER_DEGREE, _WIDTHS[i] / PER_DEGREE
    tall = as_integer(rows, "rows", low=1, high=1 << 20)
    north, east = degree_metres(_latitude(latitude) + tall * height / 2)
    return north * height, east * width


def degree_metres(latitude: float) -> tuple[float, float]:
    """Return the metres of a degree northwards and eastwards there, on the ellipsoid GRS80.

    Raises:
        WrongTypeError, DomainError: no latitude.

    Examples:
        >>> [round(x) for x in degree_metres(35.68)]
        [110953, 90527]
    """
    middle = math.radians(_latitude(latitude))
    bent = 1 - _E2 * math.sin(middle) ** 2
    meridian = _A * (1 - _E2) / bent**1.5
    parallel = _A * math.cos(middle) / math.sqrt(bent)
    return meridian * math.radians(1), parallel * math.radians(1)


def degrees_of(south: float, tall: float, wide: float) -> tuple[float, float]:
    """Return the degrees of so many metres northwards from ``south``, and eastwards amid them.

    Both are those of the middle latitude, at most 85, which depends on the first.

    Examples:
        >>> [round(x, 6) for x in degrees_of(35.68, 110_953.0, 90_527.0)]
        [0.999916, 1.006321]
    """
    height = tall / degree_metres(south)[0]
    for _ in range(20):
        meridian, parallel = degree_metres(min(85.0, south + height / 2))
        height = tall / meridian
    return height, wide / parallel


def size(level: str) -> tuple[int, int]:
    """Return height and width of a cell of that level in eighths of an arc-second.

    Examples:
        >>> size("1/2")
        (120, 180)
    """
    i = _level(level)
    return _HEIGHTS[i], _WIDTHS[i]


def code_of(north: int, east: int, level: str) -> int:
    """Return the code of the cell that holds a point in eighths of an arc-second.

    Examples:
        >>> code_of(1_027_590, 4_025_250, "1/8")
        53394611323
    """
    return int(_code(np.array(north), np.array(east - _ORIGIN), _level(level)))


def as_code(code: object) -> int:
    """Return one mesh code, given as a whole number or as text."""
    if isinstance(code, str) and code.isascii() and code.isdigit() and len(code) <= 11:
        return int(code)
    if isinstance(code, bool | np.bool_) or not isinstance(code, numbers.Integral):
        raise WrongTypeError("code", "must be a mesh code", _REMEDY)
    return as_integer(code, "code", low=1000, high=10**11 - 1)


def _whole(codes: object) -> Codes:
    array: Any = as_array(codes)
    if array is None or array.dtype.kind not in "iu":
        raise WrongTypeError("codes", "must be whole numbers", _REMEDY)
    if array.size and (int(array.min()) < 1000 or int(array.max()) >= 10**11):
        raise DomainError("codes", "must have 4, 6, 8, 9, 10 or 11 digits", _REMEDY)
    out: Codes = array.astype(np.int64)
    return out


def _latitude(latitude: object) -> float:
    degrees = as_number(latitude, "latitude", "in degrees")
    if not abs(degrees) <= 90:
        raise DomainError("latitude", "must lie between -90 and 90 degrees")
    return degrees


def _level(level: object) -> int:
    return LEVELS.index(as_one_of(level, "level", LEVELS))


def _units(degrees: object, argument: str, low: int, high: int) -> Codes:
    array = as_array(degrees)
    if array is None or array.dtype.kind not in "iuf":
        raise WrongTypeError(argument, "must be degrees")
    with np.errstate(over="ignore"):
        units = array.astype(np.float64) * PER_DEGREE + _SNAP
    if not ((units >= low) & (units < high)).all():
        span = f"{low // PER_DEGREE} to {high // PER_DEGREE}"
        raise DomainError(argument, f"must lie in Japan: {span} degrees", "leave other places out")
    return np.floor(units).astype(np.int64)


def _code(north: Codes, east: Codes, level: int) -> Codes:
    """Return codes from eighths of an arc-second; ``east`` from 100°."""
    row, y = np.divmod(north, _HEIGHTS[0])
    column, x = np.divmod(east, _WIDTHS[0])
    code = row * 100 + column
    for i in range(1, level + 1):
        row, y = np.divmod(y, _HEIGHTS[i])
        column, x = np.divmod(x, _WIDTHS[i])
        code = (
            code * 10 + 2 * row + column + 1 if _PARTS[i] == 2 else code * 100 + 10 * row + column
        )
    out: Codes = code
    return out
