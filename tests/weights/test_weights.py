"""Weights against textbook formulas written out by hand, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import sudare as sd
from sudare.estimation.student import quantile
from sudare.mechanisms import Mechanism
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.registry import registered
from sudare.mechanisms.scores import scores
from tests.cases import cases

ORACLES = registered(FrequencyOracle)
SEED = sd.Entropy.seeded(b"weights")
DICE = np.random.default_rng(19)

M = sd.GRR(3, 2.0)
AGE = np.array(["young"] * 160 + ["old"] * 40)
SEX = np.array(["f"] * 110 + ["m"] * 60 + ["f"] * 10 + ["m"] * 20)
REPORTS = M.perturb([0] * 100 + [1] * 60 + [2] * 30 + [1] * 10, rng=SEED)
Y = scores(M, REPORTS)


@cases("kind", ORACLES)
def test_the_average_of_the_scores_is_the_estimate(kind: Any) -> None:
    for m in kind.examples():
        reports = m.perturb(np.arange(40) % m.k, rng=SEED)
        expected = m.estimate(m.aggregate(reports)).shares
        assert scores(m, reports).mean(axis=0) == pytest.approx(expected, abs=1e-9), m


@cases("m", [sd.JointRR([2, 3], gamma=8), sd.Duchi(1.0, 0, 5), sd.Piecewise(1.0), sd.Hybrid(2.0)])
def test_of_tables_and_means_too(m: Any) -> None:
    values = np.stack([np.arange(30) % 2, np.arange(30) % 3], 1) if m.shape == (2, 3) else None
    reports = m.perturb(np.linspace(0, 1, 30) if values is None else values, rng=SEED)
    est = m.estimate(m.aggregate(reports))
    expected = est.mean.value if values is None else est.shares
    assert scores(m, reports).mean(axis=0) == pytest.approx(expected, abs=1e-9)


def test_poststratified_is_the_textbook() -> None:
    w = sd.weights.poststratify(AGE, {"young": 3, "old": 7})
    est = w.estimate(M, REPORTS)
    parts = [(0.3, Y[:160]), (0.7, Y[160:])]
    assert est.shares == pytest.approx(sum(v * y.mean(axis=0) for v, y in parts))
    variance = sum(v * v * y.var(axis=0, ddof=1) / len(y) for v, y in parts)
    assert est.stderr**2 == pytest.approx(variance)
    assert w.effective_n == pytest.approx(200 / np.mean(w.values**2))
    sum_of_two = est.linear([1, 1, 0])
    expected = sum(v * v * (y[:, 0] + y[:, 1]).var(ddof=1) / len(y) for v, y in parts)
    assert sum_of_two.stderr**2 == pytest.approx(expected)


def test_strata_of_their_own_collections_come_to_the_same() -> None:
    w = sd.weights.poststratify(AGE, {"young": 0.3, "old": 0.7}).estimate(M, REPORTS)
    groups = [M.estimate(M.aggregate(part)) for part in (REPORTS[:160], REPORTS[160:])]
    both = sd.combine(groups, strata=[30, 70])
    assert both.shares == pytest.approx(w.shares)
    assert both.stderr == pytest.approx(w.stderr, rel=0.05)
    assert both.shares != pytest.approx(sd.combine(groups, strata=[70, 30]).shares)
    for bad in ([1, 0], [1, -1], [1, float("nan")], [1, 2, 3]):
        with pytest.raises(sd.DomainError, match="strata"):
            sd.combine(groups, strata=bad)
    with pytest.raises(sd.WrongTypeError, match="strata"):
        sd.combine(groups, strata=["a", "b"])
    own = [M.estimate(M.aggregate(part), target="respondents") for part in (REPORTS, REPORTS[:9])]
    with pytest.raises(sd.EstimationError, match="population"):
        sd.combine(own, strata=[30, 70])


def test_bias_is_removed_of_two_strata() -> None:
    # of 100,000 people 30 % are young; 80 % of the sample are
    m = sd.OUE(2, 1.0)
    young = DICE.random(20_000) < 0.8
    yes = DICE.random(20_000) < np.where(young, 0.2, 0.7)
    truth = 0.3 * 0.2 + 0.7 * 0.7
    reports = m.perturb(yes.astype(int), rng=SEED)
    plain = m.estimate(m.aggregate(reports))
    w = sd.weights.poststratify(young, {True: 30_000, False: 70_000}).estimate(m, reports)
    assert abs(plain.shares[1] - truth) > 10 * plain.stderr[1]
    assert abs(w.shares[1] - truth) < 4 * w.stderr[1]


def test_raked_weights_agree_with_all_margins_and_are_products() -> None:
    margins = {"age": {"young": 0.4, "old": 0.6}, "sex": {"f": 0.5, "m": 0.5}}
    w = sd.weights.rake({"age": AGE, "sex": SEX}, margins)
    for labels, wanted in ((AGE, margins["age"]), (SEX, margins["sex"])):
        for label, share in wanted.items():
            assert w.values[labels == label].sum() / 200 == pytest.approx(share, rel=1e-8)
    cell = {(a, s): w.values[(a == AGE) & (s == SEX)][0] for a in ("young", "old") for s in "fm"}
    odds = cell["young", "f"] * cell["old", "m"] / cell["young", "m"] / cell["old", "f"]
    assert odds == pytest.approx(1)  # no interaction: the closest weights to equal ones


def test_raking_to_one_margin_is_poststratifying() -> None:
    one = sd.weights.rake({"age": AGE}, {"age": {"young": 1, "old": 2}}).estimate(M, REPORTS)
    other = sd.weights.poststratify(AGE, {"young": 1, "old": 2}).estimate(M, REPORTS)
    assert one.shares == pytest.approx(other.shares)
    assert one.stderr == pytest.approx(other.stderr)


def test_raked_errors_are_those_of_the_residuals() -> None:
    margins = {"age": {"young": 0.4, "old": 0.6}, "sex": {"f": 0.5, "m": 0.5}}
    w = sd.weights.rake({"age": AGE, "sex": SEX}, margins)
    x = np.stack([np.ones(200), AGE == "old", SEX == "m"], axis=1).astype(float)
    root = np.sqrt(w.values)[:, None]
    hat = root * x @ np.linalg.inv((x * w.values[:, None]).T @ x) @ (root * x).T
    fit = np.linalg.lstsq(root * x, root * Y, rcond=None)[0]
    e = w.values[:, None] * (Y - x @ fit) / np.sqrt(1 - np.diag(hat))[:, None] / 200
    assert w.estimate(M, REPORTS).stderr ** 2 == pytest.approx((e**2).sum(axis=0))


def test_strata_of_a_design_are_the_textbook() -> None:
    size = {"young": 700.0, "old": 300.0}
    each = np.where(AGE == "young", 700 / 160, 300 / 40)
    est = sd.weights.design(weights=each, strata=AGE).estimate(M, REPORTS)
    parts = [(size[a] / 1000, Y[a == AGE]) for a in size]
    assert est.shares == pytest.approx(sum(v * y.mean(axis=0) for v, y in parts))
    variance = sum(v * v * y.var(axis=0, ddof=1) / len(y) for v, y in parts)
    assert est.stderr**2 == pytest.approx(variance, rel=0.05)  # leverage: a little more


def test_clusters_are_the_textbook() -> None:
    village = np.repeat(np.arange(20), 10)
    est = sd.weights.design(clusters=village).estimate(M, REPORTS)
    totals = Y.reshape(20, 10, 3).mean(axis=1)
    assert est.stderr**2 == pytest.approx(totals.var(axis=0, ddof=1) / 20, rel=0.01)
    alone = sd.weights.design(200).estimate(M, REPORTS)
    assert est.stderr[0] > 1.5 * alone.stderr[0]  # neighbours answer alike here
    low, high = est.interval(kind="normal")
    assert (high - low) / 2 == pytest.approx(2.093 * est.stderr, rel=1e-3)  # Student, 19


def test_as_rrtcs_estimates_of_a_small_part_of_a_large_population() -> None:
    """RRTCS (R): Warner's transformed variable r, ``Σ V_R / π`` and Deville's variance of
    ``Σ r / π`` stratum by stratum; clusters by its jackknife. Its finite-population parts vanish.
    """
    m = sd.GRR(2, 2.0)
    p = float(m.law.p)
    z = m.perturb((np.arange(200) % 3 == 0).astype(int), rng=SEED)
    r = (z - (1 - p)) / (2 * p - 1)
    assert scores(m, z)[:, 1] == pytest.approx(r)
    people = {"young": 4e7, "old": 6e7}
    total = variance = 0.0
    for label, size in people.items():
        own = r[label == AGE]
        pi = len(own) / size
        spread = ((own / pi - (own / pi).mean()) ** 2).sum() * len(own) / (len(own) - 1)
        total += own.sum() / pi
        variance += (own * (own - 1) / pi).sum() + (1 - pi) * spread
    each = np.where(AGE == "young", 4e7 / 160, 6e7 / 40)
    est = sd.weights.design(weights=each, strata=AGE).estimate(m, z)
    assert est.shares[1] == pytest.approx(total / 1e8)
    assert est.stderr[1] == pytest.approx(variance**0.5 / 1e8, rel=0.01)  # leverage

    villages = r.reshape(20, 10)
    left = np.array([np.delete(villages, i, axis=0).mean() for i in range(20)])
    jackknife = 19 / 20 * ((left - left.mean()) ** 2).sum()
    est = sd.weights.design(clusters=np.repeat(np.arange(20), 10)).estimate(m, z)
    assert est.shares[1] == pytest.approx(r.mean())
    assert est.stderr[1] ** 2 == pytest.approx(jackknife, rel=0.01)


def test_a_label_is_one_cluster_within_its_stratum() -> None:
    numbers = np.arange(200) % 4
    apart = numbers + 4 * (AGE == "old")
    ours, theirs = (
        sd.weights.design(strata=AGE, clusters=some).estimate(M, REPORTS)
        for some in (numbers, apart)
    )
    assert ours.stderr == pytest.approx(theirs.stderr)


def test_equal_weights_are_no_weights() -> None:
    est, plain = sd.weights.design(200).estimate(M, REPORTS), M.estimate(M.aggregate(REPORTS))
    assert est.shares == pytest.approx(plain.shares)
    assert est.stderr == pytest.approx(plain.stderr, rel=0.02)
    assert (est.epsilon, est.covers, est.target) == (plain.epsilon, plain.covers, "population")


def test_tables_have_margins_and_dependence() -> None:
    j = sd.JointRR([2, 3], gamma=30)
    rows = np.stack([np.arange(200) % 2, np.arange(200) % 2 + (np.arange(200) % 5 == 0)], 1)
    reports = j.perturb(rows, rng=SEED)
    w = sd.weights.poststratify(AGE, {"young": 1, "old": 1})
    table: Any = w.estimate(j, reports)
    assert table.shares.shape == (2, 3)
    for axis in (0, 1):
        own = w.estimate(j.parts[axis], np.ascontiguousarray(reports[:, axis]))
        assert table.marginal(axis).shares == pytest.approx(own.shares)
        assert table.marginal(axis).stderr == pytest.approx(own.stderr)
        ours, theirs = (one.interval() for one in (table.marginal(axis), own))
        assert np.array(ours) == pytest.approx(np.array(theirs))
    assert 0.5 < table.dependence().value <= 1


def test_questions_are_crossed() -> None:
    m, other = sd.GRR(2, 3.0), sd.OUE(3, 3.0)
    seed = sd.Entropy.seeded(b"crossed")
    reports = [
        m.perturb((AGE == "old").astype(int), rng=seed),
        other.perturb(np.arange(200) % 3, rng=seed),
    ]
    plain = sd.cross([m, other], reports).estimate
    even = sd.weights.design(200).cross([m, other], reports)
    assert even.shares == pytest.approx(plain.shares)
    assert even.stderr == pytest.approx(plain.stderr, rel=0.25)
    assert (even.epsilon, even.covers) == (plain.epsilon, plain.covers)
    w = sd.weights.poststratify(AGE, {"young": 1, "old": 1})
    parts = [[own[age == AGE] for own in reports] for age in ("young", "old")]
    halves = [sd.cross([m, other], part).estimate.shares for part in parts]
    assert w.cross([m, other], reports).shares == pytest.approx((halves[0] + halves[1]) / 2)
    with pytest.raises(sd.EstimationError, match="one a weight"):
        w.cross([m, m], [[0, 1], [0, 1]])
    with pytest.raises(sd.DomainError, match="2 questions"):
        w.cross([m, m], [[0, 1]])


def test_means_of_numbers_and_of_scores() -> None:
    m = sd.Duchi(2.0, 0, 10)
    reports = m.perturb(np.where(AGE == "young", 2, 8), rng=SEED)
    est: Any = sd.weights.poststratify(AGE, {"young": 1, "old": 1}).estimate(m, reports)
    assert abs(est.mean.value - 5) < 4 * est.mean.stderr
    low, high = est.mean.interval()
    assert 1.9 * est.mean.stderr < (high - low) / 2 < 2.2 * est.mean.stderr  # a test of the mean
    shares: Any = sd.weights.design(200).estimate(M, REPORTS)
    assert shares.mean([1, 2, 3]).value == pytest.approx(shares.linear([1, 2, 3]).value)


def test_intervals_are_drawn_in_and_of_all_at_once_wider() -> None:
    est: Any = sd.weights.design(200).estimate(M, REPORTS)
    apart, together = est.interval(0.9), est.interval(0.9, simultaneous=True)
    assert (together[0] <= apart[0]).all()
    assert (together[1] >= apart[1]).all()
    assert np.concatenate(est.interval(1 - 1e-9)).min() == 0
    assert est.interval(0.9999, kind="normal")[0].min() < 0
    assert "design" in repr(sd.weights.design(200))
    assert sd.weights.design(20).estimate(M, REPORTS[:20]).warnings


def test_a_stratum_of_few_that_decides_is_said_and_not_taken_for_certain() -> None:
    m, two = sd.GRR(2, 1.0), sd.weights.poststratify(["a"] * 2 + ["b"] * 998, {"a": 0.2, "b": 0.8})
    est: Any = two.estimate(m, [1, 1] + [0, 1] * 499)  # nothing was seen to vary within a
    assert [one.code for one in est.warnings] == ["few-reports"]
    assert "as if of 2 units" in est.warnings[0]
    own = 1 / float(m.law.p - m.law.q) ** 2 / 4  # of a report, half of which support it
    assert est.stderr**2 == pytest.approx(0.2**2 / 2 * own, rel=0.05)
    assert np.array(est.interval()).tolist() == [[0, 0], [1, 1]]
    pairs = sd.weights.poststratify(np.arange(200) // 2, dict.fromkeys(range(100), 1))
    assert not pairs.estimate(m, [0, 1] * 100).warnings  # many small ones tell enough together
    assert pairs._freedom() == pytest.approx(100)


def test_intervals_are_moved_as_far_as_the_law_is_skewed() -> None:
    est: Any = sd.weights.design(200).estimate(M, REPORTS)
    value, stderr = est.shares[2], est.stderr[2]
    t = quantile(0.05, 199)
    third = (((Y[:, 2] - value) / 200) ** 3).sum()
    shift = (1 + 2 * t * t) / 6 * third / stderr**2
    assert abs(shift) > 0.05 * stderr
    low, high = (end[2] for end in est.interval())
    assert (low, high) == pytest.approx(
        (value + shift - t * stderr, value + shift + t * stderr), rel=0.02
    )
    few: Any = sd.weights.design(6).estimate(M, REPORTS[:6])
    low, high = few.interval(kind="normal")
    assert high - low == pytest.approx(2 * 2.571 * few.stderr, rel=1e-3)  # 5


NAN = float("nan")
MISSING = pd.array(["a", None], dtype="string")
REFUSED: list[tuple[type[sd.SudareError], str, Any]] = [
    (sd.DomainError, "weights", lambda w: w.design(weights=[1, -1, 1])),
    (sd.DomainError, "weights", lambda w: w.design(weights=[1, NAN, 1])),
    (sd.DomainError, "weights", lambda w: w.design(weights=[1, 0, 1])),
    (sd.DomainError, "weights", lambda w: w.design(weights=[1, float("inf"), 1])),
    (sd.WrongTypeError, "weights", lambda w: w.design(weights=["a", "b"])),
    (sd.WrongTypeError, "n", lambda w: w.design()),
    (sd.DomainError, "n", lambda w: w.design(1)),
    (sd.DomainError, "as long", lambda w: w.design(3, weights=[1, 1])),
    (sd.DomainError, "missing", lambda w: w.design(strata=["a", None, "a"])),
    (sd.DomainError, "missing", lambda w: w.design(clusters=["a", NAN, "a"])),
    (sd.DomainError, "missing", lambda w: w.design(strata=[("a", NAN), ("b", 1)])),
    (sd.DomainError, "missing", lambda w: w.design(strata=[("a", (None, 2)), ("b", 1)])),
    (sd.DomainError, "missing", lambda w: w.poststratify(MISSING, {"a": 1})),
    (sd.EstimationError, "two respondents", lambda w: w.design(strata=["a", "a", "b"])),
    (sd.EstimationError, "two clusters", lambda w: w.design(clusters=[1, 1, 1])),
    (sd.WrongTypeError, "strata", lambda w: w.poststratify("ab", {"a": 1, "b": 1})),
    (sd.WrongTypeError, "strata", lambda w: w.poststratify([[1], [2]], {"a": 1})),
    (sd.DomainError, "every label", lambda w: w.poststratify(["a", "b"], {"a": 1})),
    (sd.DomainError, "respondents", lambda w: w.poststratify(["a"], {"a": 1, "b": 1})),
    (sd.DomainError, "population", lambda w: w.poststratify(["a"], {"a": -1})),
    (sd.DomainError, "population", lambda w: w.poststratify(["a"], {"a": NAN})),
    (sd.WrongTypeError, "population", lambda w: w.poststratify(["a"], {"a": "1"})),
    (sd.WrongTypeError, "population", lambda w: w.poststratify(["a"], [1])),
    (sd.WrongTypeError, "base", lambda w: w.poststratify(["a"], {"a": 1}, base=[1])),
    (sd.DomainError, "base", lambda w: w.poststratify(["a"], {"a": 1}, base=w.design(2))),
    (
        sd.DomainError,
        "base",
        lambda w: w.poststratify([1, 1], {1: 1}, base=w.poststratify([1, 1], {1: 1})),
    ),
    (sd.WrongTypeError, "margins", lambda w: w.rake({"x": ["a"]}, [])),
    (sd.DomainError, "labels", lambda w: w.rake({"x": ["a"]}, {"y": {"a": 1}})),
    (
        sd.DomainError,
        "contradict",
        lambda w: w.rake(
            {"x": ["a", "b"], "y": ["a", "b"]}, {"x": {"a": 1, "b": 1}, "y": {"a": 1, "b": 2}}
        ),
    ),
    (
        sd.EstimationError,
        "contradict",
        lambda w: w.rake(
            {"x": ["a", "b"], "y": ["a", "b"]},
            {"x": {"a": 1, "b": 1}, "y": {"a": 0.5, "b": 1.5}},
        ),
    ),
    (
        sd.EstimationError,
        "3 rounds",
        lambda w: w.rake(
            {"x": ["a", "a", "b"], "y": ["a", "b", "b"]},
            {"x": {"a": 1, "b": 1}, "y": {"a": 1, "b": 1}},
            rounds=3,
        ),
    ),
    (
        sd.EstimationError,
        "alone",
        lambda w: w.poststratify(["a", "a", "b"], {"a": 1, "b": 1}).estimate(M, [0, 1, 2]),
    ),
    (sd.EstimationError, "one a weight", lambda w: w.design(4).estimate(M, [0, 1, 2])),
    (sd.ReportError, "reports", lambda w: w.design(3).estimate(M, [0, 1, 9])),
    (
        sd.EstimationError,
        "mechanism",
        lambda w: w.design(2).estimate(
            sd.PrivKV(2, 1.0), sd.PrivKV(2, 1.0).perturb(np.ones((2, 2), bool), np.ones((2, 2)))
        ),
    ),
]


@cases("error, words, act", REFUSED, parts=2)
def test_bad_input_is_refused(error: type[sd.SudareError], words: str, act: Any) -> None:
    with pytest.raises(error, match=words):
        act(sd.weights)


def test_every_family_is_known() -> None:
    assert all(issubclass(kind, Mechanism) for kind in ORACLES)
    assert len(ORACLES) >= 12
