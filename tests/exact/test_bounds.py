from fractions import Fraction
from math import factorial, nextafter

from hypothesis import given, settings, strategies as st

from sudare.exact import exp_bounds, floor_float, log_bounds

epsilons = st.fractions(min_value=Fraction(1, 1000), max_value=20, max_denominator=10**6)


def taylor(x: Fraction, terms: int = 160) -> tuple[Fraction, Fraction]:
    """Bounds on e**x by the series, independent of any library's exponential."""
    low = sum((x**i / factorial(i) for i in range(terms)), start=Fraction(0))
    rest = x**terms / factorial(terms) / (1 - x / terms)
    return low, low + rest


@settings(deadline=None)
@given(epsilons)
def test_exponential_bounds_bracket_the_series(x: Fraction) -> None:
    low, high = exp_bounds(x)
    series_low, series_high = taylor(x)
    assert low < series_high
    assert high > series_low
    assert (high - low) / low < Fraction(1, 10**57)


@settings(deadline=None)
@given(epsilons)
def test_logarithm_undoes_the_exponential(x: Fraction) -> None:
    low, high = exp_bounds(x)
    assert log_bounds(low)[0] < x < log_bounds(high)[1]
    assert log_bounds(low)[1] - log_bounds(low)[0] < Fraction(1, 10**55)


def test_bounds_are_exact_where_the_value_is() -> None:
    assert exp_bounds(Fraction(0)) == (1, 1)
    assert log_bounds(Fraction(1)) == (0, 0)


@settings(deadline=None)
@given(st.fractions(max_denominator=10**30))
def test_floor_float_is_the_largest_float_below(x: Fraction) -> None:
    shown = floor_float(x)
    assert Fraction(shown) <= x
    assert Fraction(nextafter(shown, float("inf"))) > x
