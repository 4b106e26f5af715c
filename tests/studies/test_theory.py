"""The closed forms of the study against exact fractions, polynomials and dense algebra."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.data import trousers
from sudare.studies.grr_oue.small import SKEWS
from sudare.studies.grr_oue.theory import (
    exact_crossing,
    grr_noise,
    oue_noise,
    rule_of_thumb,
    shifted_crossing,
    unary_excess,
)


def test_the_crossings_at_43() -> None:
    (root,) = [e for e in np.roots([1, 86, -1721]) if e > 0]
    assert exact_crossing(43) == pytest.approx(math.log(root), abs=1e-12)
    assert round(exact_crossing(43) or 0, 3) == 2.818
    assert rule_of_thumb(43) == pytest.approx(math.log(41 / 3), abs=1e-12)
    assert round(rule_of_thumb(43) or 0, 3) == 2.615


@settings(deadline=None)
@given(st.integers(2, 300), st.floats(0.01, 8))
def test_noise_is_the_expected_mse_of_the_mechanisms(k: int, epsilon: float) -> None:
    for kind, noise in ((sd.GRR, grr_noise), (sd.OUE, oue_noise)):
        exact = kind(k, epsilon).expected_mse(1, target="respondents")
        assert noise(k, epsilon) / k == pytest.approx(exact, rel=1e-3)


@settings(deadline=None)
@given(st.integers(2, 2000), st.floats(0.01, 9))
def test_the_crossing_separates_the_two(k: int, epsilon: float) -> None:
    crossing = exact_crossing(k) or 0.0
    if abs(epsilon - crossing) > 1e-6:
        assert (grr_noise(k, epsilon) < oue_noise(k, epsilon)) == (epsilon > crossing)


def noise_of(mechanism: sd.GRR | sd.OUE, counts: tuple[int, ...]) -> Fraction:
    """Exact summed variance of the estimated counts, from the integer weights."""
    p, q = mechanism.support_probabilities
    n = sum(counts)
    return sum(
        (((n - f) * q * (1 - q) + f * p * (1 - p)) / (p - q) ** 2 for f in counts), Fraction(0)
    )


@pytest.mark.parametrize("counts", [*SKEWS.values(), (100, 1, 0, 0, 7)])
@pytest.mark.parametrize("epsilon", [0.001, 0.01, 0.1, 0.2, 0.5, 1, 1.5, 2, 3, 5, 8, 12, 20])
def test_unbiased_grr_wins_on_dataset1_at_every_epsilon(
    epsilon: float, counts: tuple[int, ...]
) -> None:
    assert noise_of(sd.GRR(5, epsilon), counts) < noise_of(sd.OUE(5, epsilon), counts)


def test_the_proof_for_five_categories() -> None:
    # 5 n (OUE - GRR) (e-1)² = (e-1)(e+11): three points fix a polynomial of degree two
    for e in (Fraction(2), Fraction(3), Fraction(7, 2)):
        grr, oue = 4 * (2 * e + 3), 16 * e + (e + 1) ** 2
        assert oue - grr == (e - 1) * (e + 11)
        assert grr / 5 == Fraction(8, 5) * e + Fraction(12, 5)
        assert oue / 5 == 4 * e + (e - 1) ** 2 / 5


def test_the_skew_drops_out_on_dataset2() -> None:
    counts = trousers().counts
    for kind in (sd.GRR, sd.OUE, sd.SUE):
        m = kind(43, 2.0)
        assert noise_of(m, counts) == noise_of(m, (sum(counts), *[0] * 42))


@pytest.mark.parametrize("k", [3, 4, 5, 6, 43])
@pytest.mark.parametrize("epsilon", [0.3, 0.5, 1.0, 2.5, 2.9])
def test_the_shift_takes_the_kth_part_off(k: int, epsilon: float) -> None:
    # dense algebra: shifting is A = I - J/k, and OUE's covariance is diagonal
    m = sd.OUE(k, epsilon)
    variance = m.variance(np.full(k, 1 / k), 1, "respondents")
    A = np.eye(k) - 1 / k
    shifted = float(np.trace(A @ np.diag(variance) @ A.T))
    assert shifted == pytest.approx(variance.sum() * (1 - 1 / k))
    wins = epsilon < (shifted_crossing(k) or 0.0)
    assert (shifted < sd.GRR(k, epsilon).expected_mse(1, target="respondents") * k) == wins


def test_oue_is_the_best_unary_encoding_for_rare_categories_alone() -> None:
    assert unary_excess(1000, 1.0) < 1.0001
    assert unary_excess(3, 2.0) > 1.1
