"""``choices``: all that apply, at most so many; none is an answer, "prefer not to say" another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from sudare.collection import schema
from sudare.collection.questions.auto import Candidates, mechanism_of
from sudare.collection.questions.base import Options
from sudare.collection.questions.chances import Chances, of_choices
from sudare.collection.questions.listed import (
    FIELDS,
    NONE,
    PREFER_NOT_TO_SAY,
    Listed,
    listed_options,
)
from sudare.errors import CollectionError, counted
from sudare.exact import uniform_one
from sudare.exact.entropy import EntropySource
from sudare.mechanisms import SetUnary, from_json


@dataclass(frozen=True, kw_only=True)
class Choices(Listed[SetUnary]):
    """Any of several choices, at most ``most`` of them.

    "Prefer not to say" is one more bit, set alone: any two answers are neighbours, also one that
    declines and one that ticks. None of the choices is an answer as well: the empty set.
    """

    type: ClassVar[str] = "choices"
    template: ClassVar[str] = """\
id = "drinks"
type = "choices"
text.en = "Which of these do you drink at work?"
text.ja = "職場でどれを飲みますか？"
choices = ["coffee", "tea", "water", "juice"]
labels.en = ["Coffee", "Tea", "Water", "Juice"]
labels.ja = ["コーヒー", "お茶", "水", "ジュース"]
most = 2  # how many may be ticked: the fewer, the smaller the error
"""
    candidates: ClassVar[Candidates] = {1: ("SetUnary",)}
    most: int

    def __post_init__(self) -> None:
        Listed.__post_init__(self)
        if not 1 <= self.most <= len(self.listed) or self.mechanism.most != self.most:
            raise CollectionError(
                f"question.{self.id}.most",
                f"must be the mechanism's and from 1 to {len(self.listed)}",
            )

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Choices:
        """Read the table of a question with several answers."""
        shared = cls._parse(table, where, known, (*FIELDS, "most"))
        k = len(shared["choices"])
        listed = k - shared["prefer_not_to_say"]
        most = schema.whole(table.get("most", listed), f"{where}.most", 1, listed)
        mechanism = mechanism_of(
            table,
            SetUnary,
            lambda kind: kind(k, epsilon, most),
            lambda m: m.expected_mse(n),
            where,
        )
        return cls(**shared, epsilon=epsilon, mechanism=mechanism, most=most)

    @classmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Choices:
        """Rebuild the question from its part of a definition."""
        return cls(
            **cls._restore(data, texts, where),
            mechanism=from_json(data["mechanism"], SetUnary),
            most=schema.whole(data["most"], f"{where}.most", 1, len(data["choices"])),
        )

    def encode(self, answer: object) -> tuple[int, ...]:
        """Return the indices of the ticked identifiers, in order; an empty list is none of them."""
        where = f"answers.{self.id}"
        if not isinstance(answer, list | tuple | set | frozenset) or not all(
            isinstance(one, str) and one in self.choices for one in answer
        ):
            raise CollectionError(
                where, "must be a list of the question's choices", "see .choices; [] is none"
            )
        if len(set(answer)) != len(answer):
            raise CollectionError(where, "must not name a choice twice", "name it once")
        if PREFER_NOT_TO_SAY in answer and len(answer) > 1:
            raise CollectionError(where, f"must name {PREFER_NOT_TO_SAY} alone", "or leave it out")
        if len(answer) > self.most:
            raise CollectionError(
                where, f"must name at most {counted(self.most, 'choice')}", "leave some out"
            )
        return tuple(sorted(self.choices.index(one) for one in answer))

    def unasked(self, entropy: EntropySource) -> tuple[int, ...]:
        """Return one choice alone of all, uniformly."""
        return (uniform_one(len(self.choices), entropy),)

    def options(self) -> Iterator[Options]:
        """Yield the choices, and the answer that is none of them."""
        yield listed_options("labels", self.choices, self.labels, {NONE: "choices.none"})

    def chances(self) -> Chances:
        """Return the chances of a set of ticks."""
        return of_choices(self.mechanism.program)

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers: also how many choices may be named."""
        return {**Listed.definition(self), "most": self.most}
