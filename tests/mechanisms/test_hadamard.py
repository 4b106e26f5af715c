"""Hadamard response: its own law beside what every mechanism is tested for."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import sudare as sd
from sudare.errors import OutOfReachError
from sudare.mechanisms.frequency.hadamard import rows, transformed
from tests.cases import cases

SIZES = [2, 3, 4, 7, 8, 43]


@cases("size", [1, 2, 8, 64])
def test_the_matrix_is_sylvesters(size: int) -> None:
    places = range(size)
    signs = [[(-1) ** (r & s).bit_count() for s in places] for r in places]
    assert rows(size).tolist() == signs
    x = np.arange(size * 3).reshape(size, 3)
    assert np.array_equal(transformed(x), np.array(signs) @ x)


@cases("k", SIZES)
def test_a_report_is_even_within_each_half(k: int) -> None:
    m = sd.HadamardResponse(k, 1.0)
    size = m.program.outputs
    assert size == 2 ** (math.floor(math.log2(k)) + 1)  # the least power of two above k
    p, q = m.support_probabilities
    assert q == Fraction(1, 2)
    assert abs(float(p) - math.e / (math.e + 1)) < 1e-6
    for category, law in enumerate(m.program.laws(range(k))):
        inside = [(category + 1 & r).bit_count() % 2 == 0 for r in range(size)]
        assert sum(inside) == size // 2
        assert law == [(p if own else 1 - p) * 2 / size for own in inside]


@cases("k", SIZES)
def test_a_report_supports_the_half_it_is_in(k: int) -> None:
    m = sd.HadamardResponse(k, 1.0)
    for report in range(m.program.outputs):
        held = [(category + 1 & report).bit_count() % 2 == 0 for category in range(k)]
        assert m.aggregate([report]).support.tolist() == held


def test_the_covariance_is_that_of_the_page() -> None:
    m, x = sd.HadamardResponse(7, 1.0), np.arange(1.0, 8) / 28
    d = float(2 * m.law.p - 1)
    for i in range(7):
        assert m.law.cells(x)[i] == pytest.approx((1 - d**2 * x[i]) / d**2)
        for j in set(range(7)) - {i}:
            pair = np.eye(7)[i] + np.eye(7)[j]
            covariance = (m.law.noise(pair, x) - m.law.cells(x)[[i, j]].sum()) / 2
            assert covariance == pytest.approx(x[(i + 1 ^ j + 1) - 1] / d)


@cases("epsilon", [0.1, 1.0, 3.0, 8.0])
@cases("k", [3, 7, 43, 255])
def test_it_is_dominated_in_error(k: int, epsilon: float) -> None:
    error = sd.HadamardResponse(k, epsilon).expected_mse(1000)
    assert sd.OUE(k, epsilon).expected_mse(1000) < error
    assert sd.DyadicUnary(k, epsilon).expected_mse(1000) < error


@cases("k", [256, 4096])
def test_more_categories_than_a_device_can_hold_are_refused(k: int) -> None:
    with pytest.raises(OutOfReachError, match="at most 255 for HadamardResponse"):
        sd.HadamardResponse(k, 1.0)


def test_a_survey_takes_it_by_name_and_auto_never_does() -> None:
    survey = (
        '[collection]\nname = "t"\nepsilon = 1\n[[question]]\nid = "q"\ntype = "choice"\n'
        'text = "?"\nchoices = ["a", "b", "c"]\nmechanism = "{}"\n'
    )
    named, auto = (
        sd.Collection.from_toml(survey.format(name)) for name in ("HadamardResponse", "auto")
    )
    assert named.questions[0].mechanism == sd.HadamardResponse(4, 1)
    assert auto.questions[0].mechanism.name != "HadamardResponse"
    assert sd.Collection.from_compiled(named.compiled()) == named
