"""Intervals hold the truth: the cases in which they once did not, and by the clock all of them."""

from __future__ import annotations

import math

import coverage
import numpy as np
import pytest
from coverage import LEVEL, Entry

import sudare as sd

LEAST = 0.94
ERRORS = 4.5  # of thousands of simulated numbers none is so far off by chance: 1e-5 each


def enough(entry: Entry, least: float = LEAST) -> bool:
    error = math.sqrt(0.95 * 0.05 / entry.runs) if entry.runs else 0.0
    return entry.silent >= least - ERRORS * error


@pytest.mark.slow
def test_every_estimator_holds_the_truth_or_says_so() -> None:
    entries = [entry for estimator in coverage.ESTIMATORS for entry in estimator()]
    assert [entry for entry in entries if not enough(entry)] == []
    plain = [entry.coverage for entry in entries if entry.flagged < 0.5]
    assert len(plain) > 1500
    assert np.mean(plain) <= 0.985
    assert all(line.count("|") == 8 for line in coverage.rows(entries))


def test_all_categories_at_once() -> None:
    """OUE of 43 categories: 92.5 % where tails were chosen by the count that was seen."""
    assert min(entry.coverage for entry in coverage.together()) >= 0.95


def test_differences() -> None:
    """k = 2, 14 reports, ε = 4: 78.8 % by a normal law."""
    assert min(entry.coverage for entry in coverage.differences()) >= 0.95


@pytest.mark.parametrize("x", [(0.9, 0.08, 0.02), (0.04, 0.03, 0.93)])
def test_means_of_scales(x: tuple[float, ...]) -> None:
    """77 % by a normal law; 61 % where 93 % of the people decline."""
    scores = [1, 2, None] if x[2] > 0.5 else [1, 2, 3]
    truth = (x[0] + 2 * x[1]) / (x[0] + x[1]) if x[2] > 0.5 else x[0] + 2 * x[1] + 3 * x[2]
    entry = coverage._counted(
        sd.GRR(3, 4.0), 10, np.array(x), lambda est: est.mean(scores).interval(LEVEL), truth, "", ""
    )
    assert entry.coverage >= 0.95


def test_auto_is_the_score_interval() -> None:
    """OUE of 5, ε = 4, 100 respondents: 92.7 % where auto was the normal interval."""
    m = sd.OUE(5, 4.0)
    est = m.estimate(sd.Counts((40, 30, 20, 10, 5), 100), target="respondents")
    for together in (False, True):
        one, other = (est.interval(simultaneous=together, kind=kind) for kind in ("auto", "score"))
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("n", "epsilon"), [(10, 4.0), (30, 11.0)])
def test_keys_with_few_reports(n: int, epsilon: float) -> None:
    """Wilson's interval of a frequency: 83.7 %; means of few holders: 82.5 %."""
    from sudare.estimation.keyvalue.law import StateLaw

    channel = sd.StateRR(2, epsilon).channel.dense()
    for f, mean in ((1.0, 0.0), (0.1, 0.9), (0.1, -1.0), (0.5, 0.5)):
        y = channel @ [f * (1 + mean) / 2, f * (1 - mean) / 2, 1 - f]
        cells, chances = coverage.trinomial(n, y)
        law = StateLaw(cells.astype(float), channel, 1, np.zeros(len(cells)))
        for found, truth in ((law.interval_frequency, f), (law.interval_mean, mean)):
            low, high = found(LEVEL)
            inside = (low <= truth + 1e-6) & (truth - 1e-6 <= high)
            assert chances @ inside >= 0.945


def test_a_number_far_out() -> None:
    """One person in 1,000 at the end, ε = 15: 64 % by a normal law."""
    m, n = sd.Duchi(15.0), 1000
    chances = coverage.binomial(n, float(m.channel.matrix[1] @ [0.999, 0.001]))
    inside = 0.0
    for c in range(12):
        low, high = m.estimate(sd.Counts((n - c, c), n)).mean.interval(LEVEL)
        inside += chances[c] * (low <= -0.998 <= high)
    assert inside >= 0.95


def simulated(m: sd.GridExponential | sd.JointRR, n: int, x: np.ndarray, runs: int) -> np.ndarray:
    surveys = coverage._surveys(m, n, x, "population", runs, f"{m!r}{n}")
    return np.mean([coverage._holds(*est.interval(LEVEL), x) for est in surveys], axis=0)


@pytest.mark.parametrize("n", [30, 20_000])
def test_places(n: int) -> None:
    """8 × 8 cells, ε = .03: 21 and 65 % where the variance was that of shares moved to the simplex.

    100 surveys of 64 cells: 0.85 is 4.6 standard errors below 0.95.
    """
    m = sd.GridExponential(sd.Grid(8, 8, 100.0, 100.0), 0.03)
    assert simulated(m, n, np.eye(64)[27], 100).min() >= 0.85


def test_a_table_of_one_cell() -> None:
    """Everybody in one of 20 cells: 85.5 % there. 400 surveys: 0.90 is 4.6 standard errors off."""
    x = np.zeros((5, 4))
    x[2, 1] = 1.0
    assert simulated(sd.JointRR([5, 4], gamma=3), 300, x, 400).min() >= 0.90


def test_groups_of_different_epsilon() -> None:
    """ε = .2, .5 and 6 of 30 people each: 56 % where variances were those of the noisy sum."""
    x, runs = np.array([0.03, 0.03, 0.03, 0.03, 0.88]), 300
    groups = [
        coverage._surveys(sd.GRR(5, e), 30, x, "population", runs, f"groups {e}")
        for e in (0.2, 0.5, 6.0)
    ]
    held = [
        coverage._holds(*sd.combine(list(some), independent=True).interval(LEVEL), x)
        for some in zip(*groups, strict=True)
    ]
    assert np.mean(held, axis=0).min() >= 0.89  # 4.7 standard errors below 0.95


def test_means_of_the_respondents_values() -> None:
    """Values of ±½: rounding them to signs is noise, for these very respondents too."""
    m, people = sd.PrivKV(2, 2.0), 4000
    rng = sd.Entropy.seeded(b"values of a half")
    held = np.ones((people, 2), np.bool_)
    values = np.full((people, 2), 0.5)
    found = [
        m.estimate(m.aggregate(m.perturb(held, values, rng=rng)), target="respondents")
        for _ in range(150)
    ]
    spread = np.std([one.mean for one in found], axis=0).mean()
    stated = np.mean([one.stderr_mean for one in found])
    assert 0.85 <= spread / stated <= 1.12  # 300 means: ± 4 %
