"""What an observer learns of a place, where on the map most, and what the map costs in metres."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError, as_one_of
from sudare.location.kernel import Kernel
from sudare.location.state import MapState
from sudare.mechanisms.place.base import Place
from sudare.mechanisms.place.grid import Grid, as_mask
from sudare.mechanisms.place.offsets import Offsets
from sudare.mechanisms.values import as_floats

Mode = Literal["observed", "limit"]
MODES: tuple[Mode, ...] = get_args(Mode)

WARN_ABOVE = 0.9
"""A posterior above this is as good as the place itself."""


@dataclass(frozen=True, eq=False)
class BoundaryReport:
    """Where on the map a report tells most, and least.

    Attributes:
        posterior: (cells,) ``P(A=r | O=r)``: what an observer who knows the prior believes of the
            reported cell itself. NaN where nobody is, and for cells that are never reported
            (``mode="observed"``).
        kept: (cells,) ``P(O=r | A=r)``: the true cell is reported. NaN where nobody is.
        sql_cell: (cells,) metres between true and reported cell, expected for each true cell; NaN
            where nobody is.
        sql: metres, expected over the prior: service quality loss.
        highest: (cells,) the largest posterior of any cell after each report; with a uniform prior
            it is ``posterior`` (Proposition 2 of the source), with others it need not be.
        epsilon, nominal_epsilon: ε per metre really spent, and guaranteed.
        f1_observed, f1_limit: f1 in either mode, to compare maps by; the limit is None for a law
            without weights.
        mode: ``"observed"`` leaves out cells that are never reported; ``"limit"`` gives them the
            value that they have as their weight goes to 0.
        warnings: sentences that a reader should know.
    """

    posterior: Floats
    kept: Floats
    sql_cell: Floats
    sql: float
    highest: Floats
    epsilon: float
    nominal_epsilon: float
    f1_observed: float
    f1_limit: float | None
    mode: Mode
    warnings: tuple[str, ...]

    @property
    def posterior_max(self) -> float:
        """Largest posterior of the reported cell."""
        return float(np.nanmax(self.posterior))

    @property
    def posterior_min(self) -> float:
        """Least posterior of the reported cell."""
        return float(np.nanmin(self.posterior))

    @property
    def kept_max(self) -> float:
        """Largest ``P(O=r | A=r)`` where people are."""
        return float(np.nanmax(self.kept))

    @property
    def kept_min(self) -> float:
        """Least ``P(O=r | A=r)`` where people are."""
        return float(np.nanmin(self.kept))

    @property
    def f1(self) -> float:
        """``max - min`` of the posterior: how unequally the map protects."""
        return self.posterior_max - self.posterior_min

    @property
    def most_exposed(self) -> tuple[int, ...]:
        """Cells with the largest posterior, ties within 1e-9."""
        cells = np.flatnonzero(self.posterior >= self.posterior_max - 1e-9)
        return tuple(int(cell) for cell in cells)


def boundary_report(
    mechanism: Place, *, prior: npt.ArrayLike | None = None, mode: Mode = "observed"
) -> BoundaryReport:
    """Report posterior, retention and service quality loss of every cell.

    ::

        P(A=r | O=o) = π(r) P(o | r) / Σ_r' π(r') P(o | r')
        SQL = Σ_r π(r) Σ_o P(o | r) d(r, o)

    Args:
        mechanism: what randomises places.
        prior: (cells,) or (rows, columns) numbers >= 0: where people are; None for uniform.
        mode: what becomes of cells that are never reported: ``"observed"`` or ``"limit"``.

    Raises:
        WrongTypeError, DomainError: not such a mechanism, prior or mode.

    Source: the boundary report follows the definitions of posterior, f1 and SQL of the source
    (``docs/location.md``).

    Examples:
        >>> import sudare as sd
        >>> m = sd.GridExponential(sd.Grid(15, 15, cell_height=115.6, cell_width=141.5), 0.02)
        >>> report = boundary_report(m)
        >>> round(report.f1, 4), round(report.sql, 2), report.most_exposed
        (0.3003, 161.12, (0, 14, 210, 224))
    """
    if not isinstance(mechanism, Place):
        raise WrongTypeError("mechanism", "must randomise places", "such as a GridExponential")
    as_one_of(mode, "mode", MODES)
    shape = (mechanism.cells,) if mechanism.grid is None else mechanism.grid.shape
    shares = as_prior(prior, mechanism.cells, shape)
    (posterior, kept, sql_cell, highest), has_limit = _figures(mechanism, shares, mode)
    lived = shares > 0
    counted = lived
    if mode == "observed":
        counted = lived & mechanism.reported
        highest = np.where(mechanism.reported, highest, np.nan)
    if not counted.any():
        raise DomainError("prior", "must have people in some cell that is reported", 'or "limit"')
    return BoundaryReport(
        posterior=np.where(counted, posterior, np.nan),
        kept=np.where(lived, kept, np.nan),
        sql_cell=np.where(lived, sql_cell, np.nan),
        sql=float(sql_cell[lived] @ shares[lived]),
        highest=highest,
        epsilon=mechanism.epsilon,
        nominal_epsilon=mechanism.nominal_epsilon,
        f1_observed=_gap(posterior[lived & mechanism.reported]),
        f1_limit=_gap(posterior[lived]) if has_limit else None,
        mode=mode,
        warnings=_warnings(highest),
    )


def _gap(posterior: Floats) -> float:
    return float(np.ptp(posterior)) if posterior.size else math.nan


@singledispatch
def _figures(mechanism: Place, shares: Floats, mode: Mode) -> tuple[tuple[Floats, ...], bool]:
    """Return posterior, kept, SQL and highest posterior of each cell, from a law written out.

    And whether cells that are never reported have a limit: those of weight 0.
    """
    if mode == "limit":
        raise DomainError("mode", "must be observed: this law has no weights", got=mode)
    law = mechanism.matrix()
    joint = law * shares
    with np.errstate(invalid="ignore"):
        posterior = np.diagonal(joint) / joint.sum(axis=1)
        highest = joint.max(axis=1) / joint.sum(axis=1)
    sql_cell = (law * mechanism.distances()).sum(axis=0)
    return (posterior, np.diagonal(law).copy(), sql_cell, highest), False


@_figures.register(Offsets)
def _of_offsets(mechanism: Offsets, shares: Floats, mode: Mode) -> tuple[tuple[Floats, ...], bool]:
    """Return the same from sums over the cells."""
    grid = mechanism.grid
    kernel = Kernel(grid, np.exp(-float(mechanism.rate) * grid.offsets))
    state = MapState(kernel, mechanism.weights, mode == "limit", shares)
    return (state.all_posteriors, state.kept, state.sql_cell, state.highest), True


def _warnings(highest: Floats) -> tuple[str, ...]:
    exposed = np.flatnonzero(highest > WARN_ABOVE)
    if not exposed.size:
        return ()
    return (
        f"after a report of {exposed.size} of {highest.size} cells one place is more than "
        f"{WARN_ABOVE:.0%} likely: {first_cells(exposed)}",
    )


def first_cells(cells: npt.NDArray[np.intp]) -> str:
    """Return the first eight of these cells as text."""
    return ", ".join(map(str, cells[:8].tolist())) + (", ..." if cells.size > 8 else "")


def as_prior(prior: Any, cells: int, shape: tuple[int, ...]) -> Floats:
    """Return a prior that sums to 1; None stands for the uniform one."""
    if prior is None:
        return np.full(cells, 1 / cells)
    given = as_floats(prior, "prior", (cells,), shape, remedy="or None for a uniform one").ravel()
    if not np.isfinite(given).all() or given.min() < 0 or not given.max() > 0:
        raise DomainError("prior", "must be finite, >= 0, and not all 0", "count the people")
    shares = given / given.max()  # sums of huge numbers would be infinite
    out: Floats = shares / shares.sum()
    return out


def as_people(prior: object, mask: object, grid: Grid) -> Floats | None:
    """Return (cells,) shares of the people, 0 outside the mask; None if uniform over all cells.

    Args:
        prior: (cells,) or (rows, columns) numbers >= 0; None for uniform over the mask.
        mask: (cells,) or (rows, columns) booleans, True where people can be; None for everywhere.

    Raises:
        WrongTypeError, DomainError: no such prior or mask, or nobody left inside the mask.

    Examples:
        >>> as_people([3, 0, 1], [True, True, False], Grid(1, 3, 100, 100)).tolist()
        [1.0, 0.0, 0.0]
    """
    if prior is None and mask is None:
        return None
    shares = as_prior(prior, grid.cells, grid.shape)
    if mask is not None:
        shares = np.where(as_mask(mask, grid.cells, grid), shares, 0.0)
        if not shares.sum() > 0:
            raise DomainError("mask", "must hold a cell where people are", "change it or the prior")
    out: Floats = shares / shares.sum()
    return out
