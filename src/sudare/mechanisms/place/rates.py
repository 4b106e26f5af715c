"""ε per metre, weights of cells, and exponentials in whole numbers."""

from __future__ import annotations

import math
import numbers
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.errors import CollectionError, DomainError, PrivacyError, WrongTypeError
from sudare.exact import exp_bounds, read_exact
from sudare.mechanisms.parameters import EPSILON, NAN, WRONG_RATES, Bad, Parameter
from sudare.mechanisms.place.grid import Grid, as_grid
from sudare.mechanisms.values import as_floats
from sudare.samplers.offset import WEIGHT_BITS, Offset

MOST_EXPONENT = 1400
"""Most nats between two cells of a map: words of 2,100 bits."""

_LEAST_RATE, _MOST_RATE = Fraction(1, 10**13), 10**12  # beyond them no map has a use for ε
_GUARD = 80  # bits of each kernel weight at least: rounds the guarantee by 2^-77
_REMEDY = "give ε per metre, such as 0.02"


def exact_rate(epsilon: object) -> Fraction:
    """Return ε per metre, positive, exactly as the decimal that it prints as."""
    if isinstance(epsilon, np.ndarray | list | tuple):
        remedy = "for ε by place use ElasticExponential: ε of the true cell gives no guarantee"
        raise WrongTypeError("epsilon", "must be one number", remedy)
    if isinstance(epsilon, bool) or not isinstance(epsilon, numbers.Real | Decimal):
        raise WrongTypeError("epsilon", "must be a number", _REMEDY, got=epsilon)
    try:
        number = (
            epsilon if isinstance(epsilon, Fraction | Decimal) else Decimal(repr(float(epsilon)))
        )
    except OverflowError:
        number = Decimal("inf")
    if isinstance(number, Decimal) and not number.is_finite():
        raise PrivacyError("epsilon", "must be finite", _REMEDY, got=epsilon)
    if not _LEAST_RATE <= number <= _MOST_RATE:
        rule = "must be > 0" if number <= 0 else "must lie between 1e-13 and 1e12"
        raise PrivacyError("epsilon", rule, _REMEDY, got=epsilon)
    return Fraction(number)


def check_span(exact: Fraction, near: float, far: float, share: Fraction) -> None:
    """Refuse an ε that tells nothing between cells ``near`` metres apart, or too much at ``far``.

    Args:
        share: of ε times metres that a report's exponent takes.
    """
    if exact * Fraction(near) < Fraction(1, 10**6):
        raise PrivacyError(
            "epsilon", "must be at least 1e-6 over a cell", "give a larger ε", got=float(exact)
        )
    if exact * Fraction(far) * share > MOST_EXPONENT:
        raise PrivacyError(
            "epsilon",
            f"times the map's diagonal must be at most {int(MOST_EXPONENT / share)}",
            "take a smaller map or a smaller ε",
            got=float(exact),
        )


def as_rate(epsilon: object, grid: Grid, share: Fraction = Fraction(1, 2)) -> Fraction:
    """Return ε per metre that this map can take."""
    exact = exact_rate(epsilon)
    far = math.hypot(grid.rows * grid.cell_height, grid.columns * grid.cell_width)
    check_span(exact, min(grid.cell_height, grid.cell_width), far, share)
    return exact


def as_weights(weights: object, grid: Grid) -> tuple[int, ...]:
    """Return integer weights of the cells, the largest 2**32; 0 only for 0."""
    if weights is None:
        return (1 << WEIGHT_BITS,) * grid.cells
    given = as_plain_weights(weights, grid.cells, grid.shape)
    scaled = np.rint(given / given.max() * (1 << WEIGHT_BITS))
    whole = np.where(given > 0, np.maximum(scaled, 1), 0)
    return tuple(int(w) for w in whole)


def as_plain_weights(weights: object, cells: int, shape: tuple[int, ...]) -> Floats:
    """Return weights (cells,), finite, >= 0 and not all 0."""
    given = as_floats(weights, "weights", (cells,), shape, remedy="one for each cell").ravel()
    if not np.isfinite(given).all() or given.min() < 0:
        raise DomainError("weights", "must be finite and >= 0", "leave a cell out by 0")
    if not given.max() > 0:
        raise DomainError("weights", "must not all be 0", "keep at least one cell")
    return given


def compile_offsets(grid: Grid, rate: Fraction, weights: tuple[int, ...]) -> Offset:
    """Return the program of ``w exp(-rate d)`` in whole numbers.

    A weight is ``floor(2^b e^(-rate d))``, the least of them of at least 80 bits, hence each within
    a factor 1 - 2^-79 of the real one; the distances are rounded down to picometres.
    """
    real = [1 / exp_bounds(rate * metres)[0] for metres in quadrant(grid)]
    bits = math.ceil(log_of_fraction(1 / min(real)) / math.log(2)) + _GUARD
    kernel = tuple(math.floor((1 << bits) * value) for value in real)
    return Offset(grid.rows, grid.columns, kernel, weights)


def quadrant(grid: Grid) -> list[Fraction]:
    """Return the distances from the north-west cell in metres, rounded down to picometres."""
    out = []
    for i in range(grid.rows):
        for j in range(grid.columns):
            down, right = i * Fraction(grid.cell_height), j * Fraction(grid.cell_width)
            square = (down * down + right * right) * 10**24
            out.append(Fraction(math.isqrt(math.floor(square)), 10**12))
    return out


def log_of(x: int) -> float:
    """Return the natural logarithm of a whole number that a float may not hold."""
    extra = max(0, x.bit_length() - 64)
    return math.log(x >> extra) + extra * math.log(2)


def log_of_fraction(x: Fraction) -> float:
    """Return the natural logarithm of a rational that a float may not hold."""
    return log_of(x.numerator) - log_of(x.denominator)


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
