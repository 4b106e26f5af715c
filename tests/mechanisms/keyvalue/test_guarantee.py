"""ε of key-value mechanisms: from the whole law, the notes' table, and the tight split."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.exact import exp_bounds, log_bounds
from sudare.mechanisms.keyvalue import KeyValue
from sudare.mechanisms.keyvalue.pairs import Pairs, Signs
from tests.cases import cases

ALL: list[Any] = [sd.PrivKV, sd.StateRR, sd.PrivKVM, sd.PCKVUE, sd.PCKVGRR]
EPSILONS = [0.1, 0.5, 1, 2, 3, 4, 5]
HALF_SPENT = [0.0747, 0.3672, 0.7191, 1.3799, 1.9917, 2.5662, 3.1143]


def largest_ratio(matrix: list[list[Fraction]]) -> Fraction:
    return max(max(row) / min(row) for row in matrix)


@cases("epsilon", ["1/1000", "1/10", "1/2", "1", "4", "20"])
@cases("kind", [sd.PrivKV, sd.StateRR])
def test_the_ratio_is_that_of_the_law_and_the_tight_split_spends_all(
    kind: Any, epsilon: str
) -> None:
    asked = Fraction(epsilon)
    m = kind(3, asked)
    assert m.program.ratio == largest_ratio(m.state_program.matrix())
    low, high = log_bounds(m.program.ratio)
    assert high <= asked + Fraction(1, 10**40)
    assert asked - low < Fraction(1, 10**6)
    assert asked - Fraction(1, 10**6) < Fraction(m.epsilon) <= asked


@cases("epsilon, spent", list(zip(EPSILONS, HALF_SPENT, strict=True)))
def test_the_usual_split_spends_what_the_notes_say(epsilon: float, spent: float) -> None:
    m = sd.PrivKV(50, epsilon, "half")
    assert m.epsilon == pytest.approx(spent, abs=5e-5)
    e = epsilon / 2
    assert m.epsilon == pytest.approx(max(e, e + math.log(2 / (1 + math.exp(-e)))), abs=1e-9)
    assert m.program.ratio == largest_ratio(m.state_program.matrix())


@settings(deadline=None, max_examples=60)
@given(
    st.integers(2, 100),
    st.fractions(min_value=Fraction(1, 1000), max_value=20, max_denominator=10**6),
    st.integers(1, 40),
)
def test_epsilon_is_never_above_the_one_asked_for(d: int, epsilon: Fraction, padding: int) -> None:
    for m in (
        sd.PrivKV(d, epsilon),
        sd.StateRR(d, epsilon),
        sd.PCKVUE(d, epsilon, padding),
        sd.PCKVGRR(d, epsilon, padding),
    ):
        assert m.program.ratio <= exp_bounds(epsilon)[1]
        assert Fraction(m.epsilon) <= epsilon
        if not (isinstance(m, sd.PCKVUE) and padding >= d):  # drawn from dummies, it spends less
            assert Fraction(m.epsilon) > epsilon - Fraction(1, 10**6)
    assert sd.PrivKV(d, epsilon, "half").epsilon <= epsilon


@cases("epsilon, rounds", [(1, 1), (1, 2), (4, 3), (20, 5), (0.2, 100)])
def test_rounds_compose(epsilon: float, rounds: int) -> None:
    m = sd.PrivKVM(4, epsilon, rounds)
    first, second = epsilon / 2, epsilon / (2 * rounds)
    own = max(first, second, first + math.log(2 / (1 + math.exp(-second))))
    assert m.round_epsilons[0] == pytest.approx(own, abs=1e-9)
    assert m.round_epsilons[1:] == pytest.approx([second] * (rounds - 1), abs=1e-9)
    assert m.epsilon == pytest.approx(sum(m.round_epsilons), abs=1e-9)
    assert m.epsilon <= epsilon
    product_of = Fraction(1)
    for table in m._tables:
        product_of *= largest_ratio(table.matrix())
    assert m.program.ratio == product_of


@cases("m", [make(3, e) for make in ALL for e in (0.01, 1, 20)])
def test_columns_sum_to_one(m: KeyValue) -> None:
    dense = m.channel.dense()
    assert dense.shape == (3, 3)
    np.testing.assert_allclose(dense.sum(axis=0), 1, rtol=1e-15)
    assert all(sum(column) == 1 for column in zip(*m.channel.rows, strict=True))


def test_the_channel_of_the_notes() -> None:
    p, q = (1 / (1 + math.exp(-s * 0.5)) for s in (1, -1))
    half = [[p * p, p * q, q / 2], [p * q, p * p, q / 2], [q, q, p]]
    np.testing.assert_allclose(sd.PrivKV(5, 1.0, "half").channel.dense(), half, atol=1e-12)
    first = (math.e + 1) / 2
    a, s = first / (1 + first), math.e / (1 + math.e)
    tight = [[a * s, a * (1 - s), (1 - a) / 2], [a * (1 - s), a * s, (1 - a) / 2],
             [1 - a, 1 - a, a]]  # fmt: skip
    np.testing.assert_allclose(sd.PrivKV(5, 1.0).channel.dense(), tight, atol=1e-12)
    grr = np.full((3, 3), 1 / (math.e + 2)) + np.eye(3) * (math.e - 1) / (math.e + 2)
    np.testing.assert_allclose(sd.StateRR(5, 1.0).channel.dense(), grr, atol=1e-9)


# -- padding and sampling: the whole law of small shapes ---------------------------------------


@cases("epsilon", ["1/2", "1", "4"])
@cases("d, padding", [(2, 1), (3, 1), (2, 2), (3, 2), (3, 5)])
def test_the_whole_law_of_pckv_ue(d: int, padding: int, epsilon: str) -> None:
    m = sd.PCKVUE(d, Fraction(epsilon), padding)
    matrix = m.program.matrix()
    assert all(sum(column) == 1 for column in zip(*matrix, strict=True))
    found = largest_ratio(matrix)
    assert found <= m.program.ratio <= found * (1 + Fraction(1, 10**9))
    if padding in (1, d, 5):
        assert found == m.program.ratio


def test_two_people_who_share_no_key_attain_the_ratio_of_pckv_ue() -> None:
    m = sd.PCKVUE(4, 1, 2)  # two keys each, of four
    law = m.program._law
    one, other = ([a + b for a, b in zip(law(i, 0), law(i + 1, 0), strict=True)] for i in (0, 2))
    assert max(a / b for a, b in zip(one, other, strict=True)) == m.program.ratio


@cases("epsilon", ["1/2", "1", "4"])
@cases("d, padding", [(2, 1), (3, 1), (4, 2), (2, 2), (3, 3), (3, 5)])
def test_the_whole_law_of_pckv_grr(d: int, padding: int, epsilon: str) -> None:
    m = sd.PCKVGRR(d, Fraction(epsilon), padding)
    matrix = m.program.matrix()
    assert all(sum(column) == 1 for column in zip(*matrix, strict=True))
    assert largest_ratio(matrix) == m.program.ratio


def marginal(m: Any, key: int, states: tuple[int, ...]) -> list[Fraction]:
    """What the channel says of a key's report, for people of these states: by mixing states."""
    held = [k for k, s in enumerate(states) if s < 2]
    part = Fraction(1, max(len(held), m.padding)) if key in held else Fraction(0)
    own = [row[states[key] if key in held else 2] for row in m.channel.rows]
    other = [row[2] for row in m.channel.rows]
    return [part * x + (1 - part) * y for x, y in zip(own, other, strict=True)]


@cases("kind", [sd.PCKVUE, sd.PCKVGRR])
@cases("padding", [1, 2, 3, 5])
def test_the_channel_is_the_whole_law_seen_at_one_key(kind: Any, padding: int) -> None:
    m = kind(3, 1.5, padding)
    whole = list(zip(*m.program.matrix(), strict=True))
    for column, states in enumerate(product(range(3), repeat=3)):
        for key in range(3):
            seen = [Fraction(0)] * 3
            for report, chance in enumerate(whole[column]):
                if isinstance(m.program, Signs):
                    seen[report // 3 ** (2 - key) % 3] += chance
                else:
                    assert isinstance(m.program, Pairs)
                    seen[report % 2 if report // 2 == key else 2] += chance
            assert seen == marginal(m, key, states)


@cases("epsilon", [0.5, 1, 4])
def test_weights_of_pckv_are_the_published_ones(epsilon: float) -> None:
    e = math.exp(epsilon)
    p = sd.PCKVUE(7, epsilon, 4).position
    found = [float(x) for x in (p.a, p.b, p.p)]
    assert found == pytest.approx([0.5, 2 / (e + 3), e / (e + 1)], abs=1e-12)
    p, gain = sd.PCKVGRR(7, epsilon, 4).position, 4 * (e - 1)
    a = (gain + 2) / (gain + 22)
    found = [float(x) for x in (p.a, p.b, p.p)]
    assert found == pytest.approx([a, (1 - a) / 10, (gain + 1) / (gain + 2)], abs=1e-12)


def test_one_piece_of_code_serves_privkv_and_pckv() -> None:
    """PrivKV's channel is a position of PCKV-UE with a = p1, b = 1 - p1, p = p2."""
    m = sd.PrivKV(3, 1.0, "half")
    a, b, p = m._rates
    root = math.exp(0.5)
    assert (a, b, p) == pytest.approx((root / (1 + root), 1 / (1 + root), root / (1 + root)))
