from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.data import trousers
from tests.cases import cases


def exact(k: int) -> float:
    """ε with (k-1)(2e + k - 2) = (e + 1)² + 4 (k-1) e for e = e^ε."""
    return math.log(math.sqrt((2 * k - 1) * (k - 1)) - k)


def test_both_crossings_at_43() -> None:
    found, rare = sd.crossing("GRR", "OUE", k=43), sd.crossing("GRR", "OUE", k=43, rare=True)
    assert found is not None
    assert rare is not None
    assert (round(found, 3), round(rare, 3)) == (2.818, 2.615)
    e = math.exp(found)
    assert e * e + 86 * e - 1721 == pytest.approx(0, abs=1e-3)
    assert 3 * math.exp(rare) + 2 == pytest.approx(43, abs=1e-3)


@pytest.mark.parametrize("k", [6, 7, 10, 43, 100, 1000, 10**5, 2**24])
def test_grr_and_oue_cross_where_algebra_says(k: int) -> None:
    assert sd.crossing("GRR", "OUE", k=k) == pytest.approx(exact(k), abs=3e-6)
    assert sd.crossing("OUE", "GRR", k=k) == pytest.approx(exact(k), abs=3e-6)
    assert sd.crossing(sd.GRR, sd.OUE, k=k, rare=True) == pytest.approx(
        math.log((k - 2) / 3), abs=3e-6
    )


@cases("k", [2, 3, 4, 5])
def test_grr_always_wins_at_five(k: int) -> None:
    assert sd.crossing("GRR", "OUE", k=k) is None
    assert sd.crossing("GRR", "OUE", k=k, rare=True) is None


def histograms() -> list[np.ndarray[Any, Any]]:
    clicks = np.array(trousers().counts)
    rng = np.random.default_rng(3)
    one = np.zeros(43)
    one[7] = 1
    return [clicks / clicks.sum(), rng.dirichlet(np.full(43, 0.2)), np.full(43, 1 / 43), one]


@cases("shares", histograms())
@cases("target", ["population", "respondents"])
def test_the_crossing_is_that_of_every_histogram(shares: Any, target: Any) -> None:
    epsilon = sd.crossing("GRR", "OUE", k=43)
    assert epsilon is not None

    def gap(epsilon: float) -> float:
        errors = [m.expected_mse(49_742, shares, target) for m in
                  (sd.GRR(43, epsilon), sd.OUE(43, epsilon))]  # fmt: skip
        return errors[0] / errors[1] - 1

    assert abs(gap(epsilon)) < 1e-5
    assert gap(epsilon - 0.001) > 1e-4
    assert gap(epsilon + 0.001) < -1e-4


@cases("a, b, k", [("GRR", "SUE", 43), ("SUE", "OUE", 10), ("GRR", "DyadicUnary", 43)])
def test_any_two_change_places_at_their_crossing(a: str, b: str, k: int) -> None:
    epsilon = sd.crossing(a, b, k=k)
    assert epsilon is not None
    orders = []
    for place in (epsilon - 1e-4, epsilon + 1e-4):
        first, second = (getattr(sd, name)(k, place).expected_mse(1) for name in (a, b))
        orders.append(first < second)
    assert orders[0] is not orders[1]


def test_a_mechanism_does_not_cross_itself() -> None:
    assert sd.crossing("GRR", "GRR", k=9) is None
    assert (
        sd.crossing("OUE", "DyadicUnary", k=43, rare=True) is None
    )  # never better, at times equal


@cases(
    "arguments, name",
    [
        (("XYZ", "OUE", 43), "mechanism"),
        (("GRR", None, 43), "mechanism"),
        (("GRR", sd.Counts, 43), "mechanism"),
        (("GRR", "OUE", 1), "k"),
        (("GRR", "OUE", 2.5), "k"),
        (("GRR", "OUE", "43"), "k"),
        (("GRR", "OUE", 43, "yes"), "rare"),
    ],
)
def test_bad_crossings(arguments: tuple[Any, ...], name: str) -> None:
    a, b, k, *rest = arguments
    with pytest.raises(sd.SudareError) as caught:
        sd.crossing(a, b, k=k, rare=rest[0] if rest else False)
    assert caught.value.argument == name
