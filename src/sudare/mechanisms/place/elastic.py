"""``ElasticExponential``: ε by place, as a metric that is longer where more may be told."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError, DomainError, PrivacyError, WrongTypeError
from sudare.mechanisms.place.grid import Grid
from sudare.mechanisms.place.offsets import grid_json, read_grid
from sudare.mechanisms.place.rates import as_plain_weights
from sudare.mechanisms.place.roads import shortest_ways
from sudare.mechanisms.place.tabled import Tabled, check_lengths, exponential_law, grid_distances
from sudare.mechanisms.registry import register
from sudare.mechanisms.values import as_array

Floats = npt.NDArray[np.float64]

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1), (1, 2), (1, -2), (2, 1), (2, -1))
"""Rows and columns of the ways that are tried from a cell; the opposite ones too."""


@register
class ElasticExponential(Tabled):
    """ε by place: the exponential mechanism on the elastic metric.

    ::

        P(o | r) = α(r) w_o exp(-d_E(r, o) / 2),   d_E = min over ways of Σ ε d

    A step of a way leads to one of 16 cells around and counts its metres times the mean of ε at its
    two ends, times the cosine that makes up for the directions between those 16: with one ε
    everywhere d_E is at most ε times the distance. Guarantee, in units of d_E, hence a nominal ε
    of 1::

        P(o | r1) <= exp(d_E(r1, r2)) P(o | r2)

    The shortcut of taking ε of the true cell in GridE's exponent has no such guarantee: the sum
    over the reports then differs between neighbours by far more than ε allows.

    Args:
        grid: the map, of at most 2,000 cells.
        epsilons: (cells,) or (rows, columns) ε per metre, > 0: small where more is to be hidden.
        weights: (cells,) or (rows, columns) numbers >= 0, not all 0; None for equal ones.

    Raises:
        WrongTypeError, DomainError, PrivacyError: no such grid, ε or weights.

    Source: elastic metrics: Chatzikokolakis, Palamidessi, Stronati 2015.

    Examples:
        >>> import numpy as np
        >>> import sudare as sd
        >>> town = np.full((5, 5), 0.01)
        >>> town[:, :2] = 0.03                          # open country: less to hide
        >>> m = sd.ElasticExponential(sd.Grid(5, 5, 100.0, 100.0), town)
        >>> m.nominal_epsilon, m.epsilon <= 1
        (1.0, True)
    """

    name: ClassVar[str] = "ElasticExponential"
    covers: ClassVar[str] = "one report of a place, for each unit of the elastic metric"
    __slots__ = ("epsilons", "weights")
    grid: Grid
    epsilons: Floats
    weights: Floats

    def __init__(
        self, grid: Grid, epsilons: npt.ArrayLike, weights: npt.ArrayLike | None = None
    ) -> None:
        grid_distances(grid)
        rates = as_epsilons(epsilons, grid)
        lengths = elastic_distances(grid, rates)
        check_lengths(Fraction(1), lengths)
        own = np.ones(grid.cells)
        if weights is not None:
            own = as_plain_weights(weights, grid.cells, grid.shape)
        own = own / own.max()
        for array in (rates, own):
            array.flags.writeable = False
        object.__setattr__(self, "epsilons", rates)
        object.__setattr__(self, "weights", own)
        self._settle(grid, Fraction(1), lengths, exponential_law(lengths, own))

    def __repr__(self) -> str:
        low, high = self.epsilons.min(), self.epsilons.max()
        return f"ElasticExponential({self.grid!r}, epsilons from {low:g} to {high:g})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.grid, self.epsilons, self.weights)

    def to_json(self) -> dict[str, Any]:
        """Return the mechanism as JSON data: its name, the grid, ε of each cell, the weights."""
        return {
            "name": self.name,
            "grid": grid_json(self.grid),
            "epsilons": [repr(one) for one in self.epsilons.tolist()],
            "weights": [repr(w) for w in self.weights.tolist()],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the mechanism from :meth:`to_json`.

        Raises:
            CollectionError: not data of that form.
            DomainError, PrivacyError: a parameter is out of range.
        """
        try:
            epsilons = [float(text) for text in data["epsilons"]]
            weights = [float(text) for text in data["weights"]]
            grid = read_grid(data["grid"])
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, CollectionError):
                raise
            raise CollectionError("mechanism", "must have grid, epsilons and weights") from None
        return cls(grid, epsilons, weights)


def as_epsilons(epsilons: object, grid: Grid) -> Floats:
    """Return ε of each cell."""
    array = as_array(epsilons)
    if array is None or array.dtype.kind not in "iuf":
        raise WrongTypeError("epsilons", "must be numbers", "ε per metre for each cell")
    if array.shape not in ((grid.cells,), grid.shape):
        raise DomainError("epsilons", f"must have the shape ({grid.cells},)", got=array.shape)
    given = array.ravel().astype(np.float64)
    if not np.isfinite(given).all() or not 0 < given.min() <= given.max() <= 1e12:
        raise PrivacyError(
            "epsilons", "must be > 0 and at most 1e12", "give ε per metre for each cell"
        )
    return given


def elastic_distances(grid: Grid, epsilons: Floats) -> Floats:
    """Return the (cells, cells) lengths of the shortest ways, each metre times ε around it."""
    rows, columns = grid.shape
    shrink = straightness(grid)
    edges: list[tuple[int, int, float]] = []
    for down, right in STEPS:
        i, j = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
        fits = (i + down < rows) & (j + right >= 0) & (j + right < columns)
        start = (i * columns + j)[fits]
        end = ((i + down) * columns + j + right)[fits]
        metres = shrink * math.hypot(down * grid.cell_height, right * grid.cell_width)
        lengths = metres * (epsilons[start] + epsilons[end]) / 2
        edges += zip(start.tolist(), end.tolist(), lengths.tolist(), strict=True)
    return shortest_ways(tuple(edges), grid.cells)


def straightness(grid: Grid) -> float:
    """Return how long a straight line is at least, compared with its way in the 16 directions."""
    angles = sorted(
        math.atan2(down * grid.cell_height, right * grid.cell_width) % math.pi
        for down, right in STEPS
    )
    gaps = [b - a for a, b in zip(angles, [*angles[1:], angles[0] + math.pi], strict=True)]
    return math.cos(max(gaps) / 2)
