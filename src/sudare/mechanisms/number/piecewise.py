"""A report near the number is likelier than one far away: the piecewise mechanism on a grid."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from sudare.exact import exp_bounds
from sudare.mechanisms.number.mean import MeanOfNumber
from sudare.mechanisms.number.window import TOTAL, Rows, Scores, Window
from sudare.mechanisms.registry import register

CELLS = 64
"""Steps of the public grid on which numbers are placed."""


def window(epsilon: Fraction, total: int = TOTAL) -> Window:
    """Return the law of the piecewise mechanism: ``size = CELLS / e^(ε/2)``, at least 1."""
    size = max(1, round(CELLS / exp_bounds(epsilon / 2)[0]))
    return Window.of(exp_bounds(epsilon)[0], CELLS, size, total)


@register
class Piecewise(MeanOfNumber):
    """A window of likely reports around the number; all others are unlikely by e^ε.

    ::

        x goes to one of its two neighbours i among 65 equally spaced nodes, unbiased;
        report j of 0..63 + W has the weight e^ε where i <= j < i + W, else 1
        W = 64 / e^(ε/2), rounded, at least 1

    Guarantee: ε-local differential privacy of one answer (any two numbers are neighbours).
    Reports: (n,) indices. A report j stands for a number that is linear in j and, because the
    window moves by one report a node, exactly unbiased.

    Source: Wang, Xiao, Yang, Zhao, Hui, Shin, Shin, Yu 2019, algorithm 2, whose reports are real
    numbers; the grid and the integers are ours (``docs/mechanisms/piecewise.md``).

    Examples:
        >>> import sudare as sd
        >>> m = sd.Piecewise(epsilon=2.0, low=0, high=100)
        >>> counts = m.simulate([20, 50], [5000, 5000], rng=sd.Entropy.seeded(b"example"))
        >>> low, high = m.estimate(counts).mean.interval(0.95)
        >>> low < 35 < high
        True
    """

    name: ClassVar[str] = "Piecewise"
    __slots__ = ()

    @staticmethod
    def _law(epsilon: Fraction) -> tuple[Rows, Scores]:
        law = window(epsilon)
        return law.rows(), law.scores()
