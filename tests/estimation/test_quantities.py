"""Weighted sums, means and differences of shares, within a survey and between groups."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

import sudare as sd
from tests.cases import cases

Covariance = Callable[[sd.GRR, np.ndarray, str], np.ndarray]
TARGETS = ("population", "respondents")
K5 = np.array([0.35, 0.3, 0.2, 0.1, 0.05])


def large(m: sd.GRR, shares: np.ndarray, n: int = 10**12) -> sd.Counts:
    """Counts whose estimate is next to exactly ``shares``."""
    p, q = (float(x) for x in m.support_probabilities)
    support = np.round(n * (q + (p - q) * shares)).astype(np.int64)
    support[0] += n - support.sum() if m.law.single else 0
    return sd.Counts(support, n)


@pytest.mark.parametrize("target", TARGETS)
def test_the_variance_of_a_weighted_sum(
    counting_class: type[sd.GRR], target: str, exact_covariance: Covariance
) -> None:
    m, shares = counting_class(4, 1.3), np.array([0.5, 0.3, 0.2, 0.0])
    est = m.estimate(large(m, shares), target=target)
    exact = exact_covariance(m, shares, target)
    for weights in ([1, 0, 0, 0], [0.2, -1.5, 3, 0.7], [1, 2, 3, 4], [1, 1, 0, 0]):
        w = np.array(weights)
        sum_ = est.linear(weights)
        assert sum_.value == pytest.approx(w @ shares, abs=1e-9)
        assert est.n * sum_.stderr**2 == pytest.approx(w @ exact @ w, rel=1e-5)
    assert est.linear([1, 0, 0, 0]).stderr == pytest.approx(est.stderr[0], rel=1e-12)
    assert est.linear([0, 1, -1, 0]).stderr == pytest.approx(est.difference(1, 2).stderr, rel=1e-12)


def test_what_is_certain_has_no_error() -> None:
    m = sd.GRR(4, 1.0)
    est = m.estimate(large(m, np.array([0.5, 0.3, 0.2, 0.0])))
    assert est.linear(np.ones(4)).value == pytest.approx(1)
    assert est.linear(np.ones(4)).stderr < 1e-9
    assert est.difference(2, 2).stderr == 0
    assert est.mean([3, 3, 3, 3]).stderr < 1e-12


@pytest.mark.parametrize("target", TARGETS)
def test_the_mean_of_those_who_answered(
    counting_class: type[sd.GRR], target: str, exact_covariance: Covariance
) -> None:
    m, shares = counting_class(4, 1.3), np.array([0.4, 0.3, 0.2, 0.1])
    est = m.estimate(large(m, shares), target=target)
    exact = exact_covariance(m, shares, target)
    for scores in ([1, 2, 3, None], [1, 2, 3, float("nan")], [-1.0, 0.5, None, None]):
        s = np.array([math.nan if one is None else one for one in scores], dtype=float)
        counted = ~np.isnan(s)
        answered = shares[counted].sum()
        value = (s[counted] * shares[counted]).sum() / answered
        center = s[counted].mean()
        w = np.where(counted, np.nan_to_num(s) - center, value - center) / answered
        if m.law.single:  # constant weights are certain: the textbook's ratio
            w = np.where(counted, np.nan_to_num(s) - value, 0) / answered
        mean = est.mean(scores)
        assert mean.value == pytest.approx(value, abs=1e-9)
        assert est.n * mean.stderr**2 == pytest.approx(w @ exact @ w, rel=1e-5)


def test_scores_may_start_anywhere(counting_class: type[sd.GRR]) -> None:
    est = counting_class(4, 1.0).estimate(sd.Counts((250, 300, 250, 200), 1000))
    one, year = est.mean([1, 2, 3, 4]), est.mean([2001, 2002, 2003, 2004])
    assert year.value == pytest.approx(one.value + 2000)
    assert year.stderr == pytest.approx(one.stderr, rel=1e-6)


def test_ten_thousand_categories_need_no_matrix() -> None:
    k = 10_000
    m = sd.GRR(k, 8.0)
    est = m.estimate(m.simulate(np.full(k, 10), rng=sd.Entropy.seeded(b"k")))
    tracemalloc.start()
    stderr = est.mean(np.arange(k)).stderr
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0 < stderr < k
    assert peak < 20e6


def test_groups_are_subtracted_category_by_category() -> None:
    ours, theirs = sd.GRR(3, 2.0), sd.OUE(3, 1.0)
    a = ours.estimate(sd.Counts((30, 20, 50), 100))
    b = theirs.estimate(sd.Counts((300, 200, 500), 800))
    change = a - b
    np.testing.assert_allclose(change.value, a.shares - b.shares)
    np.testing.assert_allclose(change.stderr, np.hypot(a.stderr, b.stderr))
    low, high = change.interval(0.95)
    np.testing.assert_allclose((high - low) / 2, 1.959964 * change.stderr, rtol=0.06)
    wide, _ = change.interval(0.95, simultaneous=True)
    np.testing.assert_allclose((change.value - wide) / change.stderr, 2.393980, rtol=0.06)


def test_two_categories_of_two_groups_are_one_difference() -> None:
    m = sd.GRR(2, 2.0)
    change = m.estimate(sd.Counts((60, 40), 100)) - m.estimate(sd.Counts((40, 60), 100))
    np.testing.assert_allclose(
        change.interval(0.95, simultaneous=True), change.interval(0.95), rtol=1e-6
    )


def test_groups_that_do_not_fit_are_refused() -> None:
    m, counts = sd.GRR(3, 2.0), sd.Counts((30, 20, 50), 100)
    est = m.estimate(counts)
    with pytest.raises(sd.EstimationError, match="shape must agree"):
        est - sd.GRR(2, 2.0).estimate(sd.Counts((30, 70), 100))
    with pytest.raises(sd.EstimationError, match="target must agree"):
        est - m.estimate(counts, target="respondents")
    with pytest.raises(sd.EstimationError, match="method must agree"):
        est - m.estimate(counts, method="mle")
    for other in (3, None, est.shares, "x"):
        with pytest.raises(sd.WrongTypeError, match="other must be an Estimate"):
            est - other
    with pytest.raises(TypeError):
        est.shares - est


BAD = [
    [1, 2],
    [],
    3,
    None,
    "abc",
    ["a", "b", "c"],
    [True, False, True],
    [1, True, 0],
    [1, float("inf"), 2],
    [1e200, 0, 0],
    [10**400, 0, 0],
    [[1, 2, 3]],
    [[1], [1, 2], 3],
    [1j, 0, 0],
    np.ma.array([1, 2, 3], mask=[0, 1, 0]),
    {"a": 1},
    ...,
]


@cases("bad", BAD)
def test_weights_and_scores_are_checked(bad: object) -> None:
    est = sd.GRR(3, 2.0).estimate(sd.Counts((30, 20, 50), 100))
    for act, name in ((est.linear, "weights"), (est.mean, "scores")):
        with pytest.raises(sd.SudareError, match=f"{name} must"):
            act(bad)


def test_a_weight_cannot_be_missing_and_one_score_must_be_there() -> None:
    est = sd.GRR(3, 2.0).estimate(sd.Counts((30, 20, 50), 100))
    for missing in (None, float("nan")):
        with pytest.raises(sd.SudareError, match="weights must"):
            est.linear([1, 2, missing])
        with pytest.raises(sd.SudareError, match="scores must"):
            est.mean([missing] * 3)
    nobody = sd.GRR(3, 2.0).estimate(sd.Counts((0, 0, 50), 50))
    with pytest.raises(sd.EstimationError, match="above 0"):
        nobody.mean([1, 2, None])


def test_the_mean_of_all_is_unbiased(counting_class: type[sd.GRR]) -> None:
    m = counting_class(3, 1.0)
    a, b = sd.Counts((30, 20, 50), 100), sd.Counts((10, 70, 20), 100)
    scores = [0, 1, 5]
    both = m.estimate(a + b).mean(scores).value
    apart = m.estimate(a).mean(scores).value + m.estimate(b).mean(scores).value
    assert both == pytest.approx(apart / 2)  # linear in the counts


@cases("confidence", [0, 1, 95, float("nan"), "0.95", None, True])
def test_confidence_is_checked(confidence: object) -> None:
    est = sd.GRR(3, 2.0).estimate(sd.Counts((30, 20, 50), 100))
    for quantity in (est.difference(0, 1), est - est):
        with pytest.raises(sd.SudareError, match="confidence must"):
            quantity.interval(confidence)


def coverages(m: sd.GRR, target: str, runs: int, n: int = 4000) -> dict[str, float]:
    """Coverage of a difference of two options, of two groups (each and all), and of a mean."""
    generator = sd.Entropy.seeded(f"{m!r} {target}".encode()).generator()
    other = K5[::-1].copy()
    fixed = [np.round(n * x).astype(np.int64) for x in (K5, other)]
    scores = [1, 2, 3, 4, None]
    mean = float(K5[:4] @ np.arange(1, 5) / K5[:4].sum())
    hits = dict.fromkeys(("options", "groups", "all", "mean"), 0.0)
    for _ in range(runs):
        drawn = [
            generator.multinomial(n, truth / n) if target == "population" else truth
            for truth in fixed
        ]
        ours, theirs = (
            m.estimate(sd.Counts(m._simulate(truth, generator), n), target=target)
            for truth in drawn
        )
        low, high = ours.difference(0, 1).interval(0.95)
        hits["options"] += low <= K5[0] - K5[1] <= high
        low, high = (ours - theirs).interval(0.95)
        hits["groups"] += float(((low <= K5 - other) & (K5 - other <= high)).mean())
        low, high = (ours - theirs).interval(0.95, simultaneous=True)
        hits["all"] += bool(((low <= K5 - other) & (K5 - other <= high)).all())
        low, high = ours.mean(scores).interval(0.95)
        hits["mean"] += low <= mean <= high
    return {name: count / runs for name, count in hits.items()}


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "target"), [(3, "population")])
def test_differences_cover(mechanism_class: type[sd.GRR], epsilon: float, target: str) -> None:
    """95 % (to 96 % for all at once) by 200 runs: 4 standard errors of 1.5 % each."""
    got = coverages(mechanism_class(5, epsilon), target, 200)
    assert 0.888 <= got.pop("all") <= 0.999
    assert all(0.888 <= one <= 0.995 for one in got.values()), got


@pytest.mark.parametrize(
    "target", ["respondents", pytest.param("population", marks=pytest.mark.slow)]
)
def test_differences_cover_in_brief(mechanism_class: type[sd.GRR], target: str) -> None:
    """60 runs: 4 standard errors of 2.8 % each."""
    got = coverages(mechanism_class(5, 2.0), target, 60)
    assert all(one >= 0.84 for one in got.values()), got


@cases("epsilon", [1.0, 4.0, 8.0])
@cases("truth", [(0.9, 0.08, 0.02), (0.5, 0.3, 0.2), (0.98, 0.01, 0.01)])
def test_fourteen_answers_give_no_nonsense(epsilon: float, truth: tuple[float, ...]) -> None:
    m, n, x = sd.GRR(3, epsilon), 14, np.array(truth)
    y = m.channel.dense() @ x
    held = {"difference": 0.0, "mean": 0.0}
    for a in range(n + 1):
        for b in range(n + 1 - a):
            c = (a, b, n - a - b)
            ways = math.factorial(n) / math.prod(map(math.factorial, c))
            chance = ways * float(np.prod(y ** np.array(c)))
            est = m.estimate(sd.Counts(c, n))
            low, high = est.difference(0, 1).interval(0.95)
            held["difference"] += chance * (low <= x[0] - x[1] <= high)
            low, high = est.mean([1, 2, 3]).interval(0.95)
            held["mean"] += chance * (low <= x @ [1, 2, 3] <= high)
    assert min(held.values()) > 0.92
