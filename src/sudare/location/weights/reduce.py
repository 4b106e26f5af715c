"""Algorithm 1 of the source: weights are lowered greedily until the map protects more evenly."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, WrongTypeError
from sudare.location.kernel import Kernel
from sudare.location.report import MODES, Mode
from sudare.location.state import MapState
from sudare.mechanisms.place.grid import Grid
from sudare.mechanisms.place.rates import as_rate, as_weights

Floats = npt.NDArray[np.float64]
Groups = Sequence[npt.NDArray[np.intp]]

TIED = 1e-9
ZERO = 1e-12
LEAST_GAIN = 1e-12
_ALIKE = LEAST_GAIN / 2  # rounding is a hundredth of that
_LOOKED_AT = 4
_MOST_WATCHED = 64
_MOST_ROWS = 32

CONVENTIONS = (
    "cells are tried in groups of equal posterior (neighbours in the order within 1e-9), the "
    "largest first; a group's weights fall by the step and stop at 0, values below 1e-12 are 0; a "
    "move is kept if the objective falls by more than 1e-12; after each the order is made anew"
)


@dataclass(frozen=True, eq=False)
class ReducedWeights:
    """What Algorithm 1 arrived at, and how.

    Attributes:
        weights: (cells,) of the cells.
        f1: ``max - min`` of the posterior in this ``mode``.
        sql: metres between true and reported cell, expected.
        evaluations: maps that were judged, the first one included.
        accepted: moves that were kept.
        step, mode: as given.
        conventions: what the source leaves open and this run fixed; the result depends on it.
    """

    weights: Floats
    f1: float
    sql: float
    evaluations: int
    accepted: int
    step: float
    mode: Mode
    conventions: str = CONVENTIONS


def reduce_weights(
    grid: Grid,
    epsilon: float,
    *,
    step: float = 0.1,
    mode: Mode = "observed",
    start: npt.ArrayLike | None = None,
    objective: Callable[[MapState], float] | None = None,
    constraint: Callable[[MapState], bool] | None = None,
    order: Callable[[Floats], Groups] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> ReducedWeights:
    """Lower the weights of cells, group by group, as long as the objective falls.

    For the default objective f1 most moves are refused without judging the whole map: f1 is at
    least the difference of any two cells' posteriors, and of a few cells they cost one sum each.
    The weights are those of the literal loop.

    Args:
        grid: the map.
        epsilon: ε per metre.
        step: by which weights fall; they start at 1 unless ``start`` says otherwise.
        mode: whether cells of weight 0 still count: ``"observed"`` (no) or ``"limit"``.
        start: weights to start from, such as 0 for the sea.
        objective: of a map; None for f1.
        constraint: a map that a move must satisfy; None for any.
        order: from all posteriors to groups of cells, in the order of trial; None as in
            :data:`CONVENTIONS`.
        progress: called with evaluations and accepted moves.

    Raises:
        WrongTypeError, DomainError, PrivacyError: not such a grid, ε, step, mode or start.

    Source: Algorithm 1 of the source on location privacy, with what it leaves open pinned.

    Examples:
        >>> from sudare.mechanisms.place.grid import Grid
        >>> found = reduce_weights(Grid(5, 5, 100, 100), 0.02, step=0.25)
        >>> bool(found.weights.min() < 1), found.accepted > 0
        (True, True)
    """
    first = _start(grid, epsilon, step, mode, start)
    judge = objective or _f1
    sort = order or groups_by_posterior
    quick = _Quick(first.kernel, mode == "limit") if objective is None else None
    state, best = first, judge(first)
    evaluations, accepted = 1, 0
    moved = True
    while moved:
        moved = False
        for group in sort(state.all_posteriors):
            weights = lowered(state.weights, group, step)
            if not weights.any() or (weights == state.weights).all():
                continue
            evaluations += 1
            if quick is not None and quick.refuses(state, weights, group, best):
                continue
            candidate = MapState(state.kernel, weights, state.limit)
            value = judge(candidate)
            if best - value > LEAST_GAIN and (constraint is None or constraint(candidate)):
                state, best, moved = candidate, value, True
                accepted += 1
                if progress is not None:
                    progress(evaluations, accepted)
                break
    return ReducedWeights(state.weights, state.f1, state.sql, evaluations, accepted, step, mode)


def groups_by_posterior(posterior: Floats) -> list[npt.NDArray[np.intp]]:
    """Return cells by decreasing posterior; neighbours in that order within 1e-9 are one group."""
    order = np.argsort(-posterior, kind="stable")
    breaks = np.flatnonzero(-np.diff(posterior[order]) > TIED) + 1
    ends = [0, *breaks.tolist(), order.size]
    return [order[a:b] for a, b in itertools.pairwise(ends)]


def lowered(weights: Floats, group: npt.NDArray[np.intp], step: float) -> Floats:
    """Return the weights with a group's lowered, not below 0."""
    out = weights.copy()
    out[group] = np.maximum(out[group] - step, 0.0)
    out[out < ZERO] = 0.0
    return out


class _Quick:
    """Refuses moves by lower bounds of f1: of a few cells' posteriors, then of all by one FFT.

    Cells that turn out extreme are looked at from then on.
    """

    def __init__(self, kernel: Kernel, limit: bool) -> None:
        self._kernel = kernel
        self._limit = limit
        self._state: MapState | None = None
        self._sums = self._rows = np.zeros(0)
        self._cells = np.zeros(0, dtype=np.intp)

    def _look(self, state: MapState) -> None:
        """Note what every move from this map needs: k w, and rows of the extreme cells."""
        self._state = state
        self._sums = 1 / state.alpha
        found = state.all_posteriors
        order = np.argsort(found, kind="stable")
        if not self._limit:
            order = order[state.weights[order] > 0]
        self._watch([*order[:_LOOKED_AT].tolist(), *order[-_LOOKED_AT:].tolist()])

    def _watch(self, cells: list[int]) -> None:
        self._cells = np.array(cells[-_MOST_WATCHED:], dtype=np.intp)
        self._rows = np.stack([self._kernel.row(cell) for cell in self._cells.tolist()])

    def refuses(
        self, state: MapState, weights: Floats, group: npt.NDArray[np.intp], best: float
    ) -> bool:
        """Tell whether the move cannot lower f1, beyond all rounding."""
        if state is not self._state:
            self._look(state)
        sums = self._sums - self._lost(state.weights - weights, group)
        if sums.min() <= 0:
            return False
        alpha = 1 / sums
        posterior = alpha[self._cells] / (self._rows @ alpha)
        counted = self._limit or weights[self._cells] > 0
        if _spread(posterior, counted) > best - _ALIKE:
            return True
        everywhere = alpha / self._kernel.apply(alpha)
        counted = self._limit or weights > 0
        if not _spread(everywhere, counted) > best - _ALIKE:
            return False
        highest = int(np.where(counted, everywhere, -np.inf).argmax())
        lowest = int(np.where(counted, everywhere, np.inf).argmin())
        self._watch([*self._cells.tolist(), highest, lowest])
        return True

    def _lost(self, fall: Floats, group: npt.NDArray[np.intp]) -> Floats:
        """Return what ``k w`` loses: some rows of the kernel, or a sum by FFT."""
        if group.size > _MOST_ROWS:
            return self._kernel.apply(fall)
        out = np.zeros_like(fall)
        for cell in group.tolist():
            out += fall[cell] * self._kernel.row(cell)
        return out


def _spread(posterior: Floats, counted: npt.NDArray[np.bool_] | bool) -> float:
    """Return the largest difference of the posteriors that count; minus infinity without one."""
    most = np.where(counted, posterior, -np.inf).max()
    return float(most - np.where(counted, posterior, np.inf).min())


def _f1(state: MapState) -> float:
    return state.f1


def _start(grid: Grid, epsilon: float, step: float, mode: Mode, start: object) -> MapState:
    if not isinstance(grid, Grid):
        raise WrongTypeError("grid", "must be a Grid")
    rate = float(as_rate(epsilon, grid))
    if isinstance(step, bool) or not isinstance(step, int | float):
        raise WrongTypeError("step", "must be a number")
    if not 0 < step <= 1:
        raise DomainError("step", "must lie between 0 and 1", got=step)
    if not isinstance(mode, str) or mode not in MODES:
        raise DomainError("mode", f"must be one of {list(MODES)}", got=mode)
    weights = np.ones(grid.cells)
    if start is not None:
        as_weights(start, grid)
        weights = np.asarray(start, dtype=np.float64).reshape(-1).copy()
    return MapState(Kernel.of(grid, rate), weights, mode == "limit")
