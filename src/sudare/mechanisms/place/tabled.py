"""Mechanisms of places with any law at all, as a table of whole numbers that is checked."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats
from sudare.errors import CollectionError, DomainError, WrongTypeError
from sudare.frozen import set_fields
from sudare.mechanisms.parameters import NAN, Parameter
from sudare.mechanisms.place.base import Place, realised_epsilon
from sudare.mechanisms.place.grid import Grid
from sudare.mechanisms.place.rates import ANY_RATE, check_span, grid_up_to
from sudare.mechanisms.registry import register
from sudare.mechanisms.values import as_floats
from sudare.samplers import Table

MOST_CELLS = 2000
WIDTH = 64
MIXED = 2.0**-20
"""Share of the constant law that is mixed in, so that no probability is too small for 64 bits."""

_ROUNDED = 1 + 1e-12
_FAINT = 1e-15


def _as_table(program: Table, m: PlaceChannel) -> Table:
    size = m.grid.cells
    if (program.width, program.inputs, program.outputs) != (WIDTH, size, size):
        raise CollectionError("mechanism.program", "must be a table of the grid's cells")
    return program


def _read_table(data: Any) -> Table | None:
    try:
        return Table.from_json(data)
    except (KeyError, TypeError):
        return None


SMALL_GRID = grid_up_to(MOST_CELLS)
_TABLE = Parameter(
    name="program",
    read=_as_table,
    write=lambda program: program.to_json(),
    parse=_read_table,
    show=lambda _: "law=...",
)
_LAW = Parameter(
    name="law",
    examples=(np.full((6, 6), 1 / 6), 0.6 / 6 + 0.4 * np.eye(6)),
    bad=(
        *((np.ones(shape), DomainError) for shape in ((6, 6), (5, 5), (36,), ())),
        *((law, DomainError) for law in (-np.eye(6), np.full((6, 6), NAN), np.zeros((6, 6)))),
        *((law, WrongTypeError) for law in (None, "law", [["a"] * 6] * 6)),
    ),
)


class Tabled(Place):
    """A mechanism of places whose law is written out: 64-bit whole numbers for each pair of cells.

    A millionth of the law is the same for all places (uniform over the cells that are reported):
    that never raises a ratio, and keeps each whole number above 2^64 / 2^20 / cells. ε is computed
    from these numbers; a law that spends more than was asked is refused.
    """

    __slots__ = ("_distances",)
    _distances: Floats
    program: Table

    def running(self, program: Table) -> Self:
        """Return the same mechanism with a table that was written out elsewhere.

        Logarithms differ by their last digit from machine to machine, and so may tables. What is
        kept is the guarantee: it is computed anew from the whole numbers of this one.

        Raises:
            CollectionError: not a table of this mechanism's places.
            PrivacyError: it spends more than was asked for.
        """
        size = self.cells
        if (program.width, program.inputs, program.outputs) != (WIDTH, size, size):
            raise CollectionError("mechanism.program", "must be a table of the map's cells")
        other = self.from_json(self.to_json())
        other.__dict__.clear()  # what was derived from the other table
        set_fields(other, program=program)
        other._refuse_overspending()
        return other

    def _settle(self, distances: Floats) -> None:
        """Keep the distances; refuse a program that spends too much."""
        distances.flags.writeable = False
        set_fields(self, _distances=distances)
        self._refuse_overspending()

    @cached_property
    def epsilon(self) -> float:
        """As :attr:`Place.epsilon`."""
        own = self._integers[self.reported]
        with np.errstate(divide="ignore"):
            logs = np.log(own / own.max(axis=1, keepdims=True))  # near 0, and exact to 1e-15
        nearest = float(self._distances[~np.eye(self.cells, dtype=np.bool_)].min())
        return realised_epsilon(logs, self._distances) * _ROUNDED + _FAINT / nearest

    @cached_property
    def _integers(self) -> Floats:
        return np.array(self.program.weights(), dtype=np.float64).T

    @property
    def reported(self) -> Booleans:
        """(cells,) which cells can be reported."""
        out: Booleans = self._integers.max(axis=1) > 0
        return out

    def distances(self) -> Floats:
        """Return the (cells, cells) distances that the guarantee is about."""
        return self._distances.copy()

    def log_matrix(self) -> Floats:
        """Return the natural logarithms of the law, ``[report, cell]``, to double precision."""
        with np.errstate(divide="ignore"):
            out: Floats = np.log(self._integers) - WIDTH * np.log(2)
        return out


@register
class PlaceChannel(Tabled):
    """Any law on the cells of a map, such as one found by a linear program.

    The law is mixed with a millionth of a constant one and rounded to whole numbers, its ε computed
    from those, and refused if it is above the one given.

    Args:
        grid: the map, of at most 2,000 cells.
        epsilon: ε per metre that the law must not exceed.
        law: (cells, cells) ``P[report, cell]``, numbers >= 0; columns sum to 1 within 1e-6.

    Raises:
        WrongTypeError, DomainError: no grid, too many cells, or no such law.
        WrongTypeError, PrivacyError: ε is no positive number, or the law spends more.

    Examples:
        >>> import sudare as sd
        >>> pair = sd.PlaceChannel(sd.Grid(1, 2, 100, 100), 0.02, [[0.8, 0.3], [0.2, 0.7]])
        >>> round(pair.epsilon, 4)
        0.0125
        >>> sd.PlaceChannel(sd.Grid(1, 2, 100, 100), 0.02, [[0.9, 0.1], [0.1, 0.9]])
        Traceback (most recent call last):
        ...
        sudare.errors.PrivacyError: epsilon is exceeded: this law spends 0.0219722, got 0.02; ...
    """

    name: ClassVar[str] = "PlaceChannel"
    parameters: ClassVar[tuple[Parameter, ...]] = (SMALL_GRID, ANY_RATE, _TABLE)
    arguments: ClassVar[tuple[Parameter, ...]] = (SMALL_GRID, ANY_RATE, _LAW)
    __slots__ = ()
    grid: Grid

    def __init__(self, grid: Grid, epsilon: float | Fraction, law: npt.ArrayLike) -> None:
        own = tabulate(as_law(law, SMALL_GRID.read(grid, self).cells))
        self._take(grid=grid, epsilon=epsilon, program=own)

    def _build(self) -> None:
        self._settle(self.grid.distances())


def tabulate(law: Floats) -> Table:
    """Return the table of a law ``[report, cell]``: mixed, rounded, each column adding up.

    What rounding leaves over goes to the likeliest report.
    """
    sums = law.sum(axis=0)
    possible = law.max(axis=1) > 0
    mixed = (1 - MIXED) * law / sums + MIXED * possible[:, None] / possible.sum()
    rows = []
    for column in mixed.T:
        whole = [int(one) for one in np.floor(column * 2.0**WIDTH)]
        whole[int(np.argmax(column))] += (1 << WIDTH) - sum(whole)
        rows.append(whole)
    return Table.from_weights(rows, WIDTH)


def check_cells(cells: int, argument: str) -> None:
    """Refuse more places than a law is written out for."""
    if not 2 <= cells <= MOST_CELLS:
        raise DomainError(argument, f"must have 2 to {MOST_CELLS:,} cells", got=cells)


def as_law(law: object, cells: int) -> Floats:
    """Return a law ``[report, cell]`` of floats."""
    given = as_floats(law, "law", (cells, cells), remedy="probabilities [report, cell]")
    if not np.isfinite(given).all() or given.min() < 0:
        raise DomainError("law", "must be finite and >= 0", "repair it first")
    if np.abs(given.sum(axis=0) - 1).max() > 1e-6:
        raise DomainError("law", "must have columns that sum to 1", "columns are true cells")
    return given


def exponential_law(lengths: Floats, weights: Floats) -> Floats:
    """Return ``w_o exp(-lengths / 2)`` with columns that sum to 1."""
    with np.errstate(divide="ignore"):
        logs = np.log(weights)[:, None] - lengths / 2
    masses = np.exp(logs - logs.max(axis=0))
    out: Floats = masses / masses.sum(axis=0)
    return out


def check_lengths(epsilon: Fraction, metres: Floats) -> None:
    """Refuse an ε too small for the nearest two places, or too large for the farthest."""
    apart = metres[~np.eye(metres.shape[0], dtype=np.bool_)]
    check_span(epsilon, float(apart.min()), float(apart.max()), Fraction(1, 2))
