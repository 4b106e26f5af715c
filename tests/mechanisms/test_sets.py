"""Sets of categories: exact ε over all pairs of sets, the least worst error, the whole law."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.exact import log_bounds
from tests.cases import cases

SMALL = [(k, most) for k in (2, 3, 4, 5) for most in range(1, k + 1)]


def sets_of(k: int, most: int) -> list[frozenset[int]]:
    return [frozenset(s) for size in range(most + 1) for s in combinations(range(k), size)]


# -- the guarantee -------------------------------------------------------------------------------


@cases("k, most", SMALL)
@cases("epsilon", ["0.5", "2", "6"])
def test_the_ratio_is_the_largest_over_all_pairs_of_allowed_sets(
    k: int, most: int, epsilon: str
) -> None:
    m = sd.SetUnary(k, Fraction(epsilon), most)
    p, q = m.support_probabilities
    largest = Fraction(0)
    for one, other in product(sets_of(k, most), repeat=2):
        ratio = Fraction(1)
        for i in range(k):
            a, b = (p if i in one else q), (p if i in other else q)
            ratio *= max(a / b, (1 - a) / (1 - b))
        largest = max(largest, ratio)
    assert m.program.ratio == largest
    assert Fraction(m.epsilon) <= Fraction(epsilon)
    assert Fraction(epsilon) - log_bounds(largest)[0] <= Fraction(1, 10**6)
    assert m.channel.epsilon == pytest.approx(m.epsilon, abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(2, 300),
    st.data(),
    st.fractions(min_value=Fraction(1, 1000), max_value=20, max_denominator=10**6),
)
def test_epsilon_is_never_above_the_one_asked_for(k: int, data: Any, epsilon: Fraction) -> None:
    m = sd.SetUnary(k, epsilon, data.draw(st.integers(1, k)))
    low, high = log_bounds(m.program.ratio)
    assert high <= epsilon + Fraction(1, 10**40)
    assert low <= epsilon
    assert epsilon - low <= Fraction(1, 10**6)
    assert sd.SetUnary.from_json(m.to_json()) == m


def test_at_the_ends_of_the_accepted_range() -> None:
    for k, most, epsilon in product((2, 1024), (1, 2), (0.001, 20)):
        assert epsilon - 1e-6 <= sd.SetUnary(k, epsilon, most).epsilon <= epsilon
    assert 20 - 1e-6 <= sd.SetUnary(1024, 20).epsilon <= 20


# -- the least worst error -----------------------------------------------------------------------


def worst(p: Any, q: Any, k: int, most: int) -> Any:
    """The largest n MSE for the respondents over all mean shares, at one end or the other."""
    ends = [(x * p * (1 - p) + (1 - x) * q * (1 - q)) / (p - q) ** 2 for x in (0, most / k)]
    return np.maximum(*ends)


@pytest.mark.parametrize(("k", "most"), [(2, 1), (2, 2), (5, 1), (5, 2), (5, 3), (5, 5), (20, 3)])
@pytest.mark.parametrize("epsilon", [0.5, pytest.param(2.0, marks=pytest.mark.slow), 6.0])
def test_no_other_p_and_q_have_a_smaller_worst_error(k: int, most: int, epsilon: float) -> None:
    m = sd.SetUnary(k, epsilon, most)
    own = float(worst(*(float(x) for x in m.support_probabilities), k, most))
    assert m.expected_mse(1, target="respondents") == pytest.approx(own, rel=1e-9)
    grid = 1 / (1 + np.exp(-np.linspace(-14, 14, 1401)))
    q, p = np.meshgrid(grid, grid)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = np.sort([np.log(p / q), np.log((1 - q) / (1 - p))], axis=0)
        spent = most * high + (min(2 * most, k) - most) * low
        errors = np.where((p > q) & (spent <= epsilon), worst(p, q, k, most), np.inf)
    assert own <= errors.min() * (1 + 1e-6)
    assert errors.min() <= own * 1.3  # the grid comes near: the comparison is one


def test_one_tick_is_a_category_and_all_ticks_are_coins() -> None:
    p, q = (float(x) for x in sd.SetUnary(2, 1.5, 1).support_probabilities)
    assert (p + q, p / q) == (pytest.approx(1), pytest.approx(math.exp(0.75), rel=1e-6))
    p, q = (float(x) for x in sd.SetUnary(7, 3.5).support_probabilities)
    assert (p + q, p / q) == (pytest.approx(1), pytest.approx(math.exp(0.5), rel=1e-6))
    p, q = (float(x) for x in sd.SetUnary(1000, 1, 1).support_probabilities)
    assert (p, q) == (pytest.approx(0.5, abs=2e-3), pytest.approx(1 / (math.e + 1), abs=2e-3))
    one = sd.SetUnary(1000, 1, 1).expected_mse(1, np.full(1000, 1 / 1000))
    assert one <= sd.OUE(1000, 1).expected_mse(1)


def test_fewer_ticks_cost_less() -> None:
    errors = [sd.SetUnary(10, 2, most).expected_mse(1000, [0.05] * 10) for most in range(1, 11)]
    assert errors == sorted(errors)
    assert errors[0] < errors[-1] / 5


# -- the law -------------------------------------------------------------------------------------


def test_estimates_are_unbiased_for_any_law_of_sets() -> None:
    """Expected counts from the exact channel and a population of sets give its shares back."""
    m = sd.SetUnary(4, 1.5, 3)
    sets = m.program.sets()
    weights = np.arange(1, len(sets) + 1) / np.arange(1, len(sets) + 1).sum()
    law = m.channel.dense() @ weights
    bits = np.array([[report >> i & 1 for i in range(4)] for report in range(16)])
    n = 2**50
    support = np.round(n * (law @ bits)).astype(np.int64)
    truth = np.array(
        [sum(w for w, s in zip(weights, sets, strict=True) if i in s) for i in range(4)]
    )
    np.testing.assert_allclose(m.estimate(sd.Counts(support, n)).shares, truth, atol=1e-9)


def test_standard_errors_hold_for_people_and_for_simulations() -> None:
    m, n = sd.SetUnary(5, 2.0, 3), 4000
    rng, dice = sd.Entropy.seeded(b"sets"), np.random.default_rng(5)
    values = np.zeros((n, 5), dtype=bool)
    for i, share in enumerate((0.6, 0.4, 0.3, 0.1)):
        values[:, i] = dice.random(n) < share
    values[values.sum(axis=1) > 3, 0] = False
    held = values.sum(axis=0)
    expected = m.variance(held / n, n, "respondents")
    for draw in (lambda: m.aggregate(m.perturb(values, rng=rng)), lambda: m.simulate(held, n, rng=rng)):  # fmt: skip  # noqa: E501
        shares = np.array([m.estimate(draw()).shares for _ in range(400)])
        z = (shares.mean(axis=0) - held / n) / np.sqrt(expected / 400)
        assert np.abs(z).max() < 6
        np.testing.assert_allclose(shares.var(axis=0), expected, rtol=0.5)
        correlation = np.corrcoef(shares.T) - np.eye(5)
        assert np.abs(correlation).max() < 6 / np.sqrt(400)


def test_the_difference_is_exact_for_respondents_and_safe_for_the_population() -> None:
    m, n, rng = sd.SetUnary(3, 12.0), 2000, sd.Entropy.seeded(b"difference")
    dice = np.random.default_rng(7)
    nested, apart, found = [], [], []
    for _ in range(400):  # a fresh sample each time: those who hold 1 hold 0 too, 2 excludes 0
        u = dice.random(n)
        values = np.stack([u < 0.5, u < 0.3, u >= 0.5], axis=1)
        estimate = m.estimate(m.aggregate(m.perturb(values, rng=rng)))
        nested.append(estimate.difference(0, 1).value)
        apart.append(estimate.difference(0, 2).value)
        found.append([estimate.difference(0, j).stderr for j in (1, 2)])
    stated = np.mean(found, axis=0)
    assert np.std(nested) < stated[0]  # Cov > the least possible: too wide, never too short
    assert np.std(apart) == pytest.approx(stated[1], rel=0.15)  # x + y = 1, never together: exact
    counts = sd.Counts((900, 700, 500), 1000)
    fixed = m.estimate(counts, target="respondents")
    assert fixed.difference(0, 1).stderr == pytest.approx(np.hypot(*fixed.stderr[:2]))
    assert m.estimate(counts).difference(0, 1).stderr > fixed.difference(0, 1).stderr


def test_expected_errors() -> None:
    m, n = sd.SetUnary(5, 2.0, 2), 1000
    p, q = (float(x) for x in m.support_probabilities)
    x = np.array([0.5, 0.5, 0.4, 0.3, 0.3])
    by_hand = (x * p * (1 - p) + (1 - x) * q * (1 - q)) / (n * (p - q) ** 2)
    assert m.expected_mse(n, x, "respondents") == pytest.approx(by_hand.mean())
    assert m.expected_mse(n, x) == pytest.approx((by_hand + x * (1 - x) / n).mean())
    assert m.expected_mse(n, x) <= m.expected_mse(n) * (1 + 1e-12)
    assert m.expected_mse(n, np.zeros(5)) < m.expected_mse(n)


# -- a value, and a border -----------------------------------------------------------------------


def test_counts_merge_and_belong_to_their_mechanism() -> None:
    m = sd.SetUnary(11, 1.0, 3)
    reports = m.perturb(np.eye(11, dtype=bool))
    assert reports.shape == (11, 2)
    whole = m.aggregate(reports)
    assert m.aggregate(reports[:4]) + m.aggregate(reports[4:]) == whole
    assert sd.Counts.from_json(whole.to_json()) == whole
    bits = np.unpackbits(reports, axis=1, bitorder="little")
    assert np.array_equal(whole.support, bits[:, :11].sum(axis=0))
    with pytest.raises(sd.EstimationError, match="this mechanism"):
        sd.SetUnary(11, 1.0, 4).estimate(whole)
    with pytest.raises(sd.EstimationError, match="at least one report"):
        m.estimate(sd.Counts([0] * 11, 0))
    for method in ("mle", None, 3):
        with pytest.raises(sd.DomainError, match="method"):
            m.estimate(whole, method=method)
    with pytest.raises(sd.DomainError, match="target"):
        m.estimate(whole, target="all")


def test_a_wire_goes_there_and_back() -> None:
    m = sd.SetUnary(11, 1.0, 3)
    wire = m.program.encode_one(m.perturb_one([0, 10]))
    assert len(wire) == m.report_bytes == 2
    assert m.program.encode_one(m.program.decode(wire)[0]) == wire
    for foreign in (b"", wire + b"\0", b"\x00\x08", b"\xff\xff"):
        with pytest.raises(sd.ReportError):
            m.program.check_wire(foreign)


NAN = float("nan")


@cases(
    "values",
    [
        [[True, False, NAN]],
        [[1, 0, 1]],
        np.array([[1.0, 0.0, 1.0]]),
        [[True, False, None]],
        [["a", "b", "c"]],
        [[True, False], [True]],
        [True, False, True],
        [[True, False]],
        [[True, False, False, False]],
        [[[True, False, True]]],
        [],
        np.zeros((0, 3), dtype=bool),
        None,
        "text",
        3,
        [[True, True, True]],
        np.ma.array([[True, False, True]], mask=[[0, 1, 0]]),
        np.array([[True, False, True]], dtype=object),
    ],
)
def test_values(values: Any) -> None:
    with pytest.raises(sd.SudareError, match="values must") as caught:
        sd.SetUnary(3, 1.0, 2).perturb(values)
    assert "nan" not in str(caught.value)


def test_a_set_that_is_too_large_is_named_by_its_position() -> None:
    values = np.zeros((5, 3), dtype=bool)
    values[3] = True
    with pytest.raises(sd.DomainError, match="at most 2 in each row; look at position 3"):
        sd.SetUnary(3, 1.0, 2).perturb(values)


@cases("values", [
    np.asfortranarray(np.eye(3, dtype=bool)), np.eye(6, dtype=bool)[::2, ::2],
])  # fmt: skip
def test_any_layout_of_the_array_gives_the_same_reports(values: np.ndarray) -> None:
    m = sd.SetUnary(3, 1.0)
    expected = m.perturb(values.tolist(), rng=sd.Entropy.seeded(b"layout"))
    assert np.array_equal(m.perturb(values, rng=sd.Entropy.seeded(b"layout")), expected)


@cases(
    "value",
    [NAN, None, 0, "01", b"\x01", {0: 1}, [0, 0], [3], [-1], [0, 1, 2], [0.0], [True], ["0"],
     [None], [[0]], np.ma.array([0, 1], mask=[0, 1]), np.array([[0]]), np.array([True, False]),
     [918273]])  # fmt: skip
def test_one_value(value: Any) -> None:
    with pytest.raises(sd.SudareError, match="value must") as caught:
        sd.SetUnary(3, 1.0, 2).perturb_one(value)
    assert "918273" not in str(caught.value)


def test_one_value_may_be_any_collection_in_any_order() -> None:
    m = sd.SetUnary(4, 1.0)
    same = [
        m.perturb_one(value, entropy=sd.Entropy.seeded(b"one"))
        for value in ([2, 0], (0, 2), {0, 2}, frozenset({2, 0}), np.array([2, 0], dtype=np.uint8))
    ]
    assert len(set(same)) == 1
    assert m.perturb_one([])


@cases(
    "reports", [np.array([[8]], dtype=np.uint8), np.zeros((2, 2), dtype=np.uint8), [[0]], [["x"]],
                None, np.ma.array(np.zeros((2, 1), dtype=np.uint8))])  # fmt: skip
def test_reports(reports: Any) -> None:
    with pytest.raises(sd.SudareError, match="reports must"):
        sd.SetUnary(3, 1.0).aggregate(reports)


@cases(
    "truth, n",
    [([1, 2], 5), ([6, 0, 0], 5), ([-1, 0, 0], 5), ([5, 5, 1], 5), ([0.5, 1, 1], 5), ("abc", 5),
     ([1, 1, 1], 0), ([1, 1, 1], 2.5), ([1, 1, 1], None), ([2**63, 0, 0], 5), (None, 5),
     ([[1], 2, 3], 5), ([True, False, True], 5), ([1, 1, 1], 2**61)])  # fmt: skip
def test_simulate_needs_counts(truth: Any, n: Any) -> None:
    with pytest.raises(sd.SudareError, match=r"(true_counts|n) must"):
        sd.SetUnary(3, 1.0, 2).simulate(truth, n)


def test_nobody_may_hold_anything() -> None:
    counts = sd.SetUnary(3, 1.0).simulate([0, 0, 0], 1000, rng=sd.Entropy.seeded(b"none"))
    assert counts.n == 1000


@cases(
    "shares", [[0.5, 0.5], [1.1, 0, 0], [-0.1, 0, 0], [NAN, 0, 0], ["a"] * 3, [1, 1, 0.5], 3, [[1]]]
)
def test_expected_mse_needs_shares(shares: Any) -> None:
    with pytest.raises(sd.SudareError, match="shares must"):
        sd.SetUnary(3, 1.0, 2).expected_mse(10, shares)


@cases("n", [0, -1, 1.5, "10", None])
def test_expected_mse_needs_people(n: Any) -> None:
    with pytest.raises(sd.SudareError, match="n must"):
        sd.SetUnary(3, 1.0).expected_mse(n)


def test_the_channel_of_many_bits_is_refused() -> None:
    with pytest.raises(sd.DomainError, match="k <= 8"):
        _ = sd.SetUnary(9, 1.0).channel


def test_sets_come_as_lists_of_indices_too() -> None:
    m = sd.SetUnary(4, 3.0, most=2)
    rows = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]] * 50, dtype=bool)
    wanted = m.perturb(rows, rng=sd.Entropy.seeded(1))
    for held in ([[0, 2], [1], []], [{2, 0}, frozenset({1}), set()], [(2, 0), (1,), ()]):
        assert (m.perturb(held * 50, rng=sd.Entropy.seeded(1)) == wanted).all()
    for wrong, why in (
        ([[0], [0, 0]], "twice; look at position 1"),
        ([[0, 1, 2]], "at most 2"),
        ([[0], [4]], "look at position 1"),
        ([[0], ["a"]], "whole number"),
        ([[0], [0.5]], "whole number"),
        ([[1, 0, 0, 1], [0, 0, 1, 0]], "twice"),  # rows of 0 and 1
        (np.array([[1, 0, 0, 1]]), r"astype\(bool\)"),
        ([0, 1], "list of the indices"),
    ):
        with pytest.raises(sd.SudareError, match=why):
            m.perturb(wrong)
    with pytest.raises(sd.WrongTypeError, match=r"astype\(bool\)"):  # either could be meant
        sd.SetUnary(2, 1.0).perturb([[0, 1], [1, 0]])
