"""Dyadic unary encoding: OUE's accuracy from a handful of random bits a category."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

from sudare.exact import exp_bounds
from sudare.mechanisms.frequency.unary import Unary
from sudare.mechanisms.registry import register

_MOST_BITS = 40
_EXCESS = 1.01


@register
class DyadicUnary(Unary):
    """Unary encoding whose ``q = j / 2^b`` is a dyadic fraction of few bits.

    ::

        q = j / 2^b,   p = R / (1 + R)   with   R = e^ε q / (1 - q)

    Packed planes of random bits make q by AND and OR, 20 to 50 times faster than one float a
    category. ``b`` is the least number of bits whose variance stays within 1 % of OUE's.

    Guarantee: ε-local differential privacy of one answer. Reports: packed bits as in
    :class:`~sudare.OUE`. Source: the unary encodings of Wang et al. 2017, section 4.3, with q
    moved to a nearby dyadic fraction and p to the ε that is left.

    Integers: ``other = j 2^(64-b)``, ``own = floor(2^64 p)`` from a lower bound on e^ε.

    Examples:
        >>> import sudare as sd
        >>> sd.DyadicUnary(k=128, epsilon=1.0).support_probabilities[1]
        Fraction(1, 4)
    """

    name: ClassVar[str] = "DyadicUnary"
    __slots__ = ()

    @classmethod
    def _thresholds(cls, epsilon: Fraction, width: int) -> tuple[int, int]:
        numerator, bits = _choose(float(epsilon))
        if bits >= width:
            return 0, 0  # too coarse: the caller goes on to a wider word
        q = Fraction(numerator, 1 << bits)
        odds = exp_bounds(epsilon)[0] * q / (1 - q)
        return math.floor((1 << width) * odds / (1 + odds)), numerator << (width - bits)


def _choose(epsilon: float) -> tuple[int, int]:
    """Return ``(j, b)``: the fewest bits whose variance is within 1 % of OUE's optimum."""
    gamma = math.exp(epsilon)
    best = 4 * gamma / (gamma - 1) ** 2
    optimum = 1 / (gamma + 1)
    for bits in range(1, _MOST_BITS + 1):
        below = math.floor(optimum * 2**bits)
        options = [j for j in (below, below + 1) if 0 < j < 2**bits]
        j = min(options, key=lambda j: _variance(j / 2**bits, gamma))
        if _variance(j / 2**bits, gamma) <= _EXCESS * best:
            shift = (j & -j).bit_length() - 1
            return j >> shift, bits - shift
    raise AssertionError("40 bits resolve every epsilon up to 20")


def _variance(q: float, gamma: float) -> float:
    """Variance of a share near 0, times n: ``q (1 - q) / (p - q)^2``."""
    odds = gamma * q / (1 - q)
    p = odds / (1 + odds)
    return q * (1 - q) / (p - q) ** 2
