"""The law of one key's state, in integers: PrivKV's report of a key and PCKV-UE's position.

States and reports are <1,+1>, <1,-1> and <0,*>. Whoever holds the key reports it with ``a``, and
its sign with ``p``; whoever does not reports it with ``b`` and either sign::

    own     a p      a (1-p)   1 - a
    other   b / 2    b / 2     1 - b
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from sudare.samplers import Table

WIDTH = 64
TOTAL = 1 << WIDTH


@dataclass(frozen=True, slots=True)
class Position:
    """Integer weights over 2**64 of a key's report.

    Attributes:
        true: of the true sign; ``a p``.
        flipped: of the other sign; ``a (1 - p)``.
        other: of each sign where the key is not held; ``b / 2``.
    """

    true: int
    flipped: int
    other: int

    @classmethod
    def of(cls, a: Fraction, b: Fraction, p: Fraction) -> Position:
        """Round the weights so that no report tells more than the rationals would.

        What speaks for the truth is rounded down, what speaks against it up.
        """
        flipped, none = ceil(a * (1 - p) * TOTAL), ceil((1 - a) * TOTAL)
        return cls(TOTAL - flipped - none, flipped, ceil(b * TOTAL / 2))

    @property
    def a(self) -> Fraction:
        """Chance that a holder reports the key."""
        return Fraction(self.true + self.flipped, TOTAL)

    @property
    def b(self) -> Fraction:
        """Chance that another reports it."""
        return Fraction(2 * self.other, TOTAL)

    @property
    def p(self) -> Fraction:
        """Chance that a reported sign is the true one."""
        return Fraction(self.true, self.true + self.flipped)

    @property
    def own_rows(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Cumulative thresholds of a holder with +1, and with -1."""
        named = self.true + self.flipped
        return (self.true, named), (self.flipped, named)

    def table(self) -> Table:
        """Return the program: from a state to a report."""
        return Table(width=WIDTH, rows=(*self.own_rows, (self.other, 2 * self.other)))
