"""Parameters of mechanisms of places: the map, ε per metre, weights of cells."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.errors import CollectionError, DomainError, WrongTypeError
from sudare.exact import read_exact
from sudare.mechanisms.parameters import EPSILON, NAN, WRONG_RATES, Bad, Parameter
from sudare.mechanisms.place.grid import Grid, as_grid
from sudare.mechanisms.place.rates import as_plain_weights, as_rate, as_weights, exact_rate
from sudare.samplers.offset import WEIGHT_BITS


def grid_up_to(most: int | None = None) -> Parameter:
    """Declare the map, of at most so many cells."""

    def read(value: Any, _: Any) -> Grid:
        grid = as_grid(value)
        if most is not None and grid.cells > most:
            raise DomainError("grid", f"must have at most {most:,} cells", got=grid.cells)
        return grid

    large: Bad = () if most is None else ((Grid(1, most + 1, 100.0, 100.0), DomainError),)
    return Parameter(
        name="grid",
        read=read,
        write=lambda grid: [grid.rows, grid.columns, repr(grid.cell_height), repr(grid.cell_width)],
        parse=_read_grid,
        show=repr,
        examples=(Grid(2, 3, 100.0, 120.0),),
        bad=(*((value, WrongTypeError) for value in (None, (2, 3), "grid")), *large),
    )


def _read_grid(data: Any) -> Grid:
    try:
        rows, columns, height, width = data
        return Grid(rows, columns, float(height), float(width))
    except (TypeError, ValueError, OverflowError):
        raise CollectionError("mechanism.grid", "must be rows, columns, height, width") from None


def read_rate(data: Any) -> Fraction:
    """Return exact text as a number.

    Raises:
        CollectionError: it is none.
    """
    found = read_exact(data)
    if found is None:
        raise CollectionError("mechanism.epsilon", "must be exact text")
    return found


ANY_RATE = replace(
    EPSILON,
    read=lambda epsilon, _: exact_rate(epsilon),
    parse=read_rate,
    examples=(0.03, 0.02, 0.04),
    bad=WRONG_RATES,
)
"""ε per metre, exactly."""


def rate_of(share: Fraction) -> Parameter:
    """Declare ε per metre that the map can take, of which an exponent takes a share."""
    return replace(ANY_RATE, read=lambda epsilon, m: as_rate(epsilon, m.grid, share))


RATE = rate_of(Fraction(1, 2))

_WRONG_WEIGHTS: Bad = (
    *((value, DomainError) for value in (3, [1, 2], [0] * 6, [-1] * 6, [NAN] * 6, [math.inf] * 6)),
    *((value, WrongTypeError) for value in ("weights", [True] * 6, ["x"] * 6)),
)


def _read_whole(data: Any) -> Floats:
    try:
        return np.array([int(text, 16) for text in data], dtype=np.float64) / (1 << WEIGHT_BITS)
    except (TypeError, ValueError, OverflowError):
        raise CollectionError("mechanism.weights", "must be hexadecimal texts") from None


WEIGHTS = Parameter(
    name="weights",
    read=lambda weights, m: as_weights(weights, m.grid),
    write=lambda whole: [f"{w:x}" for w in whole],
    parse=_read_whole,
    show=lambda whole: "" if min(whole) == max(whole) else "weights=...",
    attribute="_whole",
    examples=(None, (1, 2, 0, 4, 5, 0.25)),
    bad=_WRONG_WEIGHTS,
)
"""Weights of the cells as whole numbers, the largest 2**32."""


def as_scaled(weights: Any, cells: int, shape: tuple[int, ...]) -> Floats:
    """Return weights of which the largest is 1; None stands for equal ones."""
    given = np.ones(cells) if weights is None else as_plain_weights(weights, cells, shape)
    own: Floats = given / given.max()
    own.flags.writeable = False
    return own


def read_floats(data: Any) -> list[float] | None:
    """Return numbers from a list of their texts; None where it is of another form."""
    try:
        return [float(text) for text in data]
    except (TypeError, ValueError):
        return None


PLAIN_WEIGHTS = replace(
    WEIGHTS,
    read=lambda weights, m: as_scaled(weights, m.grid.cells, m.grid.shape),
    write=lambda own: [repr(w) for w in own.tolist()],
    parse=read_floats,
    show=lambda _: "",
    attribute="weights",
)
"""Weights of the cells as floats, the largest 1."""
