"""Weights that trade the evenness of a map against its service quality loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, dot
from sudare.errors import DomainError
from sudare.exact import as_integer
from sudare.exact.parameters import as_number
from sudare.location.kernel import Kernel
from sudare.location.report import as_people
from sudare.location.state import MapState
from sudare.location.weights.equalise import equaliser
from sudare.mechanisms.place.grid import Grid, as_grid
from sudare.mechanisms.place.rates import as_rate

MARGIN = 1e-7
"""The target is lowered by this: rounding weights to 32 bits moves f1 by less."""

_ROUNDS = 15
_TIGHTENING = 5  # so many rounds before the end a bound that is still exceeded is lowered
_STEPS = 200
_WORK = 2_000_000  # cells x steps of a round: a large map gets fewer steps
_FIRST_PENALTY = 1e3
_GROWTH = 2.0
_ONE_THREAD = 8192  # numbers that BLAS does not divide among threads, which spin when done
_FAINT = 1e-14  # sums below this share of the largest are an FFT's rounding


@dataclass(frozen=True, eq=False)
class OptimisedWeights:
    """Weights with little service quality loss for how evenly they protect.

    Attributes:
        weights: (cells,) of the cells, the largest 1.
        f1: ``max - min`` of the posterior, cells of weight 0 (the limit) included: a bound holds in
            either mode.
        f1_observed, f1_limit: of the cells that are reported; of all cells, as ``f1``.
        sql: metres between true and reported cell, expected.
        posterior_max: the largest posterior of the reported cell.
        target, trade_off: as given; one of them is None.
        evaluations: maps that were judged, gradients included.
    """

    weights: Floats
    f1: float
    f1_observed: float
    f1_limit: float
    sql: float
    posterior_max: float
    target: float | None
    trade_off: float | None
    evaluations: int


def optimise_weights(
    grid: Grid,
    epsilon: float,
    *,
    f1: float | None = None,
    trade_off: float | None = None,
    prior: npt.ArrayLike | None = None,
    mask: npt.ArrayLike | None = None,
    rounds: int = _ROUNDS,
    progress: Callable[[int, float, float], object] | None = None,
) -> OptimisedWeights:
    """Find weights of the least service quality loss under a bound of f1, or at a price of it.

    ::

        min SQL(w)   such that   low <= P(A=r | O=r) <= low + f1   for all cells r
        min SQL(w) / SQL(1) + trade_off * f1(w)                    without a bound

    by the augmented Lagrangian, a multiplier for each bound, and L-BFGS-B with gradients of a few
    sums over the map. The problem is not convex: the outcome is a local optimum, found from the
    equaliser. Cells without people get weight 0.

    Args:
        grid: the map.
        epsilon: ε per metre.
        f1: most ``max - min`` of the posterior; cells of weight 0 count, with their limit.
        trade_off: what f1 = 1 is worth, as a share of plain GridE's SQL; instead of ``f1``.
        prior: (cells,) or (rows, columns) numbers >= 0, where people are; None for uniform.
        mask: (cells,) or (rows, columns) booleans, True where people can be; None for everywhere.
        rounds: updates of the multipliers; more come closer to the optimum.
        progress: called after each round with its number, f1 and SQL.

    Raises:
        WrongTypeError, DomainError, PrivacyError: not such a grid, ε, prior, mask or number.
        DomainError: a bound of f1 that was not reached; it names the least that was.

    Source: augmented Lagrangian: Hestenes 1969, Powell 1969, Rockafellar 1973.

    Examples:
        >>> found = optimise_weights(Grid(15, 15, 115.6, 141.5), 0.02, f1=0.12)
        >>> found.f1 <= 0.12, found.sql < 161.12  # below plain GridE
        (True, True)
    """
    kernel = Kernel.of(as_grid(grid), float(as_rate(epsilon, grid)))
    people = as_people(prior, mask, grid)
    if (f1 is None) == (trade_off is None):
        raise DomainError("f1", "or trade_off must be given, and not both", "such as f1=0.12")
    bound = None if f1 is None else _number(f1, "f1", 1.0)
    price = None if trade_off is None else _number(trade_off, "trade_off", 1e9)
    rounds = as_integer(rounds, "rounds", low=1, high=1000)
    problem = WeightProblem(kernel, people, bound, price)
    first, _ = equaliser(kernel, people)
    best: MapState | None = None
    least = math.inf
    search = _Search(problem, first)
    for number in range(rounds + 1):
        state = search.state()
        least = min(least, state.f1)
        if problem.better(state, best):
            best = state
        if progress is not None:
            progress(number, state.f1, state.sql)
        if number >= rounds - _TIGHTENING and bound is not None and state.f1 > bound:
            search.tighten(2 * (state.f1 - bound))
        if number < rounds:
            search.round()
    if best is None:
        rule = f"must be one that can be reached: the least found is {least:.6g}"
        raise DomainError("f1", rule, "raise it", got=f1)
    gaps = best.f1, best.f1_observed, best.f1_limit
    posterior = float(best.posterior.max())
    return OptimisedWeights(
        best.weights, *gaps, best.sql, posterior, bound, price, search.evaluations
    )


class WeightProblem:
    """SQL, posteriors and their gradients, of the weights of the cells with people."""

    def __init__(
        self, kernel: Kernel, people: Floats | None, bound: float | None, price: float | None
    ) -> None:
        cells = kernel.grid.cells
        self.kernel = kernel
        self.people = people
        self.shares = np.full(cells, 1 / cells) if people is None else people
        self.cells = np.flatnonzero(self.shares)
        self.bound = bound
        self.price = price
        plain = (self.shares > 0).astype(np.float64)
        self.unit = MapState(kernel, plain, True, people).sql or 1.0

    def better(self, state: MapState, best: MapState | None) -> bool:
        """Tell whether a map satisfies the bound, and is the best that does."""
        if self.bound is not None and state.f1 > self.bound:
            return False
        return best is None or self.cost(state) < self.cost(best)

    def cost(self, state: MapState) -> float:
        """Return what is to be least."""
        return state.sql / self.unit + (self.price or 0.0) * state.f1

    def judge(self, own: Floats, prices: Callable[[Floats], Floats]) -> tuple[float, Floats]:
        """Return SQL and the gradient of ``SQL / unit + Σ prices(p)_r p_r`` at fixed prices."""
        k, d = self.kernel, self.kernel.times_distance
        at, share = self.cells, self.shares
        weights = np.zeros(share.size)
        weights[at] = own
        whole = k.forward(weights)
        sums = k.back(k.times(whole))
        alpha = np.zeros(share.size)
        alpha[at] = 1 / np.maximum(sums[at], _FAINT * sums.max())
        lost = k.back(d.times(whole)) / self.unit
        people = share * alpha
        whole = k.forward(people)
        reported = k.back(k.times(whole))
        reported = np.maximum(reported, _FAINT * reported.max())
        price = np.zeros(share.size)
        price[at] = prices((people / reported)[at])
        by_people = price / reported - k.apply(price * people / reported**2)
        by_sums = share * (by_people + lost) * alpha**2
        gradient = k.back(d.times(whole) / self.unit - k.times(k.forward(by_sums)))
        return _sum(people, lost), gradient[at]


class _Search:
    """The augmented Lagrangian: weights, the lower end and width of the posteriors' band."""

    def __init__(self, problem: WeightProblem, first: Floats) -> None:
        self._problem = problem
        self._own = first[problem.cells]
        found = self.state()
        self._width = problem.bound * (1 - MARGIN) if problem.bound is not None else found.f1
        self._low = float(found.posterior.min())
        self._above = np.zeros(self._own.size)
        self._below = np.zeros(self._own.size)
        self._penalty = _FIRST_PENALTY
        self._steps = max(20, min(_STEPS, _WORK // self._own.size))
        self.evaluations = 1

    def state(self) -> MapState:
        """Return the map as it is."""
        p = self._problem
        weights = np.zeros(p.shares.size)
        weights[p.cells] = self._own / self._own.max()
        return MapState(p.kernel, weights, True, p.people)

    def _tension(self, posterior: Floats, low: float, width: float) -> tuple[Floats, Floats]:
        above = self._above + self._penalty * (posterior - low - width)
        below = self._below + self._penalty * (low - posterior)
        return np.maximum(above, 0), np.maximum(below, 0)

    def tighten(self, excess: float) -> None:
        """Lower the width of the band."""
        self._width = max(self._width - excess, 0.0)

    def round(self) -> None:
        """Minimise at fixed multipliers, then move them."""
        from scipy.optimize import Bounds, minimize

        price = self._problem.price
        size = self._own.size

        def cost(x: Floats) -> tuple[float, Floats]:
            self.evaluations += 1
            low, width = x[size:]
            tension: list[Floats] = []

            def prices(posterior: Floats) -> Floats:
                tension.extend(self._tension(posterior, low, width))
                return tension[0] - tension[1]

            sql, gradient = self._problem.judge(x[:size], prices)
            above, below = tension
            value = sql + (price or 0.0) * width
            value += (_sum(above, above) + _sum(below, below)) / (2 * self._penalty)
            by_width = (price or 0.0) - above.sum()
            return value, np.r_[gradient, below.sum() - above.sum(), by_width]

        fixed = (self._width, self._width) if price is None else (0.0, 1.0)
        least = np.r_[np.zeros(size), 0.0, fixed[0]]
        most = np.r_[np.full(size, np.inf), 1.0, fixed[1]]
        found = minimize(
            cost,
            np.r_[self._own / self._own.max(), self._low, self._width],
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(least, most),
            options={
                "maxiter": self._steps, "maxfun": 2 * self._steps, "maxcor": 20,
                "ftol": 1e-15, "gtol": 1e-13,
            },
        )  # fmt: skip
        self._own = found.x[:size]
        self._low, self._width = found.x[size:].tolist()
        posterior = self.state().all_posteriors[self._problem.cells]
        self._above, self._below = self._tension(posterior, self._low, self._width)
        self._penalty *= _GROWTH


def _sum(a: Floats, b: Floats) -> float:
    """Return ``Σ a b``: of few cells by BLAS, of many in one thread."""
    return float(a @ b) if a.size <= _ONE_THREAD else dot(a, b)


def _number(value: object, argument: str, most: float) -> float:
    """Return a number above 0."""
    number = as_number(value, argument)
    if not 0 < number <= most:
        raise DomainError(argument, f"must lie above 0 and be at most {most:g}", got=value)
    return number
