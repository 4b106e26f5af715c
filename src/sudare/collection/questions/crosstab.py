"""``crosstab``: several choices asked together, each randomised apart, their joint shares out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any, ClassVar, TypeGuard

import numpy as np

from sudare.collection import schema
from sudare.collection.questions.base import Question
from sudare.collection.questions.chances import Chances, even, of_choice
from sudare.collection.questions.listed import Listed
from sudare.errors import CollectionError
from sudare.estimation import Counts, Estimate
from sudare.estimation.estimate import Target
from sudare.exact import decimal_text
from sudare.mechanisms import GRR, JointRR

CELL_LIMIT = 10_000
"""Most cells of the joint table: as many as a live page can show."""

_ATTRIBUTE = ("id", "text", "choices", "labels", "prefer_not_to_say", "epsilon")
_FIELDS = ("id", "type", "text", "epsilon", "attributes")
_NEEDED = ("id", "text", "attributes")
_FIGURES = ("share", "stderr", "low", "high")


@dataclass(frozen=True)
class Attribute(Listed[GRR]):
    """One of the choices of a crosstab: a choice question with GRR, but for its answer."""

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Attribute:
        """Read an attribute's table."""
        shared = cls._parse(table, where, known, _ATTRIBUTE)
        return cls(**shared, epsilon=epsilon, mechanism=GRR(len(shared["choices"]), epsilon))

    @classmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Attribute:
        """Rebuild the attribute from its part of a definition."""
        schema.slug(data["id"], f"{where}.id")
        shared = cls._restore(data, texts, where)
        return cls(**shared, mechanism=GRR(len(shared["choices"]), shared["epsilon"]))

    def encode(self, answer: object) -> int:
        """Return the index of the chosen identifier."""
        if not isinstance(answer, str) or answer not in self.choices:
            raise CollectionError(
                f"answers.{self.id}", "must be one of the attribute's choices", "see .choices"
            )
        return self.choices.index(answer)

    def chances(self) -> Chances:
        """Return the chances of one of k answers."""
        return of_choice(self.mechanism.program, len(self.choices))

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers; mechanism and program are the question's."""
        return {
            "id": self.id,
            "choices": list(self.choices),
            "prefer_not_to_say": self.prefer_not_to_say,
            "epsilon": decimal_text(self.epsilon),
        }


@dataclass(frozen=True)
class Crosstab(Question):
    """Several choices asked together, of which the joint distribution is wanted.

    Each attribute is randomised on its own by GRR under its own ε; the ε of the question is their
    sum. "Prefer not to say" is one more category of each attribute.

    Attributes:
        attributes: each with its choices and its ε.
        epsilon: of the whole answer, at least the sum of the attributes'.
        mechanism: :class:`~sudare.JointRR` over the attributes.
    """

    type: ClassVar[str] = "crosstab"
    id: str
    attributes: tuple[Attribute, ...]
    epsilon: Fraction
    mechanism: JointRR
    text: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        where = f"question.{self.id}.attributes"
        if len(self.attributes) < 2:
            raise CollectionError(where, "must be at least two", "ask one alone as a choice")
        ids = [one.id for one in self.attributes]
        if len(set(ids)) != len(ids):
            raise CollectionError(where, "must not use an id twice")
        if self.mechanism.parts != tuple(one.mechanism for one in self.attributes):
            raise CollectionError(f"question.{self.id}.mechanism", "must be that of its attributes")

    @classmethod
    def _of(cls, attributes: tuple[Attribute, ...], where: str, **shared: Any) -> Crosstab:
        """Return the question over these attributes, unless its table is too large to show."""
        cells = prod(len(one.choices) for one in attributes)
        if cells > CELL_LIMIT:
            raise CollectionError(
                f"{where}.attributes",
                f"must have at most {CELL_LIMIT} cells together",
                "merge choices, or ask an attribute as a question of its own",
                got=cells,
            )
        mechanism = JointRR.of([one.mechanism for one in attributes])
        return cls(attributes=attributes, mechanism=mechanism, **shared)

    @classmethod
    def stated(cls, table: Mapping[str, Any], where: str) -> Fraction | None:
        """Return the question's ε: the attributes' sum where each states its own."""
        whole, tables = super().stated(table, where), table.get("attributes")
        if not _are_tables(tables) or not all("epsilon" in one for one in tables):
            return whole
        own = _own(tables, f"{where}.attributes")
        total = sum((one for one in own if one is not None), start=Fraction(0))
        if whole not in (None, total):
            raise CollectionError(
                f"{where}.epsilon",
                f"must be the sum of its attributes' epsilon = {decimal_text(total)}",
                "leave it out",
                got=decimal_text(whole),
            )
        return total

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Crosstab:
        """Read the table of a crosstab question."""
        schema.check_fields(table, _FIELDS, _NEEDED, where, "every crosstab needs it")
        tables, spot = table["attributes"], f"{where}.attributes"
        if not _are_tables(tables):
            raise CollectionError(spot, "must be tables", "write [[question.attributes]] for each")
        if not 2 <= len(tables) <= math.log2(CELL_LIMIT):
            raise CollectionError(
                spot,
                f"must be 2 to {int(math.log2(CELL_LIMIT))}",
                "ask one alone as a choice, and many as several questions",
                got=len(tables),
            )
        total = f"{where}.epsilon"
        if "epsilon" not in table:
            total = f"{where}'s share of collection.epsilon"
        shares = schema.shares(epsilon, _own(tables, spot), total, spot)
        return cls._of(
            tuple(
                Attribute.parse(one, f"{spot}[{i}]", share, n, known)
                for i, (one, share) in enumerate(zip(tables, shares, strict=True))
            ),
            where,
            id=schema.slug(table["id"], f"{where}.id"),
            epsilon=epsilon,
            text=schema.texts(table["text"], f"{where}.text", known),
        )

    @classmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Crosstab:
        """Rebuild the question from its part of a definition."""
        wordings, spot = texts.get("attributes", {}), f"{where}.attributes"
        return cls._of(
            tuple(
                Attribute.restore(one, wordings.get(one["id"], {}), f"{spot}[{i}]")
                for i, one in enumerate(data["attributes"])
            ),
            where,
            id=data["id"],
            epsilon=schema.epsilon_text(data["epsilon"], f"{where}.epsilon"),
            text=dict(texts.get("text", {})),
        )

    def encode(self, answer: object) -> tuple[int, ...]:
        """Return the index of the chosen identifier of each attribute, in their order."""
        ids = [one.id for one in self.attributes]
        if not isinstance(answer, Mapping) or set(answer) != set(ids):
            raise CollectionError(
                f"answers.{self.id}",
                f"must answer each attribute once: {', '.join(ids)}",
                "to decline is an answer too: prefer-not-to-say",
            )
        try:
            return tuple(one.encode(answer[one.id]) for one in self.attributes)
        except CollectionError as error:
            spot = error.argument.replace("answers.", f"answers.{self.id}.", 1)
            raise CollectionError(spot, error.rule, error.remedy) from None

    def tally(self, reports: Any) -> Counts:
        """Count decoded reports, a column for each attribute."""
        return self.mechanism.aggregate(np.stack(reports, axis=1))  # type: ignore[return-value]

    @property
    def part_epsilons(self) -> dict[str, float]:
        """Realised ε of each attribute alone."""
        return {one.id: one.mechanism.epsilon for one in self.attributes}

    def chances(self) -> Chances:
        """Return the chances of the whole answer, and that each part is kept."""
        kept = {f"kept.{one.id}": one.chances()["kept"] for one in self.attributes}
        return {
            "even": even(self.mechanism.program.ratio),
            "kept": prod(kept.values(), start=Fraction(1)),
            **kept,
        }

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers."""
        return self._defined(
            attributes=[one.definition() for one in self.attributes],
            epsilon=decimal_text(self.epsilon),
        )

    def texts(self) -> dict[str, Any]:
        """Return the question's text, and the wordings of each attribute."""
        return {
            "text": dict(self.text),
            "attributes": {one.id: one.texts() for one in self.attributes},
        }

    # -- results -----------------------------------------------------------------------------

    def results(self, counts: Counts, target: Target, confidence: float) -> dict[str, Any]:
        """Return the joint shares, those of each attribute alone, and each pair's table.

        Every share has its standard error and interval; every pair Cramér's V with an interval.
        """
        axes = range(len(self.attributes))
        return {
            "method": "unbiased",
            "cells": self._cells(tuple(axes), counts, target, confidence),
            "warnings": self._warnings(tuple(axes), counts),
            "attributes": [
                {
                    "id": one.id,
                    "epsilon": float(one.mechanism.epsilon),
                    **one.results(counts.marginal([axis]), target, confidence),
                }
                for axis, one in enumerate(self.attributes)
            ],
            "pairs": [
                {
                    "attributes": [self.attributes[axis].id for axis in pair],
                    "cells": self._cells(pair, counts, target, confidence),
                    "warnings": self._warnings(pair, counts),
                    "dependence": self._dependence(pair, counts, target, confidence),
                }
                for pair in combinations(axes, 2)
            ],
        }

    def _choices(self, axes: tuple[int, ...]) -> Iterator[tuple[str, ...]]:
        return product(*(self.attributes[axis].choices for axis in axes))

    def _estimate(self, axes: tuple[int, ...], counts: Counts, target: Target) -> Estimate:
        return self.mechanism.subset(axes).estimate(counts.marginal(axes), target=target)

    def _cells(
        self, axes: tuple[int, ...], counts: Counts, target: Target, confidence: float
    ) -> list[dict[str, Any]]:
        if counts.n == 0:
            return [{"choices": one, **dict.fromkeys(_FIGURES)} for one in self._choices(axes)]
        estimate = self._estimate(axes, counts, target)
        columns = (estimate.shares, estimate.stderr, *estimate.interval(confidence))
        rows = zip(*(column.ravel().tolist() for column in columns), strict=True)
        return [
            {"choices": one, **dict(zip(_FIGURES, row, strict=True))}
            for one, row in zip(self._choices(axes), rows, strict=True)
        ]

    def _warnings(self, axes: tuple[int, ...], counts: Counts) -> list[dict[str, Any]]:
        if counts.n == 0:
            return []
        return [
            {"code": caution.code, "cells": list(caution.cells)}
            for caution in self._estimate(axes, counts, "population").warnings
        ]

    def _dependence(
        self, pair: tuple[int, ...], counts: Counts, target: Target, confidence: float
    ) -> dict[str, Any]:
        value = low = high = math.nan
        left_out: tuple[tuple[int, ...], ...] = ((), ())
        if counts.n >= 2:
            found = self.mechanism.dependence(counts, pair, target)
            value, (low, high), left_out = found.value, found.interval(confidence), found.left_out
        figures = {"value": value, "low": low, "high": high}
        return {
            "measure": "cramers-v",
            **{name: None if math.isnan(one) else one for name, one in figures.items()},
            "left_out": [
                [self.attributes[axis].choices[place] for place in some]
                for axis, some in zip(pair, left_out, strict=True)
            ],
        }


def _are_tables(value: object) -> TypeGuard[list[Mapping[str, Any]]]:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _own(tables: list[Mapping[str, Any]], where: str) -> list[Fraction | None]:
    """Return the ε that each attribute's table states, or None."""
    return [Question.stated(one, f"{where}[{i}]") for i, one in enumerate(tables)]
