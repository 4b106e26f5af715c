from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import sudare as sd
from sudare.estimation.estimate import normal_quantile
from sudare.mechanisms import FrequencyOracle, registry
from tests.cases import cases

TRUTH = np.array([0.4, 0.25, 0.15, 0.1, 0.06, 0.04])
TARGETS = ("population", "respondents")


def simulated_errors(m: sd.GRR, n: int, target: str, runs: int = 2000) -> np.ndarray[Any, Any]:
    """Squared errors of the shares, (runs, k), about those whom the target names."""
    draws = np.random.default_rng(7)
    rng = sd.Entropy.seeded(b"sample size")
    fixed = np.floor(TRUTH * n).astype(np.int64)
    fixed[0] += n - fixed.sum()
    truth = draws.multinomial(n, TRUTH, size=runs) if target == "population" else [fixed] * runs
    support = np.array([m.supports(m.simulate(people, rng=rng).support) for people in truth])
    p, q = (float(x) for x in m.support_probabilities)
    return ((support / n - q) / (p - q) - (TRUTH if target == "population" else fixed / n)) ** 2


# The root of a mean of 12,000 nearly independent squared errors has a relative standard
# deviation of about sqrt(2 / 12,000) / 2 = 0.65 %: 3 % are 4.6 of these, a false alarm in
# 240,000 runs with fresh entropy. Here the entropy is recorded.
@pytest.mark.slow
@pytest.mark.parametrize("target", ["population", "respondents"])
def test_the_simulated_rmse_is_the_wanted_one(mechanism_class: type[sd.GRR], target: str) -> None:
    m = mechanism_class(TRUTH.size, 1.0)
    n = sd.sample_size(m, rmse=0.02, shares=TRUTH, target=target)
    simulated = math.sqrt(simulated_errors(m, n, target).mean())
    assert abs(simulated / 0.02 - 1) < 0.03
    wrong = math.sqrt(simulated_errors(m, int(n / 1.1), target).mean())
    assert abs(wrong / 0.02 - 1) > 0.03  # the control


# One share, 8,000 nearly normal errors: a relative standard deviation of sqrt(1 / 16,000) =
# 0.8 %, 3 % are 3.8 of these.
@pytest.mark.parametrize("target", TARGETS)
def test_the_simulated_standard_error_of_one_share_is_the_wanted_one(target: str) -> None:
    m = sd.OUE(TRUTH.size, 2.0)
    n = sd.sample_size(m, half_width=0.03, shares=TRUTH[0], target=target, confidence=0.9)
    half = normal_quantile(0.9) * math.sqrt(simulated_errors(m, n, target, 8000)[:, 0].mean())
    assert abs(half / 0.03 - 1) < 0.03


@settings(deadline=None, max_examples=60)
@given(
    name=st.sampled_from(registry.names(FrequencyOracle, plugins=False)),
    k=st.integers(2, 300),
    epsilon=st.floats(0.05, 8),
    wish=st.sampled_from(["half_width", "stderr", "rmse"]),
    wanted=st.floats(0.001, 1),
    target=st.sampled_from(TARGETS),
)
def test_n_meets_the_wish_and_one_less_does_not(
    name: str, k: int, epsilon: float, wish: str, wanted: float, target: Any
) -> None:
    cls = getattr(sd, name)
    m = cls(min(k, cls.max_k), epsilon)
    n = sd.sample_size(m, **{wish: wanted}, target=target)

    def error(n: int) -> float:
        if wish == "rmse":
            return math.sqrt(m.expected_mse(n, target=target))
        worst = m.variance(np.linspace(0, 1, 1001), n, target).max()
        return math.sqrt(worst) * (normal_quantile(0.95) if wish == "half_width" else 1)

    assert error(n) <= wanted * (1 + 1e-9)
    if n > 1:  # the grid misses the worst share by at most 1/2000, its variance by 1/4,000,000
        assert error(n - 1) > wanted * (1 - 1e-6)


def test_the_exact_number_in_rationals() -> None:
    m = sd.GRR(7, 1.5)
    p, q = m.support_probabilities
    x = Fraction(1, 4)
    noise = (x * p * (1 - p) + (1 - x) * q * (1 - q)) / (p - q) ** 2
    for stderr in (Fraction(1, 50), Fraction(1, 333)):
        for target, sampled in (("respondents", 0), ("population", x * (1 - x))):
            least = math.ceil((noise + sampled) / stderr**2)
            found = sd.sample_size(m, stderr=float(stderr), shares=0.25, target=target)
            assert found == least


def test_names_and_auto_are_as_the_plan() -> None:
    best = sd.plan(43, 1000, 2.0).best
    wish = {"half_width": 0.02}
    assert sd.sample_size(k=43, epsilon=2.0, **wish) == sd.sample_size(best, **wish)
    by_name = sd.sample_size("SUE", k=43, epsilon=2.0, **wish)
    assert by_name == sd.sample_size(sd.SUE(43, 2.0), **wish)


def test_given_shares_bound_each_of_them() -> None:
    m = sd.OUE(6, 1.0)
    together = sd.sample_size(m, stderr=0.01, shares=TRUTH)
    assert together == max(sd.sample_size(m, stderr=0.01, shares=float(x)) for x in TRUTH)
    assert together <= sd.sample_size(m, stderr=0.01)


def test_a_wish_that_anybody_meets_takes_one() -> None:
    assert sd.sample_size(sd.GRR(2, 20.0), half_width=1.0, target="respondents") == 1
    assert sd.sample_size(sd.GRR(2, 1.0), half_width=0.001, confidence=1e-15) == 1


class Planned:
    """A mechanism of another family: it knows its expected error alone."""

    def expected_mse(self, n: int, shares: object = None, target: str = "population") -> float:
        return 4 / n


def test_a_mechanism_of_another_family() -> None:
    assert sd.sample_size(Planned(), rmse=0.1) == 400
    with pytest.raises(sd.DomainError, match="frequency oracle for half_width"):
        sd.sample_size(Planned(), half_width=0.1)


GRR = sd.GRR(3, 1.0)


@cases(
    "arguments, name",
    [
        ({}, "k, epsilon"),
        ({"k": 3, "rmse": 0.1}, "k, epsilon"),
        ({"k": 1, "epsilon": 1.0, "rmse": 0.1}, "k"),
        ({"k": 3, "epsilon": math.nan, "rmse": 0.1}, "epsilon"),
        ({"mechanism": "XYZ", "k": 3, "epsilon": 1.0, "rmse": 0.1}, "mechanism"),
        ({"mechanism": None, "rmse": 0.1}, "mechanism"),
        ({"mechanism": sd.GRR, "rmse": 0.1}, "mechanism"),
        ({"mechanism": GRR, "k": 3, "rmse": 0.1}, "k, epsilon"),
        ({"mechanism": GRR}, "half_width, stderr or rmse"),
        ({"mechanism": GRR, "rmse": 0.1, "stderr": 0.1}, "half_width, stderr or rmse"),
        ({"mechanism": GRR, "rmse": 0.0}, "rmse"),
        ({"mechanism": GRR, "rmse": -1}, "rmse"),
        ({"mechanism": GRR, "rmse": 2}, "rmse"),
        ({"mechanism": GRR, "rmse": math.nan}, "rmse"),
        ({"mechanism": GRR, "rmse": Fraction(10**400)}, "rmse"),
        ({"mechanism": GRR, "rmse": True}, "rmse"),
        ({"mechanism": GRR, "stderr": "0.1"}, "stderr"),
        ({"mechanism": GRR, "stderr": 1e-9}, "stderr"),
        ({"mechanism": GRR, "half_width": 1e-300}, "half_width"),
        ({"mechanism": GRR, "rmse": 0.1, "shares": 0.5}, "shares"),
        ({"mechanism": GRR, "rmse": 0.1, "shares": [0.5, 0.5]}, "shares"),
        ({"mechanism": GRR, "stderr": 0.1, "shares": 1.5}, "shares"),
        ({"mechanism": GRR, "stderr": 0.1, "shares": math.nan}, "shares"),
        ({"mechanism": GRR, "stderr": 0.1, "shares": "many"}, "shares"),
        ({"mechanism": GRR, "stderr": 0.1, "shares": []}, "shares"),
        ({"mechanism": GRR, "stderr": 0.1, "shares": np.ma.masked_equal([0, 1, 0], 1)}, "shares"),
        ({"mechanism": GRR, "half_width": 0.1, "confidence": 1.0}, "confidence"),
        ({"mechanism": GRR, "half_width": 0.1, "target": None}, "target"),
    ],
)
def test_impossible_wishes(arguments: dict[str, Any], name: str) -> None:
    with pytest.raises(sd.SudareError) as caught:
        sd.sample_size(**arguments)
    assert caught.value.argument == name
