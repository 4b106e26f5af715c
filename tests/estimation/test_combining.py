"""Groups of respondents with different ε, estimated together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.estimation.combining import combine
from tests.cases import cases

TRUTH = np.array([[500, 300], [150, 50]])
LEVELS = [sd.JointRR([2, 2], gamma=gamma) for gamma in (3.0, 20.0)]


def _groups(target: Any, rng: sd.Entropy, dice: np.random.Generator | None = None) -> list[Any]:
    out = []
    for j, people in zip(LEVELS, (2, 1), strict=True):
        truth = TRUTH * people
        if dice is not None:
            truth = dice.multinomial(1_000 * people, TRUTH.ravel() / 1_000).reshape(2, 2)
        out.append(j.estimate(j.simulate(truth, rng=rng), target=target))
    return out


def test_respondents_are_added() -> None:
    groups = _groups("respondents", sd.Entropy.seeded(b"add"))
    both = combine(groups)
    assert both.n == 3_000
    assert both.counts == pytest.approx(groups[0].counts + groups[1].counts)
    errors = np.hypot(2_000 * groups[0].stderr, 1_000 * groups[1].stderr) / 3_000
    assert both.stderr == pytest.approx(errors, rel=0.02)
    assert both.epsilon == groups[1].epsilon
    between = both.difference(0, 3)
    apart = [group.difference(0, 3).stderr * group.n for group in groups]
    assert between.stderr == pytest.approx(np.hypot(*apart) / 3_000, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["respondents", "population"])
def test_intervals_hold_the_truth(target: Any) -> None:
    rng, dice = sd.Entropy.seeded(b"levels"), np.random.default_rng(4)
    hits, values = [], []
    for _ in range(600):
        groups = _groups(target, rng, dice if target == "population" else None)
        both = combine(groups, independent=True)
        low, high = both.interval(0.9)
        hits.append((low <= TRUTH / 1_000) & (high >= TRUTH / 1_000))
        values.append(both.shares)
    assert np.mean(hits) == pytest.approx(0.9, abs=5 * np.sqrt(0.09 / 2_400) + 0.01)
    assert np.std(values, axis=0) == pytest.approx(both.stderr, rel=0.12)


def test_respondents_of_another_level_may_answer_otherwise() -> None:
    truths = np.array([20_000] + [0] * 19), np.array([0] + [1_000] * 19)
    levels, rng = (sd.GRR(20, 2.0), sd.GRR(20, 4.0)), sd.Entropy.seeded(b"otherwise")
    total = sum(truth.sum() for truth in truths)
    exact = 0.0
    for m, truth in zip(levels, truths, strict=True):
        p, q = map(float, m.support_probabilities)
        exact += truth[0] * p * (1 - p) / (p - q) ** 2
        exact += (truth.sum() - truth[0]) * q * (1 - q) / (p - q) ** 2
    groups = [
        m.estimate(m.simulate(truth, rng=rng), target="respondents")
        for m, truth in zip(levels, truths, strict=True)
    ]
    both = combine(groups)
    assert both.stderr[0] == pytest.approx(np.sqrt(exact) / total, rel=0.03)


def test_for_the_population_the_more_precise_group_counts_more() -> None:
    groups = _groups("population", sd.Entropy.seeded(b"precise"))
    both = combine(groups, independent=True)
    assert (both.stderr < groups[1].stderr).all()
    with pytest.raises(sd.EstimationError, match="independent"):
        combine(groups)


@cases("target", ["respondents", "population"])
def test_groups_of_one_mechanism_are_added(target: Any) -> None:
    m = sd.GRR(3, 4.0)
    counts = [sd.Counts((8000, 1000, 1000), 10_000), sd.Counts((900, 500, 600), 2000)]
    groups = [m.estimate(some, target=target) for some in counts]
    both = combine(groups, independent=True)
    added = m.estimate(counts[0] + counts[1], target=target)
    assert both.shares == pytest.approx(added.shares)
    assert both.stderr == pytest.approx(added.stderr)
    assert both.difference(0, 1).stderr == pytest.approx(added.difference(0, 1).stderr)


def test_groups_of_groups() -> None:
    m = sd.GRR(3, 4.0)
    counts = [sd.Counts((8000, 1000, 1000), 10_000), sd.Counts((300, 900, 800), 2000)]
    counts.append(sd.Counts((10, 200, 790), 1000))
    a, b, c = (m.estimate(some) for some in counts)
    nested = combine([c, combine([a, b], independent=True)], independent=True)
    added = m.estimate(counts[0] + counts[1] + counts[2])
    assert nested.shares == pytest.approx(added.shares)
    assert nested.stderr == pytest.approx(added.stderr)
    one, every = nested.interval(0.95), nested.interval(0.95, simultaneous=True)
    ratio = (every[1] - every[0]) / (one[1] - one[0])
    assert ratio == pytest.approx(2.394 / 1.960, rel=0.01)  # a third of the misses each


def test_weights_do_not_follow_a_groups_own_luck() -> None:
    m, rng, dice = sd.GRR(3, 4.0), sd.Entropy.seeded(b"luck"), np.random.default_rng(8)
    truth, means = np.array([0.95, 0.04, 0.01]), []
    for _ in range(300):
        draws = [m.simulate(dice.multinomial(20, truth), rng=rng) for _ in range(5)]
        means.append(combine([m.estimate(d) for d in draws], independent=True).shares)
    error = np.std(means, axis=0) / np.sqrt(300)
    assert (np.abs(np.mean(means, axis=0) - truth) < 5 * error).all()


def variances_at(estimates: list[Any], shares: np.ndarray) -> list[np.ndarray]:
    out = []
    for j, one in zip(LEVELS, estimates, strict=True):
        inverse = np.linalg.inv(j.channel.dense())
        noise = inverse**2 @ j.channel.dense() @ shares.ravel() - shares.ravel() ** 2
        out.append(noise / one.n)
    return out


def test_weights_are_those_of_the_common_shares() -> None:
    estimates = []
    for j, table in zip(LEVELS, ([[70, 20], [8, 2]], [[30, 30], [30, 30]]), strict=True):
        support = np.rint(j.channel.apply(np.array(table) / np.sum(table)) * 1e6).astype(int)
        estimates.append(j.estimate(sd.Counts(support, int(support.sum()))))
    both = combine(estimates, independent=True)
    expected = np.full((2, 2), 0.25)
    for _ in range(2):  # weighted as if shares were equal, then at the shares that come of it
        variances = variances_at(estimates, expected)
        weight = 1 / (1 + variances[0].mean() / variances[1].mean())
        expected = weight * estimates[0].shares + (1 - weight) * estimates[1].shares
    assert both.shares == pytest.approx(expected, abs=1e-9)
    variances = variances_at(estimates, expected)
    error = np.sqrt(weight**2 * variances[0] + (1 - weight) ** 2 * variances[1])
    assert both.stderr.ravel() == pytest.approx(error, rel=1e-6)


def test_what_does_not_fit() -> None:
    a = sd.GRR(3, 1.0).estimate(sd.Counts((3, 3, 3), 9))
    b = sd.GRR(4, 1.0).estimate(sd.Counts((3, 3, 3, 0), 9))
    c = sd.GRR(3, 1.0).estimate(sd.Counts((3, 3, 3), 9), target="respondents")
    d = sd.GRR(3, 1.0).estimate(sd.Counts((3, 3, 3), 9), "projected")
    e = sd.GRR(3, 1.0).estimate(sd.Counts((3, 3, 3), 9))
    f = sd.bootstrap(sd.GRR(3, 1.0), sd.Counts((3, 3, 3), 9), repetitions=2)
    g = sd.JointRR([3], gamma=3).estimate(sd.Counts((3, 3, 3), 9))  # of a whole submission
    for wrong in ([a, b], [a, c], [a, d], [d], [f], [a, a], [a, g]):
        with pytest.raises(sd.EstimationError):
            combine(wrong, independent=True)
    for odd in (None, [], a, [a, None], "ab"):
        with pytest.raises(sd.WrongTypeError):
            combine(odd)
    with pytest.raises(sd.WrongTypeError, match="independent"):
        combine([a, e], independent="yes")
