"""``choice``: one of k, where "prefer not to say" is a choice like the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from sudare.collection import schema
from sudare.collection.questions.listed import FIELDS, Listed
from sudare.errors import CollectionError
from sudare.mechanisms import FrequencyOracle, from_json
from sudare.mechanisms.frequency.choose import rank
from sudare.mechanisms.registry import lookup


@dataclass(frozen=True)
class Choice(Listed[FrequencyOracle]):
    """One of several choices.

    ``mechanism = "auto"`` takes the least exact expected error for the expected number of
    respondents.
    """

    type: ClassVar[str] = "choice"

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Choice:
        """Read the table of a choice question."""
        schema.refuse_unknown(table, FIELDS, where)
        shared = cls._parse(table, where, known)
        k = len(shared["choices"])
        wanted = table.get("mechanism", "auto")
        if wanted == "auto":
            mechanism = rank(k, epsilon, n, plugins=False)[0][1]
        else:
            mechanism = lookup(wanted, FrequencyOracle)(k, epsilon)
        return cls(**shared, epsilon=epsilon, mechanism=mechanism)

    @classmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Choice:
        """Rebuild the question from its part of a definition."""
        try:
            shared = cls._restore(data, texts, where)
            return cls(**shared, mechanism=from_json(data["mechanism"], FrequencyOracle))
        except (KeyError, TypeError, AttributeError):
            raise CollectionError(where, "misses or misstates a field") from None

    def encode(self, answer: object) -> int:
        """Return the index of the chosen identifier."""
        if not isinstance(answer, str) or answer not in self.choices:
            raise CollectionError(
                f"answers.{self.id}", "must be one of the question's choices", "see .choices"
            )
        return self.choices.index(answer)
