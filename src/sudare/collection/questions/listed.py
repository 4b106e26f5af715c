"""What the question types with listed choices share: the choices, their labels, their results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sudare.collection import schema
from sudare.collection.questions.asking import AskIf
from sudare.collection.questions.base import Options, Question, share_cells, share_warnings
from sudare.errors import CollectionError
from sudare.estimation import Counts
from sudare.estimation.conditional import ConditionalShare
from sudare.estimation.estimate import Target
from sudare.exact import decimal_text
from sudare.mechanisms import FrequencyOracle, SetUnary

if TYPE_CHECKING:
    from sudare.mechanisms import Levels

PREFER_NOT_TO_SAY = "prefer-not-to-say"
NONE = "[]"
"""The answer that ticks no choice."""
FIELDS = (
    "id",
    "type",
    "text",
    "choices",
    "labels",
    "prefer_not_to_say",
    "epsilon",
    "mechanism",
)
"""Fields of the survey file that all these types have."""

M = TypeVar("M", bound=FrequencyOracle | SetUnary)


@dataclass(frozen=True)
class Listed(Question, Generic[M]):
    """A question about listed choices.

    Skipping would tell something, so "prefer not to say" (on unless switched off) is the last
    choice and is randomised like the others.
    """

    id: str
    choices: tuple[str, ...]
    prefer_not_to_say: bool
    epsilon: Fraction
    mechanism: M
    text: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    ask_if: AskIf | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.mechanism.shape != (len(self.choices),):
            raise CollectionError(
                f"question.{self.id}.mechanism", f"must have k = {len(self.choices)}"
            )
        if getattr(self.mechanism, "labels", None) is not None:  # answers are encoded before
            remedy = "say how many choices there are: their names are the question's"
            raise CollectionError(
                f"question.{self.id}.mechanism", "must have no labels of its own", remedy
            )
        check_declining(self.id, self.choices, self.prefer_not_to_say)

    @property
    def listed(self) -> tuple[str, ...]:
        """The choices without "prefer not to say"."""
        return self.choices[: len(self.choices) - self.prefer_not_to_say]

    @staticmethod
    def _parse(
        table: Mapping[str, Any], where: str, known: tuple[str, ...], fields: tuple[str, ...]
    ) -> dict[str, Any]:
        """Read what these types share of a ``[[question]]`` table of such fields."""
        needed = ("id", "text", "choices")
        schema.check_fields(table, fields, needed, where, "every question needs it")
        listed = schema.slugs(table["choices"], f"{where}.choices", 2)
        skip = schema.flag(table.get("prefer_not_to_say", True), f"{where}.prefer_not_to_say")
        if PREFER_NOT_TO_SAY in listed:
            raise CollectionError(
                f"{where}.choices",
                f"must not name {PREFER_NOT_TO_SAY}",
                "it is added by prefer_not_to_say = true",
            )
        return {
            "id": schema.slug(table["id"], f"{where}.id"),
            "choices": (*listed, PREFER_NOT_TO_SAY) if skip else listed,
            "prefer_not_to_say": skip,
            "text": schema.texts(table["text"], f"{where}.text", known),
            "labels": schema.labels(table.get("labels", {}), f"{where}.labels", listed, known),
        }

    @staticmethod
    def _restore(data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Read what these types share of a definition."""
        return {
            "id": data["id"],
            "choices": schema.slugs(list(data["choices"]), f"{where}.choices", 2),
            "prefer_not_to_say": schema.flag(data["prefer_not_to_say"], f"{where}"),
            "text": dict(texts.get("text", {})),
            "labels": dict(texts.get("labels", {})),
            **(
                {"epsilon": schema.epsilon_text(data["epsilon"], f"{where}.epsilon")}
                if "epsilon" in data
                else {}
            ),
        }

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers: choices, of whom, ε, mechanism and thresholds."""
        return self._defined(
            choices=list(self.choices),
            prefer_not_to_say=self.prefer_not_to_say,
            epsilon=decimal_text(self.epsilon),
        )

    def texts(self) -> dict[str, Any]:
        """Return the question's text and its labels by choice and language."""
        return wordings(self.text, self.labels)

    def options(self) -> Iterator[Options]:
        """Yield the choices."""
        yield listed_options("labels", self.choices, self.labels)

    def results(self, counts: Counts, target: Target, confidence: float) -> dict[str, Any]:
        """Return each choice's share, standard error and interval."""
        return self._published(counts, target, confidence, None)

    def results_among(
        self, counts: Counts, asked: ConditionalShare, confidence: float
    ) -> dict[str, Any]:
        """Return the same among those asked."""
        return self._published(counts, asked.target, confidence, asked)

    def _published(
        self,
        counts: Counts,
        target: Target,
        confidence: float,
        asked: ConditionalShare | None,
        mechanism: M | Levels | None = None,
    ) -> dict[str, Any]:
        used = self.mechanism if mechanism is None else mechanism
        cells = share_cells(self.choices, used, counts, target, confidence, asked)
        warnings = share_warnings(self.choices, used, counts)
        return {"method": "unbiased", "cells": cells, "warnings": warnings}


def listed_options(
    where: str,
    choices: tuple[str, ...],
    labels: Mapping[str, Mapping[str, str]],
    pages: Mapping[str, str] = MappingProxyType({}),
) -> Options:
    """Return choices as they have to be worded apart, with the keys of those that pages word."""
    own = {**pages, PREFER_NOT_TO_SAY: "choice.prefer-not-to-say"}
    return Options(
        where,
        {one: labels.get(one, {}) for one in choices if one not in own},
        {one: key for one, key in own.items() if one in choices or one == NONE},
    )


def check_declining(name: str, choices: tuple[str, ...], prefer_not_to_say: bool) -> None:
    """Raise CollectionError unless "prefer not to say" is the last choice where it may be made."""
    declines = [choice == PREFER_NOT_TO_SAY for choice in choices]
    if any(declines[:-1]) or declines[-1] != prefer_not_to_say:
        raise CollectionError(
            f"question.{name}.choices",
            f"must end with {PREFER_NOT_TO_SAY} if and only if it may be preferred",
        )


def wordings(text: Mapping[str, str], labels: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Return a text and the labels of choices, by language."""
    return {
        "text": dict(text),
        "labels": {choice: dict(names) for choice, names in labels.items()},
    }
