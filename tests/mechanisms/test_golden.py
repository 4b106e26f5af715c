"""The printed examples of the first source, corrected where it slips."""

import numpy as np
import pytest

import sudare as sd
from tests.cases import cases


def test_grr_example() -> None:
    m = sd.GRR(3, 2.0)
    p, q = (float(x) for x in m.support_probabilities)
    assert (p, q) == (pytest.approx(0.78699, abs=5e-6), pytest.approx(0.10651, abs=5e-6))
    counts = m.estimate(sd.Counts(support=(3, 2, 5), n=10)).counts
    np.testing.assert_allclose(counts, [2.8435, 1.3740, 5.7826], atol=1e-4)


def test_oue_example() -> None:
    counts = sd.OUE(3, 2.0).estimate(sd.Counts(support=(6, 4, 7), n=10)).counts
    np.testing.assert_allclose(counts, [12.6261, 7.3739, 15.2522], atol=1e-4)


@cases(
    "epsilon, numerator, denominator",
    [(0.5, 3, 8), (1, 1, 4), (1.5, 3, 16), (2, 1, 8), (3, 3, 64), (4, 1, 64)],
)
def test_dyadic_fractions(epsilon: float, numerator: int, denominator: int) -> None:
    q = sd.DyadicUnary(10, epsilon).support_probabilities[1]
    assert (q.numerator, q.denominator) == (numerator, denominator)


def test_skew_drops_out_of_the_expected_error_for_the_respondents() -> None:
    for cls in (sd.GRR, sd.OUE, sd.SUE, sd.DyadicUnary):
        m = cls(5, 1.0)
        flat = m.expected_mse(1000, target="respondents")
        peaked = m.expected_mse(1000, [1, 0, 0, 0, 0], target="respondents")
        assert flat == pytest.approx(peaked, rel=1e-12)
