"""What an ε is counted in: which account pays it, what it adds to, under which cap, in words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from sudare.exact import decimal_text

if TYPE_CHECKING:
    from sudare.collection.questions import Question


@dataclass(frozen=True, slots=True)
class PrivacyUnit:
    """What a question's ε is one for: an answer, or each unit of a distance between two answers.

    An ε for an answer is a part of the submission's: one account, one sum, one cap. An ε for a
    distance cannot be added to those: it has an account, a sum and a cap (``epsilon_cap``) alone.

    Attributes:
        distance: the unit of a distance, ``"metre"``; empty for an answer.
        symbol: of that unit.
        questions: what has such an ε, in words.

    Examples:
        >>> ANSWER.added(Fraction(1, 2)), PER_METRE.added(Fraction(1, 200))
        (Fraction(1, 2), Fraction(0, 1))
        >>> ANSWER.short(0.99999994), PER_METRE.short(0.005)
        ('0.999999', '0.005 / m')
    """

    distance: str = ""
    symbol: str = ""
    questions: str = ""

    @property
    def own_budget(self) -> bool:
        """Whether this ε takes no part of the submission's."""
        return bool(self.distance)

    def added(self, epsilon: Fraction) -> Fraction:
        """Return what a question of this ε adds to that of the submission."""
        return Fraction(0) if self.own_budget else epsilon

    def account(self, collection: str, question: str) -> str:
        """Return the account that pays a question of the collection with this fingerprint."""
        return f"{collection}/{question}" if self.own_budget else collection

    def cap(self, question: Question, collection: Fraction) -> Fraction:
        """Return the most that the account pays: the question's own cap, or the collection's."""
        return question.epsilon_cap if self.own_budget else collection

    def short(self, realised: float) -> str:
        """Return a realised ε with its unit, for a table."""
        if self.own_budget:
            return f"{realised:.4g} / {self.symbol}"
        return decimal_text(Fraction(realised), 6)

    @property
    def exception(self) -> str:
        """What is said of these questions where the whole submission's ε is told."""
        return f", but for {self.questions}, whose ε is one for each {self.distance}"


ANSWER = PrivacyUnit()
PER_METRE = PrivacyUnit("metre", "m", "places")
