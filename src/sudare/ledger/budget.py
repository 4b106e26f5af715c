"""Charges and caps: exact, append-only, checked before anything is spent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from sudare.errors import BudgetExceeded
from sudare.exact import decimal_text


@dataclass(frozen=True, slots=True)
class Charge:
    """One privacy event.

    Attributes:
        account: whose budget, here the fingerprint of a collection.
        purpose: what it paid for, here a question's identifier.
        epsilon: exact ε.
    """

    account: str
    purpose: str
    epsilon: Fraction


def spent(charges: Iterable[Charge]) -> Fraction:
    """Return the sum of the charges: basic composition, exact."""
    return sum((charge.epsilon for charge in charges), start=Fraction(0))


def admit(charges: Iterable[Charge], already: Fraction, cap: Fraction) -> None:
    """Raise :class:`~sudare.errors.BudgetExceeded` unless all charges fit under the cap.

    Examples:
        >>> admit([Charge("tea", "brand", Fraction(2))], Fraction(0), Fraction(2))
    """
    requested = spent(charges)
    remaining = cap - already
    if requested > remaining:
        raise BudgetExceeded(
            "budget",
            requested=decimal_text(requested),
            remaining=decimal_text(max(remaining, Fraction(0))),
            short_by=decimal_text(requested - remaining),
        )
