"""Exact checks of what is said about errors: bias, variance, covariance, expected error."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np

from sudare.arrays import Floats
from sudare.estimation import Counts
from sudare.estimation.estimate import TARGETS, Target
from sudare.exact.entropy import Entropy
from sudare.mechanisms import FrequencyOracle
from sudare.testing.core.accuracy import says_what_it_is
from sudare.testing.law import Law, law_of
from sudare.testing.suite import demand, of

_N = 1 << 60
_TOLERANCE = 1e-6  # floats lose digits in 1 - p where p is near 1
_PAIRS = 1 << 8  # most reports times pairs of categories whose covariance is enumerated


def estimates_without_bias(m: FrequencyOracle, _: Entropy) -> None:
    """Expected supports give back the true shares; the estimate says what it is."""
    p, q = m.support_probabilities
    rounding = 4e-15 + m.k / _N  # of floats, and of k supports to whole numbers
    for weights in _weights(m.k):
        counts, truth = _expected_counts(m, weights), _shares(weights)
        for target in TARGETS:
            estimate = m.estimate(counts, target=target)
            error = float(np.abs(estimate.shares - truth).max())
            demand(error <= 1e-12 + rounding / abs(float(p - q)), "must be unbiased")
            says_what_it_is(m, estimate, _N, target)
            demand(estimate.method == "unbiased", "must put the method into the estimate")


def states_its_variance(m: FrequencyOracle, _: Entropy) -> None:
    """``variance``, ``stderr`` and ``expected_mse`` are those of Bernoulli supports."""
    n = 1000
    for weights in _weights(m.k):
        counts, x = _expected_counts(m, weights), _shares(weights)
        for target in TARGETS:
            variance = variance_of_one(m, x, target)
            squares = m.estimate(counts, target=target).stderr ** 2
            for what, stated, expected in (
                ("variance", m.variance(x, n, target), variance / n),
                ("expected error", m.expected_mse(n, x, target), float(variance.mean()) / n),
                ("standard errors", squares, variance / _N),
            ):
                rule = f"must state the {what} of its law for the {target}"
                demand(close(stated, expected), rule)
    for target in TARGETS:
        uniform = m.expected_mse(n, np.full(m.k, 1 / m.k), target)
        demand(close(m.expected_mse(n, None, target), uniform), "must expect uniform shares")


def variance_of_one(m: FrequencyOracle, x: Floats, target: Target) -> Floats:
    """Return n times the variance of shares x, each the mean of n Bernoulli supports."""
    p, q = m.support_probabilities
    own = float(p * (1 - p) / (p - q) ** 2)
    other = float(q * (1 - q) / (p - q) ** 2)
    noise = x * own + (1 - x) * other
    return noise + x * (1 - x) if target == "population" else noise


@of(law_of)
def states_its_covariance(law: Law, _: Entropy) -> None:
    """Covariances, and standard errors of differences, are those of the enumerated law."""
    m = law.m
    if m.program.outputs * m.k * m.k > _PAIRS:
        return
    p, q = m.support_probabilities
    scale = float((p - q) ** 2)
    slack = _TOLERANCE * float(p * (1 - p) + q * (1 - q))
    joint = _joint_supports(law)
    for (i, j), both in joint.items():
        stated = m.law.pair_probability(i, j, np.arange(m.k))
        demand(
            float(np.abs(stated - [float(one) for one in both]).max()) <= slack,
            "must state the covariance of its law",
        )
    for weights in _weights(m.k):
        counts, x = _expected_counts(m, weights), _shares(weights)
        _states_the_rest(m, x)
        for (i, j), both in joint.items():
            # The covariance of a respondent's two supports, given the value, averaged over values.
            noise = sum(
                Fraction(weight, sum(weights)) * (both[v] - (p if v in (i, j) else q) * q)
                for v, weight in enumerate(weights)
            )
            for sign in (1.0, -1.0):
                spread = np.zeros(m.k)
                spread[[i, j]] = 1.0, sign
                known = float(m.law.cells(x)[[i, j]].sum()) + 2 * sign * float(noise) / scale
                demand(
                    abs(m.law.noise(spread, x) - known) <= slack / scale,
                    "must state the variance of sums by its law",
                )
            for target in TARGETS:
                estimate = m.estimate(counts, target=target)
                sampled = x[i] * x[j] if target == "population" else 0.0
                variance = m.variance(x, _N, target)
                expected = variance[i] + variance[j] - 2 * (float(noise) / scale - sampled) / _N
                demand(
                    close(estimate.difference(i, j).stderr ** 2, max(0.0, expected)),
                    f"must state the error of a difference by its law for the {target}",
                )


def _states_the_rest(m: FrequencyOracle, x: Floats) -> None:
    """Check the variance of single shares where half of the people hold none of the categories."""
    for unit, cell in zip(np.eye(m.k), m.law.cells(x / 2), strict=True):
        stated = m.law.spread(unit, x / 2)
        demand(close(stated, cell), "must state the variance of its law where shares leave a rest")


def _joint_supports(law: Law) -> dict[tuple[int, int], list[Fraction]]:
    """Return for each pair of categories the probability to support both, under each value."""
    joint = {}
    for i, j in combinations(range(len(law.answers)), 2):
        rows = np.flatnonzero(law.supports[:, i] & law.supports[:, j]).tolist()
        joint[i, j] = [sum((own[row] for row in rows), start=Fraction(0)) for own in law.exact]
    return joint


def _weights(k: int) -> Iterator[list[int]]:
    """Yield true shares as weights: even, all in one category, rising with the category."""
    yield [1] * k
    yield [0] * (k - 1) + [1]
    yield list(range(1, k + 1))


def _shares(weights: list[int]) -> Floats:
    return np.array(weights, dtype=np.float64) / sum(weights)


def _expected_counts(m: FrequencyOracle, weights: list[int]) -> Counts:
    """Return the expected supports of 2^60 respondents with these shares, in whole numbers."""
    p, q = m.support_probabilities
    base, slope = _N * q, _N * (p - q) / sum(weights)
    bottom = base.denominator * slope.denominator
    zero, step = int(base * bottom), int(slope * bottom)
    support = np.array([(zero + step * weight) // bottom for weight in weights], dtype=np.int64)
    if p + (m.k - 1) * q == 1:  # one support a report: they add up to n
        support[0] += _N - int(support.sum())
    return Counts(support, _N)


def close(stated: Floats | float, expected: Floats | float) -> bool:
    """Return whether two arrays of one shape agree within a millionth of each number."""
    a, b = np.asarray(stated, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=_TOLERANCE, atol=1e-26))
