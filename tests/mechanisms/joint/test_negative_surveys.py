"""Multi-NS: the law of negative surveys on several attributes, and no way to people."""

from __future__ import annotations

import math
import pickle
from math import prod

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import sudare as sd
from sudare.mechanisms import from_json, names
from sudare.mechanisms.joint import Joint
from sudare.mechanisms.registry import lookup
from tests.cases import cases

SIZES = st.lists(st.integers(3, 7), min_size=1, max_size=4)


def dense(sizes: list[int]) -> np.ndarray:
    out = np.ones((1, 1))
    for k in sizes:
        out = np.kron(out, (np.ones((k, k)) - np.eye(k)) / (k - 1))
    return out


@settings(max_examples=25, deadline=None)
@given(SIZES, st.integers(0, 2**32))
def test_channel_inverse_and_error_are_the_dense_ones(sizes: list[int], seed: int) -> None:
    assume(prod(sizes) <= 300)
    m, law = sd.JointNegativeSurvey(sizes), dense(sizes)
    x = np.random.default_rng(seed).dirichlet(np.ones(prod(sizes)))
    np.testing.assert_allclose(m.channel.apply(x), law @ x, atol=1e-14)
    inverse = np.linalg.inv(law)
    np.testing.assert_allclose(m.channel.solve(law @ x), x, atol=1e-10)
    noise = (inverse**2 @ (law @ x) - x).sum() / prod(sizes) / 500
    found = m.expected_mse(500, x.reshape(m.sizes), "respondents")
    assert found == pytest.approx(noise, rel=1e-9)


def test_no_attribute_is_reported_as_it_is(rng: sd.Entropy) -> None:
    m = sd.JointNegativeSurvey([4, 3])
    people = np.tile([[2, 1]], (60_000, 1))
    support = m.aggregate(m.perturb(people, rng=rng)).support
    assert support[2].sum() == support[:, 1].sum() == 0
    law = dense([4, 3])[:, np.ravel_multi_index((2, 1), (4, 3))]
    assert sd.testing.chi_square_pvalue(support.reshape(-1), law) > 1e-8


@pytest.mark.parametrize("people", [3, 5_000])  # by respondents, and by categories
def test_simulation_has_the_mean_of_the_law(rng: sd.Entropy, people: int) -> None:
    m, often = sd.JointNegativeSurvey([4, 3, 2]), 3_000
    truth = np.zeros((4, 3, 2), dtype=np.int64)
    truth[1, 2, 0], truth[3, 0, 1] = people, people // 3
    drawn = np.array([m.simulate(truth, rng=rng).support for _ in range(often)])
    assert (drawn.sum(axis=(1, 2, 3)) == truth.sum()).all()
    mean = m.channel.apply(truth.astype(float))
    spread = np.sqrt(np.maximum(mean, 1e-12) / often)
    assert (np.abs(drawn.mean(axis=0) - mean) <= 6.5 * spread).all()


@cases("people", [2, 4_000])
def test_the_negative_survey_acts_on_the_last_axis(people: int) -> None:
    m, generator = sd.NegativeSurvey(5), np.random.default_rng(7)
    lines = generator.integers(0, people, (6, 2, 5))
    drawn = np.array([m._simulate(lines, generator) for _ in range(2_000)])
    assert (drawn.sum(axis=-1) == lines.sum(axis=-1)).all()
    mean = (lines.sum(axis=-1, keepdims=True) - lines) / 4
    variance = np.maximum(mean * 3 / 4, 1e-9) / 2_000
    assert (np.abs(drawn.mean(axis=0) - mean) <= 6.5 * np.sqrt(variance)).all()
    ratio = drawn.var(axis=0)[mean > 0] / (mean * 3 / 4)[mean > 0]
    assert (np.abs(ratio - 1) < 0.35).all()
    assert ratio.mean() == pytest.approx(1, abs=0.03)


def test_estimates_hold_the_truth(rng: sd.Entropy) -> None:
    m = sd.JointNegativeSurvey([5, 4])
    truth = np.random.default_rng(1).integers(0, 20_000, (5, 4))
    estimate = m.estimate(m.simulate(truth, rng=rng), target="respondents")
    assert (np.abs(estimate.shares - truth / truth.sum()) < 6 * estimate.stderr).all()
    assert estimate.epsilon == math.inf


def test_it_is_a_value_without_a_guarantee() -> None:
    m = sd.JointNegativeSurvey([5, 3, 4])
    assert m.epsilon == m.gamma == m.channel.epsilon == math.inf
    assert m.attribute_epsilons == (math.inf,) * 3
    assert m == pickle.loads(pickle.dumps(m)) == sd.JointNegativeSurvey.from_json(m.to_json())
    assert eval(repr(m), {"JointNegativeSurvey": sd.JointNegativeSurvey}) == m
    assert m.subset([2, 0]) == sd.JointNegativeSurvey([4, 5])
    counts = m.aggregate(m.perturb([[0, 1, 2], [4, 0, 3]]))
    assert m.marginal(counts, [1]).mechanism == sd.JointNegativeSurvey([3]).to_json()
    assert m != sd.JointNegativeSurvey([3, 5, 4])


def test_no_way_to_people() -> None:
    assert "JointNegativeSurvey" not in names(Joint)
    assert "JointRR" in names(Joint)
    data = sd.JointNegativeSurvey([3, 3]).to_json()
    for act in (lambda: lookup("JointNegativeSurvey", Joint), lambda: from_json(data, Joint)):
        with pytest.raises(sd.CollectionError, match="local privacy guarantee"):
            act()
    with pytest.raises(sd.PrivacyError):
        sd.JointNegativeSurvey([3, 3]).program.to_json()
    passed = sd.testing.check_mechanism(sd.JointNegativeSurvey([3, 3])).passed
    assert "follows_its_whole_law" in passed
    assert "spends_what_it_says" not in passed  # it says nothing that could be checked
