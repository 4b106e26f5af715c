"""``PlanarLaplace``: noise on the plane, moved to the nearest cell of the grid."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.frozen import set_fields
from sudare.mechanisms.parameters import Parameter
from sudare.mechanisms.place.grid import Grid
from sudare.mechanisms.place.rates import RATE
from sudare.mechanisms.place.tabled import SMALL_GRID, Tabled, tabulate
from sudare.mechanisms.registry import register

_NODES = 24
_PANEL = 16.0  # nats that one panel of nodes resolves
_TAIL = 45.0  # nats beyond the map after which nothing is left
_MOST_OFFSETS = 4_000_000


@register
class PlanarLaplace(Tabled):
    """The baseline that people know: planar Laplace noise, remapped to the nearest cell.

    ::

        z = r + noise,  density ε^2 / (2 π) exp(-ε |z - r|);   P(o | r) = P(z nearest to o)

    Noise beyond the map goes to its edge. It keeps ε (post-processing of a private report), and
    spends a little less on a grid.

    Args:
        grid: the map, of at most 2,000 cells.
        epsilon: ε per metre.

    Raises:
        WrongTypeError, DomainError: no grid, or too many cells.
        WrongTypeError, PrivacyError: ε is no positive number, or too large or small for the map.

    Source: Andrés, Bordenabe, Chatzikokolakis, Palamidessi 2013, section 4.

    Examples:
        >>> import sudare as sd
        >>> m = sd.PlanarLaplace(sd.Grid(5, 5, cell_height=100.0, cell_width=100.0), 0.02)
        >>> m.epsilon <= 0.02
        True
    """

    name: ClassVar[str] = "PlanarLaplace"
    parameters: ClassVar[tuple[Parameter, ...]] = (SMALL_GRID, RATE)
    __slots__ = ()
    grid: Grid

    def __init__(self, grid: Grid, epsilon: float | Fraction) -> None:
        self._take(grid=grid, epsilon=epsilon)

    def _build(self) -> None:
        set_fields(self, program=tabulate(planar_law(self.grid, self.nominal_epsilon)))
        self._settle(self.grid.distances())


def planar_law(grid: Grid, epsilon: float) -> Floats:
    """Return ``P[report, cell]``."""
    rows, columns = grid.shape
    beyond_rows = math.ceil(_TAIL / (epsilon * grid.cell_height))
    beyond_columns = math.ceil(_TAIL / (epsilon * grid.cell_width))
    if (rows + beyond_rows) * (columns + beyond_columns) > _MOST_OFFSETS:
        raise DomainError("grid", "has cells too small for this ε", "take larger cells")
    quarter = cell_masses(
        rows + beyond_rows, columns + beyond_columns, grid.cell_height, grid.cell_width, epsilon
    )
    tall = _to_map(quarter, rows)  # (true row, reported row, columns apart)
    law = _to_map(np.moveaxis(tall, 2, 0), columns)  # (true column, reported column, rows, rows)
    out: Floats = law.transpose(3, 1, 2, 0).reshape(grid.cells, grid.cells)
    return out


def cell_masses(rows: int, columns: int, height: float, width: float, epsilon: float) -> Floats:
    """Return the noise's mass in each cell of the plane's quarter, by rows and columns apart.

    Gauss-Legendre in both directions; the cell amid, where the density has its tip, gets the rest.
    """
    tall, tall_shares = _nodes(rows, height, width, epsilon)
    wide, wide_shares = _nodes(columns, width, height, epsilon)
    out = np.empty((rows, columns))
    for i in range(rows):
        density = np.exp(-epsilon * np.hypot(tall[i, :, None, None], wide))
        out[i] = np.einsum("abc,a,c->b", density, tall_shares, wide_shares)
    out *= epsilon**2 / (2 * math.pi) * height * width
    times = np.outer(np.where(np.arange(rows) > 0, 2, 1), np.where(np.arange(columns) > 0, 2, 1))
    times[0, 0] = 0
    out[0, 0] = 1 - (times * out).sum()
    return out


def _nodes(cells: int, size: float, across: float, epsilon: float) -> tuple[Floats, Floats]:
    """Return nodes (cells, m) in metres and their shares (m,) of a cell that is ``size`` long.

    The density falls steeply from a cell's near end, the first one's from its middle, over 1 / ε
    and over the distance ``across`` to the axis: panels that double from there follow it.
    """
    edges = [0.0, min(1.0, _PANEL / (epsilon * size), across / size)]
    while edges[-1] < 1:
        edges.append(min(1.0, 2 * edges[-1]))
    points, shares = np.polynomial.legendre.leggauss(_NODES)
    lengths = np.diff(edges)
    inside = (edges[:-1] + lengths * (points[:, None] + 1) / 2).T.ravel()
    starts = np.arange(cells)[:, None] - 0.5
    positions = np.where(starts < 0, inside / 2, starts + inside)
    return positions * size, np.outer(lengths, shares / 2).ravel()


def _to_map(masses: Floats, size: int) -> Floats:
    """Return masses (true, reported, ...) on a line of cells of masses (apart, ...), even in apart:
    what lies beyond an end is the end's."""
    tail = np.cumsum(masses[::-1], axis=0)[::-1]  # so far or farther
    out = np.empty((size, size, *masses.shape[1:]))
    for true in range(size):
        for reported in range(size):
            ends = tail if reported in (0, size - 1) else masses
            out[true, reported] = ends[abs(reported - true)]
    return 2 * tail[:1][None] - masses[:1][None] if size == 1 else out
