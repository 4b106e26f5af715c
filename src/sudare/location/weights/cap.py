"""A law of places with the least service quality loss under a cap on every posterior."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.exact.parameters import as_number
from sudare.location.report import as_people
from sudare.location.weights.program import CapProgram
from sudare.mechanisms.place.base import realised_epsilon
from sudare.mechanisms.place.grid import Grid, as_grid
from sudare.mechanisms.place.rates import as_rate
from sudare.mechanisms.place.tabled import PlaceChannel

_ROUNDS = 20
_LIFTED = 1e-9  # mass that the last repair may add to a column
_ROUNDED = 1e-12
_FIRST_MIXED = 1e-11


@dataclass(frozen=True, eq=False)
class CappedLaw:
    """A law under a cap on the posterior, repaired and rechecked.

    Attributes:
        law: (cells, cells) ``P[report, cell]``; columns sum to 1.
        sql: metres between true and reported cell, expected over the prior.
        posterior_max: the largest posterior of any cell after any report: at most the cap, to
            rounding.
        epsilon: ε per metre really spent, over all pairs of cells: at most the nominal one.
        mixed: share of the uniform law that the repair took.
        grid, nominal_epsilon, cap: as given.
    """

    law: Floats
    sql: float
    posterior_max: float
    epsilon: float
    mixed: float
    grid: Grid
    nominal_epsilon: float
    cap: float

    @property
    def mechanism(self) -> PlaceChannel:
        """The law as whole numbers, checked once more."""
        return PlaceChannel(self.grid, self.nominal_epsilon, self.law)


def cap_posterior(
    grid: Grid,
    epsilon: float,
    cap: float,
    *,
    prior: npt.ArrayLike | None = None,
    mask: npt.ArrayLike | None = None,
    progress: Callable[[int, float], object] | None = None,
) -> CappedLaw:
    """Find the law of the least service quality loss whose posteriors stay under a cap.

    The linear program over all laws K, weights or not::

        min Σ_r π(r) Σ_o K[o, r] d(r, o)
        K[o, r1] <= exp(ε d(r1, r2)) K[o, r2]            for all reports and pairs of cells
        π(r) K[o, r] <= cap Σ_r' π(r') K[o, r']          for all reports and cells
        Σ_o K[o, r] = 1

    The cap binds for *every* cell after *every* report, not for the reported cell alone. It is
    solved on neighbours and on pairs with the reported cell first; pairs that turn out violated
    are added until none is: the optimum of all pairs. What the solver returns is not private to
    the last digit: tiny probabilities are raised to the least that privacy allows, and a little
    of the uniform law is mixed in until ε and cap hold for every pair. Cells without people are
    never reported. Mirror symmetries of grid and prior are used: 15 x 15 cells take half a minute.

    Args:
        grid: the map.
        epsilon: ε per metre.
        cap: most posterior of any cell; at least the largest prior, which no law undercuts.
        prior: (cells,) or (rows, columns) numbers >= 0, where people are; None for uniform.
        mask: (cells,) or (rows, columns) booleans, True where people can be; None for everywhere.
        progress: called with the number of a round and the SQL of its program.

    Raises:
        WrongTypeError, DomainError, PrivacyError: not such a grid, ε, cap, prior or mask.
        DomainError: a cap below the largest prior; a grid too large for the program.

    Source: optimal laws of places by linear programming: Bordenabe, Chatzikokolakis, Palamidessi
    2014; there without a cap.

    Examples:
        >>> found = cap_posterior(Grid(3, 3, 115.6, 141.5), 0.02, 0.5)
        >>> found.posterior_max <= 0.5, found.epsilon <= 0.02, found.mechanism.epsilon <= 0.02
        (True, True, True)
    """
    rate = float(as_rate(epsilon, as_grid(grid)))
    shares = as_people(prior, mask, grid)
    people = np.full(grid.cells, 1 / grid.cells) if shares is None else shares
    most = _as_cap(cap, float(people.max()))
    program = CapProgram(grid, rate, max(most * (1 - 1e-9), float(people.max())), people)
    closed, lifted = np.zeros(0), np.inf
    for number in range(_ROUNDS):
        law = program.solve()
        closed = _closed(law, program.factors)
        lifted = float(np.abs(closed.sum(axis=0) - 1).max())
        if progress is not None:
            progress(number, float((law * program.distances).sum(axis=0) @ people))
        if lifted < _LIFTED or not program.extend(law):
            break
    return repaired(closed / closed.sum(axis=0), program, grid, rate, most)


def _closed(law: Floats, factors: Floats) -> Floats:
    """Return the least law (but for its sums) above this one that keeps every pair's ε."""
    return np.stack([(factors * row).max(axis=1) for row in law])


def repaired(law: Floats, program: CapProgram, grid: Grid, rate: float, cap: float) -> CappedLaw:
    """Mix with the uniform law until ε and cap hold for every pair; at 1 both do."""
    people = program.people
    possible = people > 0
    uniform = np.where(possible, 1 / possible.sum(), 0.0)[:, None]
    mixed = _FIRST_MIXED
    while True:
        one = (1 - mixed) * law + mixed * uniform
        one /= one.sum(axis=0)
        with np.errstate(divide="ignore"):
            epsilon = realised_epsilon(np.log(one), program.distances) * (1 + _ROUNDED)
        joint = (one * people)[possible]
        highest = float((joint / joint.sum(axis=1, keepdims=True)).max())
        if mixed >= 1 or (epsilon <= rate and highest <= cap * (1 + _ROUNDED)):
            break
        mixed = min(1.0, 4 * mixed)
    sql = float((one * program.distances).sum(axis=0) @ people)
    return CappedLaw(one, sql, highest, epsilon, mixed, grid, rate, cap)


def _as_cap(cap: object, least: float) -> float:
    number = as_number(cap, "cap")
    if not least <= number <= 1:
        rule = f"must lie between the largest prior, {least:.6g}, and 1"
        raise DomainError("cap", rule, "no law undercuts the prior", got=cap)
    return number
