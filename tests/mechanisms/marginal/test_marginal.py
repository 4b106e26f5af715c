"""Split, sampled and hidden budgets against dense laws, and what each of them guarantees."""

from __future__ import annotations

import json
import math
import pickle
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.exact import floor_float, log_bounds
from sudare.mechanisms import MarginalRR, from_json
from sudare.mechanisms.marginal import STRATEGIES
from sudare.mechanisms.marginal.picked import _alias
from sudare.mechanisms.marginal.validation import mean_reciprocal
from tests.cases import cases

SIZES = st.lists(st.integers(2, 4), min_size=1, max_size=3)
EPSILONS = st.sampled_from([0.5, 1.0, 2.5, 6.0])
CELLS = [[3], [2, 2], [2, 4], [4, 3, 2]]


def rows_of(sizes: list[int]) -> list[tuple[int, ...]]:
    return list(product(*(range(k) for k in sizes)))


def law_of(m: MarginalRR) -> np.ndarray:
    return np.array(m.program.matrix(), dtype=float)


def reports_of(m: MarginalRR) -> np.ndarray:
    """All reports, in the order of the matrix's rows."""
    if m.strategy == "sample":
        return np.array([(i, y) for i, k in enumerate(m.sizes) for y in range(k)])
    return np.array(rows_of(list(m.sizes)))


def shares_of(truth: np.ndarray) -> list[np.ndarray]:
    axes = range(truth.ndim)
    return [truth.sum(axis=tuple(a for a in axes if a != i)) for i in axes]


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=25, deadline=None)
@given(sizes=SIZES, epsilon=EPSILONS)
def test_epsilon_is_the_largest_ratio_of_the_whole_law(
    strategy: Any, sizes: list[int], epsilon: float
) -> None:
    m = MarginalRR(sizes, epsilon, strategy)
    law, rows = m.program.matrix(), rows_of(sizes)
    assert all(sum(column) == 1 for column in zip(*law, strict=True))
    assert max(max(row) / min(row) for row in law) == m.program.ratio
    assert 0 <= epsilon - m.epsilon < 1e-5
    for i in range(len(sizes)):
        largest = max(
            row[v] / row[w]
            for v, w in product(range(len(rows)), repeat=2)
            if all(a == b for j, (a, b) in enumerate(zip(rows[v], rows[w], strict=True)) if j != i)
            for row in law
        )
        assert m.attribute_epsilons[i] == floor_float(log_bounds(Fraction(largest))[0])


def test_the_amplified_epsilon_holds_for_one_attribute_of_equal_sizes_alone() -> None:
    epsilon, d = 1.0, 3
    raised = math.log(d * (math.exp(epsilon) - 1) + 1)
    m = MarginalRR([4] * d, raised, "fake")
    assert m.attribute_epsilons == pytest.approx([epsilon] * d, abs=1e-5)
    assert m.epsilon == pytest.approx(raised, abs=1e-5)  # whole rows spend the raised one: 1.82
    uneven = MarginalRR([2, 4, 16], raised, "fake").attribute_epsilons
    assert uneven[2] > epsilon + 0.05  # and the largest attribute more than stated
    assert uneven[0] < epsilon - 0.05


@cases("strategy", STRATEGIES)
@cases("sizes", CELLS)
def test_estimates_are_unbiased_by_the_whole_law(strategy: Any, sizes: list[int]) -> None:
    m = MarginalRR(sizes, 1.5, strategy)
    truth = np.random.default_rng(3).dirichlet(np.ones(math.prod(sizes)))
    chances = law_of(m) @ truth
    scale = 10**12
    support = np.zeros(m.shape[0])
    starts = np.cumsum((0, *sizes[:-1]))
    for chance, report in zip(chances, reports_of(m), strict=True):
        cells = [report] if strategy == "sample" else list(enumerate(report))
        for i, y in cells:
            support[starts[i] + y] += chance
    whole = np.rint(support * scale).astype(np.int64)
    n = int(whole.sum()) if strategy == "sample" else scale
    if strategy != "sample":
        for start, k in zip(starts, sizes, strict=True):
            whole[start] += scale - int(whole[start : start + k].sum())
    found = m.estimate(sd.Counts(whole, n))
    for estimate, x in zip(found, shares_of(truth.reshape(sizes)), strict=True):
        assert estimate.shares == pytest.approx(x, abs=1e-9)


@cases("strategy", ["split", "fake"])
@cases("sizes", CELLS)
def test_errors_follow_the_multinomial_law_of_the_reports(strategy: Any, sizes: list[int]) -> None:
    m = MarginalRR(sizes, 1.5, strategy)
    n, law, reports = 50, law_of(m), reports_of(m)
    truth = np.random.default_rng(4).dirichlet(np.ones(math.prod(sizes)))
    shares = shares_of(truth.reshape(sizes))
    population, respondents = (m.expected_mse(n, shares, t) for t in ("population", "respondents"))
    for i, x in enumerate(shares):
        p, q = (float(c) for c in m.support_probabilities(i))
        hits = np.array([[report[i] == y for report in reports] for y in range(sizes[i])], float)
        y = hits @ law @ truth
        given_row = hits @ law
        assert y == pytest.approx(q + (p - q) * x)
        spread = (given_row * (1 - given_row)) @ truth
        assert population[i] == pytest.approx((y * (1 - y)).mean() / n / (p - q) ** 2)
        assert respondents[i] == pytest.approx(spread.mean() / n / (p - q) ** 2)


def test_the_error_of_a_sampled_attribute_by_enumeration() -> None:
    """Four people, two attributes: every choice of indices, every group, every report."""
    sizes, rows = [2, 3], [(0, 2), (1, 2), (0, 0), (0, 1)]
    m = MarginalRR(sizes, 1.2, "sample")
    n = len(rows)
    p, q = (float(c) for c in m.support_probabilities(1))
    column = np.array([row[1] for row in rows])
    x = np.bincount(column, minlength=3) / n
    chance = {True: p, False: q}
    error, weight = np.zeros(3), 0.0
    for drawn in product((0, 1), repeat=n):
        group = column[np.array(drawn) == 1]
        if not group.size:
            continue
        weight += 0.5**n
        for said in product(range(3), repeat=group.size):
            mass = math.prod(chance[a == b] for a, b in zip(said, group, strict=True))
            found = (np.bincount(said, minlength=3) / group.size - q) / (p - q)
            error += 0.5**n * mass * (found - x) ** 2
    shares = [np.array([0.75, 0.25]), x]
    expected = m.expected_mse(n, shares, "respondents")[1]
    assert expected == pytest.approx((error / weight).mean(), rel=1e-12)


@cases("target", ["population", "respondents"])
def test_standard_errors_of_a_group(target: Any) -> None:
    m = MarginalRR([3, 4], 2.0, "sample")
    counts = sd.Counts([200, 150, 250, 100, 120, 80, 100], 1000)
    for i, estimate in enumerate(m.estimate(counts, target=target)):
        group = int(m._split(counts.support)[i].sum())
        x = estimate.shares
        assert (x > 0).all()
        p, q = (float(c) for c in m.support_probabilities(i))
        noise = (x * p * (1 - p) + (1 - x) * q * (1 - q)) / (group * (p - q) ** 2)
        drawn = 1.0 if target == "population" else (1000 - group) / 999
        assert estimate.stderr**2 == pytest.approx(noise + drawn * x * (1 - x) / group)
        whole = np.ones(x.size)
        assert estimate.linear(whole).stderr == pytest.approx(0, abs=1e-7)
        assert estimate.n == 1000
        low, high = estimate.interval()
        assert (low < x).all()
        assert (x < high).all()


def test_one_attribute_is_grr_under_each_strategy() -> None:
    grr, counts = sd.GRR(4, 1.5), sd.Counts([40, 30, 20, 10], 100)
    for strategy in STRATEGIES:
        m = MarginalRR([4], 1.5, strategy)
        for target in ("population", "respondents"):
            one, other = m.estimate(counts, target=target)[0], grr.estimate(counts, target=target)
            assert one.shares == pytest.approx(other.shares)
            assert one.stderr == pytest.approx(other.stderr)
            assert one.difference(0, 1).stderr == pytest.approx(other.difference(0, 1).stderr)
            expected = m.expected_mse(100, target=target)[0]
            assert expected == pytest.approx(grr.expected_mse(100, target=target))


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.integers(2, 60), min_size=2, max_size=6),
    epsilon=st.floats(0.1, 8),
    target=st.sampled_from(["population", "respondents"]),
)
def test_fake_answers_are_never_better_than_telling_the_attribute(
    sizes: list[int], epsilon: float, target: Any
) -> None:
    sampled, hidden = (MarginalRR(sizes, epsilon, s) for s in ("sample", "fake"))
    n = 10_000
    assert (hidden.expected_mse(n, None, target) > sampled.expected_mse(n, None, target)).all()


@cases("n", [1, 2, 7, 300])
@cases("parts", [1, 2, 5, 40])
def test_the_mean_reciprocal_of_a_group(n: int, parts: int) -> None:
    chance = Fraction(1, parts)
    law = [math.comb(n, j) * chance**j * (1 - chance) ** (n - j) for j in range(1, n + 1)]
    exact = sum(Fraction(w, j) for j, w in enumerate(law, 1)) / sum(law)
    assert mean_reciprocal(n, parts) == pytest.approx(float(exact), rel=1e-12)


def test_the_mean_reciprocal_of_a_huge_group() -> None:
    assert mean_reciprocal(2**62, 1000) == pytest.approx(1000 / 2**62, rel=1e-12)


@cases("strategy", STRATEGIES)
def test_simulated_counts_have_the_errors_of_the_formula(strategy: Any) -> None:
    """Chance of a false alarm: about 1e-7."""
    m = MarginalRR([4, 3], 1.0, strategy)
    truth = [[400, 300, 200, 100], [500, 250, 250]]
    shares = [np.array(t) / 1000 for t in truth]
    runs = 600
    found = [m.estimate(m.simulate(truth), target="respondents") for _ in range(runs)]
    expected = m.expected_mse(1000, shares, "respondents")
    for i, x in enumerate(shares):
        each = np.array([estimates[i].shares for estimates in found])
        error = ((each - x) ** 2).mean(axis=1)
        assert abs(error.mean() - expected[i]) < 5.7 * error.std() / runs**0.5
        stray = np.abs(each.mean(axis=0) - x) / (each.std(axis=0) / runs**0.5)
        assert (stray < 6).all()
        stderr = np.array([estimates[i].stderr for estimates in found])
        assert ((np.abs(each - x) < 1.96 * stderr).mean(axis=0) > 0.9).all()


def test_counts_merge_and_travel() -> None:
    for strategy in STRATEGIES:
        m = MarginalRR([3, 2], 1.0, strategy)
        reports = m.perturb([[0, 1], [2, 0], [1, 1], [2, 1]], rng=sd.Entropy.seeded(b"merge"))
        a, b = m.aggregate(reports[:1]), m.aggregate(reports[1:])
        assert a + b == m.aggregate(reports)
        assert sd.Counts.from_json((a + b).to_json()) == a + b
        again = from_json(json.loads(json.dumps(m.to_json())), MarginalRR)
        assert again == m == pickle.loads(pickle.dumps(m))
        assert (hash(again), repr(again)) == (hash(m), repr(m))
        assert m.marginal(a + b, 1).support.tolist() == (a + b).support[3:].tolist()
    three = [MarginalRR([3, 2], 1.0, s) for s in STRATEGIES]
    assert len({*three}) == 3
    with pytest.raises(sd.EstimationError):
        _ = three[0].aggregate([[0, 0]]) + three[2].aggregate([[0, 0]])


def test_split_is_joint_rr_with_an_even_budget() -> None:
    m, joint = MarginalRR([5, 3], 2.0, "split"), sd.JointRR([5, 3], epsilon=[1.0, 1.0])
    assert m.program == joint.program
    reports = joint.perturb([[4, 0], [1, 2], [1, 1]])
    for i, estimate in enumerate(m.estimate(m.aggregate(reports))):
        alone = joint.subset([i])
        other = alone.estimate(joint.marginal(joint.aggregate(reports), [i]))
        assert estimate.shares == pytest.approx(other.shares)
        assert m.expected_mse(77)[i] == pytest.approx(alone.expected_mse(77))


def test_no_device_runs_fake_answers() -> None:
    program = MarginalRR([3, 2], 1.0, "fake").program
    with pytest.raises(sd.PrivacyError, match="devices"):
        program.to_json()
    with pytest.raises(sd.PrivacyError, match="devices"):
        type(program).from_json({})


@cases("strategy", STRATEGIES)
@cases(
    "bad",
    [
        None, "ab", 3, [], [1, 2], [[0]], [[0, 0, 0]], [[0, 5]], [[3, 0]], [[-1, 0]], [[0.0, 1.0]],
        [[True, False]], [[0, None]], [[0, float("nan")]], [[0, 2**70]], [["0", "1"]],
        np.ma.array([[0, 1]], mask=[[0, 1]]),
    ])  # fmt: skip
def test_bad_rows_and_reports_are_refused(strategy: Any, bad: Any) -> None:
    m = MarginalRR([3, 2], 1.0, strategy)
    with pytest.raises(sd.SudareError):
        m.perturb(bad)
    with pytest.raises(sd.SudareError):
        m.perturb_one(bad)
    with pytest.raises(sd.SudareError):
        m.aggregate(bad)


@cases("report", [[2, 0], [1, 2], [0, 3], [-1, 0], [0, -1]])
def test_foreign_picked_reports_are_refused(report: list[int]) -> None:
    with pytest.raises(sd.ReportError):
        MarginalRR([3, 2], 1.0, "sample").aggregate([[0, 0], report])


@cases("sizes", [[3, 2], [300, 2], [2] * 5])
@cases("dtype", [np.uint8, np.int64])
def test_picked_reports_are_counted_one_by_one(sizes: list[int], dtype: Any) -> None:
    m, dice = MarginalRR(sizes, 1.0, "sample"), np.random.default_rng(1)
    reports = [[i, c] for i in dice.integers(0, len(sizes), 900) for c in [dice.integers(sizes[i])]]
    reports = [[i, c] for i, c in reports if c <= np.iinfo(dtype).max]
    expected = np.zeros(sum(sizes), dtype=np.int64)
    for i, c in reports:
        expected[sum(sizes[:i]) + c] += 1
    counts = m.aggregate(np.array(reports, dtype=dtype))
    assert (counts.support.tolist(), counts.n) == (expected.tolist(), len(reports))


@cases("sizes, n", [([4, 3, 6], 400_000), ([4, 3, 6], 90), ([300, 2], 60_000)])
def test_picked_rows_follow_the_law(sizes: list[int], n: int) -> None:
    """Of one row in many, by tables or attribute by attribute; another row's law is noticed."""
    m, value = MarginalRR(sizes, 1.5, "sample"), [size - 1 for size in sizes]
    rows, rng = np.tile(np.array(value), (n, 1)), sd.Entropy.system()
    seen = sum(m.aggregate(m.perturb(rows, rng=rng)).support for _ in range(-(-60_000 // n)))
    own, other = (
        [float(cell) for part, v in zip(m.program.parts, row, strict=True)
         for cell in part.laws([v])[0]] for row in (value, [0] * len(sizes))
    )  # fmt: skip
    law, wrong = (np.array(one) / len(sizes) for one in (own, other))
    assert sd.testing.chi_square_pvalue(seen.tolist(), law.tolist()) > 1e-8
    assert sd.testing.chi_square_pvalue(seen.tolist(), wrong.tolist()) < 1e-8


def test_the_laws_of_all_attributes_are_tabled_exactly() -> None:
    m = MarginalRR([4, 3, 6], 1.5, "sample")
    laws = _alias(m.program.parts).laws
    for i, part in enumerate(m.program.parts):
        exact = part.laws(range(part.k))
        tabled = [laws[i * 6 + value].law for value in range(part.k)]
        assert [own[: part.k] for own in tabled] == exact
        assert not any(any(own[part.k :]) for own in tabled)


@cases("strategy", ["sample", "fake"])
def test_which_attribute_is_answered_does_not_follow_the_row(strategy: Any) -> None:
    m, n = MarginalRR([2, 2], 12.0, strategy), 4_000
    reports = m.perturb(np.zeros((n, 2), dtype=int), rng=sd.Entropy.seeded(b"which"))
    # the share of 0 among those who drew an attribute is 1, among the others' fake answers 1/2
    sign = reports[:, 0] == 0
    share = 0.5 if strategy == "sample" else 0.75
    for some in (sign[::2], sign[1::2], sign[: n // 2], sign[n // 2 :]):
        assert some.mean() == pytest.approx(share, abs=5 * 0.5 / np.sqrt(n / 2))


def test_a_budget_too_small_to_split_says_so() -> None:
    with pytest.raises(sd.PrivacyError, match=r"each attribute.*sample"):
        MarginalRR([2, 2], 0.0015, "split")


def test_picked_reports_are_no_booleans() -> None:
    with pytest.raises(sd.WrongTypeError):
        MarginalRR([3, 2], 1.0, "sample").aggregate([[0, 0], [True, 0]])


def test_other_counts_are_refused() -> None:
    split, sample = (MarginalRR([3, 2], 1.0, s) for s in ("split", "sample"))
    for m, support, n in (
        (split, [1, 1, 1, 1, 1], 3), (split, [1, 1, 1, 3], 3), (split, [0] * 5, 0),
        (sample, [1, 1, 1, 1, 1], 6), (sample, [1, 1, 1, 0, 0], 3),
    ):  # fmt: skip
        with pytest.raises(sd.EstimationError):
            m.estimate(sd.Counts(support, n))
    good = sd.Counts([1, 1, 1, 1, 2], 3)
    for bad in ({"method": "mle"}, {"method": None}, {"target": "all"}, {"target": None}):
        with pytest.raises(sd.DomainError):
            split.estimate(good, **bad)
    with pytest.raises(sd.EstimationError):
        sample.estimate(split.aggregate([[0, 0]]))
    for axis in (-1, 2, None, "0", 0.5, True):
        with pytest.raises(sd.SudareError):
            split.marginal(good, axis)


@cases("shares", [3, "x", [], [[1, 0, 0]], [[1, 0], [1, 0]], [[1, 1, 0], [1, 0]], [None, "a"]])
def test_bad_shares_are_refused(shares: Any) -> None:
    with pytest.raises(sd.SudareError):
        MarginalRR([3, 2], 1.0).expected_mse(10, shares)
    for n in (0, -1, 1.5, None, "3"):
        with pytest.raises(sd.SudareError):
            MarginalRR([3, 2], 1.0).expected_mse(n)


@cases(
    "counts",
    [
        3,
        "x",
        [],
        [[1, 2, 3]],
        [[1, 2, 3], [1, 2]],
        [[0, 0, 0], [0, 0]],
        [[1, -1, 3], [1, 2]],
        [[1.0, 1, 1], [1, 2]],
        [[10**9, 0, 0], [10**9, 0]],
    ],
)
def test_bad_true_counts_are_refused(counts: Any) -> None:
    with pytest.raises(sd.SudareError):
        MarginalRR([3, 2], 1.0, "sample").simulate(counts)


def test_the_bootstrap_refuses_what_it_cannot_do() -> None:
    m = MarginalRR([3, 2], 1.0)
    with pytest.raises(sd.SudareError):
        sd.bootstrap(m, m.aggregate([[0, 0], [1, 1]]), "unbiased", repetitions=3)
