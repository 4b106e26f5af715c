"""Tables that were reported as one category: sums of cells, their covariances, Cramér's V."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.estimation import as_table
from sudare.estimation.association import table_dependence
from sudare.estimation.covariance import Covariance
from sudare.mechanisms.table_errors import table_errors
from tests.cases import cases

ORACLES = [sd.GRR, sd.OUE, sd.SUE, sd.DyadicUnary, sd.SubsetSelection, sd.HadamardResponse]
SIZES = (3, 2, 2)
TRUTH = np.array([[[300, 20], [50, 90]], [[10, 40], [200, 100]], [[30, 60], [70, 30]]])
TARGETS = ["population", "respondents"]


def cells(
    kind: Any, target: Any = "population", epsilon: float = 1.5, times: int = 1
) -> sd.Estimate:
    m = kind(12, epsilon)
    counts = m.simulate(times * TRUTH.ravel(), rng=sd.Entropy.seeded(b"table"))
    return m.estimate(counts, target=target)


@cases("kind", ORACLES)
@cases("target", TARGETS)
def test_covariances_are_those_of_every_weighted_sum(kind: Any, target: Any) -> None:
    law = cells(kind, target)._law
    matrix = law.covariance().dense()
    assert matrix == pytest.approx(matrix.T)
    dice = np.random.default_rng(1)
    for _ in range(20):
        weights = dice.normal(size=12)
        assert weights @ matrix @ weights == pytest.approx(law.variance(weights))


@cases("kind", ORACLES)
def test_a_part_of_a_table_is_the_sum_of_cells(kind: Any) -> None:
    flat = cells(kind)
    table = as_table(flat, SIZES)
    assert table.shares.tolist() == flat.shares.reshape(SIZES).tolist()
    assert table.stderr == pytest.approx(flat.stderr.reshape(SIZES))
    for mine, own in zip(table.interval(), flat.interval(), strict=True):
        assert mine.tolist() == own.reshape(SIZES).tolist()
    for axes in ([0], [1], [2, 0], [0, 1, 2], [1, 2, 0]):
        some = table.marginal(axes)
        rest = tuple(i for i in range(3) if i not in axes)
        expected = flat.shares.reshape(SIZES).sum(axis=rest)
        expected = expected.transpose(np.argsort(np.argsort(axes)))
        assert some.shares == pytest.approx(expected)
        for at in np.ndindex(*some.shares.shape):
            weights = np.zeros(SIZES)
            index: list[Any] = [slice(None)] * 3
            for axis, place in zip(axes, at, strict=True):
                index[axis] = place
            weights[tuple(index)] = 1
            own = flat.linear(weights.ravel())
            assert (some.shares[at], some.stderr[at]) == pytest.approx((own.value, own.stderr))
            if len(axes) < 3:
                low, high = some.interval(0.9)
                assert (low[at], high[at]) == pytest.approx(own.interval(0.9))
    turned = table.marginal([2, 1]).marginal([1, 0])
    assert turned.shares == pytest.approx(table.marginal([1, 2]).shares)
    assert table.marginal(1).shares == pytest.approx(table.marginal([1]).shares)


def test_sums_of_sums_and_other_truths() -> None:
    flat = cells(sd.OUE)
    margin = as_table(flat, SIZES).marginal(0)
    both = margin.difference(0, 1)
    own = flat.linear([1] * 4 + [-1] * 4 + [0] * 4)
    assert (both.value, both.stderr) == pytest.approx((own.value, own.stderr))
    assert both.interval() == pytest.approx(own.interval())
    even = margin._law.at(np.full(3, 1 / 3))
    assert even.stderr == pytest.approx(np.full(3, even.stderr[0]))


def test_few_reports_of_a_sum_are_those_of_its_cells_together() -> None:
    m = sd.GRR(6, 3.0)
    table = as_table(m.estimate(sd.Counts([200, 10, 25, 20, 15, 0], 270)), [3, 2])
    assert [one.cells for one in table.warnings] == [(1, 2, 3, 4, 5)]
    assert [one.cells for one in table.marginal(0).warnings] == [(2,)]
    assert table.marginal(1).warnings == ()


def test_other_methods_have_no_standard_errors() -> None:
    m = sd.OUE(6, 1.0)
    counts = m.simulate([300, 0, 100, 0, 0, 200], rng=sd.Entropy.seeded(b"p"))
    margin = as_table(m.estimate(counts, method="projected"), [3, 2]).marginal(0)
    assert margin.shares.sum() == pytest.approx(1)
    assert np.isnan(margin.stderr).all()
    assert [one.code for one in margin.warnings] == ["no-stderr"]
    with pytest.raises(sd.EstimationError):
        as_table(m.estimate(counts, method="projected"), [3, 2]).dependence()


@cases("sizes", [(3, 3), (), (12, 2), (0, 12)])
def test_the_sizes_are_those_of_the_cells(sizes: Any) -> None:
    with pytest.raises(sd.DomainError, match="sizes"):
        as_table(cells(sd.GRR), sizes)


@cases("axes", [3, -1, [0, 0], [], "0", None, [0, 3], True])
def test_axes_are_checked(axes: Any) -> None:
    with pytest.raises(sd.SudareError):
        as_table(cells(sd.GRR), SIZES).marginal(axes)
    with pytest.raises(sd.SudareError):
        as_table(cells(sd.GRR), SIZES).dependence(axes)


# -- Cramér's V ----------------------------------------------------------------------------------


@cases("kind", ORACLES)
@cases("target", TARGETS)
def test_excess_and_variance_are_those_of_the_dense_matrices(kind: Any, target: Any) -> None:
    flat = cells(kind, target, 4.0, 100)
    found = as_table(flat, (4, 3)).dependence()
    assert found.left_out == ((), ())
    whole = flat._law.shares.sum()
    x = (flat.shares / whole).reshape(4, 3)
    r, c = x.sum(axis=1), x.sum(axis=0)
    expected = np.outer(r, c)
    slopes = np.kron(np.eye(4) - r[:, None], np.eye(3) - c[:, None])
    slopes /= np.sqrt(expected).reshape(-1, 1)
    matrix = flat._law.covariance().dense() / whole**2
    spread = slopes @ matrix @ slopes.T
    square = float(((x - expected) ** 2 / expected).sum())
    assert found.square == pytest.approx(square - max(0, np.trace(spread)))
    assert found.flat == pytest.approx(2 * (spread**2).sum())
    step, base = 1e-6, flat.shares.reshape(4, 3)

    def phi(y: np.ndarray) -> float:
        y = y / y.sum()
        even = np.outer(y.sum(axis=1), y.sum(axis=0))
        return float(((y - even) ** 2 / even).sum())

    slope = np.array(
        [(phi(base + step * one) - phi(base - step * one)) / (2 * step)
         for one in np.eye(12).reshape(12, 4, 3)]
    )  # fmt: skip
    noise = slope @ flat._law.covariance().dense() @ slope
    assert found.steep * square == pytest.approx(noise, rel=1e-5)


@cases("target", TARGETS)
def test_next_to_no_noise_it_is_that_of_attributes_randomised_apart(target: Any) -> None:
    dependent, even = TRUTH.reshape(4, 3), np.outer([1, 2, 3, 4], [2, 3, 5]) * 10
    flat, apart = sd.GRR(12, 20.0), sd.JointRR([4, 3], epsilon=[20, 20])
    for table in (dependent, even):
        one = as_table(flat.estimate(sd.Counts(table.ravel(), 1000), target=target), (4, 3))
        other = apart.dependence(sd.Counts(table, 1000), target=target)
        found = one.dependence()
        assert found.square == pytest.approx(other.square, rel=1e-5, abs=1e-7)
        assert found.most == other.most
        if table is dependent:
            assert found.steep == pytest.approx(other.steep, rel=1e-4, abs=1e-9)
        else:  # what remains under independence
            assert found.flat == pytest.approx(other.flat, rel=1e-3, abs=1e-12)


def test_categories_that_are_nobodys_are_left_out() -> None:
    shares = np.array([[0.4, 0.0, 0.1], [0.1, 0.001, 0.4], [0.001, 0.0, -0.001]])
    noise = Covariance(np.full(9, 1e-5), np.zeros((9, 1)), np.zeros((1, 1)))
    found = table_dependence(shares, noise)
    assert found.left_out == ((2,), (1,))
    assert found.value == pytest.approx(0.6, abs=0.01)
    nothing = table_dependence(np.zeros((2, 2)), noise.grouped(np.arange(9) // 3, 4))
    assert math.isnan(nothing.value)
    assert nothing.left_out == ((0, 1), (0, 1))


def test_covariances_of_many_cells_are_known_for_pairs_alone() -> None:
    m = sd.SubsetSelection(2000, 1.0)
    counts = sd.Counts(np.full(2000, m.program.size * 10), 20_000)
    assert as_table(m.estimate(counts), [40, 50]).dependence().most >= 0
    law = sd.HadamardResponse(255, 1.0).law
    with pytest.raises(sd.EstimationError, match="1024"):
        law.covariance(np.full(1025, 1 / 1025))


# -- against draws -------------------------------------------------------------------------------

RUNS, LOOKED = 700, 400


@pytest.mark.slow
@pytest.mark.parametrize("kind", [sd.GRR, sd.SubsetSelection])
def test_errors_and_intervals_hold_in_simulations(kind: Any) -> None:
    """700 surveys; the intervals of 400: a coverage is a mean over cells, ± 0.6 points or so."""
    x, n = np.full((5, 4), 0.05), 4000
    x[0, 0], x[4, 3] = 0.25, 0.0
    x[1:4, 0] -= 0.05
    m = kind(20, 1.5)
    rng = sd.Entropy.seeded(f"sums of {kind.__name__}".encode())
    dice = rng.generator()
    held: dict[Any, list[Any]] = {(0, 1): [], (0,): [], (1,): []}
    errors: dict[Any, list[Any]] = {axes: [] for axes in held}
    r, v = np.outer(x.sum(axis=1), x.sum(axis=0)), list[bool]()
    truth = math.sqrt(float(((x - r) ** 2 / r).sum()) / 3)
    for run in range(RUNS):
        table = as_table(m.estimate(m.simulate(dice.multinomial(n, x.ravel()), rng=rng)), (5, 4))
        for axes, each in held.items():
            some, own = table.marginal(axes), x.sum(axis=1 - axes[0]) if len(axes) == 1 else x
            errors[axes].append((some.shares - own) ** 2)
            if run < LOOKED:
                low, high = some.interval()
                each.append((low <= own + 1e-12) & (own - 1e-12 <= high))
        if run < LOOKED:
            low, high = table.dependence().interval()
            v.append(low <= truth <= high)
    for axes, misses in errors.items():
        stated = table_errors(m, (5, 4), [axes], n, "population")[0]
        other = x.sum(axis=1 - axes[0]) if len(axes) == 1 else x
        stated += (1 / other.size**2 - float(np.mean(other**2))) / n  # at these shares
        assert np.mean(misses) == pytest.approx(stated, rel=0.045 if len(axes) == 2 else 0.09), axes
        assert 0.94 <= np.mean(held[axes]) <= 0.965, axes  # at a share of 0 few miss below
    assert 0.93 <= np.mean(v) <= 0.975
