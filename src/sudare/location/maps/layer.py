"""A layer of a map: a number for each cell, with its name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_integer
from sudare.exact.parameters import is_list
from sudare.location.maps.colours import Scale
from sudare.mechanisms.place.grid import Grid, as_grid
from sudare.mechanisms.values import as_floats
from sudare.words import Text, Words


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """Numbers of the cells of a map.

    Attributes:
        title: what they are, in both languages or in one.
        values: (cells,) or (rows, columns); NaN where there is none.
        unit: such as ``"m"``.
        log: whether equal factors take equal steps of colour.
        marks: cells to mark, such as the most exposed ones.
    """

    title: Words
    values: npt.ArrayLike
    unit: Words = ""
    log: bool = False
    marks: tuple[int, ...] = ()


def checked(grid: Grid, layer: Layer, mask: npt.NDArray[np.bool_]) -> tuple[Layer, Floats, Scale]:
    """Return a layer, its numbers on land (NaN at sea), and their scale.

    Raises:
        WrongTypeError, DomainError: no such layer.
    """
    if not isinstance(layer, Layer):
        raise WrongTypeError("layers", "must be Layer values", "such as Layer(title, values)")
    for name in ("title", "unit"):
        if not isinstance(getattr(layer, name), str | Text):
            raise WrongTypeError(f"layer.{name}", "must be text")
    numbers = as_numbers(grid, layer.values)
    marks: Any = layer.marks
    if not is_list(marks):
        raise WrongTypeError("layer.marks", "must be a list of cell numbers")
    cells = tuple(as_integer(mark, "layer.marks", low=0, high=grid.cells - 1) for mark in marks)
    shown = np.where(mask, numbers, np.nan)
    return replace(layer, marks=cells), shown, Scale.of(shown, bool(layer.log))


def as_numbers(grid: Grid, values: object) -> Floats:
    """Return (cells,) numbers, NaN allowed.

    Raises:
        WrongTypeError, DomainError: no numbers, another shape, or infinite ones.
    """
    cells = as_grid(grid).cells
    out = as_floats(values, "values", (cells,), grid.shape, remedy="one for each cell").ravel()
    if np.isinf(out).any():
        raise DomainError("values", "must not be infinite", "NaN is for cells without a number")
    return out


def number(value: float) -> str:
    """Return a number to read, with four significant digits.

    Examples:
        >>> number(0.53941), number(11605), number(1.5e-9), number(float("nan"))
        ('0.5394', '11,605', '1.5e-09', '–')
    """
    if np.isnan(value):
        return "–"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}".replace("-", "−", 1) if value < 0 else f"{value:.4g}"
