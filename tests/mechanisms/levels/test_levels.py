"""Levels of ε that people pick: sums over levels, by algebra and by simulated collections."""

from __future__ import annotations

from typing import Any

import figures_of_levels as figures
import numpy as np
import pytest

import sudare as sd
from tests.cases import cases

PAIR = sd.Levels([sd.GRR(3, 0.5), sd.GRR(3, 2.0)])


def test_the_whole_is_the_sum_of_its_levels() -> None:
    counts = PAIR.simulate([[50, 20, 30], [10, 60, 40]], rng=sd.Entropy.seeded(b"sum"))
    for target in ("population", "respondents"):
        low, high = PAIR.each(counts, target)
        assert low is not None
        assert high is not None
        whole = PAIR.estimate(counts, target=target)
        assert whole.n == 210
        assert whole.counts == pytest.approx(low.counts + high.counts)
        within = np.hypot(100 * low.stderr, 110 * high.stderr) / 210
        mean = whole.shares
        apart = (100 * (low.shares - mean) ** 2 + 110 * (high.shares - mean) ** 2) / 210**2
        known = within**2 + (apart if target == "population" else 0)
        assert whole.stderr**2 == pytest.approx(known)
        gap = np.array([1.0, 0.0, -1.0])
        between = whole.linear(gap).stderr ** 2
        each = [one.linear(gap) for one in (low, high)]
        spread = sum(
            n * (one.value - whole.linear(gap).value) ** 2
            for n, one in zip((100, 110), each, strict=True)
        )
        added = sum((n * one.stderr / 210) ** 2 for n, one in zip((100, 110), each, strict=True))
        assert between == pytest.approx(added + (spread / 210**2 if target == "population" else 0))


def test_one_level_alone_is_its_mechanism() -> None:
    counts = PAIR.simulate([[0, 0, 0], [10, 60, 40]], rng=sd.Entropy.seeded(b"one"))
    assert PAIR.numbers(counts) == (0, 110)
    assert PAIR.each(counts)[0] is None
    own, whole = PAIR.each(counts)[1], PAIR.estimate(counts)
    assert own is not None
    assert whole.shares == pytest.approx(own.shares)
    assert whole.stderr == pytest.approx(own.stderr)


def test_pooled_is_for_the_population_and_weighs_by_accuracy() -> None:
    counts = PAIR.simulate([[500, 300, 200], [500, 300, 200]], rng=sd.Entropy.seeded(b"pool"))
    plain, pooled = PAIR.estimate(counts), PAIR.estimate(counts, "pooled")
    assert (pooled.stderr < 0.6 * plain.stderr).all()
    with pytest.raises(sd.EstimationError, match="population"):
        PAIR.estimate(counts, "pooled", "respondents")
    with pytest.raises(sd.EstimationError, match="must stand alone"):
        sd.combine([one for one in PAIR.each(counts) if one], independent=True, chosen=True)


def test_the_expected_error_is_the_mean_of_the_levels() -> None:
    low, high = (part.expected_mse(1000) for part in PAIR.parts)
    assert PAIR.expected_mse(1000, picked=[0.25, 0.75]) == pytest.approx(0.25 * low + 0.75 * high)
    even = PAIR.simulate([[10**6] * 3] * 2, rng=sd.Entropy.seeded(b"even"))
    stated = float(np.mean(PAIR.estimate(even).stderr ** 2))
    assert stated == pytest.approx(PAIR.expected_mse(6 * 10**6), rel=1e-2)


def test_levels_hide_no_more_than_is_told() -> None:
    assert PAIR.epsilon == PAIR.epsilons[-1]
    assert [PAIR.perturb_one((level, 1))[0] for level in (0, 1)] == [0, 1]
    answer = 987_654_321
    with pytest.raises(sd.DomainError) as caught:
        PAIR.perturb_one((0, answer))
    assert str(answer) not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["choice, picked by the answer", "table, picked by the answer"])
def test_intervals_hold_the_truth_of_all(name: str) -> None:
    """1,000 collections: the rate and the ratio lie within five of their errors."""
    one = next(s for s in figures.SCENARIOS if s.name == name)
    found = figures.measured(one, 1_000, b"quick")
    assert 93 < found["coverage"] < 97.5
    assert found["bias"] < 0.01
    assert abs(found["ratio"] - 1) < 0.08


def test_pooling_is_wrong_where_the_level_says_something() -> None:
    """The control: the same collections, weighted by accuracy."""
    one = next(s for s in figures.SCENARIOS if s.name == "choice, picked by the answer, pooled")
    found = figures.measured(one, 60, b"quick")
    assert found["coverage"] < 50
    assert found["bias"] > 0.2


@cases(
    "levels, error",
    [
        ([sd.GRR(3, 1.0), sd.NegativeSurvey(3)], "privacy guarantee"),
        ([sd.GRR(2, 1.0)] * 20, "2 to 16"),
        ([sd.PrivKV(3, 1.0), sd.PrivKV(3, 2.0)], "frequency oracles"),
    ],
)
def test_what_cannot_be_offered_is_refused(levels: Any, error: str) -> None:
    with pytest.raises(sd.SudareError, match=error):
        sd.Levels(levels)
