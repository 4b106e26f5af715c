"""Joint randomised response against dense matrices, the source's figures and exact laws."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import sudare as sd
from sudare.estimation import clip_and_normalise
from sudare.estimation.sparse import SparseCounts
from sudare.exact import log_bounds
from sudare.mechanisms import from_json
from sudare.mechanisms.joint import Joint, JointRR, base as module, gamma_for, posterior_ceiling
from sudare.mechanisms.joint.rows import column_maxima
from tests.cases import cases

SIZES = st.lists(st.integers(2, 8), min_size=1, max_size=5)


def _dense(j: JointRR) -> np.ndarray:
    out = np.ones((1, 1))
    for part in j.parts:
        out = np.kron(out, np.array(part.program.matrix(), dtype=float))
    return out


def test_cells_are_row_major() -> None:
    j = JointRR([5, 3, 2], gamma=10)
    assert np.unravel_index(7, j.sizes) == (1, 0, 1)
    counts = j.aggregate(np.array([[1, 0, 1]]))
    assert counts.support.ravel().tolist() == [0] * 7 + [1] + [0] * 22


@settings(max_examples=30)
@given(SIZES, st.integers(0, 2**32))
def test_inverse_and_squared_inverse_are_the_dense_ones(sizes: list[int], seed: int) -> None:
    assume(prod(sizes) <= 2_000)
    random = np.random.default_rng(seed)
    j = JointRR(sizes, epsilon=random.uniform(0.5, 4, len(sizes)).tolist())
    inverse = np.ones((1, 1))
    for part in j.parts:
        inverse = np.kron(inverse, np.linalg.inv(part.channel.dense()))
    y = random.dirichlet(np.ones(prod(sizes)))
    scale = np.abs(inverse).max()
    assert j.channel.solve(y) == pytest.approx(inverse @ y, abs=1e-12 * scale)
    squared = j.channel.solve_squared(y)
    assert squared == pytest.approx(inverse**2 @ y, rel=1e-12, abs=1e-12 * scale**2)


@settings(max_examples=30)
@given(SIZES, st.integers(0, 2**32))
def test_errors_follow_the_multinomial_law(sizes: list[int], seed: int) -> None:
    assume(prod(sizes) <= 300)
    random = np.random.default_rng(seed)
    j = JointRR(sizes, gamma=float(random.uniform(2, 20)))
    m, n, x = _dense(j), 1_000, random.dirichlet(np.ones(prod(sizes)))
    inverse, y = np.linalg.inv(m), m @ x
    noise = inverse @ np.diag(y) @ inverse.T
    for target, taken in (("respondents", np.diag(x)), ("population", np.outer(x, x))):
        expected = np.trace(noise - taken) / n / x.size
        mse = j.expected_mse(n, x.reshape(sizes), target)
        assert mse == pytest.approx(expected, rel=1e-9)
    uniform = np.full(sizes, 1 / x.size)
    assert j.expected_mse(n) == pytest.approx(j.expected_mse(n, uniform), rel=1e-12)
    support = np.round(y * 10**12).astype(np.int64).reshape(sizes)
    counts = sd.Counts(support, int(support.sum()))
    for target, taken in (("respondents", x), ("population", x * x)):
        variance = (np.diag(noise) - taken) / counts.n
        told = j.estimate(counts, target=target).stderr.ravel() ** 2
        assert told == pytest.approx(variance, rel=1e-3, abs=1e-18)


@cases("target", ["respondents", "population"])
def test_sums_of_cells_have_the_variance_of_the_law(target: str) -> None:
    random = np.random.default_rng(11)
    j = JointRR([4, 3], epsilon=[1.0, 2.0])
    counts = j.simulate(random.multinomial(9_000, random.dirichlet(np.ones(12))).reshape(4, 3))
    estimate = j.estimate(counts, target=target)
    x = estimate.shares.ravel()
    plausible = clip_and_normalise(x)
    inverse, y = np.linalg.inv(_dense(j)), _dense(j) @ plausible
    reported = counts.support.ravel() / counts.n

    def largest(weights: np.ndarray) -> float:
        """The variance at the reports' own shares, or at the plausible ones if that is more."""
        scores, found = inverse.T @ weights, []
        for law in (reported, y):
            own = (scores @ law) ** 2 if target == "population" else weights**2 @ x
            found.append(scores**2 @ law - own)
        return max(found) / counts.n

    weights = random.normal(size=12)
    quantity = estimate.linear(weights.reshape(4, 3))
    assert quantity.value == pytest.approx(weights @ x)
    assert quantity.stderr**2 == pytest.approx(largest(weights), rel=1e-9)
    cells = np.maximum(
        inverse**2 @ reported - (x * x if target == "population" else x.clip(0)),
        inverse**2 @ y - (x.clip(0) ** 2 if target == "population" else x.clip(0)),
    )
    assert estimate.stderr.ravel() ** 2 == pytest.approx(cells / counts.n, rel=1e-9)
    between = estimate.difference(0, 5)
    assert between.value == pytest.approx(x[0] - x[5])
    assert between.stderr**2 == pytest.approx(largest(np.eye(12)[0] - np.eye(12)[5]), rel=1e-9)
    low, high = estimate.interval(0.95, simultaneous=True)
    assert low.shape == high.shape == (4, 3)
    assert (high - low > 2 * 1.96 * estimate.stderr).all()


def test_a_cell_that_nobody_reported_keeps_its_error_bar() -> None:
    j = JointRR([5], epsilon=[4.0])
    joint = j.estimate(sd.Counts((9, 3, 1, 1, 0), 14))
    low, high = joint.interval(0.95)
    assert low[4] <= 0 <= high[4]
    assert high[4] > 0.05
    lone = JointRR([2, 2], gamma=2).estimate(sd.Counts([[1, 0], [0, 0]], 1))
    assert lone.stderr.min() > 0.5


def test_coverage_where_most_cells_are_rare() -> None:
    j, rng, dice = JointRR([16, 5], gamma=10), sd.Entropy.seeded(b"rare"), np.random.default_rng(2)
    law = dice.dirichlet(np.full(80, 0.3)).reshape(16, 5)
    held = []
    for _ in range(100):
        truth = dice.multinomial(1_000, law.ravel()).reshape(16, 5)
        low, high = j.estimate(j.simulate(truth, rng=rng)).interval(0.95)
        held.append(((low <= law) & (law <= high)).mean())
    assert 0.93 < np.mean(held) < 0.99


@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("gamma", [3, 200])
def test_intervals_of_few_reports_hold_one_by_one_and_together(target: str, gamma: int) -> None:
    j, rng = JointRR([5, 4, 3], gamma=gamma), sd.Entropy.seeded(b"few")
    random, n = np.random.default_rng(5), 300
    law = random.dirichlet(np.ones(60)).reshape(5, 4, 3)
    held, together = [], []
    for _ in range(200):
        truth = random.multinomial(n, law.ravel()).reshape(5, 4, 3)
        estimate = j.estimate(j.simulate(truth, rng=rng), target=target)
        shares = law if target == "population" else truth / n
        low, high = estimate.interval(0.95)
        held.append(((low <= shares) & (shares <= high)).mean())
        low, high = estimate.interval(0.95, simultaneous=True)
        together.append(((low <= shares) & (shares <= high)).all())
    assert 0.935 < np.mean(held) < 0.998  # five reports a cell at γ = 3: all flagged
    assert np.mean(together) > 0.82  # normal ones alone: 0.06 and 0.66 at γ = 200


def test_normal_and_score_intervals_agree_where_there_are_many_reports() -> None:
    j = JointRR([2, 3], gamma=9)
    estimate = j.estimate(sd.Counts([[3000, 2900, 4000], [5000, 6000, 3000]], 23900))
    tested, plain = (np.array(estimate.interval(0.95, kind=kind)) for kind in ("auto", "normal"))
    assert np.abs(tested - plain).max() < 0.03 * estimate.stderr.max()
    assert plain[1] - plain[0] == pytest.approx(2 * 1.959964 * estimate.stderr, rel=1e-6)


def test_cells_of_few_reports_are_flagged() -> None:
    j = JointRR([4, 3], epsilon=[3.0, 3.0])
    counts = sd.Counts(np.arange(20, 44, 2).reshape(4, 3), 372)
    (caution,) = j.estimate(counts).warnings
    assert (caution.code, caution.cells) == ("few-reports", (0, 1, 2, 3, 4))
    codes = [caution.code for caution in j.estimate(counts, "mle").warnings]
    assert codes == ["few-reports", "no-stderr"]


def test_displays_name_the_epsilon_of_an_attribute_and_of_the_submission() -> None:
    j = JointRR([2, 3], epsilon=[1, 2.5])
    assert repr(j) == "JointRR([2, 3], epsilon=[1.0, 2.5])  # whole submission: 3.5"
    estimate = j.estimate(j.simulate([[50, 0, 30], [10, 90, 20]]))
    assert estimate.attribute_epsilons == j.attribute_epsilons
    assert f"epsilon={j.epsilon}, " in repr(estimate)
    assert repr(estimate).endswith(f"attribute_epsilons={j.attribute_epsilons})")
    assert estimate.marginal(1).attribute_epsilons == j.attribute_epsilons[1:]


def test_no_flagged_cell_is_left_out() -> None:
    j = JointRR([40, 40], gamma=10)
    (caution,) = j.estimate(sd.Counts(np.ones((40, 40), dtype=np.int64), 1600)).warnings
    assert caution.startswith("1600 of 1600 cells")
    assert caution.endswith("(0, 7), ...")
    assert caution.cells == tuple(range(1600))


def test_the_law_of_the_program_is_the_channel() -> None:
    j = JointRR([3, 2], epsilon=[1.0, 2.0])
    assert np.array(j.program.matrix(), dtype=float) == pytest.approx(j.channel.dense(), abs=1e-15)
    law = j.program.matrix()
    ratio = max(max(row) / min(row) for row in law)
    assert ratio == j.program.ratio
    assert 0 <= 3 - j.epsilon < 2e-6
    assert j.attribute_epsilons == pytest.approx([1, 2], abs=1e-6)
    assert all(e <= asked for e, asked in zip(j.attribute_epsilons, (1, 2), strict=True))


def test_gamma_is_never_exceeded() -> None:
    for gamma in (1.01, 2, 10, Fraction(7, 3), 1e6):
        j = JointRR([16, 5], gamma=gamma)
        for part in j.parts:
            assert part.program.ratio <= Fraction(str(gamma))
            assert math.log(gamma) - part.epsilon < 1e-6
            assert part.requested_epsilon <= log_bounds(Fraction(str(gamma)))[0]
    assert log_bounds(Fraction(10))[1] - JointRR([3], gamma=10).requested_epsilon < 1e-14


def test_the_figures_of_the_source() -> None:
    j = JointRR([16, 5], gamma=10)
    assert j.expected_mse(45_222, target="respondents") == pytest.approx(4.03e-6, rel=0.01)
    assert JointRR([10] * 12, gamma=10).cells == 10**12
    assert JointRR([10] * 12, gamma=10).expected_mse(1_000) > 0
    printed = {(5, 0.05): 0.208, (10, 0.05): 0.345, (19, 0.05): 0.5, (100, 0.05): 0.84}
    printed |= {(10, 0.01): 0.092, (99, 0.01): 0.5, (9, 0.1): 0.5}
    for (gamma, rho), ceiling in printed.items():
        assert posterior_ceiling(gamma, rho) == pytest.approx(ceiling, abs=5e-4)
        assert gamma_for(rho, posterior_ceiling(gamma, rho)) == pytest.approx(gamma, rel=1e-9)


def test_simulate_follows_the_law_of_the_aggregate() -> None:
    j = JointRR([3, 2], epsilon=[1.0, 0.5])
    truth = np.array([[40, 0], [7, 3], [0, 150]])
    m, rounds = _dense(j), 4_000
    rng = sd.Entropy.seeded(b"joint")
    drawn = np.array([j.simulate(truth, rng=rng).support.ravel() for _ in range(rounds)])
    assert (drawn.sum(axis=1) == truth.sum()).all()
    mean = m @ truth.ravel()
    covariance = sum(
        t * (np.diag(m[:, i]) - np.outer(m[:, i], m[:, i])) for i, t in enumerate(truth.ravel())
    )
    error = np.sqrt(np.diag(covariance) / rounds)
    assert (np.abs(drawn.mean(axis=0) - mean) < 5 * error).all()
    spread = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)) * 2 / rounds)
    assert (np.abs(np.cov(drawn.T) - covariance) < 5 * spread).all()


def test_counts_merge_and_shrink() -> None:
    j = JointRR([4, 3, 5], epsilon=[1, 2, 3])
    random = np.random.default_rng(1)
    reports = j.perturb(random.integers(0, 3, (500, 3)), rng=sd.Entropy.seeded(b"m"))
    counts = j.aggregate(reports[:200]) + j.aggregate(reports[200:])
    assert counts == j.aggregate(reports)
    assert sd.Counts.from_json(counts.to_json()) == counts
    for axes in ([0], [2, 0], [1, 2], [2, 1, 0]):
        sub = j.subset(axes)
        some = j.marginal(counts, axes)
        assert some == sub.aggregate(reports[:, axes])
        full, part = j.estimate(counts), sub.estimate(some)
        others = tuple(i for i in range(3) if i not in axes)
        summed = full.shares.sum(axis=others).transpose(np.argsort(np.argsort(axes)))
        assert part.shares == pytest.approx(summed, abs=1e-12)


def test_more_cells_than_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    j = JointRR([4, 3, 5], epsilon=[1, 2, 3])
    random = np.random.default_rng(1)
    reports = j.perturb(random.integers(0, 3, (500, 3)), rng=sd.Entropy.seeded(b"m"))
    dense = j.aggregate(reports)
    monkeypatch.setattr(module, "DENSE_LIMIT", 10)
    sparse = j.aggregate(reports[:123]) + j.aggregate(reports[123:])
    assert isinstance(sparse, SparseCounts)
    assert sparse == j.aggregate(reports)
    assert sd.SparseCounts.from_json(sparse.to_json()) == sparse
    with pytest.raises(sd.ReportError, match=r"SparseCounts\.from_json"):
        sd.Counts.from_json(sparse.to_json())
    assert sparse.n == 500
    for axes in ([1], [2, 0]):
        assert j.marginal(sparse, axes) == j.marginal(dense, axes)
    with pytest.raises(sd.EstimationError, match="marginal"):
        j.estimate(sparse)
    with pytest.raises(sd.EstimationError):
        JointRR([4, 3, 5], gamma=3).marginal(sparse, [0])


def test_a_wide_survey_is_tallied() -> None:
    j = JointRR([20] * 14, gamma=3)
    reports = j.perturb(np.random.default_rng(2).integers(0, 20, (1_000, 14)))
    counts = j.aggregate(reports)
    assert isinstance(counts, SparseCounts)
    assert j.marginal(counts, [13, 0]) == j.subset([13, 0]).aggregate(reports[:, [13, 0]])
    with pytest.raises(sd.EstimationError, match="2\\*\\*62"):
        JointRR([20] * 20, gamma=3).aggregate(np.zeros((1, 20), dtype=int))


@cases("method", ["projected", "clipped", "em", "mle"])
def test_methods_give_shares(method: str) -> None:
    j = JointRR([6, 4], epsilon=[2, 2])
    random = np.random.default_rng(7)
    truth = random.multinomial(20_000, random.dirichlet(np.ones(24))).reshape(6, 4)
    estimate = j.estimate(j.simulate(truth, rng=sd.Entropy.seeded(b"x")), method)
    assert estimate.shares.shape == (6, 4)
    assert estimate.shares.min() >= 0
    assert estimate.shares.sum() == pytest.approx(1)
    assert np.abs(estimate.shares - truth / 20_000).max() < 0.05
    assert np.isnan(estimate.stderr).all()
    assert estimate.method.startswith(method)


def test_a_frozen_value() -> None:
    j = JointRR([16, 5], gamma=10)
    assert JointRR([16, 5], epsilon=[part.requested_epsilon for part in j.parts]) == j
    assert from_json(j.to_json(), Joint) == j
    assert pickle.loads(pickle.dumps(j)) == j
    assert hash(j) == hash(JointRR([16, 5], gamma=10))
    assert j != JointRR([5, 16], gamma=10)
    assert eval(repr(j), {"JointRR": JointRR}) == j
    with pytest.raises(AttributeError):
        j.sizes = (1,)


BAD = [
    *[
        {"sizes": [16, 5], "epsilon": e}
        for e in (1.0, [1.0], [1.0, math.nan], [0, 1], "12", [1, "2"])
    ],
    {"sizes": [16, 5]},
    {"sizes": [16, 5], "gamma": 10, "epsilon": [1, 1]},
]


@cases("arguments", BAD)
def test_bad_parameters(arguments: dict[str, object]) -> None:
    with pytest.raises(sd.SudareError):
        JointRR(**arguments)


ROWS = [
    [],
    [[1]],
    [[1, 2, 3]],
    [1, 2],
    [[16, 0]],
    [[0, 5]],
    [[-1, 0]],
    [[0.5, 1.0]],
    [[math.nan, 1]],
    [[True, 1]],
    [["a", "b"]],
    [[None, 1]],
    [[1, 2], [1]],
    None,
    np.ma.masked_array([[1, 2]], mask=[[True, False]]),
    [np.ma.masked_array([1, 2], mask=[True, False])],
    [np.array([1, 2]), np.array([True, True])],
]


@cases("rows", ROWS)
def test_bad_rows(rows: object) -> None:
    j = JointRR([16, 5], gamma=10)
    with pytest.raises(sd.SudareError) as caught:
        j.perturb(rows)
    assert "16, 0" not in str(caught.value)
    with pytest.raises(sd.SudareError):
        j.aggregate(rows)
    one = rows[-1] if isinstance(rows, list) and rows else rows
    with pytest.raises(sd.SudareError):
        j.perturb_one(one)


def test_nobody_is_refused() -> None:
    with pytest.raises(sd.DomainError, match="empty"):
        JointRR([16, 5], gamma=10).perturb(np.zeros((0, 2), dtype=int))


@cases("axes", [[], [0, 0], [2], [-1], "0", b"0", None, [0.5], 0, np.array(0)])
def test_bad_axes(axes: object) -> None:
    j = JointRR([16, 5], gamma=10)
    with pytest.raises(sd.SudareError):
        j.marginal(j.aggregate([[1, 2]]), axes)


@cases(
    "counts",
    [
        None,
        sd.Counts([1, 2], 3),
        sd.Counts(np.zeros((16, 5), dtype=int), 0),
        sd.Counts(np.ones((16, 5), dtype=int), 81),
        sd.Counts(np.ones((16, 5), dtype=int), 79),
        JointRR([16, 5], gamma=3).aggregate([[1, 2]]),
    ],
)
def test_foreign_counts(counts: object) -> None:
    with pytest.raises(sd.EstimationError):
        JointRR([16, 5], gamma=10).estimate(counts)


@cases("truth", [None, [[1]], np.full((16, 5), -1), np.zeros((16, 5)), "a"])
def test_bad_true_counts(truth: object) -> None:
    with pytest.raises(sd.SudareError):
        JointRR([16, 5], gamma=10).simulate(truth)


@cases("rho1, rho2", [(0, 0.5), (0.5, 0.5), (0.6, 0.5), (0.5, 1), (math.nan, 1), ("a", 0.5)])
def test_bad_beliefs(rho1: float, rho2: float) -> None:
    with pytest.raises(sd.SudareError):
        gamma_for(rho1, rho2)


@cases("gamma", [0.5, math.nan, math.inf, None, True])
def test_bad_ceiling(gamma: float) -> None:
    with pytest.raises(sd.SudareError):
        posterior_ceiling(gamma, 0.1)


def test_every_row_of_a_small_alphabet_estimates_itself() -> None:
    j = JointRR([2, 3], epsilon=[1, 1])
    truth = np.arange(1, 7).reshape(2, 3)
    expected = np.zeros((2, 3))
    law = j.program.matrix()
    for value, people in enumerate(truth.ravel()):
        for report, cell in enumerate(product(range(2), range(3))):
            one = np.zeros((2, 3), dtype=int)
            one[cell] = 1
            shares = j.estimate(sd.Counts(one, 1)).shares
            expected += float(law[report][value]) * people * shares
    assert expected == pytest.approx(truth, abs=1e-9)


def test_a_ratio_beyond_all_floats() -> None:
    j = JointRR([2] * 40, epsilon=[20] * 40)
    assert j.gamma == math.inf
    assert 800 - 1e-4 < j.epsilon <= 800
    assert JointRR([2] * 35, epsilon=[20] * 35).gamma < math.inf


def test_sparse_counts_that_would_wrap_around() -> None:
    wide = np.array([1, 2**63], dtype=np.uint64)
    for cells, support in ((wide, [1, 1]), ([0, 1], wide)):
        with pytest.raises(sd.ReportError):
            SparseCounts(cells, support, (5, 3))
    with pytest.raises(sd.WrongTypeError, match="mechanism"):
        SparseCounts([0], [1], (5, 3), mechanism="JointRR")


def test_dependence_of_too_many_categories_is_refused_before_work_starts() -> None:
    wide = JointRR([2**20, 2], gamma=5)
    with pytest.raises(sd.EstimationError, match="4096"):
        wide.dependence(wide.aggregate([[0, 1], [1, 1]]))


def test_the_start_of_em_rules_no_cell_out() -> None:
    j = JointRR([4, 3], epsilon=[3.0, 3.0])
    support = np.zeros((4, 3), dtype=np.int64)
    support[0, 0] = 1_000
    start = j.independent(support)
    assert start.sum() == pytest.approx(1)
    assert start.min() > 1e-7
    assert start[0, 0] > 0.9
    assert "at most" in j.estimate(sd.Counts(support, 1_000), "mle").method


def test_so_many_cells_that_an_index_has_no_room() -> None:
    assert JointRR([2] * 62, gamma=3).aggregate(np.ones((1, 62), dtype=int)).n == 1
    with pytest.raises(sd.EstimationError, match="2\\*\\*62"):
        JointRR([2] * 63, gamma=3).aggregate(np.ones((1, 63), dtype=int))
    assert JointRR([2**24] * 200, epsilon=[0.01] * 200).expected_mse(10) == math.inf


def test_sparse_counts_of_another_form() -> None:
    j = JointRR([4, 3], gamma=3)
    for counts in (SparseCounts([0], [1], (3, 4)), SparseCounts([], [], (4, 3))):
        with pytest.raises(sd.EstimationError):
            j.marginal(counts, [0])
        with pytest.raises(sd.EstimationError):
            j.dependence(counts)


@cases("n", [1, 3, 4, 5, 8, 9, 17])
def test_reports_are_tallied_block_by_block(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    monkeypatch.setattr(module, "_BLOCK", 4)
    j = JointRR([5, 3, 2], gamma=3)
    rows = np.random.default_rng(n).integers(0, [5, 3, 2], (n, 3))
    support = np.zeros((5, 3, 2), dtype=np.int64)
    np.add.at(support, tuple(rows.T), 1)
    assert np.array_equal(j.aggregate(rows).support, support)


@cases(
    "shares",
    [
        np.full((3, 2), 1 / 3),
        np.full((3, 2), 1 / 7),
        np.full((2, 3), 1 / 6),
        [[2, -1], [0, 0], [0, 0]],
        [[math.nan, 1], [0, 0], [0, 0]],
        [["1", 0], [0, 0], [0, 0]],
        "even",
        True,
    ],
)
def test_bad_shares(shares: object) -> None:
    with pytest.raises(sd.SudareError):
        JointRR([3, 2], gamma=3).expected_mse(10, shares)


@cases(
    "cells, support",
    [
        ([-1], [1]),
        ([15], [1]),
        ([1, 1], [1, 1]),
        ([2, 1], [1, 1]),
        ([1, 2], [1, 0]),
        ([1, 2], [1]),
        ([1], [2**62 + 1]),
        ([1.0], [1]),
        ([[1]], [[1]]),
        ("1", [1]),
        (None, [1]),
        ([[1], []], [1]),
        (np.ma.masked_array([1], mask=[True]), [1]),
    ],
)
def test_broken_sparse_counts(cells: object, support: object) -> None:
    with pytest.raises(sd.SudareError):
        SparseCounts(cells, support, (5, 3))


def test_sparse_counts_merge_only_with_their_own() -> None:
    a, b = JointRR([5, 3], gamma=3), JointRR([5, 3], gamma=4)
    one, other = (SparseCounts([1, 7], [2, 1], (5, 3), j.to_json()) for j in (a, b))
    free = SparseCounts([0, 7], [1, 1], (5, 3))
    with pytest.raises(sd.EstimationError, match="one mechanism"):
        one + other
    with pytest.raises(sd.EstimationError, match="shape"):
        free + SparseCounts([0], [1], (3, 5))
    with pytest.raises(TypeError):
        one + 3
    for both in (one + free, free + one):
        assert both.mechanism == a.to_json()
        assert (both.cells.tolist(), both.support.tolist()) == ([0, 1, 7], [1, 2, 2])
    assert one != free != SparseCounts([0, 7], [1, 2], (5, 3))
    with pytest.raises(sd.DomainError, match="1e8"):
        SparseCounts([0], [1], (10**5, 10**5)).marginal([0, 1])
    text = free.to_json()
    for broken in (text.replace("sparse", "other"), text.replace("7", "99"), "{}", "[" * 99_999):
        with pytest.raises(sd.ReportError):
            SparseCounts.from_json(broken)


@cases("method", ["unbiased", "projected", "em", "mle"])
@cases("target", ["population", "respondents"])
def test_a_part_of_an_estimate_is_an_estimate(method: str, target: str) -> None:
    j = JointRR([4, 3, 5], epsilon=[2, 3, 1])
    random = np.random.default_rng(3)
    truth = random.multinomial(3_000, random.dirichlet(np.ones(60))).reshape(4, 3, 5)
    counts = j.simulate(truth, rng=sd.Entropy.seeded(b"part"))
    whole = j.estimate(counts, method, target)
    for axes in (0, 2, np.int64(1), [0], [2, 0], (1, 2), [2, 1, 0]):
        kept = np.atleast_1d(axes).tolist()
        part = whole.marginal(axes)
        summed = np.einsum(whole.shares, [0, 1, 2], kept)
        assert part.shares == pytest.approx(summed, abs=1e-12)
        assert (part.n, part.target, part.method) == (3_000, target, whole.method)
        assert (part.epsilon, part.covers) == (whole.epsilon, whole.covers)
        alone = j.subset(kept).estimate(j.marginal(counts, kept), target=target)
        few = [one.cells for one in alone.warnings if one.code == "few-reports"]
        assert [one.cells for one in part.warnings if one.code == "few-reports"] == few
        assert part.marginal(0).shares == pytest.approx(whole.marginal(kept[0]).shares)
        if method == "unbiased":
            assert np.array_equal(part.stderr, alone.stderr)
            assert np.array_equal(part.interval(0.9), alone.interval(0.9))
        else:
            assert np.isnan(part.stderr).all()
            assert part.warnings[-1] == whole.warnings[-1]
    for wrong in (3, -1, [], [0, 0], "0", None, True, 0.5, [[0]]):
        with pytest.raises(sd.SudareError):
            whole.marginal(wrong)


@cases("parts", [[], None, "GRR", [None], [sd.OUE(3, 1.0)], [sd.GRR(3, 1.0)] * 1_001, [3]])
def test_parts_that_are_none(parts: object) -> None:
    with pytest.raises(sd.SudareError):
        JointRR.of(parts)
    with pytest.raises(sd.SudareError):
        sd.JointNegativeSurvey.of([sd.GRR(3, 1.0)])


def test_beliefs_at_the_ends_of_the_floats() -> None:
    assert 1e300 < gamma_for(5e-324, 1 - 1e-16) < math.inf
    gamma = gamma_for(0.1, 0.3)  # 27/7: no float, and never above it
    assert Fraction(gamma) <= Fraction(27, 7) < Fraction(math.nextafter(gamma, 9))


@cases("kind", [np.int8, np.int16, np.int64, np.uint64, np.float64, Fraction])
def test_parameters_of_any_kind_of_number(kind: type) -> None:
    plain = JointRR([16, 5], gamma=[10, 100])
    assert JointRR(np.array([16, 5]), gamma=[kind(10), kind(100)]) == plain
    assert JointRR([3, 2], epsilon=[kind(2), kind(1)]) == JointRR([3, 2], epsilon=[2, 1])
    assert sd.GRR(3, kind(2)) == sd.GRR(3, 2)
    if kind is not Fraction:
        assert JointRR([16, 5], gamma=np.array([10, 100], dtype=kind)) == plain


@cases("columns", [1, 2, 3, 7, 600])
@cases("n", [1, 2, 255, 256, 1_000])
def test_column_maxima_of_folded_rows(columns: int, n: int) -> None:
    rows = np.random.default_rng(n).integers(0, 10**9, (n, columns))
    assert column_maxima(rows).tolist() == rows.max(axis=0).tolist()


@cases("kind", [JointRR, sd.MarginalRR])
def test_a_wrong_row_is_found_in_any_block(kind: type) -> None:
    m = JointRR([3, 4], gamma=5) if kind is JointRR else kind([3, 4], 1.0, "sample")
    rows = np.zeros((70_000, 2), dtype=np.int64)
    rows[66_001, 1] = 4
    with pytest.raises(sd.DomainError, match=r"\[0, 4\) for attribute 1.*position 66001"):
        m.perturb(rows)
    rows[66_001, 1], rows[40_000, 0] = 3, -1
    with pytest.raises(sd.DomainError, match=r"\[0, 3\) for attribute 0.*position 40000"):
        m.perturb(rows)


def test_many_rows_are_drawn_column_by_column() -> None:
    """In each block and column as many keep their answer as should, within 6 standard errors."""
    m = JointRR([300, 5, 7], epsilon=[6.0, 4.0, 5.0])
    rows = np.random.default_rng(8).integers(0, [300, 5, 7], (70_000, 3))
    reports = m.perturb(rows)
    assert reports.dtype == np.uint16
    for block in (slice(0, 30_000), slice(30_000, 60_000), slice(65_600, 70_000)):
        kept = (reports[block] == rows[block]).mean(axis=0)
        for share, part in zip(kept, m.parts, strict=True):
            p, n = float(part.support_probabilities[0]), block.stop - block.start
            assert abs(share - p) < 6 * math.sqrt(p * (1 - p) / n)
    expected = np.zeros((300, 5, 7), dtype=np.int64)
    np.add.at(expected, tuple(reports.T.astype(np.intp)), 1)
    assert (m.aggregate(reports).support == expected).all()


def test_frames_of_nullable_whole_numbers_are_rows() -> None:
    pd = pytest.importorskip("pandas")
    mechanism = sd.JointRR([2, 3], epsilon=[1, 2])
    frame = pd.DataFrame({"a": [0, 1, 1], "b": [2, 0, 1]})
    expected = mechanism.perturb(frame, rng=sd.Entropy.seeded(b"n")).tolist()
    for kinds in ("Int64", "UInt8", {"a": "Int64", "b": "int8"}, {"a": "UInt64"}):
        drawn = mechanism.perturb(frame.astype(kinds), rng=sd.Entropy.seeded(b"n"))
        assert drawn.tolist() == expected, kinds
        missing = frame.astype(kinds)
        missing.loc[1, "a"] = pd.NA
        with pytest.raises(sd.WrongTypeError, match="must not be missing"):
            mechanism.perturb(missing)
    for kinds in ("boolean", "Float64", {"a": "boolean", "b": "Int64"}, "string", object):
        with pytest.raises(sd.WrongTypeError):
            mechanism.perturb(frame.assign(a=[0, 1, 1], b=[1, 0, 1]).astype(kinds))
    with pytest.raises(sd.DomainError, match="attribute 1"):
        mechanism.perturb(frame.assign(b=[2, 3, -1]).astype("Int64"))
