"""Thresholding with histogram encoding: a bit a category, from a noisy 0 or 1 above a threshold."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from sudare.mechanisms.frequency.unary import Unary
from sudare.mechanisms.registry import register
from sudare.samplers import Bits

_WIDTH = 64
_THRESHOLDS = 512  # places between 1/2 and 1 that are tried
_ROUNDING = Fraction(1, 10**9)


@register
class THE(Unary):
    """Add Laplace noise to 1 for the true category and to 0 for the others; tell which exceed θ.

    ::

        p = 1 - e^(ε (θ - 1) / 2) / 2,   q = e^(-ε θ / 2) / 2

    with noise of the scale 2/ε and the θ of the least variance, a multiple of 1/1024 between 1/2
    and 1. The bits are all that is sent, and given the value they are independent: they are drawn
    with p and q, and no noise is.

    Guarantee: ε-local differential privacy of one answer, as the source pays it, for the noisy
    numbers; of the bits alone it is less, and :attr:`epsilon` states that. Reports: packed bits as
    in :class:`~sudare.OUE`. Source: Wang et al. 2017, section 4.2.

    Integers: ``own = floor(2^64 p)``, ``other = ceil(2^64 q)``.

    Examples:
        >>> import sudare as sd
        >>> m = sd.THE(k=100, epsilon=2.0)
        >>> [round(float(x), 4) for x in m.support_probabilities], round(m.epsilon, 4)
        ([0.6259, 0.2458], 1.6356)
    """

    name: ClassVar[str] = "THE"
    dominated_by: ClassVar[str] = "SubsetSelection"
    __slots__ = ()

    @property
    def due_epsilon(self) -> Fraction:
        """ε of bits with exactly p and q."""
        p, q = probabilities(float(self.requested_epsilon))
        spent = Fraction(math.log(p / (1 - p)) - math.log(q / (1 - q)))
        return min(spent + _ROUNDING, self.requested_epsilon)

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> Bits:
        return Bits(k, _WIDTH, *cls._thresholds(epsilon, _WIDTH))

    @classmethod
    def _thresholds(cls, epsilon: Fraction, width: int) -> tuple[int, int]:
        p, q = map(Fraction, probabilities(float(epsilon)))
        return math.floor(p * (1 << width)), math.ceil(q * (1 << width))


@lru_cache(256)
def probabilities(epsilon: float) -> tuple[float, float]:
    """Return p and q at the θ of the least variance::

        (2 e^(ε θ / 2) - 1) / (1 + e^(ε (θ - 1/2)) - 2 e^(ε θ / 2))^2

    of a share near 0, times n.
    """

    def variance(theta: float) -> float:
        half = math.exp(epsilon * theta / 2)
        return (2 * half - 1) / (1 + math.exp(epsilon * (theta - 1 / 2)) - 2 * half) ** 2

    theta = min((1 / 2 + i / (2 * _THRESHOLDS) for i in range(1, _THRESHOLDS)), key=variance)
    return 1 - math.exp(epsilon * (theta - 1) / 2) / 2, math.exp(-epsilon * theta / 2) / 2
