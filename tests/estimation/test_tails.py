"""Binomial tails against sums of exact terms."""

from __future__ import annotations

import math
from fractions import Fraction

from sudare.estimation.tails import least_count, upper_tail
from tests.cases import cases


def exact(n: int, p: Fraction, least: int) -> Fraction:
    terms = (math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(max(0, least), n + 1))
    return sum(terms, Fraction(0))


@cases("n, p", [(1, "1/2"), (7, "1/53"), (40, "1/3"), (120, "1/19")])
def test_tails_are_those_of_exact_terms_and_never_below(n: int, p: str) -> None:
    own = Fraction(p)
    for least in range(-1, n + 3):
        told, true = upper_tail(n, float(own), least), exact(n, own, least)
        assert math.isclose(told, true, rel_tol=1e-8, abs_tol=1e-290)
        if least >= n * own:
            assert told >= min(true, Fraction(1)) or true < 1e-290


def test_the_least_count_is_the_least() -> None:
    for level in (0.5, 0.05, 1e-6, 1e-12):
        least = least_count(200, 1 / 53, level)
        assert exact(200, Fraction(1, 53), least) <= level < exact(200, Fraction(1, 53), least - 1)


def test_certain_and_impossible() -> None:
    assert upper_tail(5, 0.0, 1) == 0
    assert upper_tail(5, 1.0, 5) == 1
    assert upper_tail(5, 0.3, 0) == 1
    assert least_count(5, 1.0, 0.5) == 6
