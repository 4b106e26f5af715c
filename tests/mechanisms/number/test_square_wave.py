"""The square wave: bins, the distribution by EM, the mean from it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import sudare as sd
from sudare.mechanisms.number.validation import as_part

BETA = np.diff(np.linspace(0, 1, 33) ** 2 * (3 - 2 * np.linspace(0, 1, 33)))
"""A smooth law on 32 bins."""


def test_numbers_fall_into_bins() -> None:
    m = sd.SquareWave(1.0, low=10, high=20, bins=5)
    values = [10, 11.999, 12, 14, 19.9, 20]
    assert m._values(values).tolist() == [0, 0, 1, 2, 4, 4]
    assert [m._value(value) for value in values] == [0, 0, 1, 2, 4, 4]
    assert m.edges.tolist() == [10, 12, 14, 16, 18, 20]
    assert m.centres.tolist() == [11, 13, 15, 17, 19]


@given(st.floats(-7, 3), st.integers(2, 512))
def test_a_number_lies_in_its_bin(value: float, bins: int) -> None:
    m = sd.SquareWave(1.0, -7, 3, 2)
    place = min(math.floor(as_part(value, -7, 3) * bins), bins - 1)
    width = 10 / bins
    assert -7 + place * width - 1e-9 <= value <= -7 + (place + 1) * width + 1e-9
    assert m._values([value]).tolist() == [m._value(value)]


def test_all_methods_find_the_distribution() -> None:
    m = sd.SquareWave(3.0, 0, 1, bins=32)
    truth = np.rint(BETA * 300_000).astype(np.int64)
    counts = m.simulate(truth, rng=sd.Entropy.seeded(b"wave"))
    assert counts.n == truth.sum()
    true_mean = truth @ m.centres / counts.n
    errors = {}
    for method in ("smoothed", "em", "mle", "unbiased"):
        est = m.estimate(counts, method)
        assert est.shares.sum() == pytest.approx(1, abs=1e-9)
        assert est.mean(m.centres).value == pytest.approx(true_mean, abs=0.01)
        errors[method] = np.abs(np.cumsum(est.shares - truth / counts.n)).max()
        assert np.isnan(est.stderr).all() == (method != "unbiased")
    assert errors["smoothed"] < 0.01
    assert max(errors["em"], errors["mle"]) < 0.03
    assert m.estimate(counts).method.startswith("em, ")


def test_the_most_likely_shares_are_the_most_likely() -> None:
    m = sd.SquareWave(1.0, bins=8)
    counts = m.simulate([900, 50, 20, 0, 0, 20, 10, 4000], rng=sd.Entropy.seeded(b"mle"))
    best = m.estimate(counts, "mle").shares

    def likelihood(x: np.ndarray) -> float:
        return float(counts.support @ np.log(m.channel.dense() @ x))

    rng = np.random.default_rng(1)
    others = [*np.eye(8), *rng.dirichlet(np.ones(8), 50)]
    assert all(likelihood(0.99 * best + 0.01 * x) <= likelihood(best) + 1e-2 for x in others)


def test_the_unbiased_shares_are_unbiased_and_their_errors_true() -> None:
    m = sd.SquareWave(2.0, bins=4)
    x = np.array([0.4, 0.3, 0.2, 0.1])
    inverse = m.channel.inverse
    assert inverse @ m.channel.dense() == pytest.approx(np.eye(4), abs=1e-12)
    support = np.rint(m.channel.dense() @ x * 2**40).astype(np.int64)
    counts = sd.Counts(support, int(support.sum()))
    y = m.channel.dense() @ x
    for target, own in (("population", np.outer(x, x)), ("respondents", np.diag(x))):
        est = m.estimate(counts, "unbiased", target)
        covariance = (inverse * y @ inverse.T - own) / counts.n
        assert est.shares == pytest.approx(x, abs=1e-9)
        assert est.stderr**2 == pytest.approx(np.diag(covariance), rel=1e-6)
        mean = est.mean(m.centres)
        assert mean.stderr**2 == pytest.approx(m.centres @ covariance @ m.centres, rel=1e-6)


def test_the_bootstrap_gives_the_mean_an_interval() -> None:
    m = sd.SquareWave(2.0, 0, 1, bins=8)
    truth = np.array([10, 20, 30, 40, 50, 60, 70, 20]) * 20
    counts = m.simulate(truth, rng=sd.Entropy.seeded(b"boot"))
    est = sd.bootstrap(m, counts, "smoothed", repetitions=50, rng=sd.Entropy.seeded(b"again"))
    mean = est.mean(m.centres)
    assert 0 < mean.stderr < 0.03
    low, high = mean.interval(0.999)
    assert low < truth @ m.centres / truth.sum() < high
    with pytest.raises(sd.EstimationError, match="bootstrap"):
        m.estimate(counts).mean(m.centres).interval()


def test_few_reports_are_named() -> None:
    m = sd.SquareWave(2.0, bins=4)
    est = m.estimate(m.simulate([5, 5, 5, 5]), "mle")
    assert [one.code for one in est.warnings] == ["few-reports", "no-stderr"]
    with pytest.raises(sd.EstimationError, match="at least 100 reports"):
        m.estimate(m.simulate([5, 5, 5, 5]), "em")
