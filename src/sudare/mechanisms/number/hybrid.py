"""Piecewise or one bit, by a coin: the least worst error of the two together."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from sudare.exact import exp_bounds
from sudare.mechanisms.number.duchi import Duchi
from sudare.mechanisms.number.mean import MeanOfNumber
from sudare.mechanisms.number.piecewise import CELLS, window
from sudare.mechanisms.number.window import TOTAL, LinearCoin, Rows, Scores
from sudare.mechanisms.registry import register

ALONE = Fraction(610986, 10**6)
"""ε up to which the one bit alone has the least worst error (the paper's ε*, to six places)."""


@register
class Hybrid(MeanOfNumber):
    """With probability α a report of :class:`Piecewise`, else one of :class:`Duchi`.

    ::

        α = 1 - e^(-ε/2) where ε > 0.610986, else 0

    Guarantee: ε-local differential privacy of one answer (any two numbers are neighbours): the coin
    does not depend on the number, and the report tells how it fell.
    Reports: (n,) indices; the last two are those of the one bit.

    Source: Wang, Xiao, Yang, Zhao, Hui, Shin, Shin, Yu 2019, section 3.3, equation 8.

    Examples:
        >>> import sudare as sd
        >>> for m in (sd.Duchi(2.0), sd.Piecewise(2.0), sd.Hybrid(2.0)):
        ...     print(m.name, round(m.expected_mse(1, target="respondents"), 2))
        Duchi 1.72
        Piecewise 1.22
        Hybrid 1.04
    """

    name: ClassVar[str] = "Hybrid"
    __slots__ = ()

    @staticmethod
    def _law(epsilon: Fraction) -> tuple[Rows, Scores]:
        if epsilon <= ALONE:
            return Duchi._law(epsilon)
        alpha = 1 - exp_bounds(-epsilon / 2)[0]
        near = window(epsilon, round(TOTAL * alpha))
        coin = LinearCoin.of(exp_bounds(epsilon)[0], CELLS, TOTAL - near.total)
        rows = [a + b for a, b in zip(near.rows(), coin.rows(), strict=True)]
        return rows, near.scores() + coin.scores()
