"""Algorithm 1 of the source: weights are lowered greedily until the map protects more evenly."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, WrongTypeError, as_one_of
from sudare.exact.parameters import as_float, is_list
from sudare.location.kernel import Kernel
from sudare.location.report import MODES, Mode, as_people
from sudare.location.state import MapState
from sudare.location.weights.move_filter import MoveFilter
from sudare.mechanisms.place.grid import Grid, as_grid
from sudare.mechanisms.place.rates import as_plain_weights, as_rate
from sudare.mechanisms.values import as_array

Cells = npt.NDArray[np.intp]

TIED = 1e-9
ZERO = 1e-12
LEAST_GAIN = 1e-12
_ROUNDED = LEAST_GAIN / 50  # rounding is less than that
_LARGEST = 1e9  # of weights to start from

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
        f1_observed, f1_limit: the same in either mode, to compare weights by.
        sql: metres between true and reported cell, expected.
        evaluations: maps that were judged, the first one included.
        computed: of these, maps whose posteriors were all computed; the others were refused by a
            bound on a few cells.
        accepted: moves that were kept.
        step, mode: as given.
        conventions: what the source leaves open and this run fixed; the result depends on it.
    """

    weights: Floats
    f1: float
    f1_observed: float
    f1_limit: float
    sql: float
    evaluations: int
    computed: int
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
    prior: npt.ArrayLike | None = None,
    mask: npt.ArrayLike | None = None,
    order: Callable[[Floats], Sequence[npt.ArrayLike]] | None = None,
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
        prior: (cells,) or (rows, columns) numbers >= 0, where people are; None for uniform.
        mask: (cells,) or (rows, columns) booleans, True where people can be; None for everywhere.
            Cells without people have weight 0 from the start, and do not count.
        order: from all posteriors to groups of cells, in the order of trial; None as in
            :data:`CONVENTIONS`.
        progress: called with evaluations and accepted moves.

    Raises:
        WrongTypeError, DomainError, PrivacyError: not such a grid, ε, step, mode, start, prior or
            mask; no function, or one that returns something else.

    Source: Algorithm 1 of the source on location privacy, with what it leaves open pinned.

    Examples:
        >>> from sudare.mechanisms.place.grid import Grid
        >>> found = reduce_weights(Grid(5, 5, 100, 100), 0.02, step=0.25)
        >>> bool(found.weights.min() < 1), found.accepted > 0
        (True, True)
    """
    first = _start(grid, epsilon, step, mode, start, as_people(prior, mask, as_grid(grid)))
    given = {"objective": objective, "constraint": constraint, "order": order, "progress": progress}
    for name, one in given.items():
        if one is not None and not callable(one):
            raise WrongTypeError(name, "must be a function", "or None", got=one)
    judge = _f1 if objective is None else _numbers(objective)
    sort = groups_by_posterior if order is None else _flat(order)
    quick = MoveFilter(first, LEAST_GAIN - _ROUNDED) if objective is None else None
    state, best = first, judge(first)
    evaluations, computed, accepted = 1, 1, 0
    moved = True
    while moved:
        moved = False
        cells, starts = sort(state.all_posteriors)
        ends = np.append(starts[1:], cells.size)
        some = state.weights > 0
        lower = lowered(state.weights, step)
        falls = np.logical_or.reduceat((lower != state.weights)[cells], starts)
        dying = np.add.reduceat((some & (lower == 0))[cells], starts, dtype=np.intp)
        tried = np.flatnonzero(falls & (dying < np.count_nonzero(some)))
        refused = np.zeros(starts.size, dtype=np.bool_)
        if quick is not None:
            refused = quick.refused(state, lower, cells, starts, best)
        for place in tried.tolist():
            evaluations += 1
            if refused[place]:
                continue
            group = cells[starts[place] : ends[place]]
            weights = state.weights.copy()
            weights[group] = lower[group]
            if quick is not None and quick.refuses(state, weights, group, best):
                continue
            candidate = MapState(state.kernel, weights, state.limit, state.prior)
            computed += 1
            value = judge(candidate)
            if best - value > LEAST_GAIN and (constraint is None or _true(constraint(candidate))):
                state, best, moved = candidate, value, True
                accepted += 1
                if progress is not None:
                    progress(evaluations, accepted)
                break
            if quick is not None:
                quick.learn(candidate)
    told = evaluations, computed, accepted
    gaps = state.f1, state.f1_observed, state.f1_limit
    return ReducedWeights(state.weights, *gaps, state.sql, *told, step, mode)


def groups_by_posterior(posterior: Floats) -> tuple[Cells, Cells]:
    """Return cells by decreasing posterior, and where groups of them start.

    Neighbours in that order within 1e-9 are one group.
    """
    order = np.argsort(-posterior, kind="stable")
    breaks = np.flatnonzero(-np.diff(posterior[order]) > TIED) + 1
    return order, np.concatenate([[0], breaks])


def lowered(weights: Floats, step: float) -> Floats:
    """Return all weights lowered by a step, not below 0."""
    out = np.maximum(weights - step, 0.0)
    out[out < ZERO] = 0.0
    return out


def _flat(
    order: Callable[[Floats], Sequence[npt.ArrayLike]],
) -> Callable[[Floats], tuple[Cells, Cells]]:
    """Return a caller's order of trial as cells and starts: on the map, none empty or twice."""

    def sort(posterior: Floats) -> tuple[Cells, Cells]:
        groups = []
        found = order(posterior)
        if not is_list(found):
            raise WrongTypeError("order", "must return groups of cell numbers")
        for group in found:
            cells = as_array(group)
            if cells is None or cells.ndim != 1 or (cells.size and cells.dtype.kind not in "iu"):
                raise WrongTypeError("order", "must return groups of cell numbers")
            if cells.size and not (cells.min() >= 0 and cells.max() < posterior.size):
                raise DomainError("order", "must return cells of the map")
            if cells.size:
                groups.append(np.unique(cells.astype(np.intp)))
        if not groups:
            raise DomainError("order", "must return a group")
        sizes = np.array([group.size for group in groups])
        return np.concatenate(groups), np.cumsum(sizes) - sizes

    return sort


def _f1(state: MapState) -> float:
    return state.f1


def _numbers(objective: Callable[[MapState], float]) -> Callable[[MapState], float]:
    """Return a caller's objective, its values checked."""

    def judge(state: MapState) -> float:
        value = objective(state)
        if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
            raise WrongTypeError("objective", "must return a number", "such as lambda map: map.f1")
        number = as_float(value)
        if not math.isfinite(number):
            raise DomainError("objective", "must return a finite number")
        return number

    return judge


def _true(value: object) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise WrongTypeError("constraint", "must return True or False")
    return bool(value)


def _start(
    grid: Grid, epsilon: float, step: float, mode: Mode, start: object, people: Floats | None
) -> MapState:
    rate = float(as_rate(epsilon, grid))
    if isinstance(step, bool) or not isinstance(step, int | float):
        raise WrongTypeError("step", "must be a number")
    if not 0 < step <= 1:
        raise DomainError("step", "must lie between 0 and 1", got=step)
    weights = np.ones(grid.cells)
    if start is not None:
        weights = as_plain_weights(start, grid.cells, grid.shape)
        if weights.max() > _LARGEST:
            raise DomainError("start", f"must be at most {_LARGEST:g}", "weights fall by 1 at most")
    weights[weights < ZERO] = 0.0
    if people is not None:
        weights[people == 0] = 0.0
    if not weights.any():
        raise DomainError("start", "must hold a weight above 0 where people are", "change it")
    return MapState(
        Kernel.of(grid, rate), weights, as_one_of(mode, "mode", MODES) == "limit", people
    )
