"""Discrete Laplace and Gaussian noise, exact choices: whole laws, and controls that must fail."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.exact import exp_bounds, reals, selection
from sudare.exact.noise import (
    _coins,
    discrete_gaussian,
    discrete_gaussian_one,
    discrete_laplace,
    discrete_laplace_one,
)
from sudare.exact.reals import Coin, exp_minus, flips_exp, uniform_below
from sudare.exact.selection import exponential, permute_and_flip
from tests.cases import cases

N = 1_000_000
SCALES = [Fraction(1), Fraction(10), Fraction(1000)]
FALSE_ALARM = 1e-6


def laplace_law(scale: Fraction, far: int) -> np.ndarray[Any, Any]:
    q = math.exp(-1 / scale)
    x = np.abs(np.arange(-far, far + 1))
    law = (1 - q) / (1 + q) * q**x
    return law / law.sum()


def gaussian_law(scale: Fraction, far: int) -> np.ndarray[Any, Any]:
    x = np.arange(-far, far + 1.0)
    law = np.exp(-x * x / (2 * float(scale) ** 2))
    return law / law.sum()


def fit(drawn: Any, law: np.ndarray[Any, Any]) -> float:
    far = law.size // 2
    seen = np.bincount(np.clip(np.asarray(drawn) + far, 0, 2 * far), minlength=law.size)
    return sd.testing.chi_square_pvalue(seen.tolist(), law.tolist())


def log_ratio(drawn: np.ndarray[Any, Any], law: np.ndarray[Any, Any]) -> float:
    """Return the largest |ln(seen / expected)| in standard errors, where 100 are expected."""
    far = law.size // 2
    seen = np.bincount(np.clip(drawn + far, 0, 2 * far), minlength=law.size)
    often = law * drawn.size >= 100
    expected = law[often] * drawn.size
    return float((np.abs(np.log(seen[often] / expected)) * np.sqrt(expected)).max())


def test_losers_beyond_hope_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """However large gamma is, a coin goes to exact arithmetic with probability 2**-40 or so."""
    monkeypatch.setattr(reals, "uniform_below", lambda *_: pytest.fail("exact arithmetic"))
    losses = np.array([0] + [10**6] * 1000)
    assert permute_and_flip(losses, Fraction(10**5), sd.Entropy.system()) == 0


@cases("scale", SCALES)
@cases("kind", ["laplace", "gaussian"])
def test_the_whole_law_at_a_million(kind: str, scale: Fraction) -> None:
    """Chi-squared on all of it at 1e-6, and the largest log-ratio within 6 standard errors."""
    rng = sd.Entropy.seeded(b"a million %s" % kind.encode())
    if kind == "laplace":
        law, drawn = laplace_law(scale, int(30 * scale) + 5), discrete_laplace(N, scale, rng)
        wrong = discrete_laplace(N, scale * Fraction(21, 20), rng)
    else:
        law = gaussian_law(scale, int(12 * scale) + 5)
        drawn = discrete_gaussian(N, scale * scale, rng)
        wrong = discrete_gaussian(N, scale * scale * Fraction(11, 10), rng)
    assert fit(drawn, law) > FALSE_ALARM
    assert log_ratio(drawn, law) < 7
    assert fit(wrong, law) < FALSE_ALARM  # a scale that is 5 % too large


@cases("kind", ["laplace", "gaussian"])
def test_rounded_floats_are_rejected(kind: str) -> None:
    generator = np.random.default_rng(1)
    if kind == "laplace":
        assert (
            fit(
                np.rint(generator.laplace(scale=1.0, size=N)).astype(int),
                laplace_law(Fraction(1), 30),
            )
            < FALSE_ALARM
        )
    else:
        assert (
            fit(np.rint(generator.normal(size=N)).astype(int), gaussian_law(Fraction(1), 12))
            < FALSE_ALARM
        )


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(25)], ids=str)
def test_single_draws_follow_the_same_law(scale: Fraction) -> None:
    rng = sd.Entropy.seeded(b"single")
    far = int(30 * scale) + 5
    drawn = [discrete_laplace_one(scale, rng) for _ in range(20_000)]
    assert fit(drawn, laplace_law(scale, far)) > FALSE_ALARM
    assert fit(drawn, laplace_law(scale * Fraction(11, 10), far)) < FALSE_ALARM
    drawn = [discrete_gaussian_one(scale * scale, rng) for _ in range(20_000)]
    assert fit(drawn, gaussian_law(scale, far)) > FALSE_ALARM
    assert fit(drawn, gaussian_law(scale * Fraction(11, 10), far)) < FALSE_ALARM


@cases("scale", [Fraction(1, 7), Fraction(2), Fraction(12)])
def test_digits_of_a_geometric_number_are_its_law(scale: Fraction) -> None:
    """The product of the coins' bounds brackets ``(1 - q) q^g``, to 60 digits."""
    digits, rest = _coins(scale)
    low_q, high_q = exp_bounds(-1 / scale, 90)
    for g in (0, 1, 2, 5, (1 << len(digits)) - 1, 1 << len(digits), (3 << len(digits)) + 2):
        low = high = Fraction(1)
        for i, coin in enumerate(digits):
            a, b = coin.bounds(90)
            low, high = (low * a, high * b) if g >> i & 1 else (low * (1 - b), high * (1 - a))
        above = g >> len(digits)
        a, b = rest.bounds(90)
        low, high = low * a**above * (1 - b), high * b**above * (1 - a)
        exact_low, exact_high = (1 - high_q) * low_q**g, (1 - low_q) * high_q**g
        assert low <= exact_high
        assert exact_low <= high
        assert high / low - 1 < Fraction(1, 10**60)


class Scripted:
    """Entropy that says what it is told."""

    def __init__(self, *words: int) -> None:
        self.left = list(words)

    def take(self, n: int) -> bytes:
        return self.left.pop(0).to_bytes(n, "little")


@cases("gamma", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(40)])
def test_a_coin_is_decided_by_as_many_bits_as_it_takes(gamma: Fraction) -> None:
    low, _ = exp_bounds(-gamma, 120)
    for bits in (8, 32, 64):
        word = math.floor(low * (1 << bits))
        if word == 1 << bits:
            assert uniform_below(word - 1, bits, exp_minus(gamma), Scripted())
            continue
        for deeper, answer in ((0, True), ((1 << 64) - 1, False)):
            assert uniform_below(word, bits, exp_minus(gamma), Scripted(deeper)) is answer
        if word:
            assert uniform_below(word - 1, bits, exp_minus(gamma), Scripted())
        assert not uniform_below(word + 1, bits, exp_minus(gamma), Scripted())
        exactly = math.floor(low * (1 << bits + 64))
        second = exactly - (word << 64)
        script = Scripted(second, 0), Scripted(second, (1 << 64) - 1)
        assert [uniform_below(word, bits, exp_minus(gamma), one) for one in script] == [True, False]


def test_floats_only_decide_where_they_are_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all left to exact arithmetic, the same words give the same flips."""
    gammas = np.random.default_rng(0).random(500) * 5
    exact = [Fraction(float(one)) for one in gammas]
    by_float = flips_exp(gammas, exact.__getitem__, sd.Entropy.seeded(b"flips"))
    monkeypatch.setattr(reals, "SURE", 2.0)
    assert (flips_exp(gammas, exact.__getitem__, sd.Entropy.seeded(b"flips")) == by_float).all()
    coin = Coin(exp_minus(Fraction(1, 2)))
    heads = coin.flips(60_000, sd.Entropy.seeded(b"coin"))
    assert abs(heads.mean() - math.exp(-0.5)) < 0.01
    assert Coin(exp_minus(Fraction(0))).flips(1000, sd.Entropy.seeded(b"sure")).all()


@cases("scale", [0, -1, Fraction(1, 1 << 30), 1 << 60])
def test_scales_out_of_range(scale: Any) -> None:
    for draw in (discrete_laplace, discrete_gaussian):
        with pytest.raises(sd.DomainError):
            draw(3, Fraction(scale) * abs(Fraction(scale)), sd.Entropy.system())


def test_the_exponential_mechanism(monkeypatch: pytest.MonkeyPatch) -> None:
    losses, times = np.array([7, 3, 5, 40_000, 3]), np.array([4, 1, 0, 900, 2])
    rate, rng = Fraction(1, 2), sd.Entropy.seeded(b"choose")
    weights = times * np.exp(-0.5 * (losses - 3.0))
    weights[2] = 0
    drawn = np.array([exponential(losses, rate, rng, times=times) for _ in range(20_000)])
    seen = np.bincount(drawn, minlength=5)
    assert sd.testing.chi_square_pvalue(seen.tolist(), (weights / weights.sum()).tolist()) > 1e-6
    even = np.array([1, 1, 0, 1, 1]) / 4
    assert sd.testing.chi_square_pvalue(seen.tolist(), even.tolist()) < 1e-6
    plain = [
        exponential(losses, rate, sd.Entropy.seeded(b"%d" % i), times=times) for i in range(300)
    ]
    monkeypatch.setattr(selection, "_ROUNDING", 1.0)
    exact = [
        exponential(losses, rate, sd.Entropy.seeded(b"%d" % i), times=times) for i in range(300)
    ]
    assert exact == plain


def test_permute_and_flip() -> None:
    """Against the law by enumeration of who wins; the exponential mechanism's is rejected."""
    losses, rate, rng = np.array([0, 1, 2]), Fraction(1), sd.Entropy.seeded(b"flip")
    a, b = math.exp(-1), math.exp(-2)
    law = [
        (1 - a) * (1 - b) + a * (1 - b) / 2 + (1 - a) * b / 2 + a * b / 3,
        a * (1 - b) / 2 + a * b / 3,
        (1 - a) * b / 2 + a * b / 3,
    ]
    drawn = [permute_and_flip(losses, rate, rng) for _ in range(20_000)]
    seen = np.bincount(drawn, minlength=3).tolist()
    assert sd.testing.chi_square_pvalue(seen, law) > 1e-6
    other = np.exp(-losses.astype(float))
    assert sd.testing.chi_square_pvalue(seen, (other / other.sum()).tolist()) < 1e-6
