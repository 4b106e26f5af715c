"""ε from the integers: never above the one asked for, within 1e-6 of it."""

from __future__ import annotations

import math
from fractions import Fraction
from math import factorial
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

import sudare as sd
from sudare.exact import log_bounds
from sudare.mechanisms import FrequencyOracle
from sudare.mechanisms.registry import registered
from tests.cases import cases

ORACLES: list[Any] = [cls for cls in registered(FrequencyOracle) if not cls.studies_only]
EPSILONS = ["0.01", "0.05", "0.3", "1", "2.302585", "3", "4.7", "7", "10"]
SIZES = [2, 3, 5, 16, 43, 100, 255, 256, 257, 1024, 10_000]


def exponential_below(x: Fraction) -> Fraction:
    """Lower bound on e**x: the series cut off (all its terms are positive)."""
    return sum((x**i / factorial(i) for i in range(120)), start=Fraction(0))


def check(m: sd.GRR, asked: Fraction) -> None:
    assert m.program.ratio <= exponential_below(asked)  # the whole guarantee, in rationals
    assert Fraction(m.epsilon) <= asked
    assert m.due_epsilon == asked or m.name == "THE"  # whose source pays for more than is sent
    assert 0 <= m.due_epsilon - Fraction(m.epsilon) <= Fraction(1, 10**6)
    assert m.gamma == pytest.approx(math.exp(float(m.due_epsilon)), rel=2e-6)


@cases("epsilon", EPSILONS, parts=4)
def test_on_a_grid(mechanism_class: type[sd.GRR], epsilon: str) -> None:
    for k in {min(k, mechanism_class.most_categories(Fraction(epsilon))) for k in SIZES}:
        check(mechanism_class(k, Fraction(epsilon)), Fraction(epsilon))


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(ORACLES),
    st.integers(2, 10_000),
    st.fractions(min_value=Fraction(1, 100), max_value=10, max_denominator=10**6),
)
@example(sd.GRR, 10_000, Fraction(1, 100))
@example(sd.GRR, 10_000, Fraction(10))
def test_anywhere(cls: type[sd.GRR], k: int, epsilon: Fraction) -> None:
    check(cls(min(k, cls.most_categories(epsilon)), epsilon), epsilon)


@cases("epsilon", [0.001, 20])
def test_at_the_ends_of_the_accepted_range(mechanism_class: type[sd.GRR], epsilon: float) -> None:
    for k in (2, min(1000, mechanism_class.most_categories(Fraction(epsilon)))):
        check(mechanism_class(k, epsilon), Fraction(str(epsilon)))


def test_epsilon_ends_where_it_says(mechanism_class: type[sd.GRR]) -> None:
    for outside in (Fraction("0.000999999"), Fraction("20.000001")):
        with pytest.raises(sd.PrivacyError):
            mechanism_class(3, outside)


@cases("epsilon", [math.log(3), Fraction(1, 3), 0.1, 1e-3, 17.123456789012345])
def test_epsilon_survives_json_exactly(mechanism_class: type[sd.GRR], epsilon: float) -> None:
    m = mechanism_class(min(43, mechanism_class.max_k), epsilon)
    assert type(m).from_json(m.to_json()) == m
    assert type(m).from_json(m.to_json()).requested_epsilon == m.requested_epsilon


def test_thresholds_that_overspend_are_refused() -> None:
    class Overspending(sd.OUE):
        @classmethod
        def _thresholds(cls, epsilon: Fraction, width: int) -> tuple[int, int]:
            own, other = super()._thresholds(epsilon, width)
            return own, other - (1 << width - 20)

    with pytest.raises(sd.PrivacyError, match="out of reach"):
        Overspending(5, 1.0)


def test_shown_numbers_are_rounded_down(mechanism_class: type[sd.GRR]) -> None:
    for epsilon in (0.3, 1, 2.5, 7):
        m = mechanism_class(min(9, mechanism_class.max_k), epsilon)
        assert Fraction(m.gamma) <= m.program.ratio
        assert log_bounds(m.program.ratio)[0] >= Fraction(m.epsilon)


def test_the_narrow_word_is_used_only_where_it_holds() -> None:
    assert sd.GRR(100, 1).program.width == 32
    assert sd.GRR(10_000, 5).program.width == 64
    assert sd.GRR(10_000, 0.01).program.width == 64


@cases("epsilon", EPSILONS)
def test_dyadic_variance_is_within_one_per_cent_of_the_optimum(epsilon: str) -> None:
    p, q = (float(x) for x in sd.DyadicUnary(10, Fraction(epsilon)).support_probabilities)
    gamma = math.exp(float(Fraction(epsilon)))
    optimum = 4 * gamma / (gamma - 1) ** 2
    assert q * (1 - q) / (p - q) ** 2 <= 1.01 * optimum
