"""ε by place, and distances along roads: what a map's ε may be one for, besides metres as the crow
flies. Both are laws written out as tables, of at most 256 cells."""

from __future__ import annotations

import csv
import io
import math
from decimal import ROUND_FLOOR, Context, Decimal, InvalidOperation
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats
from sudare.collection import schema
from sudare.collection.questions.lattice import Lattice
from sudare.errors import CollectionError
from sudare.exact.parameters import is_list
from sudare.mechanisms.place import ElasticExponential, Grid, RoadExponential
from sudare.mechanisms.place.offsets import Offsets
from sudare.mechanisms.place.tabled import Tabled

PlaceMechanism = Offsets | Tabled
TABLED = (ElasticExponential, RoadExponential)

MOST_TABLED = 256
"""Cells of a law that is written out: 1.3 MB as JSON."""

MOST_POINTS = 200_000
"""Of a file of roads."""

MOST_BYTES = 1 << 25
LEAST_SHARE = Fraction(1, 100)
"""Of the largest ε: a smaller one hides no more that matters on a map of so few cells."""

_SIX = Context(prec=6, rounding=ROUND_FLOOR)
_STEPS = 8
"""Points on a road over the shorter side of a cell, at least: none is passed over unseen."""


def check_tabled(cells: int, argument: str) -> None:
    """Refuse a map too large for a law that is written out."""
    if cells > MOST_TABLED:
        rule = f"must be on a map of at most {MOST_TABLED} such cells"
        raise CollectionError(argument, rule, "take fewer rows, columns or larger cells", got=cells)


# -- ε by place ------------------------------------------------------------------------------


def elastic(
    value: Any, grid: Grid, epsilon: Fraction, weights: npt.NDArray[np.float64] | None
) -> ElasticExponential:
    """Return the elastic mechanism of public shares of ε: the largest share spends all of it."""
    check_tabled(grid.cells, "elastic")
    shape = f"must be {grid.rows} rows of {grid.columns} numbers"
    if (
        not is_list(value)
        or [len(r) if is_list(r) else 0 for r in value] != [grid.columns] * grid.rows
    ):
        raise CollectionError("elastic", shape, "a public share of ε for each cell")
    shares = [schema.score(x, "elastic") for row in value for x in row]
    most = max(shares)
    if not min(shares) >= most * LEAST_SHARE > 0:
        rule = "must be shares > 0, the smallest a hundredth of the largest or more"
        raise CollectionError("elastic", rule, "raise the smallest")
    own = [epsilon * share / most for share in shares]
    decimals = [_SIX.divide(Decimal(one.numerator), Decimal(one.denominator)) for one in own]
    return ElasticExponential(grid, [float(one) for one in decimals], weights)


def read_shares(path: Path) -> list[list[Decimal]]:
    """Read a CSV file of numbers, a line for each row of cells from the north."""
    text = _text(path, "elastic")
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
        return [[Decimal(cell.strip()) for cell in row] for row in rows]
    except (csv.Error, InvalidOperation):
        raise CollectionError("elastic", "must be a CSV file of numbers without a head") from None


# -- roads -----------------------------------------------------------------------------------


def roads(
    value: Any, lattice: Lattice, grid: Grid, land: tuple[str, ...] | None, epsilon: Fraction
) -> tuple[RoadExponential, tuple[str, ...]]:
    """Return the mechanism of the cells that roads pass, and these cells as land.

    Two cells that touch are near each other where a road leads from the one into the other, as far
    as their middles are apart; others are as far as the shortest way over such cells.
    """
    ways = _ways(value, lattice)
    if land is not None:
        marks = "".join(land)
        ways = {way for way in ways if all(marks[cell] == "#" for cell in way)}
    places = sorted({cell for way in ways for cell in way})
    if not places:
        raise CollectionError("roads", "must lead from one of the map's cells into another")
    check_tabled(len(places), "roads")
    number = {cell: i for i, cell in enumerate(places)}
    edges = [(number[a], number[b], round(float(_metres(a, b, grid)), 6)) for a, b in sorted(ways)]
    passed = set(places)
    marks = "".join("#" if cell in passed else "." for cell in range(grid.cells))
    rows = tuple(
        marks[start : start + grid.columns] for start in range(0, grid.cells, grid.columns)
    )
    return RoadExponential(edges, epsilon), rows


def fits_roads(mechanism: PlaceMechanism, cells: npt.NDArray[np.intp], grid: Grid) -> bool:
    """Tell whether roads, if it is about them, join cells that touch, by the metres of the map."""
    if not isinstance(mechanism, RoadExponential):
        return True
    ends = [(int(cells[i]), int(cells[j]), metres) for i, j, metres in mechanism.edges]
    return all(
        _touch(a, b, grid.columns) and math.isclose(metres, _metres(a, b, grid), rel_tol=1e-3)
        for a, b, metres in ends
    )


def _metres(a: int, b: int, grid: Grid) -> float:
    (i, j), (k, m) = divmod(a, grid.columns), divmod(b, grid.columns)
    return math.hypot((i - k) * grid.cell_height, (j - m) * grid.cell_width)


def _ways(value: Any, lattice: Lattice) -> set[tuple[int, int]]:
    """Return which cells that touch a road joins."""
    rule = "must be lines of positions [latitude, longitude] in degrees"
    if not is_list(value) or not all(is_list(line) for line in value):
        raise CollectionError("roads", rule, "or the name of a GeoJSON file beside the survey file")
    if sum(len(line) for line in value) > MOST_POINTS:
        raise CollectionError("roads", f"must have at most {MOST_POINTS:,} points", "simplify them")
    ways: set[tuple[int, int]] = set()
    for line in value:
        points = [_position(point, rule) for point in line]
        for start, end in pairwise(points):
            cells = _passed(start, end, lattice)
            ways |= {(min(a, b), max(a, b)) for a, b in pairwise(cells)
                     if a != b and a >= 0 and b >= 0 and _touch(a, b, lattice.columns)}  # fmt: skip
    return ways


def _position(point: Any, rule: str) -> tuple[float, float]:
    if not is_list(point) or len(point) != 2:
        raise CollectionError("roads", rule)
    latitude, longitude = (float(schema.score(x, "roads")) for x in point)
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
        raise CollectionError("roads", rule)
    return latitude, longitude


def _passed(start: tuple[float, float], end: tuple[float, float], lattice: Lattice) -> list[int]:
    """Return the cells along a straight piece of road; -1 outside the map."""
    sides = lattice.height / lattice.per_degree, lattice.width / lattice.per_degree
    south, west = lattice.south / lattice.per_degree, lattice.west / lattice.per_degree
    north, east = south + lattice.rows * sides[0], west + lattice.columns * sides[1]
    if max(start[0], end[0]) < south or min(start[0], end[0]) > north:
        return []
    if max(start[1], end[1]) < west or min(start[1], end[1]) > east:
        return []
    span = max(abs(a - b) / side for a, b, side in zip(start, end, sides, strict=True))
    steps = min(_STEPS * math.ceil(span) + 1, 1 << 16)
    found = (
        lattice.cell(*(a + (b - a) * i / steps for a, b in zip(start, end, strict=True)))
        for i in range(steps + 1)
    )
    return [-1 if cell is None else cell for cell in found]


def _touch(a: int, b: int, columns: int) -> bool:
    (i, j), (k, m) = divmod(a, columns), divmod(b, columns)
    return max(abs(i - k), abs(j - m)) == 1


def read_roads(path: Path) -> list[list[list[Decimal]]]:
    """Read the lines of a GeoJSON file, as [latitude, longitude]; what is no line is passed over.

    Raises:
        DomainError, WrongTypeError: no such file, or no GeoJSON in degrees.
    """
    from sudare.shapes.reading import read_shapes  # only where it is needed

    lines = [line.tolist() for one in read_shapes(path).features for line in one.lines]
    return [[[_decimal(y), _decimal(x)] for x, y in line] for line in lines]


def _decimal(degrees: float) -> Decimal:
    return round(Decimal(repr(degrees)), 9)  # a tenth of a millimetre


def _text(path: Path, argument: str) -> str:
    from sudare.shapes.reading import read_at_most  # with its GeoJSON, only where it is needed

    try:
        raw = read_at_most(path, MOST_BYTES + 1)
        text = raw.decode("utf-8-sig") if len(raw) <= MOST_BYTES else None
    except (OSError, ValueError):
        rule = "cannot be read as a file beside the survey file"
        raise CollectionError(argument, rule, got=path.name) from None
    if text is None:
        raise CollectionError(argument, f"must be a file of at most {MOST_BYTES >> 20} MB")
    return text


# -- what both need of a question -------------------------------------------------------------


def is_within(mechanism: PlaceMechanism, epsilon: Fraction) -> bool:
    """Tell whether a mechanism asks for at most this ε per metre, whatever its metric."""
    if isinstance(mechanism, ElasticExponential):
        return Fraction(float(mechanism.epsilons.max())) <= epsilon * (1 + Fraction(1, 10**12))
    return mechanism.requested_epsilon <= epsilon


def places_of(mechanism: PlaceMechanism, land: Booleans) -> npt.NDArray[np.intp]:
    """Return the cell of each value of the mechanism: all, or those that roads pass."""
    if mechanism.grid is None:
        return np.flatnonzero(land)
    return np.arange(land.size)


def masses_of(mechanism: PlaceMechanism, values: npt.NDArray[np.intp]) -> list[list[int]]:
    """Return the whole numbers of the law of some values, a row a value."""
    if isinstance(mechanism, Offsets):
        return [mechanism.program.masses(int(value)) for value in values]
    weights = mechanism.program.weights()
    return [list(weights[int(value)]) for value in values]


def farthest(mechanism: PlaceMechanism, epsilon: Fraction, grid: Grid) -> float:
    """Return ε between the two cells that are farthest from each other."""
    if isinstance(mechanism, Offsets):
        far = math.hypot((grid.rows - 1) * grid.cell_height, (grid.columns - 1) * grid.cell_width)
        return float(epsilon) * far
    lengths: Floats = mechanism.distances()
    return float(mechanism.requested_epsilon) * float(lengths.max())
