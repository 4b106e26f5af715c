"""``Plan``: what each part of a price for made-up rows buys, before anything is drawn.

Proof that the parts keep the price together: ``docs/proofs/synthetic.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from sudare.errors import PrivacyError
from sudare.ledger import Cost
from sudare.release.noise import Noise
from sudare.release.protection import NeighbourRelation

SINGLE, CHOICE = Fraction(2, 5), Fraction(1, 10)
"""Parts of the price for the tables of single columns, and for choosing the pairs."""

_ROOT = 10**15


@dataclass(frozen=True, slots=True)
class Plan:
    """What the parts of the price buy.

    Attributes:
        single: price of the table of each column.
        pairs: of the tables of all chosen pairs together; None of one column.
        steps: how many pairs may be chosen: one fewer than there are columns.
        rate: of each choice, ``P(pair) ∝ exp(rate score)``; None where there is nothing to choose.
        protection: whom it protects.
    """

    single: Cost
    pairs: Cost | None
    steps: int
    rate: Fraction | None
    protection: NeighbourRelation

    @classmethod
    def of(cls, columns: int, cost: Cost, protection: NeighbourRelation) -> Plan:
        """Return the parts of a price.

        Raises:
            PrivacyError: it is too small for so many tables.

        Examples:
            >>> plan = Plan.of(3, Cost.of(epsilon=1), NeighbourRelation("add-remove"))
            >>> plan.single.amount, plan.rate, plan.of_pair(2).amount
            (Fraction(2, 15), Fraction(1, 20), Fraction(1, 4))
        """
        if columns == 1:
            return cls(cost, None, 0, None, protection)
        steps = columns - 1
        chosen = cost.amount * CHOICE / steps
        if cost.unit == "rho":  # a choice of ε has ρ = ε² / 8: rounded down
            chosen = Fraction(math.isqrt(math.floor(8 * chosen * _ROOT**2)), _ROOT)
            if not chosen:
                raise PrivacyError("rho", "is too small for this query", "give a larger one")
        one_way = protection.neighbours == "add-remove"  # all scores rise, or all fall
        rate = chosen / ((1 if one_way else 2) * protection.of_count)
        single = Cost(cost.unit, cost.amount * SINGLE / columns)
        rest = Cost(cost.unit, cost.amount * (1 - SINGLE - CHOICE))
        return cls(single, rest, steps, rate, protection)

    def of_pair(self, chosen: int) -> Cost:
        """Return the price of the table of each of so many chosen pairs."""
        whole = self.single if self.pairs is None else self.pairs
        return Cost(whole.unit, whole.amount / max(chosen, 1))

    def noise(self, cost: Cost) -> Noise:
        """Return the noise of the counts of a table at a price: its cells share no row."""
        return Noise.of_counts(cost, self.protection)
