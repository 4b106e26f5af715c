"""Mechanisms of numbers: their laws in integers, by enumeration and algebra, then by sampling."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import sudare as sd
from sudare.exact import exp_bounds, log_bounds
from sudare.mechanisms.number.mean import STEPS
from sudare.mechanisms.number.window import LinearCoin, Window
from tests.cases import cases

EPSILONS = (0.001, 0.1, 0.61, 1.0, 2.0, 5.0, 11.0, 20.0)
MEANS: list[Any] = [sd.Duchi, sd.Piecewise, sd.Hybrid]
KINDS: list[Any] = [*MEANS, sd.SquareWave]


def largest_ratio(rows: list[list[Fraction]]) -> Fraction:
    """Of two probabilities of one report; ``rows[report][node]``."""
    return max(max(row) / min(row) for row in rows)


@cases("epsilon", EPSILONS, parts=2)
@cases("kind", KINDS)
def test_the_guarantee_is_that_of_the_integers(kind: Any, epsilon: float) -> None:
    m = kind(epsilon)
    law = m.table.matrix()
    assert all(sum(column) == 1 for column in zip(*law, strict=True))
    assert m.program.ratio == largest_ratio(law) <= exp_bounds(m.requested_epsilon)[0]
    assert 0 <= m.requested_epsilon - log_bounds(m.program.ratio)[0] < Fraction(1, 10**6)
    assert epsilon - 1e-6 <= m.epsilon <= epsilon


@cases("epsilon", EPSILONS)
@cases("kind", MEANS)
def test_a_report_stands_for_an_unbiased_number(kind: Any, epsilon: float) -> None:
    """Exactly, at every node; between two, a position is a mixture of them."""
    m = kind(epsilon)
    for node, column in enumerate(zip(*m.table.matrix(), strict=True)):
        assert sum(p * s for p, s in zip(column, m.scores, strict=True)) == node
    assert m.program.steps * m.cells == STEPS
    for x in (0, 1, 12_345_678, STEPS // 3, STEPS - 1, STEPS):
        i, r = divmod(x, m.program.steps)
        up = Fraction(r, m.program.steps)
        assert i * (1 - up) + (i + 1) * up == Fraction(x, m.program.steps)


windows = st.tuples(
    st.fractions(Fraction(1001, 1000), 10**6),
    st.integers(1, 20),
    st.integers(1, 20),
    st.integers(10**9, 10**12),
)


@given(windows)
def test_any_window_keeps_its_ratio_and_is_linear(drawn: tuple[Fraction, int, int, int]) -> None:
    gamma, steps, size, total = drawn
    law = Window.of(gamma, steps, size, total)
    rows = law.rows()
    assert all(sum(row) == total == law.total for row in rows)
    assert all(max(column) <= gamma * min(column) for column in zip(*rows, strict=True))
    means = [sum(j * w for j, w in enumerate(row)) for row in rows]
    assert len({b - a for a, b in pairwise(means)}) == 1
    for node, row in enumerate(rows):
        assert sum(w * s for w, s in zip(row, law.scores(), strict=True)) == node * total


@given(st.fractions(Fraction(11, 10), 10**6), st.integers(1, 40), st.integers(10**9, 10**12))
def test_any_linear_coin_keeps_its_ratio(gamma: Fraction, steps: int, total: int) -> None:
    law = LinearCoin.of(gamma, steps, total)
    for node, row in enumerate(law.rows()):
        assert sum(row) == total
        assert sum(w * s for w, s in zip(row, law.scores(), strict=True)) == node * total
    assert all(max(column) <= gamma * min(column) for column in zip(*law.rows(), strict=True))


def test_the_integers_are_the_published_probabilities() -> None:
    e = math.e
    assert sd.Duchi(1.0).channel.dense() == pytest.approx(
        np.array([[e, 1], [1, e]]) / (1 + e), abs=1e-15
    )
    m = sd.Piecewise(2.0)
    assert m.shape == (64 + 24,)  # 64 / e = 23.5
    assert m.channel.dense()[5, 3] / m.channel.dense()[2, 3] == pytest.approx(e**2)
    assert m.channel.dense()[:, 3].argmax() == 3
    w = sd.SquareWave(1.0, bins=100)  # b = 1 / (2 e (e - 2)) = 0.256
    assert w.shape == (100 + 2 * 25,)
    q = 1 / (51 * e + 99)
    assert np.unique(w.channel.dense().round(15)) == pytest.approx([q, e * q])
    assert np.flatnonzero(w.channel.dense()[:, 7] > 2 * q).tolist() == list(range(7, 58))


def test_the_hybrid_is_a_mixture() -> None:
    m = sd.Hybrid(2.0)
    law = m.channel.dense()
    alpha = 1 - math.exp(-1)
    assert law[:-2] == pytest.approx(alpha * sd.Piecewise(2.0).channel.dense(), abs=1e-15)
    ends = sd.Duchi(2.0).channel.dense()
    assert law[-2:, [0, -1]] == pytest.approx((1 - alpha) * ends, abs=1e-15)
    assert m.cells == 64
    for epsilon, reports in ((0.610986, 2), (0.610987, 113)):
        assert sd.Hybrid(epsilon).shape == (reports,)
    assert sd.Hybrid(0.5).table == sd.Duchi(0.5).table


def exact_variance(m: Any, x: Fraction) -> Fraction:
    """Variance of one report's score at a position in nodes, by enumeration."""
    columns = list(zip(*m.table.matrix(), strict=True))
    i = min(int(x), m.cells - 1)
    up = x - i
    square = sum(
        (p * (1 - up) + q * up) * s * s
        for p, q, s in zip(columns[i], columns[i + 1], m.scores, strict=True)
    )
    return square - x * x


@cases("epsilon", [0.01, 1.0, 4.0, 20.0])
@cases("kind", MEANS)
def test_the_expected_error_is_that_of_the_enumeration(kind: Any, epsilon: float) -> None:
    m = kind(epsilon, low=10, high=30)
    scale = Fraction(20, m.cells) ** 2
    for part in (Fraction(0), Fraction(1, 2), Fraction(5, 128), Fraction(1)):
        value = float(10 + 20 * part)
        exact = float(scale * exact_variance(m, part * m.cells))
        for target in ("respondents", "population"):  # all alike: no variance of their own
            assert m.expected_mse(7, [value], target) == pytest.approx(exact / 7, rel=1e-9)
    own = m.expected_mse(1, [10, 30, 20])
    noise = m.expected_mse(1, [10, 30, 20], "respondents")
    assert own - noise == pytest.approx(np.var([10, 30, 20]), rel=1e-9)


@cases("epsilon", EPSILONS, parts=2)
@cases("kind", MEANS)
def test_nothing_is_worse_than_the_worst(kind: Any, epsilon: float) -> None:
    m = kind(epsilon)
    grid = np.linspace(-1, 1, 64 * 8 + 1)
    noise = [m.expected_mse(1, [x], "respondents") for x in grid]
    worst = m.expected_mse(1, target="respondents")
    assert max(noise) <= worst * (1 + 1e-12)
    assert max(noise) == pytest.approx(worst, rel=2e-3)
    assert m.expected_mse(1) == pytest.approx(m.expected_mse(1, [-1, 1]), rel=1e-12)
    assert all(m.expected_mse(1, [x, y]) <= m.expected_mse(1) * (1 + 1e-12)
               for x in grid[::16] for y in grid[::16])  # fmt: skip


def published(name: str, epsilon: float) -> float:
    """The worst variance on [-1, 1] of the continuous mechanisms (Wang et al. 2019)."""
    s = math.exp(epsilon / 2)
    if name == "Duchi" or (name == "Hybrid" and epsilon <= 0.61):
        return ((s * s + 1) / (s * s - 1)) ** 2
    if name == "Piecewise":
        return 1 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2)
    return (s + 3) / (3 * s * (s - 1)) + (s * s + 1) ** 2 / (s * (s * s - 1) ** 2)


@cases("epsilon", [0.001, 0.1, 0.61, 1.0, 2.0, 3.0, 4.0, 5.0])
@cases("kind", MEANS)
def test_the_grid_costs_next_to_nothing(kind: Any, epsilon: float) -> None:
    mine = kind(epsilon).expected_mse(1, target="respondents")
    assert mine == pytest.approx(published(kind.name, epsilon), rel=0.05)
