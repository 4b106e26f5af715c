"""Two places of the same people, crossed: how many go from each cell to each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats, Integers
from sudare.errors import EstimationError
from sudare.estimation import Estimate, as_table
from sudare.estimation.caution import FEW, few_reports
from sudare.estimation.estimate import Target, check_target
from sudare.estimation.simplex import project
from sudare.mechanisms.crossed import MOST_CELLS, TOGETHER, Crossed, MomentLaw
from sudare.mechanisms.place.base import Place

MOST_SKEWED = 0.5
"""Skewness up to which an interval follows it."""

_WORST = 1e6
"""Condition of a channel: beyond, the shares would err by more than all that there is."""


def flows(
    mechanisms: Sequence[Place],
    reports: Sequence[npt.NDArray[np.integer]],
    insides: Sequence[Booleans],
    *,
    target: Target = "population",
) -> Crossed:
    """Estimate which shares of the people have which two places, from reports sent together.

    ::

        x = (M_1 (x) M_2)^-1 y,   y_ab the share of submissions that report a and b

    Each report has its own randomness, so that the channel of both is the product of theirs. The
    ε of both add up, for each metre by which both places move.

    Args:
        mechanisms: of the two questions.
        reports: (n,) of each, of the same people in the same order.
        insides: (values,) booleans: where people can be; the rows and columns of the table.
        target: whose shares the standard errors are about.

    Raises:
        EstimationError: fewer than two reports, more than 1,024 pairs of cells, cells that are
            never reported, or a map whose cells reports do not tell apart.
    """
    whose = check_target(target)
    n = len(reports[0])
    shape = tuple(int(inside.sum()) for inside in insides)
    if n < 2:
        raise EstimationError("reports", "must be at least two", "collect some first")
    if shape[0] * shape[1] > MOST_CELLS:
        rule = f"must have at most {MOST_CELLS:,} pairs of cells"
        raise EstimationError("mechanisms", rule, "ask on a coarser map", got=shape)
    laws, rows = [], []
    for mechanism, inside, own in zip(mechanisms, insides, reports, strict=True):
        if not (mechanism.reported == inside).all():
            remedy = "leave no cell out by its weight"
            raise EstimationError("mechanisms", "must report every cell of the land", remedy)
        laws.append(mechanism.matrix()[np.ix_(inside, inside)])
        rows.append(np.cumsum(inside)[own] - 1)
    places = np.ravel_multi_index(tuple(rows), shape)
    pairs = np.bincount(places, minlength=shape[0] * shape[1]).astype(np.int64)
    if max(np.linalg.cond(one) for one in laws) > _WORST:
        rule = "must tell the cells of the map apart"
        raise EstimationError("mechanisms", rule, "ask on a coarser map, or at a larger ε")
    channel = np.asarray(np.kron(*laws), dtype=np.float64)
    law = _law(channel, pairs, n, whose)
    flat = Estimate(
        shares=law.shares,
        stderr=law.stderr,
        n=n,
        epsilon=sum(mechanism.epsilon for mechanism in mechanisms),
        covers=f"{TOGETHER}, for each metre that both places move",
        method="crossed",
        target=whose,
        _law=law,
    )
    few = np.flatnonzero(n * (channel @ project(law.shares)) < FEW)
    cautions = (few_reports(few, shape),) if few.size else ()
    return Crossed(pairs.reshape(shape), replace(as_table(flat, shape), warnings=cautions))


def _law(channel: Floats, pairs: Integers, n: int, whose: Target) -> MomentLaw:
    """Return how the shares vary, of reports as the plausible shares would give them.

    As those of crossed questions: the second and third moments of the numbers ``M^-1[c, r]`` that a
    report r says of the pair c. Third moments of a few rare reports are left out: the correction
    for a skewed law is one of slightly skewed ones, and would move an interval off its share.
    """
    inverse = np.linalg.inv(channel)
    x: Floats = inverse @ pairs / n
    true, none = project(x), np.zeros(x.size)
    y = channel @ true
    square, cube = (inverse * y) @ inverse.T, inverse**3 @ y
    if whose == "population":
        matrix = (square - np.outer(true, true)) / n
        third = _slight((cube - 3 * true * np.diag(square) + 2 * true**3) / n**2, matrix)
        return MomentLaw(x, n - 1.0, matrix, third, third, 0.0, none)
    matrix = (square - np.diag(true)) / n
    each = inverse**2 @ channel  # of a number's square, for each true pair
    third = _slight((cube - 3 * true * np.diag(each) + 2 * true) / n**2, matrix)
    along = _slight(((each - np.eye(true.size)) * matrix).sum(axis=1) / n, matrix)
    return MomentLaw(x, n - 1.0, matrix, third, along, 0.0, none)


def _slight(third: Floats, matrix: Floats) -> Floats:
    """Return third moments, 0 where the skewness is beyond what a correction holds for."""
    deviation = np.sqrt(np.maximum(np.diag(matrix), 0))
    return np.where(np.abs(third) <= MOST_SKEWED * deviation**3, third, 0.0)
