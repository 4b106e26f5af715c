"""``TightGrid``: every pair of neighbours in line is told apart by exactly what ε allows."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError, DomainError, PrivacyError
from sudare.exact import exact_text
from sudare.mechanisms.place.grid import Grid, as_grid
from sudare.mechanisms.place.offsets import (
    Offsets,
    grid_json,
    read_grid,
    read_rate,
    read_weights,
)
from sudare.mechanisms.place.offsets import window as values_around
from sudare.mechanisms.place.rates import as_rate, as_weights
from sudare.mechanisms.registry import register

Floats = npt.NDArray[np.float64]

MOST_CELLS = 10_000
_SHRINK = Fraction(1, 10**8)
_HALVINGS = 40
_ROUNDED = 1e-12


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
    __slots__ = ()

    def __init__(self, grid: Grid, epsilon: float | Fraction) -> None:
        asked = as_rate(epsilon, as_grid(grid), Fraction(1))
        if grid.cells > MOST_CELLS:
            raise DomainError("grid", f"must have at most {MOST_CELLS:,} cells", got=grid.cells)
        rate = asked * (1 - _SHRINK)
        weights = tight_weights(grid, float(rate))
        if weights.min() < -_ROUNDED:
            raise PrivacyError(
                "epsilon",
                f"must be at least {least_epsilon(grid, float(rate)):.6g} on this map",
                "take a larger ε, or a calibrated GridExponential",
                got=float(asked),
            )
        self._settle(grid, asked, rate, as_weights(np.maximum(weights, 0.0), grid))
        self._refuse_overspending()

    def __repr__(self) -> str:
        return f"TightGrid({self.grid!r}, epsilon={self.nominal_epsilon})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._restored, (self.grid, self.requested_epsilon, self.program.weights)

    def to_json(self) -> dict[str, Any]:
        """Return the mechanism as JSON data: its name, the grid, ε as exact text, the weights."""
        return {
            "name": self.name,
            "grid": grid_json(self.grid),
            "epsilon": exact_text(self.requested_epsilon),
            "weights": [f"{w:x}" for w in self.program.weights],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the mechanism from :meth:`to_json`.

        Raises:
            CollectionError: not data of that form.
            DomainError, PrivacyError: a parameter is out of range, or ε would be exceeded.
        """
        try:
            grid, epsilon = read_grid(data["grid"]), read_rate(data["epsilon"])
            weights = read_weights(data["weights"], grid)
        except (KeyError, TypeError):
            raise CollectionError("mechanism", "must have grid, epsilon and weights") from None
        return cls._restored(grid, as_rate(epsilon, grid, Fraction(1)), weights)

    @classmethod
    def _restored(cls, grid: Grid, epsilon: Fraction, weights: tuple[int, ...]) -> Self:
        """Return the mechanism of these parameters; its ε is checked again."""
        out = cls.__new__(cls)
        out._settle(grid, epsilon, epsilon * (1 - _SHRINK), weights)
        out._refuse_overspending()
        return out


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
