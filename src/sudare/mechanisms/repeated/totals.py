"""What several reports about permanent answers tell together, in exact ratios.

With ``r`` rounds, ``b`` the probability of a permanent symbol, and ρ how much likelier the symbol
itself is reported than another one, everything is made of ``1 + b (ρ^r - 1)``. Numbers refer to
``docs/proofs/repeated.md``.
"""

from __future__ import annotations

from fractions import Fraction

from sudare.exact import as_integer

MOST_ROUNDS = 1000


def as_rounds(rounds: object) -> int:
    """Return a number of rounds, 1 to 1000."""
    return as_integer(rounds, "rounds", low=1, high=MOST_ROUNDS)


def mixed(part: Fraction, power: Fraction) -> Fraction:
    """Return ``1 + part (power - 1)``: a symbol with that probability, each report by that much."""
    return 1 + part * (power - 1)


def steady(own: Fraction, other: Fraction, power: Fraction) -> Fraction:
    """Return how much likelier r alike reports are made by one constant answer than by another.

    Item 2 of the proof: ``(1 + own (ρ^r - 1)) / (1 + other (ρ^r - 1))``, below ``own / other``.
    """
    return mixed(own, power) / mixed(other, power)


def changing(most: Fraction, least: Fraction, each: Fraction, rounds: int) -> Fraction:
    """Return a bound on the ratio of any two sequences of answers, whenever they change.

    Item 4 of the proof: ``(1 + most (ρ^r - 1)) / (1 + r least (ρ - 1))``.
    """
    return mixed(most, each**rounds) / (1 + rounds * least * (each - 1))
