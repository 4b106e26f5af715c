"""Promised errors against simulated ones. Tolerances are stated; entropy is recorded."""

from __future__ import annotations

import numpy as np
import pytest

import sudare as sd
from sudare.estimation.score import limits
from tests.cases import cases

TARGETS = ("population", "respondents")


def draws(m: sd.GRR, shares: np.ndarray, n: int, runs: int, target: str, seed: bytes):
    """Yield counts of simulated collections."""
    generator = sd.Entropy.seeded(seed).generator()
    fixed = np.round(shares * n).astype(np.int64)
    fixed[0] += n - fixed.sum()
    for _ in range(runs):
        truth = generator.multinomial(n, shares) if target == "population" else fixed
        yield sd.Counts(m._simulate(truth, generator), n)


def zipf(k: int) -> np.ndarray:
    weights = 1 / np.arange(1, k + 1)
    return weights / weights.sum()


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_expected_mse_is_the_mean_over_the_cells(counting_class: type[sd.GRR], target: str) -> None:
    """4 % are 4 standard errors of 1000 runs, if the cells were but 12 that err apart."""
    m, n, runs = counting_class(min(43, counting_class.max_k), 1.0), 5000, 1000
    shares = zipf(m.k)
    p, q = (float(x) for x in m.support_probabilities)
    truth = shares
    if target == "respondents":
        fixed = np.round(shares * n)
        fixed[0] += n - fixed.sum()
        truth = fixed / n
    total = 0.0
    for counts in draws(m, shares, n, runs, target, b"mse"):
        total += float(((((counts.support / n) - q) / (p - q) - truth) ** 2).mean())
    assert total / runs == pytest.approx(m.expected_mse(n, truth, target=target), rel=0.04)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", [0.0, 0.5, 1.0])
def test_the_variance_of_one_cell(counting_class: type[sd.GRR], f: float, target: str) -> None:
    """12 % are 4 standard errors of the variance of 2,000 runs."""
    m, n, runs = counting_class(3, 1.0), 1000, 2_000
    shares = np.array([f, (1 - f) / 2, (1 - f) / 2])
    p, q = (float(x) for x in m.support_probabilities)
    support = np.array([c.support[0] for c in draws(m, shares, n, runs, target, b"cell")])
    errors = (support / n - q) / (p - q) - f
    assert (errors**2).mean() == pytest.approx(m.variance(shares, n, target)[0], rel=0.12)


def coverage(m: sd.GRR, target: str, runs: int) -> float:
    n, shares = 10_000, zipf(10)
    fixed = np.round(shares * n)
    fixed[0] += n - fixed.sum()
    truth = shares if target == "population" else fixed / n
    found = list(draws(m, shares, n, runs, target, b"coverage"))
    support = np.array([counts.support for counts in found])
    p, q = (float(x) for x in m.support_probabilities)
    ends = limits(support.ravel(), n, p, q, 0.05, sampled=target == "population")  # all at once
    low, high = (end.reshape(support.shape) for end in ends)
    told = m.estimate(found[-1], target=target).interval(0.95)
    np.testing.assert_allclose(told, (low[-1], high[-1]), atol=1e-9)
    return float(((low <= truth) & (truth <= high)).mean())


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("epsilon", [1, 3])
def test_intervals_cover(counting_class: type[sd.GRR], epsilon: float, target: str) -> None:
    """1 % is 3 standard errors of 4000 runs, even if all ten intervals held or missed at once."""
    assert 0.94 <= coverage(counting_class(10, epsilon), target, 4000) <= 0.96


@cases("target", TARGETS, parts=3)
def test_intervals_cover_in_brief(counting_class: type[sd.GRR], target: str) -> None:
    assert 0.93 <= coverage(counting_class(10, 1.0), target, 400) <= 0.97


def test_the_two_targets_are_not_mixed() -> None:
    """At a high ε the noise is small: the respondents' interval misses the population."""
    m, n, shares = sd.GRR(10, 8.0), 10_000, zipf(10)
    inside = 0.0
    for counts in draws(m, shares, n, 100, "population", b"mixed"):
        low, high = m.estimate(counts, target="respondents").interval(0.95)
        inside += float(((low <= shares) & (shares <= high)).mean())
    assert inside / 100 < 0.9
