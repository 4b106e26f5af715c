"""Weights that give all cells one posterior, from the Perron vector of the kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import as_one_of
from sudare.location.kernel import Kernel
from sudare.location.report import MODES, Mode, as_people
from sudare.location.state import MapState
from sudare.mechanisms.place.grid import Grid, as_grid
from sudare.mechanisms.place.rates import as_rate

MOST_DENSE = 1000
"""Most cells with people for which the matrix is written out."""

_LEAST = 1e-8  # of the Perron vector's largest: further off, sums by FFT know nothing of a cell
_CLOSE = 1e-13
_STEPS = 3000
_POWERS = 500


@dataclass(frozen=True, eq=False)
class EqualisedWeights:
    """Weights that even out the posterior of a map.

    Attributes:
        weights: (cells,) of the cells, the largest 1.
        f1: ``max - min`` of the posterior in this ``mode``.
        f1_observed, f1_limit: the same in either mode, to compare weights by.
        sql: metres between true and reported cell, expected.
        posterior_max: the largest posterior of the reported cell.
        exact: no weight had to be stopped at 0, so that all posteriors are equal.
        mode: as given.
    """

    weights: Floats
    f1: float
    f1_observed: float
    f1_limit: float
    sql: float
    posterior_max: float
    exact: bool
    mode: Mode


def equalise_weights(
    grid: Grid,
    epsilon: float,
    *,
    prior: npt.ArrayLike | None = None,
    mask: npt.ArrayLike | None = None,
    mode: Mode = "observed",
) -> EqualisedWeights:
    """Give every cell the same posterior, or as nearly as weights >= 0 can.

    With ``u = π α`` the posterior of r is ``u_r / (k u)_r``: equal everywhere if and only if u is
    the eigenvector v > 0 of k, and then it is 1 over its eigenvalue. ``π α = v`` asks for::

        k w = π / v

    Where some weight would be negative, the residual ``|v k w - π|`` is least instead, over
    w >= 0: under the uniform prior that is the relative one. Cells without people get weight 0.
    The rougher the prior, the less even the outcome: smooth it.

    Args:
        grid: the map.
        epsilon: ε per metre.
        prior: (cells,) or (rows, columns) numbers >= 0, where people are; None for uniform.
        mask: (cells,) or (rows, columns) booleans, True where people can be; None for everywhere.
        mode: whether cells of weight 0 count in f1: ``"observed"`` (no) or ``"limit"``.

    Raises:
        WrongTypeError, DomainError, PrivacyError: not such a grid, ε, prior, mask or mode.

    Examples:
        >>> found = equalise_weights(Grid(15, 15, 115.6, 141.5), 0.03)
        >>> found.exact, round(found.f1, 9), round(found.posterior_max, 4), round(found.sql, 2)
        (True, 0.0, 0.4828, 94.2)
    """
    kernel = Kernel.of(as_grid(grid), float(as_rate(epsilon, grid)))
    judged = as_one_of(mode, "mode", MODES)
    people = as_people(prior, mask, grid)
    weights, exact = equaliser(kernel, people)
    state = MapState(kernel, weights, judged == "limit", people)
    gaps = state.f1, state.f1_observed, state.f1_limit
    return EqualisedWeights(weights, *gaps, state.sql, float(state.posterior.max()), exact, judged)


def equaliser(kernel: Kernel, people: Floats | None) -> tuple[Floats, bool]:
    """Return the weights, the largest 1, and whether they equalise exactly."""
    cells = np.arange(kernel.grid.cells) if people is None else np.flatnonzero(people)
    share = np.ones(cells.size) if people is None else people[cells] / people.max()
    small = cells.size <= MOST_DENSE
    own, exact = _dense(kernel, cells, share) if small else _sparse(kernel, cells, share)
    weights = np.zeros(kernel.grid.cells)
    weights[cells] = own / own.max()
    return weights, exact


def _dense(kernel: Kernel, cells: npt.NDArray[np.intp], share: Floats) -> tuple[Floats, bool]:
    """Return the weights of some cells by the matrix."""
    from scipy.optimize import nnls

    matrix = kernel.among(cells)
    vector = _floored(np.linalg.eigh(matrix)[1][:, -1])
    exact = np.asarray(np.linalg.solve(matrix, share / vector), dtype=np.float64)
    if exact.min() >= 0:
        return exact, True
    # in x = v w the columns are of one size
    found, _ = nnls(matrix * (vector[:, None] / vector), share, maxiter=30 * cells.size)
    return found / vector, False


def _sparse(kernel: Kernel, cells: npt.NDArray[np.intp], share: Floats) -> tuple[Floats, bool]:
    """Return the weights of some cells by sums over the map."""
    from scipy.optimize import minimize
    from scipy.sparse import linalg

    def apply(x: Floats) -> Floats:
        whole = np.zeros(kernel.grid.cells)
        whole[cells] = x.reshape(-1)
        out: Floats = kernel.apply(whole)[cells]
        return out

    operator = linalg.LinearOperator((cells.size, cells.size), matvec=apply, dtype=np.float64)
    start = np.ones(cells.size)
    try:
        vector = linalg.eigsh(operator, 1, which="LA", v0=start, tol=1e-12)[1][:, 0]
    except linalg.ArpackNoConvergence:  # eigenvalues so close that any mixture of theirs will do
        vector = start
        for _ in range(_POWERS):
            vector = apply(vector)
            vector = vector / np.abs(vector).max()
    vector = _floored(vector)
    aim = share / vector
    found, _ = linalg.cg(operator, aim, x0=aim / apply(start), rtol=_CLOSE, maxiter=_STEPS)
    if found.min() >= 0:
        return found, True

    def residual(x: Floats) -> tuple[float, Floats]:
        gap = vector * apply(x / vector) - share
        return float(gap @ gap) / 2, apply(vector * gap) / vector

    best = minimize(
        residual,
        np.maximum(found * vector, 0),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * cells.size,
        options={"maxiter": _STEPS, "maxfun": 2 * _STEPS, "ftol": 0, "gtol": 1e-9, "maxcor": 20},
    )
    out: Floats = best.x / vector
    return out, False


def _floored(vector: Floats) -> Floats:
    """Return the eigenvector, positive also where rounding hides it."""
    size = np.abs(vector)
    out: Floats = np.maximum(size, _LEAST * size.max())
    return out
