import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.exact import (
    as_epsilon,
    as_integer,
    as_rational,
    decimal_text,
    exact_text,
    rational_from_text,
    read_exact,
)
from tests.cases import cases


@cases(
    "given_, exact",
    [
        (0.1, Fraction(1, 10)),
        (2, Fraction(2)),
        (Decimal("0.3"), Fraction(3, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        (np.float64(1.5), Fraction(3, 2)),
        (np.int64(3), Fraction(3)),
    ],
)
def test_epsilon_is_the_number_that_was_written(given_: object, exact: Fraction) -> None:
    assert as_epsilon(given_) == exact


@cases("bad", [-1.0, 0, 0.0, float("nan"), float("inf"), -float("inf"), 1e4, 1e-4])
def test_epsilon_out_of_range_names_value_rule_and_remedy(bad: float) -> None:
    with pytest.raises(sd.PrivacyError) as caught:
        as_epsilon(bad)
    error = caught.value
    assert isinstance(error, ValueError)
    assert repr(bad) in str(error)
    assert error.argument == "epsilon"
    assert "must" in error.rule
    assert "0.001" in error.remedy


@cases("bad", ["1.0", None, True, [1.0], b"1"])
def test_epsilon_of_a_wrong_type(bad: object) -> None:
    with pytest.raises(sd.WrongTypeError, match="epsilon must be a number") as caught:
        as_epsilon(bad)
    assert isinstance(caught.value, TypeError)


@cases("bad", [1.5, "3", None, True, float("nan")])
def test_integers_are_integers(bad: object) -> None:
    with pytest.raises(sd.WrongTypeError, match="k must be a whole number"):
        as_integer(bad, "k", low=2, high=10)


@settings(deadline=None)
@given(
    st.fractions(max_denominator=10**15)
    | st.decimals(-(10**20), 10**20, places=18).map(Fraction)
    | st.sampled_from([Fraction(-1, 2), Fraction(-1, 10**40), Fraction(-1, 3), Fraction(-2)])
)
def test_exact_text_is_read_back_as_the_same_number(x: Fraction) -> None:
    assert Fraction(exact_text(x)) == read_exact(exact_text(x)) == x


@settings(deadline=None)
@given(st.fractions(min_value=-20, max_value=20, max_denominator=10**15))
def test_decimal_text_never_rounds_up(x: Fraction) -> None:
    shown = Fraction(decimal_text(x))
    assert shown <= x < shown + Fraction(1, 10**12)


@cases("kind", [np.int8, np.int64, np.uint64, np.float64])
def test_numbers_of_numpy_are_numbers(kind: type) -> None:
    exact = as_epsilon(kind(2))
    assert exact == 2
    assert {type(exact.numerator), type(exact.denominator)} == {int}
    for bad in (0, 21):
        with pytest.raises(sd.PrivacyError):
            as_epsilon(kind(bad))


@cases(
    "wrong",
    [None, True, "1", math.nan, math.inf, Decimal("NaN"), Decimal("1e999999999"), 10**500, [1],
     Fraction(1, 10**500), np.array([1.0]), np.timedelta64(1, "s")])  # fmt: skip
def test_what_is_no_finite_number_of_some_digits(wrong: Any) -> None:
    with pytest.raises((sd.DomainError, sd.WrongTypeError), match="step"):
        as_rational(wrong, "step")


@cases(
    "wrong", ["", "x", "nan", "inf", "1e9999999", "1/0", "1/00", "0x1", "1_0", "１", " 1", "9" * 99]
)
def test_text_that_writes_no_number(wrong: str) -> None:
    with pytest.raises(sd.DomainError, match="step"):
        rational_from_text(wrong, "step")


@given(st.fractions() | st.decimals(allow_nan=False, allow_infinity=False, places=5))
def test_numbers_are_read_as_they_are(number: Any) -> None:
    assert as_rational(number, "x") == number
