"""Discrete Laplace and discrete Gaussian noise: exact draws of whole numbers.

Proofs: ``docs/proofs/noise.md``.
"""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sudare.arrays import Integers
from sudare.errors import DomainError
from sudare.exact.bounds import exp_bounds
from sudare.exact.entropy import Entropy, EntropySource
from sudare.exact.reals import MOST_FLIPS, SURE, Bounds, Coin, exp_minus, flips_exp, uniform_below

MOST_SCALE = Fraction(1 << 56)
LEAST_SCALE = Fraction(1, 1 << 20)

_RARE = 45  # nats after which higher digits are drawn together
_BLOCK = MOST_FLIPS


def discrete_laplace(n: int, scale: Fraction, rng: Entropy) -> Integers:
    """Return n draws of ``P(x) = (1 - q) / (1 + q) q^|x|``, ``q = exp(-1 / scale)``, exactly.

    The difference of two geometric numbers.

    Args:
        scale: 2^-20 to 2^56: sensitivity / ε, in steps.

    Raises:
        DomainError: the scale is out of range.

    Source: Ghosh, Roughgarden, Sundararajan 2012; exact sampling after Canonne, Kamath, Steinke
    2020, but by binary digits.

    Examples:
        >>> noise = discrete_laplace(100_000, Fraction(10), Entropy.seeded(b"noise"))
        >>> round(float(noise.std()), 1)
        14.1
    """
    digits, rest = _coins(_checked(scale))
    out = np.empty(n, dtype=np.int64)
    for start in range(0, n, _BLOCK):
        part = out[start : start + _BLOCK]
        part[:] = _geometric(part.size, digits, rest, rng)
        part -= _geometric(part.size, digits, rest, rng)
    return out


def discrete_laplace_one(scale: Fraction, entropy: EntropySource) -> int:
    """Return one draw of :func:`discrete_laplace`."""
    digits, rest = _coins(_checked(scale))
    return _geometric_one(digits, rest, entropy) - _geometric_one(digits, rest, entropy)


def discrete_gaussian(n: int, variance: Fraction, rng: Entropy) -> Integers:
    """Return n draws of ``P(x) ∝ exp(-x^2 / (2 variance))``, exactly.

    Discrete Laplace draws of the scale ``t = floor(σ) + 1``, each kept with probability
    ``exp(-(|x| - variance / t)^2 / (2 variance))``.

    Args:
        variance: 2^-20 to 2^110: the square of sensitivity / sqrt(2 ρ), in steps.

    Raises:
        DomainError: the variance is out of range.

    Source: Canonne, Kamath, Steinke 2020, algorithm 3.

    Examples:
        >>> noise = discrete_gaussian(100_000, Fraction(100), Entropy.seeded(b"noise"))
        >>> round(float(noise.std()), 1)
        10.0
    """
    t = _proposal(variance)
    out = np.empty(n, dtype=np.int64)
    filled = 0
    while filled < n:
        size = min(_BLOCK // 2, 2 * (n - filled) + 16)
        drawn = discrete_laplace(size, Fraction(t), rng)
        kept = drawn[_kept(drawn, variance, t, rng)][: n - filled]
        out[filled : filled + kept.size] = kept
        filled += kept.size
    return out


def discrete_gaussian_one(variance: Fraction, entropy: EntropySource) -> int:
    """Return one draw of :func:`discrete_gaussian`."""
    t = _proposal(variance)
    while True:
        x = discrete_laplace_one(Fraction(t), entropy)
        word = int.from_bytes(entropy.take(8), "little")
        spread = float(variance)
        away = abs(x) - spread / t
        gamma = away * away / (2 * spread)
        gap = word * 2.0**-64 - math.exp(-gamma)
        if abs(gap) <= SURE:
            gap = -1 if uniform_below(word, 64, exp_minus(_gamma(x, variance, t)), entropy) else 1
        if gap < 0:
            return x


# -- geometric numbers, digit by digit ---------------------------------------------------------


@lru_cache(maxsize=64)
def _coins(scale: Fraction) -> tuple[tuple[Coin, ...], Coin]:
    """Return a coin for each low binary digit of a geometric number, and one for the digits above.

    The digits of G, ``P(G = g) ∝ q^g``, are independent: digit i is 1 with ``1 / (1 + q^-2^i)``;
    ``floor(G / 2^K)`` is geometric with ``q^2^K``.
    """
    count = max(1, math.ceil(math.log2(_RARE * scale)))
    digits = tuple(Coin(_digit(Fraction(1 << i) / scale)) for i in range(count))
    return digits, Coin(exp_minus(Fraction(1 << count) / scale))


def _digit(x: Fraction) -> Bounds:
    """Return the bounds of ``1 / (1 + e^x)``."""

    def bounds(digits: int) -> tuple[Fraction, Fraction]:
        low, high = exp_bounds(x, digits)
        return 1 / (1 + high), 1 / (1 + low)

    return bounds


def _geometric(n: int, digits: tuple[Coin, ...], rest: Coin, rng: Entropy) -> Integers:
    out = np.zeros(n, dtype=np.int64)
    for i, coin in enumerate(digits):
        out |= coin.flips(n, rng).astype(np.int64) << i
    going = np.flatnonzero(rest.flips(n, rng))
    while going.size:
        out[going] += 1 << len(digits)
        going = going[rest.flips(going.size, rng)]
    return out


def _geometric_one(digits: tuple[Coin, ...], rest: Coin, entropy: EntropySource) -> int:
    count = len(digits) + 1
    words = struct.unpack(f"<{count}I", entropy.take(4 * count))
    out = 0
    for i, coin in enumerate(digits):
        if coin.decide(words[i], entropy):
            out |= 1 << i
    if rest.decide(words[-1], entropy):
        out += 1 << len(digits)
        while rest.decide(int.from_bytes(entropy.take(4), "little"), entropy):
            out += 1 << len(digits)
    return out


# -- keeping a proposal ------------------------------------------------------------------------


def _gamma(x: int, variance: Fraction, t: int) -> Fraction:
    """Return ``(|x| - variance / t)^2 / (2 variance)``."""
    away = abs(x) - variance / t
    return away * away / (2 * variance)


def _kept(drawn: Integers, variance: Fraction, t: int, rng: Entropy) -> npt.NDArray[np.bool_]:
    """Flip a coin of probability exp(-gamma) for each draw."""
    spread = float(variance)
    away = np.abs(drawn).astype(np.float64) - spread / t
    gammas = away * away / (2 * spread)
    return flips_exp(gammas, lambda i: _gamma(int(drawn[i]), variance, t), rng)


def _checked(scale: Fraction) -> Fraction:
    if not LEAST_SCALE <= scale <= MOST_SCALE:
        raise DomainError("scale", "must lie between 2**-20 and 2**56 steps", "change the grid")
    return scale


def _proposal(variance: Fraction) -> int:
    """Return ``floor(σ) + 1``."""
    if not LEAST_SCALE <= variance <= MOST_SCALE**2 / 4:
        raise DomainError("variance", "must lie between 2**-20 and 2**110", "change the grid")
    return math.isqrt(math.floor(variance)) + 1
