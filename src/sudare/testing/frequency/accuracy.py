"""Exact checks of what is said about errors: bias, variance, covariance, expected error."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from sudare.estimation import Counts, Estimate
from sudare.estimation.estimate import TARGETS, Floats
from sudare.exact.entropy import Entropy
from sudare.mechanisms import FrequencyOracle
from sudare.testing.frequency.subjects import enumerable, report, supports_of
from sudare.testing.suite import demand

_N = 1 << 60
_PAIRS = 1 << 8  # most reports times pairs of categories whose covariance is enumerated


def estimates_without_bias(m: FrequencyOracle, _: Entropy) -> None:
    """Expected supports give back the true shares; the estimate says what it is."""
    p, q = m.support_probabilities
    for truth in _shares(m.k):
        estimate = m.estimate(_expected_counts(m, truth))
        # Supports are rounded to 2^-60, and floats to 2^-53, before the division by p - q.
        error = np.abs(estimate.shares - np.array([float(x) for x in truth])).max()
        demand(float(error) <= 1e-12 + 4e-15 / float(p - q), "must be unbiased")
        for target in TARGETS:
            estimate = m.estimate(_expected_counts(m, truth), target=target)
            demand(
                (estimate.n, estimate.epsilon, estimate.covers, estimate.method, estimate.target)
                == (_N, m.epsilon, m.covers, "unbiased", target),
                "must put n, ε, what it covers, method and target into the estimate",
            )


def states_its_variance(m: FrequencyOracle, _: Entropy) -> None:
    """``variance``, ``stderr`` and ``expected_mse`` are those of Bernoulli supports."""
    p, q = m.support_probabilities
    own = float(p * (1 - p) / (p - q) ** 2)
    other = float(q * (1 - q) / (p - q) ** 2)
    n = 1000
    for exact in _shares(m.k):
        x = np.array([float(share) for share in exact])
        estimated = _expected_counts(m, exact)
        for target in TARGETS:
            sampled = x * (1 - x) if target == "population" else 0.0
            variance = x * own + (1 - x) * other + sampled
            demand(
                _close(m.variance(x, n, target), variance / n),
                f"must state the variance of its law for the {target}",
            )
            mse = m.expected_mse(n, x, target)
            demand(
                _close(mse, float(variance.mean()) / n),
                f"must state the expected error of its law for the {target}",
            )
            demand(
                _close(m.estimate(estimated, target=target).stderr ** 2, variance / _N, 1e-6),
                f"must state the standard errors of its law for the {target}",
            )
    for target in TARGETS:
        uniform = m.expected_mse(n, np.full(m.k, 1 / m.k), target)
        demand(_close(m.expected_mse(n, None, target), uniform), "must expect uniform shares")


def states_its_covariance(m: FrequencyOracle, _: Entropy) -> None:
    """Covariances, and standard errors of differences, are those of the enumerated law."""
    if not enumerable(m) or m.program.outputs * m.k * m.k > _PAIRS:
        return
    p, q = m.support_probabilities
    scale = float((p - q) ** 2)
    for exact in _shares(m.k):
        for i, j, supported in _covariances(m, exact):
            noise = float(supported) / scale
            x, y = float(exact[i]), float(exact[j])
            stated = m._noise_covariance(x, y, float(p), float(q))
            slack = 1e-9 * float(p * (1 - p) + q * (1 - q)) / scale
            demand(abs(stated - noise) <= slack, "must state the covariance of its law")
            for target in TARGETS:
                sampled = x * y if target == "population" else 0.0
                estimate = m.estimate(_expected_counts(m, exact), target=target)
                expected = _difference(m, exact, i, j, estimate, (noise - sampled) / _N)
                demand(
                    _close(estimate.difference(i, j).stderr ** 2, expected, 1e-6),
                    f"must state the error of a difference by its law for the {target}",
                )


def _difference(
    m: FrequencyOracle,
    shares: list[Fraction],
    i: int,
    j: int,
    estimate: Estimate,
    covariance: float,
) -> float:
    x = np.array([float(share) for share in shares])
    variance = m.variance(x, estimate.n, estimate.target)
    return max(0.0, float(variance[i] + variance[j]) - 2 * covariance)


def _covariances(
    m: FrequencyOracle, shares: list[Fraction]
) -> Iterator[tuple[int, int, Fraction]]:
    """Yield i, j and the covariance of a report's supports of them, given the respondents."""
    law = m.program.matrix()
    supports = [supports_of(m, report(m, index))[0] for index in range(len(law))]
    p, q = m.support_probabilities
    for i in range(m.k):
        for j in range(i + 1, m.k):
            both = [row for row, s in zip(law, supports, strict=True) if s[i] and s[j]]
            total = Fraction(0)
            for value, share in enumerate(shares):
                apart = (p if value == i else q) * (p if value == j else q)
                joint = sum((row[value] for row in both), start=Fraction(0))
                total += share * (joint - apart)
            yield i, j, total


def _shares(k: int) -> Iterator[list[Fraction]]:
    """Yield true shares: even, all in one category, and rising from category to category."""
    yield [Fraction(1, k)] * k
    yield [Fraction(0)] * (k - 1) + [Fraction(1)]
    total = k * (k + 1) // 2
    yield [Fraction(i + 1, total) for i in range(k)]


def _expected_counts(m: FrequencyOracle, shares: list[Fraction]) -> Counts:
    """Return the expected supports of 2^60 respondents with these shares, in whole numbers."""
    p, q = m.support_probabilities
    support = np.array([round(_N * (q + (p - q) * x)) for x in shares], dtype=np.int64)
    if p + (m.k - 1) * q == 1:  # one support a report: they add up to n
        support[0] += _N - int(support.sum())
    return Counts(support, _N)


def _close(stated: Floats | float, expected: Floats | float, tolerance: float = 1e-9) -> bool:
    a, b = np.asarray(stated, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=tolerance, atol=math.ulp(0.0)))
