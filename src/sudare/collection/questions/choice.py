"""``choice``: one of k, where "prefer not to say" is a choice like the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from sudare.collection import schema
from sudare.collection.questions.base import Question, share_cells, share_warnings
from sudare.errors import CollectionError
from sudare.estimation import Counts
from sudare.estimation.estimate import Target
from sudare.exact import decimal_text
from sudare.mechanisms import FrequencyOracle, from_json
from sudare.mechanisms.frequency.choose import rank
from sudare.mechanisms.registry import lookup

PREFER_NOT_TO_SAY = "prefer-not-to-say"
_FIELDS = (
    "id",
    "type",
    "text",
    "choices",
    "labels",
    "prefer_not_to_say",
    "epsilon",
    "mechanism",
)


@dataclass(frozen=True)
class Choice(Question):
    """One of several choices.

    Skipping would tell something, so "prefer not to say" (on unless switched off) is the last
    choice and is randomised like the others.

    ``mechanism = "auto"`` takes the least exact expected error for the expected number of
    respondents.
    """

    type: ClassVar[str] = "choice"
    id: str
    choices: tuple[str, ...]
    prefer_not_to_say: bool
    epsilon: Fraction
    mechanism: FrequencyOracle
    text: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.mechanism.k != len(self.choices):
            raise CollectionError(
                f"question.{self.id}.mechanism", f"must have k = {len(self.choices)}"
            )

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Choice:
        """Read the table of a choice question."""
        schema.refuse_unknown(table, _FIELDS, where)
        for name in ("id", "text", "choices"):
            if name not in table:
                raise CollectionError(f"{where}.{name}", "is missing", "every question needs it")
        listed = schema.slugs(table["choices"], f"{where}.choices", 2)
        skip = schema.flag(table.get("prefer_not_to_say", True), f"{where}.prefer_not_to_say")
        if PREFER_NOT_TO_SAY in listed:
            raise CollectionError(
                f"{where}.choices",
                f"must not name {PREFER_NOT_TO_SAY}",
                "it is added by prefer_not_to_say = true",
            )
        choices = (*listed, PREFER_NOT_TO_SAY) if skip else listed
        wanted = table.get("mechanism", "auto")
        if wanted == "auto":
            mechanism = rank(len(choices), epsilon, n, plugins=False)[0][1]
        else:
            mechanism = lookup(wanted, FrequencyOracle)(len(choices), epsilon)
        return cls(
            id=schema.slug(table["id"], f"{where}.id"),
            choices=choices,
            prefer_not_to_say=skip,
            epsilon=epsilon,
            mechanism=mechanism,
            text=schema.texts(table["text"], f"{where}.text", known),
            labels=schema.labels(table.get("labels", {}), f"{where}.labels", listed, known),
        )

    @classmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Choice:
        """Rebuild the question from its part of a definition."""
        try:
            return cls(
                id=data["id"],
                choices=schema.slugs(list(data["choices"]), f"{where}.choices", 2),
                prefer_not_to_say=schema.flag(data["prefer_not_to_say"], f"{where}"),
                epsilon=schema.epsilon_text(data["epsilon"], f"{where}.epsilon"),
                mechanism=from_json(data["mechanism"], FrequencyOracle),
                text=dict(texts.get("text", {})),
                labels=dict(texts.get("labels", {})),
            )
        except (KeyError, TypeError, AttributeError):
            raise CollectionError(where, "misses or misstates a field") from None

    def encode(self, answer: object) -> int:
        """Return the index of the chosen identifier."""
        if not isinstance(answer, str) or answer not in self.choices:
            raise CollectionError(
                f"answers.{self.id}", "must be one of the question's choices", "see .choices"
            )
        return self.choices.index(answer)

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers: choices, ε, mechanism and thresholds."""
        return {
            "id": self.id,
            "type": self.type,
            "choices": list(self.choices),
            "prefer_not_to_say": self.prefer_not_to_say,
            "epsilon": decimal_text(self.epsilon),
            "mechanism": self.mechanism.to_json(),
            "program": self.mechanism.program.to_json(),
        }

    def texts(self) -> dict[str, Any]:
        """Return the question's text and its labels by choice and language."""
        return {
            "text": dict(self.text),
            "labels": {choice: dict(names) for choice, names in self.labels.items()},
        }

    def results(self, counts: Counts, target: Target, confidence: float) -> dict[str, Any]:
        """Return each choice's share, standard error and interval."""
        cells = share_cells(self.choices, self.mechanism, counts, target, confidence)
        warnings = share_warnings(self.choices, self.mechanism, counts)
        return {"method": "unbiased", "cells": cells, "warnings": warnings}
