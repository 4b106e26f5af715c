"""``text``: a word that is typed, told as one of the known ones or as another."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, cast

from sudare.collection import schema
from sudare.collection.questions.base import Kind, Options
from sudare.collection.questions.choice import Choice
from sudare.collection.questions.listed import FIELDS, PREFER_NOT_TO_SAY, listed_options
from sudare.collection.questions.words import Words
from sudare.errors import CollectionError

OTHER = "other"


@dataclass(frozen=True)
class Text(Choice):
    """A word in the person's own writing, of which some are known and all others are one.

    The device compares what is typed with the ``known`` words' labels in all languages, and with
    their identifiers; where it is none of them it is ``other``. That is then an answer among k
    choices: a word that is not known never leaves the device.
    """

    type: ClassVar[str] = "text"
    template: ClassVar[str] = """\
id = "food"
type = "text"
text.en = "What is your favourite food?"
text.ja = "いちばん好きな食べ物は？"
known = ["sushi", "ramen", "curry"]  # all others are counted together
labels.en = ["sushi", "ramen", "curry"]  # what a person may write
labels.ja = ["寿司", "ラーメン", "カレー"]
"""

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Kind:
        """Return :class:`Words` of a table without known words."""
        return cls if "known" in table else Words

    def __post_init__(self) -> None:
        Choice.__post_init__(self)
        if self.listed[-1:] != (OTHER,) or self.scores is not None:
            raise CollectionError(
                f"question.{self.id}.choices", f"must be the known words, then {OTHER}"
            )

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Text:
        """Read the table of a text question."""
        fields = [name for name in FIELDS if name != "choices"]
        needed = ("id", "text", "known")
        schema.check_fields(
            table, [*fields, "known", "repeats"], needed, where, "a text question needs it"
        )
        words = schema.slugs(table["known"], f"{where}.known", 1)
        if {OTHER, PREFER_NOT_TO_SAY} & {*words}:
            rule = f"must not name {OTHER} or {PREFER_NOT_TO_SAY}"
            raise CollectionError(f"{where}.known", rule, "they are added")
        labels = schema.labels(table.get("labels", {}), f"{where}.labels", words, known)
        listed = {name: own for name, own in table.items() if name not in ("known", "labels")}
        listed["choices"] = [*words, OTHER]
        asked = super().parse(listed, where, epsilon, n, known)
        return replace(cast(Text, asked), labels=labels)

    def options(self) -> Iterator[Options]:
        """Yield the known words, which a person may write in any language."""
        own = listed_options("labels", self.choices, self.labels, {OTHER: "text.other"})
        yield replace(own, typed=True)

    def encode(self, answer: object) -> int:
        """Return the index of the known word that was written, or of ``other``.

        Raises:
            CollectionError: no text, or none but white space.
        """
        if not isinstance(answer, str) or not plain(answer):
            raise CollectionError(
                f"answers.{self.id}", "must be a word", f"or {PREFER_NOT_TO_SAY}, where it may be"
            )
        written = plain(answer)
        for i, choice in enumerate(self.choices):
            if written in (choice, *map(plain, self.labels.get(choice, {}).values())):
                return i
        return self.choices.index(OTHER)


def plain(word: str) -> str:
    """Return a word as it is compared: without widths (NFKC), case, and white space around it."""
    return unicodedata.normalize("NFKC", word).lower().strip()
