"""The closed-form maximum against EM, a grid and the notes; EM's certificate and early stop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.estimation.keyvalue import iterate
from sudare.estimation.keyvalue.iterate import em
from sudare.estimation.keyvalue.triangle import invert, likelihood, maximise
from tests.cases import cases

GOLDEN = [
    (1.0, (420, 380, 1200), (0.091701, 0.20415), (0.098849, 0, 0.901151)),
    (1.0, (300, 700, 1000), (0.5, -1), (0, 0.601015, 0.398985)),
    (1.0, (450, 150, 1400), (-0.3166, 1), (0, 0, 1)),
    (1.0, (760, 620, 620), (1.2758, 0.41422), (0.707108, 0.292892, 0)),
    (4.0, (900, 700, 400), (0.89391, 0.16413), (0.521492, 0.372419, 0.106089)),
]
CHANNELS = {
    "privkv 0.001": sd.PrivKV(2, 0.001),
    "half 1": sd.PrivKV(2, 1.0, "half"),
    "tight 1": sd.PrivKV(2, 1.0),
    "half 4": sd.PrivKV(2, 4.0, "half"),
    "tight 20": sd.PrivKV(2, 20.0),
    "state rr 2": sd.StateRR(2, 2.0),
    "ue 1": sd.PCKVUE(2, 1.0),
    "grr 1": sd.PCKVGRR(9, 1.0, 3),
}


def channel(name: str) -> np.ndarray:
    return CHANNELS[name].channel.dense()


def vectors(n: int) -> np.ndarray:
    """Counts of every sort: spread, near the corners, with zeros, of one report, of very many."""
    dice = np.random.default_rng(20)
    size = np.exp(dice.uniform(np.log(1), np.log(1e9), n)).astype(np.int64)
    shares = dice.dirichlet((0.4, 0.4, 0.4), n)
    out = np.array([dice.multinomial(s, p) for s, p in zip(size, shares, strict=True)])
    out[: n // 5, dice.integers(0, 3)] = 0
    out[:7] = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [5, 5, 5], [0, 0, 10**9], [7, 0, 7]]
    return out[out.sum(axis=1) > 0].astype(float)


@cases("epsilon, counts, published, states", GOLDEN)
def test_the_numbers_of_the_notes(
    epsilon: float, counts: Any, published: tuple[float, float], states: tuple[float, ...]
) -> None:
    m = sd.PrivKV(2, epsilon, "half")
    n = sum(counts)
    tally = sd.Counts([counts, (n, 0, 0)], 2 * n)
    found = m.estimate(tally, "privkv")
    digits = 5e-6 if epsilon == 4 else 5e-5
    assert found.frequency[0] == pytest.approx(published[0], abs=digits)
    assert found.mean[0] == pytest.approx(published[1], abs=5e-6)
    likely = maximise(np.array([counts], dtype=float), m.channel.dense())[0]
    np.testing.assert_allclose(likely, states, atol=1e-6)
    est = m.estimate(tally, "mle")
    f = states[0] + states[1]
    assert est.frequency[0] == pytest.approx(f, abs=1e-6)
    if f:
        assert est.mean[0] == pytest.approx((states[0] - states[1]) / f, abs=2e-6)
    else:
        assert np.isnan(est.mean[0])


@cases("name", CHANNELS)
def test_the_maximum_is_where_long_em_ends(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts, m = vectors(1_000), channel(name)
    best = maximise(counts, m)
    assert (best >= 0).all()
    np.testing.assert_allclose(best.sum(axis=1), 1, atol=1e-12)
    monkeypatch.setattr(iterate, "CERTIFICATE", 1e-10)
    found, _ = em(counts, m)
    gap = (likelihood(counts, m, best) - likelihood(counts, m, found)) / counts.sum(axis=1)
    assert -1e-14 < gap.min() <= gap.max() < 1e-9


@cases("name", CHANNELS)
def test_nothing_on_a_grid_is_likelier(name: str) -> None:
    counts, m = vectors(300), channel(name)
    best = likelihood(counts, m, maximise(counts, m)) / counts.sum(axis=1)
    side = np.linspace(0, 1, 61)
    grid = np.array([(x, y, 1 - x - y) for x in side for y in side if x + y < 1 + 1e-9]).clip(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(grid @ m.T)
    top = ((counts / counts.sum(axis=1, keepdims=True)) @ logs.T).max(axis=1)
    assert (best - top).min() > -1e-13


@settings(deadline=None, max_examples=100)
@given(
    st.tuples(*[st.integers(0, 2**60)] * 3).filter(any),
    st.sampled_from(sorted(CHANNELS)),
)
def test_the_gradient_at_the_maximum_leads_nowhere(counts: tuple[int, ...], name: str) -> None:
    """The condition of Karush, Kuhn and Tucker, with all counts to 2**60."""
    m, c = channel(name), np.array([counts], dtype=float)
    theta = maximise(c, m)
    gains = (c / c.sum() / (theta @ m.T)) @ m
    assert gains.max() <= 1 + 1e-7


def test_no_report_no_number_and_no_other_key_is_touched() -> None:
    counts = np.array([[0.0, 0, 0], [5, 3, 9]])
    m = channel("tight 1")
    for found in (invert(counts, m), maximise(counts, m), em(counts, m)[0]):
        assert np.isnan(found[0]).all()
        assert found[1].sum() == pytest.approx(1)
    np.testing.assert_allclose(maximise(counts, m)[1], maximise(counts[1:], m)[0])


def test_inside_the_triangle_the_maximum_is_the_inverse() -> None:
    m = channel("half 4")
    theta = np.random.default_rng(3).dirichlet((2, 2, 2), 50)
    counts = 1e6 * theta @ m.T
    np.testing.assert_allclose(invert(counts, m), theta, atol=1e-12)
    np.testing.assert_allclose(maximise(counts, m), theta, atol=1e-12)


# -- EM -----------------------------------------------------------------------------------------


@cases("name", CHANNELS)
def test_the_certificate_is_honest(name: str) -> None:
    counts, m = vectors(1_000), channel(name)
    found, steps = em(counts, m)
    assert not np.isnan(found).any()
    assert 1 <= steps < 100_000
    shares = counts / counts.sum(axis=1, keepdims=True)
    certified = ((shares / (found @ m.T)) @ m).max(axis=1) - 1
    gap = (likelihood(counts, m, maximise(counts, m)) - likelihood(counts, m, found)) / (
        counts.sum(axis=1)
    )
    assert certified.max() < iterate.CERTIFICATE == 1e-8
    assert (gap <= certified + 1e-14).all()


def plain(shares: np.ndarray, m: np.ndarray, tolerance: float) -> np.ndarray:
    theta = np.full(3, 1 / 3)
    while True:
        after = theta * (m.T @ (shares / (m @ theta)))
        if np.abs(after - theta).max() < tolerance:
            return after
        theta = after


@cases("tolerance", [1e-2, 1e-4, 1e-6])
def test_an_early_stop_is_where_plain_steps_become_small(tolerance: float) -> None:
    counts, m = vectors(60), channel("half 1")
    found, _ = em(counts, m, tolerance)
    for one, theta in zip(counts, found, strict=True):
        np.testing.assert_allclose(theta, plain(one / one.sum(), m, tolerance), atol=1e-12)


def test_an_early_stop_stays_near_the_start_and_is_named() -> None:
    m = sd.PrivKV(3, 0.1, "half")
    counts = sd.Counts([[495, 480, 1025], [510, 490, 1000], [480, 495, 1025]], 6000)
    early = m.estimate(counts, "em", tolerance=1e-3)
    assert early.method == "em, stopped at 0.001"
    np.testing.assert_allclose(early.frequency, 2 / 3, atol=0.06)  # the start, whatever was seen
    np.testing.assert_allclose(early.mean, 0, atol=0.06)
    assert np.isnan(early.stderr_frequency).all()
    assert np.isnan(early.stderr_mean).all()
    assert any("stopped at" in w for w in early.warnings)
    inside = sd.Counts([[640, 560, 800]] * 3, 6000)
    stopped, certified = (
        sd.PrivKV(3, 4.0).estimate(inside, "em", tolerance=t) for t in (1e-6, None)
    )
    assert np.isnan(stopped.stderr_mean).all()
    assert not np.isnan(certified.stderr_mean).any()
    done = m.estimate(counts, "em")
    assert done.method == "em"
    best = m.estimate(counts, "mle")
    np.testing.assert_allclose(done.frequency, best.frequency, atol=1e-2)
    assert np.ptp(best.frequency) > 0.4  # the early stop saw nothing of it


def test_what_is_not_done_in_time_is_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iterate, "MOST_STEPS", 2)
    found, steps = em(np.array([[1.0, 50.0, 3.0], [5.0, 5.0, 5.0]]), channel("state rr 2"))
    assert np.isnan(found[0]).all()
    np.testing.assert_allclose(found[1], 1 / 3)
    assert steps <= 4


@pytest.mark.slow
def test_the_maximum_of_many_keys_takes_no_time() -> None:
    import time

    m = sd.PrivKV(100_000, 1.0)
    dice = np.random.default_rng(8)
    counts = dice.multinomial(1_000, dice.dirichlet((1, 1, 1), 100_000)).astype(float)
    start = time.thread_time()
    maximise(counts, m.channel.dense())
    assert time.thread_time() - start < 0.5
