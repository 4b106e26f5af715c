"""Thresholding: the bits have the law of noisy numbers above a threshold."""

from __future__ import annotations

import math

import pytest

import sudare as sd
from sudare.mechanisms.frequency.thresholding import probabilities
from tests.cases import cases


@cases("epsilon", [0.1, 1.0, 2.0, 4.0, 8.0])
def test_the_threshold_has_the_least_variance(epsilon: float) -> None:
    def variance(p: float, q: float) -> float:
        return q * (1 - q) / (p - q) ** 2

    best = variance(*probabilities(epsilon))
    places = (1 / 2 + i / 10_000 for i in range(1, 5000))
    others = (
        variance(1 - math.exp(epsilon * (x - 1) / 2) / 2, math.exp(-epsilon * x / 2) / 2)
        for x in places
    )
    assert best <= min(others) * (1 + 1e-5)


@cases("epsilon", [0.001, 0.5, 1.0, 3.0, 20.0])
def test_the_bits_spend_less_than_the_noisy_numbers(epsilon: float) -> None:
    m = sd.THE(9, epsilon)
    p, q = (float(x) for x in m.support_probabilities)
    assert (p, q) == pytest.approx(probabilities(epsilon), abs=1e-15)
    assert m.epsilon == pytest.approx(math.log(p * (1 - q) / (q * (1 - p))), rel=1e-9)
    assert m.epsilon < epsilon
    assert 0 <= float(m.due_epsilon) - m.epsilon < 1e-6


@cases("epsilon", [0.05, 0.5, 1.0, 2.0, 4.0, 8.0])
@cases("k", [2, 5, 43, 1000])
def test_it_is_dominated(k: int, epsilon: float) -> None:
    m = sd.THE(k, epsilon)
    best = sd.SubsetSelection(k, epsilon)
    error = m.expected_mse(1000, target="respondents")
    assert m.dominated_by == best.name
    assert best.expected_mse(1000, target="respondents") <= error * (1 + 1e-5)
    assert sd.plan(k, 1000, epsilon).best.name != "THE"
