"""``crosstab``: several choices asked together, and their joint shares, or those of a part."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import prod
from typing import Any, ClassVar, TypeGuard, cast

from sudare.collection import schema
from sudare.collection.questions.auto import Candidates, mechanism_of
from sudare.collection.questions.base import Question, figures
from sudare.collection.questions.chances import Chances
from sudare.collection.questions.listed import Listed, check_declining, wordings
from sudare.collection.questions.tables import TableMechanism, Tables, tables_of
from sudare.errors import CollectionError, EstimationError, OutOfReachError, as_one_of
from sudare.estimation import Counts, Estimate
from sudare.estimation.estimate import Target
from sudare.exact import decimal_text
from sudare.exact.parameters import EPSILON_MIN
from sudare.mechanisms import GRR, JointRR, Mechanism, from_json
from sudare.mechanisms.ordering import rounded_error

CELL_LIMIT = 10_000
"""Most cells of the joint table: as many as a live page can show."""

WANTED = ("cells",)
"""What a crosstab may be asked for; without it each attribute is randomised on its own."""

_ATTRIBUTE = ("id", "text", "choices", "labels", "prefer_not_to_say")
_FIELDS = ("id", "type", "text", "epsilon", "attributes")
_NEEDED = ("id", "text", "attributes")
_FAMILY = cast("type[Mechanism]", TableMechanism)


@dataclass(frozen=True)
class Attribute:
    """One of the choices of a crosstab.

    Attributes:
        mechanism, epsilon: its own GRR, where it is randomised on its own; else None.
    """

    id: str
    choices: tuple[str, ...]
    prefer_not_to_say: bool
    text: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    epsilon: Fraction | None = None
    mechanism: GRR | None = None

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, share: Fraction | None, known: tuple[str, ...]
    ) -> Attribute:
        """Read an attribute's table; ``share`` is its ε, where it has one."""
        own = ("epsilon",) if share is not None else ()
        return cls._of(Listed._parse(table, where, known, (*_ATTRIBUTE, *own)), share)

    @classmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Attribute:
        """Rebuild the attribute from its part of a definition."""
        schema.slug(data["id"], f"{where}.id")
        shared = Listed._restore(data, texts, where)
        return cls._of(shared, shared.pop("epsilon", None))

    @classmethod
    def _of(cls, shared: dict[str, Any], share: Fraction | None) -> Attribute:
        own = None if share is None else GRR(len(shared["choices"]), share)
        return cls(**shared, epsilon=share, mechanism=own)

    def alone(self, mechanism: GRR) -> Attribute:
        """Return the attribute, randomised on its own by this."""
        return replace(self, epsilon=mechanism.requested_epsilon, mechanism=mechanism)

    def __post_init__(self) -> None:
        check_declining(self.id, self.choices, self.prefer_not_to_say)

    def encode(self, answer: object) -> int:
        """Return the index of the chosen identifier."""
        if not isinstance(answer, str) or answer not in self.choices:
            raise CollectionError(
                f"answers.{self.id}", "must be one of the attribute's choices", "see .choices"
            )
        return self.choices.index(answer)

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers; mechanism and program are the question's."""
        return {
            "id": self.id,
            "choices": list(self.choices),
            "prefer_not_to_say": self.prefer_not_to_say,
            **({} if self.epsilon is None else {"epsilon": decimal_text(self.epsilon)}),
        }

    def texts(self) -> dict[str, Any]:
        """Return the attribute's text and its labels by choice and language."""
        return wordings(self.text, self.labels)


@dataclass(frozen=True)
class Crosstab(Question):
    """Several choices asked together, of which the joint distribution is wanted.

    Without ``wanted`` each attribute is randomised on its own by GRR under its own ε; the ε of the
    question is their sum. With ``wanted = "cells"`` the whole answer may be one category of as many
    as there are cells: what errs less for the joint table. "Prefer not to say" is one more category
    of each attribute.

    Attributes:
        attributes: each with its choices, and its ε if it has one of its own.
        epsilon: of the whole answer, at least the sum of the attributes'.
        mechanism: :class:`~sudare.JointRR` over the attributes, or a frequency oracle of the cells.
        wanted: what the mechanism was chosen for; None where nothing was said.
    """

    type: ClassVar[str] = "crosstab"
    candidates: ClassVar[Candidates] = {
        1: ("SubsetSelection", "DyadicUnary", "GRR", "OUE", "SUE", "JointRR")
    }
    id: str
    attributes: tuple[Attribute, ...]
    epsilon: Fraction
    mechanism: TableMechanism
    text: Mapping[str, str] = field(default_factory=dict)
    wanted: str | None = None

    def __post_init__(self) -> None:
        where = f"question.{self.id}.attributes"
        if len(self.attributes) < 2:
            raise CollectionError(where, "must be at least two", "ask one alone as a choice")
        ids = [one.id for one in self.attributes]
        if len(set(ids)) != len(ids):
            raise CollectionError(where, "must not use an id twice")
        own = [one.mechanism for one in self.attributes]
        if isinstance(self.mechanism, JointRR):
            fits = self.mechanism.parts == tuple(own)
        else:
            fits = self.wanted is not None and set(own) == {None}
            fits = fits and self.mechanism.k == prod(self.sizes)
        if not fits:
            raise CollectionError(f"question.{self.id}.mechanism", "must be that of its attributes")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of choices of each attribute."""
        return tuple(len(one.choices) for one in self.attributes)

    @cached_property
    def tables(self) -> Tables:
        """The mechanism as the question uses it."""
        return tables_of(self.mechanism, self.sizes)

    @classmethod
    def ranked(cls, table: Mapping[str, Any]) -> Candidates:
        """Return what errs least for what is wanted; nothing is chosen where that is not said."""
        return cls.candidates if "wanted" in table else {}

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
        own = ("wanted", "mechanism") if "wanted" in table else ()
        schema.check_fields(table, (*_FIELDS, *own), _NEEDED, where, "every crosstab needs it")
        wanted, spot = _wanted(table, where), f"{where}.attributes"
        tables = _attributes(table, spot)
        shares: Sequence[Fraction | None] = [None] * len(tables)
        if wanted is None:
            total = f"{where}.epsilon"
            if "epsilon" not in table:
                total = f"{where}'s share of collection.epsilon"
            shares = schema.shares(epsilon, _own(tables, spot), total, spot)
        attributes = tuple(
            Attribute.parse(one, f"{spot}[{i}]", share, known)
            for i, (one, share) in enumerate(zip(tables, shares, strict=True))
        )
        mechanism = _mechanism(table, attributes, epsilon, n, where)
        if isinstance(mechanism, JointRR):
            parts = zip(attributes, mechanism.parts, strict=True)
            attributes = tuple(one.alone(part) for one, part in parts)
        return cls(
            id=schema.slug(table["id"], f"{where}.id"),
            attributes=attributes,
            epsilon=epsilon,
            mechanism=mechanism,
            text=schema.texts(table["text"], f"{where}.text", known),
            wanted=wanted,
        )

    @classmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Crosstab:
        """Rebuild the question from its part of a definition."""
        wordings, spot = texts.get("attributes", {}), f"{where}.attributes"
        attributes = tuple(
            Attribute.restore(one, wordings.get(one["id"], {}), f"{spot}[{i}]")
            for i, one in enumerate(data["attributes"])
        )
        _check_cells(attributes, where)
        return cls(
            id=data["id"],
            attributes=attributes,
            epsilon=schema.epsilon_text(data["epsilon"], f"{where}.epsilon"),
            mechanism=cast("TableMechanism", from_json(data["mechanism"], _FAMILY)),
            text=dict(texts.get("text", {})),
            wanted=_wanted(data, where),
        )

    def encode(self, answer: object) -> Any:
        """Return the mechanism's value of the chosen identifiers: a place each, or one cell."""
        ids = [one.id for one in self.attributes]
        if not isinstance(answer, Mapping) or set(answer) != set(ids):
            raise CollectionError(
                f"answers.{self.id}",
                f"must answer each attribute once: {', '.join(ids)}",
                "to decline is an answer too: prefer-not-to-say",
            )
        try:
            places = tuple(one.encode(answer[one.id]) for one in self.attributes)
        except CollectionError as error:
            spot = error.argument.replace("answers.", f"answers.{self.id}.", 1)
            raise CollectionError(spot, error.rule, error.remedy) from None
        return self.tables.value(places)

    def tally(self, reports: Any) -> Counts:
        """Count decoded reports."""
        return self.tables.tally(reports)

    @property
    def part_epsilons(self) -> dict[str, float]:
        """Realised ε of each attribute alone, where each is randomised on its own."""
        own = {one.id: one.mechanism for one in self.attributes}
        return {name: part.epsilon for name, part in own.items() if part is not None}

    def chances(self) -> Chances:
        """Return the chances of the whole answer and, where it is kept apart, of each part."""
        return self.tables.chances([one.id for one in self.attributes])

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers."""
        return self._defined(
            attributes=[one.definition() for one in self.attributes],
            epsilon=decimal_text(self.epsilon),
            **({} if self.wanted is None else {"wanted": self.wanted}),
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
            **self._table(tuple(axes), counts, target, confidence),
            "attributes": [self._margin(axis, counts, target, confidence) for axis in axes],
            "pairs": [
                {
                    "attributes": [self.attributes[axis].id for axis in pair],
                    **self._table(pair, counts, target, confidence),
                    "dependence": self._dependence(pair, counts, target, confidence),
                }
                for pair in combinations(axes, 2)
            ],
        }

    def _estimate(self, axes: tuple[int, ...], counts: Counts, target: Target) -> Estimate | None:
        return self.tables.estimate(axes, counts, target) if counts.n else None

    def _margin(
        self, axis: int, counts: Counts, target: Target, confidence: float
    ) -> dict[str, Any]:
        one, estimate = self.attributes[axis], self._estimate((axis,), counts, target)
        rows = figures(estimate, len(one.choices), confidence)
        warnings = () if estimate is None else estimate.warnings
        return {
            "id": one.id,
            "epsilon": float(self.tables.alone[axis]),
            "method": "unbiased",
            "cells": [{"choice": name, **row} for name, row in zip(one.choices, rows, strict=True)],
            "warnings": [
                {"code": caution.code, "choices": [one.choices[cell] for cell in caution.cells]}
                for caution in warnings
            ],
        }

    def _table(
        self, axes: tuple[int, ...], counts: Counts, target: Target, confidence: float
    ) -> dict[str, Any]:
        estimate = self._estimate(axes, counts, target)
        rows = figures(estimate, prod(self.sizes[axis] for axis in axes), confidence)
        names = product(*(self.attributes[axis].choices for axis in axes))
        warnings = () if estimate is None else estimate.warnings
        return {
            "cells": [{"choices": some, **row} for some, row in zip(names, rows, strict=True)],
            "warnings": [{"code": one.code, "cells": list(one.cells)} for one in warnings],
        }

    def _dependence(
        self, pair: tuple[int, ...], counts: Counts, target: Target, confidence: float
    ) -> dict[str, Any]:
        value = low = high = math.nan
        left_out: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
        with suppress(EstimationError):  # of fewer than two reports, or of too many cells
            found = self.tables.dependence(pair, counts, target)
            value, (low, high), left_out = found.value, found.interval(confidence), found.left_out
        told = {"value": value, "low": low, "high": high}
        return {
            "measure": "cramers-v",
            **{name: None if math.isnan(one) else one for name, one in told.items()},
            "left_out": [
                [self.attributes[axis].choices[place] for place in some]
                for axis, some in zip(pair, left_out, strict=True)
            ],
        }


def _wanted(table: Mapping[str, Any], where: str) -> str | None:
    if "wanted" not in table:
        return None
    return as_one_of(table["wanted"], f"{where}.wanted", WANTED, CollectionError)


def _attributes(table: Mapping[str, Any], spot: str) -> list[Mapping[str, Any]]:
    """Return the tables of the attributes."""
    tables = table["attributes"]
    if not _are_tables(tables):
        raise CollectionError(spot, "must be tables", "write [[question.attributes]] for each")
    if not 2 <= len(tables) <= math.log2(CELL_LIMIT):
        raise CollectionError(
            spot,
            f"must be 2 to {int(math.log2(CELL_LIMIT))}",
            "ask one alone as a choice, and many as several questions",
            got=len(tables),
        )
    return tables


def _check_cells(attributes: tuple[Attribute, ...], where: str) -> None:
    """Refuse a table that is too large to show."""
    cells = prod(len(one.choices) for one in attributes)
    if cells > CELL_LIMIT:
        raise CollectionError(
            f"{where}.attributes",
            f"must have at most {CELL_LIMIT} cells together",
            "merge choices, or ask an attribute as a question of its own",
            got=cells,
        )


def _mechanism(
    table: Mapping[str, Any],
    attributes: tuple[Attribute, ...],
    epsilon: Fraction,
    n: int,
    where: str,
) -> TableMechanism:
    """Return the mechanism that the table names, or what errs least for what is wanted."""
    _check_cells(attributes, where)
    own = [one.mechanism for one in attributes if one.mechanism is not None]
    if own:
        return JointRR.of(own)
    sizes = [len(one.choices) for one in attributes]

    def make(kind: type[Any]) -> Any:
        if not issubclass(kind, JointRR):
            return kind(prod(sizes), epsilon)
        share = Fraction(decimal_text(epsilon / len(sizes)))
        if share < EPSILON_MIN:
            raise OutOfReachError("epsilon", "must leave 0.001 to each attribute", "raise it")
        return JointRR(sizes, epsilon=[share] * len(sizes))

    def cost(mechanism: Any) -> tuple[float, int, str]:
        return rounded_error(mechanism.expected_mse(n)), mechanism.report_bytes, mechanism.name

    return cast("TableMechanism", mechanism_of(table, _FAMILY, make, cost, where))


def _are_tables(value: object) -> TypeGuard[list[Mapping[str, Any]]]:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _own(tables: list[Mapping[str, Any]], where: str) -> list[Fraction | None]:
    """Return the ε that each attribute's table states, or None."""
    return [Question.stated(one, f"{where}[{i}]") for i, one in enumerate(tables)]
