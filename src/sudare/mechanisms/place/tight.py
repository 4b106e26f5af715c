"""``TightGrid``: every pair of neighbours in line is told apart by exactly what ε allows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sudare.arrays import Floats
from sudare.errors import PrivacyError
from sudare.mechanisms.parameters import Parameter
from sudare.mechanisms.place.grid import Grid
from sudare.mechanisms.place.offsets import (
    Offsets,
    window as values_around,
)
from sudare.mechanisms.place.rates import WEIGHTS, as_rate, grid_up_to, rate_of
from sudare.mechanisms.registry import register

MOST_CELLS = 10_000
_SHRINK = Fraction(1, 10**8)
_HALVINGS = 40
_ROUNDED = 1e-12
_GRID, _RATE = grid_up_to(MOST_CELLS), rate_of(Fraction(1))


@register
class TightGrid(Offsets):
    """The law with tight constraints: the least expected distance where ε leaves a choice.

    ::

        P(o | r) = w_o exp(-ε d(r, o)),   w = E^-1 1,   E(r, o) = exp(-ε d(r, o))

    The weights make every column sum to 1, so that the ratio of a report is
    ``exp(ε (d(r2, o) - d(r1, o)))``, which is ``exp(ε d(r1, r2))`` at o = r1: the whole ε is
    spent. Below a least ε some weight would be negative, and there is no such law. The price of
    its accuracy is that the reported cell is likelier the true one:
    :func:`sudare.location.boundary_report` tells.

    Args:
        grid: the map, of at most 10,000 cells.
        epsilon: ε per metre.

    Raises:
        WrongTypeError, DomainError: no grid, or too many cells.
        WrongTypeError, PrivacyError: ε is not a positive number, too large for the map, or below
            the map's least ε, which the error names.

    Source: tight constraints: ElSalamouny, Chatzikokolakis, Palamidessi 2014, "Generalized
    differential privacy: regions of priors that admit robust optimal mechanisms".

    Examples:
        >>> import sudare as sd
        >>> grid = sd.Grid(15, 15, cell_height=115.6, cell_width=141.5)
        >>> m = sd.TightGrid(grid, 0.02)
        >>> round(m.epsilon, 6), round(sd.location.boundary_report(m).sql, 3)
        (0.02, 46.894)
    """

    name: ClassVar[str] = "TightGrid"
    arguments: ClassVar[tuple[Parameter, ...]] = (_GRID, _RATE)
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *arguments,
        replace(WEIGHTS, show=lambda _: ""),
    )
    __slots__ = ()

    def __init__(self, grid: Grid, epsilon: float | Fraction) -> None:
        asked = as_rate(epsilon, _GRID.read(grid, self), Fraction(1))
        rate = asked * (1 - _SHRINK)
        weights = tight_weights(grid, float(rate))
        if weights.min() < -_ROUNDED:
            raise PrivacyError(
                "epsilon",
                f"must be at least {least_epsilon(grid, float(rate)):.6g} on this map",
                "take a larger ε, or a calibrated GridExponential",
                got=float(asked),
            )
        self._take(grid=grid, epsilon=asked, weights=np.maximum(weights, 0.0))

    def _build(self) -> None:
        self._settle(self.requested_epsilon * (1 - _SHRINK))
        self._refuse_overspending()


def tight_weights(grid: Grid, rate: float) -> Floats:
    """Return ``E^-1 1``, E = exp(-rate d): solved once for cells that are mirror images."""
    orbits = grid.symmetric_orbits()
    _, first = np.unique(orbits, return_index=True)
    offsets: Floats = np.exp(-rate * grid.offsets)
    folded = np.zeros((first.size, first.size))
    for row, cell in enumerate(first.tolist()):
        folded[row] = np.bincount(orbits, values_around(grid, offsets, cell), first.size)
    solved = np.asarray(np.linalg.solve(folded, np.ones(first.size)), dtype=np.float64)
    return solved[orbits]


def least_epsilon(grid: Grid, refused: float) -> float:
    """Return the least ε above ``refused`` at which no weight is negative, a little rounded up."""
    low, high = refused, refused * 2
    while tight_weights(grid, high).min() < -_ROUNDED:
        low, high = high, high * 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if tight_weights(grid, middle).min() < -_ROUNDED:
            low = middle
        else:
            high = middle
    return high * (1 + 1e-5)
