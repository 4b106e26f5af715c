"""Exact checks of what is said about errors, from the law of the reports.

With ``y = Σ_v w_v P(. | v)`` the law of a report of somebody whose answer is v with weight w_v, an
estimate g from n reports y of them has to first order the variance::

    n Var = Σ_r y_r a_r^2                    (population)
            Σ_v w_v Var(a_r | v)             (respondents),   a_r = dg / dy_r - Σ_s y_s dg / dy_s

which is exact where g is linear. Source: the delta method; a_r is the influence of a report.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.estimation import Counts
from sudare.estimation.estimate import TARGETS, Target
from sudare.exact.entropy import Entropy
from sudare.mechanisms import Mechanism
from sudare.testing.law import Law, law_of
from sudare.testing.suite import demand, of

_N = 1 << 50
_STEP = 1 << 30  # reports that are added to see what one does
_TOLERANCE = 1e-3
_MOST = 1 << 9  # reports whose influence is looked at


@of(law_of)
def estimates_without_bias(law: Law, _: Entropy) -> None:
    """Expected counts give back the truth; the estimate says what it is."""
    m, family = law.m, law.family
    for weights in _weights(law):
        truth, people = family.truth(m, law.answers, weights), _expected(law, weights)
        for target in TARGETS:
            estimate = _estimate(law, people, target)
            shown, stderr = family.estimated(m, estimate)
            rounding = 1e-9 + 1e-12 * float(np.nanmax(stderr)) * math.sqrt(_N)
            known = np.isfinite(truth)
            demand(
                shown.shape == truth.shape
                and np.allclose(shown[known], truth[known], rtol=1e-8, atol=rounding),
                "must be unbiased",
            )
            for one in estimate if isinstance(estimate, tuple) else (estimate,):
                says_what_it_is(m, one, _N, target)


def says_what_it_is(m: Mechanism, estimate: Any, n: int, target: Target) -> None:
    """Demand that an estimate names what it comes from."""
    demand(
        (estimate.n, estimate.epsilon, estimate.covers, estimate.target)
        == (n, m.epsilon, m.covers, target),
        "must put n, ε, what it covers and the target into the estimate",
    )


@of(law_of)
def states_its_variance(law: Law, _: Entropy) -> None:
    """Standard errors are those of the law, or above them where nobody can know more."""
    m, family = law.m, law.family
    if m.program.outputs > _MOST:
        return
    for weights in _weights(law):
        truth, people = family.truth(m, law.answers, weights), _expected(law, weights)
        influence = _influence(law, people)
        for target in TARGETS:
            _shown, stderr = family.estimated(m, _estimate(law, people, target))
            squares = law.table.T @ influence**2
            if target == "respondents":
                squares = squares - (law.table.T @ influence) ** 2
            variance = weights @ squares
            excess = _N * stderr**2 - variance
            known = np.isfinite(truth) & np.isfinite(variance)
            slack = _TOLERANCE * np.maximum(variance, 1e-9 * np.nanmax(squares))
            fits = (excess >= -slack) & (
                (excess <= slack) | ~np.asarray(family.exact_errors(m, target))
            )
            demand(bool(fits[known].all()), f"must state the variance of its law for the {target}")


def _weights(law: Law) -> Iterator[Floats]:
    """Yield true shares of the answers: even, rising with the number of the answer."""
    given = law.family.plausible(law.m, law.answers)
    for shares in (given.astype(np.float64), np.cumsum(given) * given):
        if given.any():
            yield shares / shares.sum()


def _expected(law: Law, weights: Floats) -> Any:
    """Return how many of 2^50 respondents are expected to send each report, in whole numbers."""
    people = np.floor(_N * (law.table @ weights)).astype(np.int64)
    people[int(np.argmax(people))] += _N - int(people.sum())
    return people


def _estimate(law: Law, people: Any, target: Target = "population") -> Any:
    support = (people @ law.supports).reshape(law.m.shape)
    counts = Counts(support, int(people.sum()), law.m.to_json())
    return law.m.estimate(counts, law.family.method(law.m), target)


def _influence(law: Law, people: Any) -> Floats:
    """Return what one more report of each kind does to the estimates: [report, estimate]."""
    base, _ = law.family.estimated(law.m, _estimate(law, people))
    out = np.zeros((people.size, base.size))
    for row in np.flatnonzero(people).tolist():
        more = people.copy()
        more[row] += _STEP
        moved, _ = law.family.estimated(law.m, _estimate(law, more))
        out[row] = (moved - base) * ((_N + _STEP) / _STEP)
    return out
