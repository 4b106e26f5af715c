"""Intervals hold the truth: the cases in which they once did not, and by the clock all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import compress
from typing import Any

import coverage
import coverage_distributions
import coverage_tables
import coverage_weights
import numpy as np
import pytest
from coverage_entries import LEVEL, Entry, counted, holds
from coverage_laws import binomial, group_law, of_holders, support_law, surveys, trinomial
from coverage_oracles import PAIRS, oracles, shares

import sudare as sd
from sudare.estimation.keyvalue.law import StateLaw
from sudare.estimation.student import Studentised
from sudare.mechanisms import FrequencyOracle
from sudare.mechanisms.marginal.validation import known_part
from sudare.mechanisms.registry import registered
from tests.cases import cases

LEAST = 0.94
ERRORS = 4.5  # of thousands of simulated numbers none is so far off by chance: 1e-5 each


def enough(entry: Entry, least: float = LEAST) -> bool:
    error = math.sqrt(0.95 * 0.05 / entry.runs) if entry.runs else 0.0
    return entry.silent >= least - ERRORS * error


@pytest.mark.slow
@pytest.mark.parametrize("estimator", coverage.ESTIMATORS, ids=lambda one: one.__name__)
def test_every_estimator_holds_the_truth_or_says_so(
    estimator: Callable[[], Iterator[Entry]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is simulated, in 200 surveys: the table of the page takes more."""
    monkeypatch.setattr(coverage, "RUNS", 200)
    monkeypatch.setattr(coverage_tables, "RUNS", 200)
    monkeypatch.setattr(coverage_distributions, "RUNS", 80)
    monkeypatch.setattr(coverage_weights, "RUNS", 400)
    entries = list(estimator())
    assert [entry for entry in entries if not enough(entry)] == []
    assert all(line.count("|") == 8 for line in coverage.rows(entries))


def test_the_page_says_that_no_interval_fails_in_silence() -> None:
    """No line below 94 % that is not flagged on the result; the others 98.5 % on average."""
    table = coverage.PAGE.read_text("utf-8").split(coverage.MARKS[0])[1].split(coverage.MARKS[1])[0]
    lines = [line.split("|")[1:-1] for line in table.splitlines()[2:]]
    assert len(lines) >= 15
    assert min(float(line[4]) for line in lines) >= 100 * LEAST
    plain = [(int(line[1]), float(line[5])) for line in lines if "flagged" not in line[5]]
    assert sum(n * mean for n, mean in plain) / sum(n for n, _ in plain) <= 98.5


# -- exact laws ----------------------------------------------------------------------------------


def test_every_oracle_of_the_registry_is_swept() -> None:
    """A new one too: none is named here or there."""
    shipped = [one for one in registered(FrequencyOracle) if one.__module__.startswith("sudare.")]
    swept = {type(m) for _, m in oracles(2, 5, 43)}
    assert swept == set(shipped)
    assert len(swept) >= 10


@pytest.mark.parametrize("epsilon", [0.2, 4.0])
def test_shares_of_every_oracle_by_the_law_of_its_own_reports(epsilon: float) -> None:
    """The sweep takes one category's count for a sum of two binomials: so it is."""
    for label, m in oracles(3):
        if f"ε={epsilon:g}" not in label:
            continue
        if m.program.outputs > 10_000:  # of three numbers: two are as good
            m = type(m)(2, epsilon)
        columns = m.channel.dense()
        sent = columns.any(axis=1)
        reports = [m.program.decode(one) for one in compress(m.program.wires(), sent)]
        supports = np.array([m.supports(m.aggregate(one).support) for one in reports], float)
        p, q = float(m.law.p), float(m.law.q)
        for value in range(m.k):
            law = columns[sent, value]
            np.testing.assert_allclose(law @ supports, np.where(np.arange(m.k) == value, p, q))
            both = law @ (supports[:, 0] * supports[:, 1])
            np.testing.assert_allclose(both, m.law.pair_probability(0, 1, value), atol=1e-12)


def test_shares_of_every_oracle_in_brief() -> None:
    """Ten, 14 and 100 reports, ε from .2 to 12: exact, and in the slow run up to 100,000."""
    found = list(shares((10, 14, 100)))
    assert len(found) > 3000
    assert min(one.silent for one in found) >= 0.95 - 1e-9


def test_a_difference_without_any_variance_has_an_interval() -> None:
    """Everybody reports what they do not hold, and nobody holds the second."""
    est = sd.NegativeSurvey(2).estimate(sd.Counts((0, 14), 14))
    low, high = est.difference(0, 1).interval(LEVEL)
    assert 0 < low <= 1 <= high


def test_all_categories_at_once() -> None:
    """OUE of 43 categories, ε = 4, n = 1,000: 92.5 % where tails followed the count seen."""
    m, n = sd.OUE(43, 4.0), 1000
    rates = tuple(map(float, m.support_probabilities))
    for first in (1.0, 0.5, 1 / 43):
        every = 1.0
        for x, times in ((first, 1), ((1 - first) / 42, 42)):
            counts, chances, truth = support_law(rates, n, x, "respondents")
            support = np.zeros(43, np.int64)
            held = []
            for c in counts.tolist():
                support[0] = c
                est = m.estimate(sd.Counts(support, n), target="respondents")
                low, high = est.interval(LEVEL, simultaneous=True)
                held.append(low[0] <= truth + 1e-9 and truth - 1e-9 <= high[0])
            every *= float(chances @ np.array(held)) ** times
        assert every >= 0.95


def test_differences() -> None:
    """k = 2, 14 reports, ε = 4: 78.8 % by a normal law."""
    m = sd.GRR(2, 4.0)
    for x in PAIRS[2]:
        entry = counted(
            m, 14, np.array(x, float), lambda est: est.difference(0, 1).interval(LEVEL),
            x[0] - x[1], "", "",
        )  # fmt: skip
        assert entry.coverage >= 0.95


@cases("x", [(0.9, 0.08, 0.02), (0.04, 0.03, 0.93)])
def test_means_of_scales(x: tuple[float, ...]) -> None:
    """77 % by a normal law; 61 % where 93 % of the people decline."""
    scores = [1, 2, None] if x[2] > 0.5 else [1, 2, 3]
    truth = (x[0] + 2 * x[1]) / (x[0] + x[1]) if x[2] > 0.5 else x[0] + 2 * x[1] + 3 * x[2]
    entry = counted(
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


def test_auto_is_enough_for_a_hundred_respondents() -> None:
    """The same case by the whole law of a count, for every number of holders."""
    m, n = sd.OUE(5, 4.0), 100
    p, q = (float(one) for one in m.support_probabilities)
    ends = []
    for c in range(n + 1):
        est = m.estimate(sd.Counts((c, 0, 0, 0, 0), n), target="respondents")
        ends.append([end[0] for end in est.interval(LEVEL)])
    low, high = np.array(ends).T
    for held in range(n + 1):
        inside = (low <= held / n + 1e-9) & (held / n - 1e-9 <= high)
        assert of_holders(held, n, p, q) @ inside >= 0.95


@cases("n, epsilon", [(10, 4.0), (30, 11.0)])
def test_keys_with_few_reports(n: int, epsilon: float) -> None:
    """Wilson's interval of a frequency: 83.7 % at f = 1; means of few holders: 82.5 %."""
    channel = sd.StateRR(2, epsilon).channel.dense()
    for f, mean in ((1.0, 0.0), (0.1, 0.9), (0.1, -1.0), (0.5, 0.5)):
        y = channel @ [f * (1 + mean) / 2, f * (1 - mean) / 2, 1 - f]
        cells, chances = trinomial(n, y)
        law = StateLaw(cells.astype(float), channel, 1, np.zeros(len(cells)))
        for found, truth in ((law.interval_frequency, f), (law.interval_mean, mean)):
            low, high = found(LEVEL)
            inside = (low <= truth + 1e-6) & (truth - 1e-6 <= high)
            assert chances @ inside >= 0.945


def test_keys_with_many_reports() -> None:
    """StateRR, 5,000 reports, ε = 11: 84.6 % by Wilson's interval, where next to all hold it."""
    n, channel = 5000, sd.StateRR(2, 11.0).channel.dense()
    rates = float(channel[:2, 0].sum()), float(channel[:2, 2].sum())
    for f in (0.0, 1 / 5000, 0.001, 0.3, 0.999, 1 - 1 / 5000, 1.0):
        counts, chances, _ = support_law(rates, n, f, "population")
        three = np.stack([counts, 0 * counts, n - counts], axis=1).astype(float)
        low, high = StateLaw(three, channel, 1, np.zeros(len(counts))).interval_frequency(LEVEL)
        assert chances @ ((low <= f + 1e-9) & (f - 1e-9 <= high)) >= 0.95


@cases("x", [0.0, 0.03, 1.0])
def test_those_of_whom_a_random_half_reports(x: float) -> None:
    """Respondents at an end of [0, 1]: 50 % where a limit at that end was moved inwards."""
    n, size, epsilon = 300, 150, 0.5
    known = known_part(size, n, "respondents")
    m = sd.MarginalRR([3, 4], epsilon, "sample")
    blank = m.estimate(sd.Counts((50, 50, 50, 50, 50, 50, 0), n), target="respondents")[0]._law
    rates = tuple(map(float, m.support_probabilities(0)))
    counts, chances, truth = group_law(rates, n, size, x)
    ends = replace(blank, support=counts, n=size, known=known).interval(1 - LEVEL, "auto", False)
    assert chances @ holds(*ends, truth) >= 0.95
    channel = sd.PrivKV(2, epsilon).channel.dense()
    rates = float(channel[:2, 0].sum()), float(channel[:2, 2].sum())
    counts, chances, truth = group_law(rates, n, size, x)
    three = np.stack([counts, 0 * counts, size - counts], axis=1).astype(float)
    law = StateLaw(three, channel, 1, np.full(len(counts), known))
    assert chances @ holds(*law.interval_frequency(LEVEL), truth) >= 0.95


def test_a_number_far_out() -> None:
    """One person in 1,000 at the end, ε = 15: 64 % by a normal law."""
    m, n = sd.Duchi(15.0), 1000
    chances = binomial(n, float(m.channel.matrix[1] @ [0.999, 0.001]))
    held = 0.0
    for c in range(12):
        low, high = m.estimate(sd.Counts((n - c, c), n)).mean.interval(LEVEL)
        held += chances[c] * (low <= -0.998 <= high)
    assert held >= 0.95


def test_shares_that_are_rare_where_few_weigh_much() -> None:
    """Two strata, exactly: 77 % by the errors of residuals, without a flag."""
    least = 1.0
    for m, n in ((sd.GRR(3, 3.0), 100), (sd.OUE(3, 6.0), 60)):
        for name in coverage_weights.SHARES:
            for category in range(3):
                case = m, "poststratified", name, n, category
                assert enough(coverage_weights.share(*case)), case
                if name == "at the ends":
                    least = min(least, coverage_weights.share(*case, _by_residuals).silent)
    assert least < 0.8


def _by_residuals(tested: Any) -> Any:
    return Studentised.of(tested.now, tested.third, tested.freedom)


def test_sums_of_shares_that_are_rare_where_few_weigh_much() -> None:
    """20 samples: 67 % of sums of two, 81 % of means of a scale by Student's law of residuals."""
    m = sd.GRR(3, 3.0)
    assert coverage_weights.sums(m, "poststratified", "at the ends", 60, 20, ()).coverage >= 0.9


def test_moments_of_weighted_sums() -> None:
    """Those of all reports, by the category or cell that is held: sums, differences, products."""
    a, b = sd.GRR(3, 1.0), sd.GRR(2, 2.0)
    tables = np.array([[1.0, 0], [0, -1], [0, 0]]), np.outer([1.0, 2, 0], [1, -1])
    for m, weights in (((a,), np.array([1.0, -1, 0.5])), *(((a, b), one) for one in tables)):
        answers = [np.arange(12) % one.k for one in m]
        w = sd.weights.design(12)
        est: Any = w.estimate(a, answers[0]) if len(m) < 2 else w.cross(m, answers)
        found = est._law._moments_of(weights.ravel())
        said = [
            (np.eye(one.k) - float(one.support_probabilities[1]))
            / float(one.support_probabilities[0] - one.support_probabilities[1])
            for one in m
        ]
        y = weights
        for one in said:  # a report of each question in the place of its category
            y = np.tensordot(y, one, axes=(0, 1))
        law = m[0].channel.dense()
        for one in m[1:]:
            law = np.kron(law, one.channel.dense())
        expected = [(y.ravel() ** power) @ law for power in (1, 2, 3)]
        assert np.allclose(found, expected), weights
    assert est._law._moments_of(np.arange(6.0) ** 2) is None  # neither a product nor two cells


def test_raked_shares_in_brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one sample of 100, whose reports are drawn 3,000 times."""
    monkeypatch.setattr(coverage_weights, "RUNS", 300)
    for category in range(3):
        entry = coverage_weights.share(sd.GRR(3, 3.0), "raked", "rare", 100, category)
        assert enough(entry), entry


def test_a_report_that_may_lie_anywhere() -> None:
    """Hybrid, ε = 12, 50 people in the middle: 11.6 % of surveys have one report by the coin, which
    says an end of the range; all of them were missed, by twice the standard error."""
    m, n = sd.Hybrid(12.0), 50
    middle = int(m.channel.dense()[:, m.cells // 2].argmax())
    counts = np.zeros(len(m.numbers), np.int64)
    counts[middle] = n - 1
    for coin in (-1, -2):
        with_coin = counts.copy()
        with_coin[coin] += 1
        est = m.estimate(sd.Counts(with_coin, n), target="respondents").mean
        low, high = est.interval(LEVEL)
        assert low <= 0 <= high
        assert abs(est.value) > 1.96 * est.stderr  # the control: a normal interval
        assert high - low < 8 * est.stderr


def test_stated_errors_of_the_respondents_numbers() -> None:
    """Within 3 % of the expected ones. Piecewise, ε = 15, at the end: three times as much where
    rounding to nodes counted as the 1/4 that it is half way between two of them."""
    for kind in (sd.Piecewise, sd.Hybrid):
        for epsilon in (4.0, 10.0, 15.0):
            m = kind(epsilon)
            for name, values in coverage.NUMBERS.items():
                held = values(100)
                found = coverage.own_means(m, held, 12, f"stated {m.name} {epsilon} {name}")
                stated = math.sqrt(np.mean([est.mean.stderr**2 for est in found]))
                real = math.sqrt(m.expected_mse(100, held, "respondents"))
                assert stated == pytest.approx(real, rel=0.03), (m.name, epsilon, name)


# -- drawn: cells of one law are counted together ------------------------------------------------


@cases("n", [30, 20_000])
def test_places(n: int) -> None:
    """8 × 8 cells, ε = .03: 21 and 65 % where the variance was that of shares moved to the simplex.

    200 surveys of the cell that holds everybody, and of a quarter of the map: 0.88 is 4.5 standard
    errors below 0.95.
    """
    m = sd.GridExponential(sd.Grid(8, 8, 100.0, 100.0), 0.03)
    x, region = np.eye(64)[27], np.zeros(64)
    region.reshape(8, 8)[:4, :4] = 1.0
    held = []
    for est in surveys(m, n, x, "population", f"places {n}", 200):
        found = [*est.interval(LEVEL)], est.linear(region.reshape(m.shape)).interval(LEVEL)
        held.append([*holds(*found[0], x).ravel(), holds(*found[1], 1.0)])
    assert np.mean(held, axis=0).min() >= 0.88


def test_a_table_of_one_cell() -> None:
    """5 × 4, γ = 3, n = 300, all in one cell: 85.5 % there. 400 surveys: 0.90 is 4.6 errors off."""
    x = np.zeros((5, 4))
    x[2, 1] = 1.0
    m = sd.JointRR([5, 4], gamma=3)
    drawn = surveys(m, 300, x, "population", "a table of one cell", 400)
    held = np.mean([holds(*est.interval(LEVEL), x) for est in drawn], axis=0)
    assert held.min() >= 0.90


@cases("levels, n", [((0.2, 0.5, 6.0), 30), ((0.2, 6.0), 2000)])
def test_groups_of_different_epsilon(levels: tuple[float, ...], n: int) -> None:
    """GRR of 5, shares of 3 %: 56 and 71 % where variances were those of the noisy sum."""
    x, runs = np.array([0.03, 0.03, 0.03, 0.03, 0.88]), 300
    groups = [surveys(sd.GRR(5, e), n, x, "population", f"groups {n} {e}", runs) for e in levels]
    held = [
        holds(*sd.combine(list(some), independent=True).interval(LEVEL), x)
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
