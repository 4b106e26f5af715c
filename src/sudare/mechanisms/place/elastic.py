"""``ElasticExponential``: ε by place, as a metric that is longer where more may be told."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, PrivacyError, WrongTypeError
from sudare.frozen import set_fields
from sudare.mechanisms.parameters import NAN, Parameter
from sudare.mechanisms.place.grid import Grid
from sudare.mechanisms.place.rates import PLAIN_WEIGHTS, read_floats
from sudare.mechanisms.place.roads import shortest_ways
from sudare.mechanisms.place.tabled import (
    SMALL_GRID,
    Tabled,
    check_lengths,
    exponential_law,
    tabulate,
)
from sudare.mechanisms.registry import register
from sudare.mechanisms.values import as_floats

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1), (1, 2), (1, -2), (2, 1), (2, -1))
"""Rows and columns of the ways that are tried from a cell; the opposite ones too."""


_EPSILONS = Parameter(
    name="epsilons",
    read=lambda epsilons, m: as_epsilons(epsilons, m.grid),
    write=lambda epsilons: [repr(one) for one in epsilons.tolist()],
    parse=read_floats,
    show=lambda epsilons: f"epsilons from {epsilons.min():g} to {epsilons.max():g}",
    examples=((0.01, 0.02, 0.03, 0.01, 0.02, 0.03), np.full((2, 3), 0.02)),
    bad=(
        *((value, PrivacyError) for value in ([0] * 6, [-1] * 6, [NAN] * 6, [1e13] * 6)),
        *((value, WrongTypeError) for value in (None, "ε", [True] * 6)),
        *((value, DomainError) for value in (0.02, [0.02], np.full((3, 2), 0.02))),
    ),
)


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
    parameters: ClassVar[tuple[Parameter, ...]] = (SMALL_GRID, _EPSILONS, PLAIN_WEIGHTS)
    covers: ClassVar[str] = "one report of a place, for each unit of the elastic metric"
    __slots__ = ("epsilons", "weights")
    grid: Grid
    epsilons: Floats
    weights: Floats

    def __init__(
        self, grid: Grid, epsilons: npt.ArrayLike, weights: npt.ArrayLike | None = None
    ) -> None:
        self._take(grid=grid, epsilons=epsilons, weights=weights)

    def _build(self) -> None:
        lengths = elastic_distances(self.grid, self.epsilons)
        check_lengths(Fraction(1), lengths)
        program = tabulate(exponential_law(lengths, self.weights))
        set_fields(self, requested_epsilon=Fraction(1), program=program)
        self._settle(lengths)


def as_epsilons(epsilons: object, grid: Grid) -> Floats:
    """Return ε of each cell."""
    remedy = "give ε per metre for each cell"
    given = as_floats(epsilons, "epsilons", (grid.cells,), grid.shape, remedy=remedy).ravel()
    if not np.isfinite(given).all() or not 0 < given.min() <= given.max() <= 1e12:
        raise PrivacyError("epsilons", "must be > 0 and at most 1e12", remedy)
    given.flags.writeable = False
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
