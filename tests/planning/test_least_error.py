"""The best of a plan beside the error of subset selection in real numbers, which nothing beats."""

from __future__ import annotations

import math

import pytest

import sudare as sd
from sudare.estimation.estimate import Target
from tests.cases import cases

EPSILONS = (0.25, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)
SLACK = 1.005


def least(k: int, epsilon: float, n: int, target: Target) -> float:
    """Return the error of the best size, from the formula of Ye and Barg 2018."""
    gamma, errors = math.exp(epsilon), []
    middle = int(k / (gamma + 1))
    for d in range(max(1, middle - 1), min(k - 1, middle + 2) + 1):
        p = gamma * d / (gamma * d + k - d)
        q = (d - p) / (k - 1)
        errors.append((p * (1 - p) + (k - 1) * q * (1 - q)) / (p - q) ** 2 / (k * n))
    return min(errors) + (1 / k * (1 - 1 / k) / n if target == "population" else 0)


def check(k: int, epsilon: float, target: Target = "population") -> None:
    best = sd.plan(k, 1000, epsilon, target)[0]
    assert best.expected_mse <= SLACK * least(k, epsilon, 1000, target), best.mechanism
    assert best.expected_mse >= (1 - 1e-9) * least(k, epsilon, 1000, target), best.mechanism


@cases("epsilon", [0.25, 1.0, 2.5, 6.0])
@cases("k", [3, 4, 8, 20, 43, 300, 1000])
def test_the_best_of_a_plan_has_nearly_the_least_error(k: int, epsilon: float) -> None:
    check(k, epsilon)


@cases("k", [3, 43, 700])
def test_for_the_respondents_alone_too(k: int) -> None:
    for epsilon in EPSILONS[::3]:
        check(k, epsilon, "respondents")


@pytest.mark.slow
@pytest.mark.parametrize("start", range(3, 1001, 100))
def test_at_every_number_of_categories(start: int) -> None:
    """Two ε for each to 102, one beyond: all of them within 12 neighbours."""
    for k in range(start, min(start + 100, 1001)):
        for epsilon in EPSILONS[k % 6 :: 6] if start == 3 else (EPSILONS[k % 12],):
            check(k, epsilon)
