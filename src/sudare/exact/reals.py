"""Coin flips whose probability is a real number, decided exactly.

A uniform number U in [0, 1) is drawn bit by bit, and only as far as it takes to know whether it
lies below p: the first word decides, but where it is the leading word of p itself. Then more bits
of U are drawn and p is bounded more narrowly. The coin has the probability p, not a rounded one
(proof: ``docs/proofs/noise.md``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.exact.bounds import exp_bounds
from sudare.exact.entropy import BLOCK_BYTES, Entropy, EntropySource

Bounds = Callable[[int], tuple[Fraction, Fraction]]
"""From a number of decimal digits to rationals ``low <= p <= high`` about as close as that."""

SURE = 2.0**-40
"""How near a float of ``exp(-gamma)`` leaves a flip to exact arithmetic."""

_WORDS = BLOCK_BYTES // 8
_MORE = 64
_TOP = 1 << 32
_DIGITS_PER_BIT = math.log10(2)


def exp_minus(gamma: Fraction) -> Bounds:
    """Return the bounds of ``e**-gamma`` for gamma >= 0."""

    def bounds(digits: int) -> tuple[Fraction, Fraction]:
        low, high = exp_bounds(-gamma, digits)
        return low, min(high, Fraction(1))

    return bounds


def uniform_below(word: int, bits: int, bounds: Bounds, entropy: EntropySource) -> bool:
    """Tell whether U < p, the first ``bits`` bits of U being ``word``; draws more where they do not
    decide.

    Examples:
        >>> uniform_below(5, 8, exp_minus(Fraction(1)), Entropy.seeded(b"coin"))  # U = 5 / 256
        True
    """
    while True:
        low, high = bounds(20 + math.ceil(bits * _DIGITS_PER_BIT))
        if word + 1 <= low * (1 << bits):
            return True
        if word >= high * (1 << bits):
            return False
        word = word << _MORE | int.from_bytes(entropy.take(_MORE // 8), "little")
        bits += _MORE


def flips_exp(
    gammas: npt.NDArray[np.float64], exactly: Callable[[int], Fraction], rng: Entropy
) -> npt.NDArray[np.bool_]:
    """Return a flip of probability ``exp(-gamma)`` for each of some gammas >= 0, exactly.

    A float decides where the first word of U is farther from it than its error can be; else the
    word goes on exactly.

    Args:
        gammas: as floats, each within ``2**-48 (1 + gamma)`` of the real one.
        exactly: from a position to the real gamma.

    Examples:
        >>> even = np.full(1000, 0.5)
        >>> heads = flips_exp(even, lambda _: Fraction(1, 2), Entropy.seeded(b"coin"))
        >>> bool(abs(heads.mean() - 0.607) < 0.06)
        True
    """
    out = np.empty(gammas.size, dtype=np.bool_)
    for start in range(0, gammas.size, _WORDS):
        part = gammas[start : start + _WORDS]
        odds = np.exp(-part)
        words = rng.block(part.size, np.uint64).copy()
        gaps = words * 2.0**-64 - odds
        out[start : start + _WORDS] = gaps < 0
        for i in np.flatnonzero(np.abs(gaps) <= SURE).tolist():
            bounds = exp_minus(exactly(start + i))
            out[start + i] = uniform_below(int(words[i]), 64, bounds, rng)
    return out


class Coin:
    """A coin of a real probability, for many flips.

    Examples:
        >>> coin = Coin(exp_minus(Fraction(1)))
        >>> bool(abs(coin.flips(10_000, Entropy.seeded(b"coin")).mean() - 0.3679) < 0.02)
        True
    """

    __slots__ = ("_lead", "bounds")

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._lead = math.floor(bounds(40)[0] * _TOP)

    def flips(self, n: int, rng: Entropy) -> npt.NDArray[np.bool_]:
        """Return n booleans; n is at most what one block holds."""
        words: Any = rng.block(n, np.uint32)
        first = np.uint32(min(self._lead, _TOP - 1))
        out: npt.NDArray[np.bool_] = words < first
        # p lies in the word ``lead``, or so near its end that the bounds reach the next one
        unsure = np.flatnonzero(words - first < 2)
        for place, word in zip(unsure.tolist(), words[unsure].tolist(), strict=True):
            out[place] = uniform_below(word, 32, self.bounds, rng)
        return out

    def decide(self, word: int, entropy: EntropySource) -> bool:
        """Return the boolean that a word of 32 bits stands for."""
        if word < self._lead:
            return True
        if word > self._lead + 1:
            return False
        return uniform_below(word, 32, self.bounds, entropy)


MOST_FLIPS = BLOCK_BYTES // 4
"""Most flips of one call."""
