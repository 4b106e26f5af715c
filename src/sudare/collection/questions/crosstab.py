"""``crosstab``: several choices asked together, and their joint shares, or those of a part."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard, cast

from sudare.collection import schema
from sudare.collection.questions.asking import AskIf
from sudare.collection.questions.auto import Candidates, mechanism_of
from sudare.collection.questions.base import Options, Question, figures as figures_of
from sudare.collection.questions.chances import Chances
from sudare.collection.questions.listed import Listed, check_declining, listed_options, wordings
from sudare.collection.questions.tables import (
    ORDERS,
    WANTED,
    AmongAsked,
    Axes,
    Figures,
    OfLevels,
    TableMechanism,
    Tables,
    WantedTables,
    tables_of,
    wanted_axes,
)
from sudare.errors import (
    CollectionError,
    DomainError,
    EstimationError,
    OutOfReachError,
    as_one_of,
)
from sudare.estimation import Counts, Estimate
from sudare.estimation.conditional import ConditionalShare
from sudare.estimation.estimate import Target
from sudare.exact import decimal_text, uniform_one
from sudare.exact.entropy import EntropySource, as_entropy_source
from sudare.exact.parameters import EPSILON_MIN
from sudare.mechanisms import (
    GRR,
    JointRR,
    MarginalRR,
    Mechanism,
    SampledPairs,
    SampledTables,
    from_json,
)
from sudare.mechanisms.ordering import rounded_error
from sudare.mechanisms.pairs.sampled import MOST_ATTRIBUTES, by_every_oracle
from sudare.samplers import Pick

if TYPE_CHECKING:
    from sudare.mechanisms import Levels

CELL_LIMIT = 10_000
"""Most cells of the tables that are wanted, all together: as many as a live page can show."""

_WHOLE = ("SubsetSelection", "DyadicUnary", "GRR", "OUE", "SUE", "JointRR")
_DRAWN: dict[int, dict[str, tuple[str, ...]]] = {
    1: {"pairs": ("SampledPairs",), "margins": ("MarginalRR", "SampledPairs")},
    3: {"pairs": ("SampledPairs", "SampledTables"), "margins": ("SampledTables", "SampledPairs")},
}
"""By the version of ``auto``."""
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
    question is their sum. With ``wanted`` what errs least for the tables that are wanted is taken:
    for ``"cells"`` the whole answer may be one category of as many as there are cells; for
    ``"pairs"`` and ``"margins"`` a report may be about one attribute, two or three, drawn by the
    device or fixed by a ticket. "Prefer not to say" is one more category of each attribute.

    Attributes:
        attributes: each with its choices, and its ε if it has one of its own.
        epsilon: of the whole answer, at least the sum of the attributes'.
        mechanism: :class:`~sudare.JointRR` over the attributes, a frequency oracle of the cells,
            :class:`~sudare.SampledPairs`, or :class:`~sudare.MarginalRR` by sampling.
        wanted: what the mechanism was chosen for; None where nothing was said.
    """

    type: ClassVar[str] = "crosstab"
    template: ClassVar[str] = """\
id = "people"
type = "crosstab"
text.en = "Something about you"
text.ja = "あなたについて"
wanted = "cells"  # or "pairs", "margins"

[[question.attributes]]
id = "age"
text.en = "How old are you?"
text.ja = "年齢は？"
choices = ["under-30", "30-59", "60-up"]
labels.en = ["Under 30", "30 to 59", "60 and over"]
labels.ja = ["30歳未満", "30〜59歳", "60歳以上"]

[[question.attributes]]
id = "bath"
text.en = "How often do you take a bath?"
text.ja = "お風呂に入る頻度は？"
choices = ["daily", "weekly", "seldom"]
labels.en = ["Daily", "Weekly", "Seldom"]
labels.ja = ["毎日", "週に数回", "ほとんど入らない"]
"""
    candidates: ClassVar[Candidates] = dict.fromkeys(_DRAWN, _WHOLE)
    offers_levels: ClassVar[str] = "epsilon"
    id: str
    attributes: tuple[Attribute, ...]
    epsilon: Fraction
    mechanism: TableMechanism
    text: Mapping[str, str] = field(default_factory=dict)
    wanted: str | None = None
    ask_if: AskIf | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        where = f"question.{self.id}.attributes"
        if len(self.attributes) < 2:
            raise CollectionError(where, "must be at least two", "ask one alone as a choice")
        ids = [one.id for one in self.attributes]
        if len(set(ids)) != len(ids):
            raise CollectionError(where, "must not use an id twice")
        own, mechanism = [one.mechanism for one in self.attributes], self.mechanism
        if isinstance(mechanism, JointRR):
            fits = mechanism.parts == tuple(own)
        else:
            fits = self.wanted is not None and set(own) == {None}
            if isinstance(mechanism, SampledTables | MarginalRR):
                sampled = getattr(mechanism, "strategy", "sample") == "sample"
                enough = (self.tables.most or 0) >= ORDERS.get(self.wanted or "", math.inf)
                fits = fits and sampled and enough and mechanism.sizes == self.sizes
            else:
                fits = fits and mechanism.k == prod(self.sizes)
        if not fits or (not self.tables.drawn and prod(self.sizes) > CELL_LIMIT):
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
        if "wanted" not in table:
            return {}
        wanted = table["wanted"] if isinstance(table["wanted"], str) else ""
        return {version: (*own.get(wanted, ()), *_WHOLE) for version, own in _DRAWN.items()}

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
        tables = _attributes(table, spot, wanted)
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
        mechanism = _mechanism(table, attributes, epsilon, n, where, wanted)
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
        wanted = _wanted(data, where)
        _check_cells(attributes, where, wanted)
        return cls(
            id=data["id"],
            attributes=attributes,
            epsilon=schema.epsilon_text(data["epsilon"], f"{where}.epsilon"),
            mechanism=cast("TableMechanism", from_json(data["mechanism"], _FAMILY)),
            text=dict(texts.get("text", {})),
            wanted=wanted,
        )

    def encode(self, answer: object, index: int | None = None) -> Any:
        """Return the program's value of the chosen identifiers.

        Args:
            answer: an identifier for each attribute's id.
            index: of the pair, or attribute, that a ticket has drawn; the answer is about it alone.
        """
        asked = [self.attributes[axis] for axis in self._asked(index)]
        ids = [one.id for one in asked]
        if not isinstance(answer, Mapping) or set(answer) != set(ids):
            raise CollectionError(
                f"answers.{self.id}",
                f"must answer each attribute once: {', '.join(ids)}",
                "to decline is an answer too: prefer-not-to-say",
            )
        try:
            found = {one.id: one.encode(answer[one.id]) for one in asked}
        except CollectionError as error:
            spot = error.argument.replace("answers.", f"answers.{self.id}.", 1)
            raise CollectionError(spot, error.rule, error.remedy) from None
        return self.tables.value(tuple(found.get(one.id, 0) for one in self.attributes))

    def options(self) -> Iterator[Options]:
        """Yield the choices of each attribute."""
        for one in self.attributes:
            yield listed_options(f"attributes.{one.id}.labels", one.choices, one.labels)

    def _asked(self, index: int | None) -> Sequence[int]:
        """Return which attributes are asked about: all, or those that a ticket has drawn."""
        groups = self.tables.drawn
        if index is None:
            return range(len(self.attributes))
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(groups):
            raise DomainError("index", f"must be one of {len(groups)} that can be drawn")
        return groups[index]

    def randomise(
        self, value: Any, entropy: EntropySource | None = None, index: int | None = None
    ) -> bytes:
        """Return the wire form of one report about an encoded answer."""
        program = self.mechanism.program
        if not isinstance(program, Pick):
            return super().randomise(value, entropy, index)
        return program.encode_one(program.draw_one(value, as_entropy_source(entropy), index))

    def unasked(self, entropy: EntropySource) -> Any:
        """Return the value of one choice of each attribute, uniformly and apart."""
        return self.tables.value(tuple(uniform_one(size, entropy) for size in self.sizes))

    def tally(self, reports: Any) -> Counts:
        """Count decoded reports."""
        return self.tables.tally(reports)

    @property
    def part_epsilons(self) -> dict[str, float]:
        """Realised ε of each attribute alone, where each is randomised on its own."""
        own = {one.id: one.mechanism for one in self.attributes}
        return {name: part.epsilon for name, part in own.items() if part is not None}

    @property
    def planned(self) -> Any:
        """The mechanism, or the tables that are wanted of it."""
        if self.wanted in (None, "cells"):
            return self.mechanism
        axes = wanted_axes(self.wanted, len(self.attributes))
        return WantedTables(self.mechanism, self.sizes, axes)

    @property
    def summed(self) -> dict[str, Any]:
        """The sizes of the attributes: tables of two and of one are shown."""
        return {"sizes": self.sizes}

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
        Where a report is about a few attributes, tables have the number ``n`` of reports that tell
        them, and those of more than two are missing; of two or three drawn attributes there is
        ``joint``, by maximum entropy and without intervals, or None where it has too many cells.
        """
        figures = self.tables.figures(counts, target) if counts.n else None
        joint = {} if self.tables.most in (None, 1) else {"joint": self._joint(counts)}
        return self._published(counts, figures, confidence) | joint

    def results_among(
        self, counts: Counts, asked: ConditionalShare, confidence: float
    ) -> dict[str, Any]:
        """Return the same among those asked, but the joint table by maximum entropy.

        The others' choices were drawn apart: all cells of a table were as likely.
        """
        figures = AmongAsked(self.tables.figures(counts, asked.target), asked)
        return self._published(counts, figures, confidence)

    def results_of_levels(
        self, mechanism: Levels, counts: Counts, target: Target, confidence: float
    ) -> dict[str, Any]:
        """Return the same of the counts of all levels, but Cramér's V: that is of each alone."""
        parts = zip(mechanism.parts, mechanism.levels(counts), strict=True)
        each = [tables_of(part, self.sizes).figures(own, target) for part, own in parts if own.n]
        return self._published(counts, OfLevels(each) if each else None, confidence)

    def _published(
        self, counts: Counts, figures: Figures | None, confidence: float
    ) -> dict[str, Any]:
        axes, tables = range(len(self.attributes)), self.tables
        numbers = tables.reports(counts)
        told: dict[str, Any] = {"method": "unbiased"}
        if tables.most is None:
            told |= self._table(tuple(axes), figures, confidence)
        told["attributes"] = [
            {**self._margin(axis, figures, confidence), **_reports(numbers, (axis,))}
            for axis in axes
        ]
        if tables.most != 1:
            told["pairs"] = [
                {
                    "attributes": [self.attributes[axis].id for axis in pair],
                    **_reports(numbers, pair),
                    **self._table(pair, figures, confidence),
                    "dependence": self._dependence(pair, figures, confidence),
                }
                for pair in wanted_axes("pairs", len(axes))
            ]
        return told

    def _estimate(self, axes: Axes, figures: Figures | None) -> Estimate | None:
        if figures is None:
            return None
        try:
            return figures.table(axes)
        except EstimationError:
            if self.tables.drawn:  # nobody reported it
                return None
            raise

    def _margin(self, axis: int, figures: Figures | None, confidence: float) -> dict[str, Any]:
        one, estimate = self.attributes[axis], self._estimate((axis,), figures)
        rows = figures_of(estimate, len(one.choices), confidence)
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

    def _table(self, axes: Axes, figures: Figures | None, confidence: float) -> dict[str, Any]:
        estimate = self._estimate(axes, figures)
        rows = figures_of(estimate, prod(self.sizes[axis] for axis in axes), confidence)
        warnings = () if estimate is None else estimate.warnings
        names = self._names(axes)
        return {
            "cells": [{"choices": some, **row} for some, row in zip(names, rows, strict=True)],
            "warnings": [{"code": one.code, "cells": list(one.cells)} for one in warnings],
        }

    def _names(self, axes: Sequence[int]) -> product[tuple[str, ...]]:
        """Return the choices of each cell, the last attribute fastest."""
        return product(*(self.attributes[axis].choices for axis in axes))

    def _joint(self, counts: Counts) -> dict[str, Any] | None:
        if counts.n == 0 or prod(self.sizes) > CELL_LIMIT:
            return None
        with suppress(EstimationError):  # of a pair that nobody reported
            found = self.tables.joint(counts)
            if found is not None:
                names = self._names(range(len(self.attributes)))
                rows = zip(names, found.shares.ravel().tolist(), strict=True)
                return {
                    "method": "maximum-entropy",
                    "distance": found.distance,
                    "cells": [{"choices": some, "share": share} for some, share in rows],
                }
        return None

    def _dependence(self, pair: Axes, figures: Figures | None, confidence: float) -> dict[str, Any]:
        value = low = high = math.nan
        left_out: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
        with suppress(EstimationError):  # of fewer than two reports, or of too many cells
            if figures is not None:
                found = figures.dependence(pair)
                value, (low, high), left_out = (
                    found.value,
                    found.interval(confidence),
                    found.left_out,
                )
        told = {"value": value, "low": low, "high": high}
        return {
            "measure": "cramers-v",
            **{name: None if math.isnan(one) else one for name, one in told.items()},
            "left_out": [
                [self.attributes[axis].choices[place] for place in some]
                for axis, some in zip(pair, left_out, strict=True)
            ],
        }


def _reports(numbers: Mapping[Axes, int] | None, axes: Axes) -> dict[str, int]:
    return {} if numbers is None else {"n": numbers[axes]}


def _wanted(table: Mapping[str, Any], where: str) -> str | None:
    if "wanted" not in table:
        return None
    return as_one_of(table["wanted"], f"{where}.wanted", WANTED, CollectionError)


def _attributes(table: Mapping[str, Any], spot: str, wanted: str | None) -> list[Mapping[str, Any]]:
    """Return the tables of the attributes."""
    tables, most = table["attributes"], MOST_ATTRIBUTES
    if wanted in (None, "cells"):
        most = int(math.log2(CELL_LIMIT))
    if not _are_tables(tables):
        raise CollectionError(spot, "must be tables", "write [[question.attributes]] for each")
    if not 2 <= len(tables) <= most:
        raise CollectionError(
            spot,
            f"must be 2 to {most}",
            "ask one alone as a choice, and many as several questions",
            got=len(tables),
        )
    return tables


def _check_cells(attributes: tuple[Attribute, ...], where: str, wanted: str | None) -> None:
    """Refuse tables that are too large to show."""
    sizes = [len(one.choices) for one in attributes]
    cells = sum(prod(sizes[i] for i in axes) for axes in wanted_axes(wanted, len(sizes)))
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
    wanted: str | None,
) -> TableMechanism:
    """Return the mechanism that the table names, or what errs least for what is wanted."""
    _check_cells(attributes, where, wanted)
    own = [one.mechanism for one in attributes if one.mechanism is not None]
    if own:
        return JointRR.of(own)
    sizes = tuple(len(one.choices) for one in attributes)
    axes = wanted_axes(wanted, len(sizes))

    def make(kind: type[Any]) -> Any:
        drawn = issubclass(kind, MarginalRR | SampledTables)
        if drawn and all(kind.name not in own.get(wanted or "", ()) for own in _DRAWN.values()):
            rule = f'cannot be {kind.name} where wanted = "{wanted}"'
            raise CollectionError(f"{where}.mechanism", rule, 'take "auto"')
        if issubclass(kind, MarginalRR):
            return kind(sizes, epsilon, "sample")
        if issubclass(kind, SampledTables):
            return _least(kind, sizes, epsilon, ORDERS[wanted or ""], cost)
        if prod(sizes) > CELL_LIMIT:
            rule = f"must have at most {CELL_LIMIT} cells in all for {kind.name}"
            raise OutOfReachError(f"{where}.attributes", rule, 'take mechanism = "auto"')
        if not issubclass(kind, JointRR):
            return kind(prod(sizes), epsilon)
        share = Fraction(decimal_text(epsilon / len(sizes)))
        if share < EPSILON_MIN:
            raise OutOfReachError("epsilon", "must leave 0.001 to each attribute", "raise it")
        return JointRR(sizes, epsilon=[share] * len(sizes))

    def cost(mechanism: Any) -> tuple[float, int, str]:
        error = WantedTables(mechanism, sizes, axes).expected_mse(n)
        return rounded_error(error), mechanism.report_bytes, mechanism.name

    return cast("TableMechanism", mechanism_of(table, _FAMILY, make, cost, where))


def _least(
    kind: type[SampledTables],
    sizes: tuple[int, ...],
    epsilon: Fraction,
    wanted: int,
    cost: Callable[[Any], tuple[float, int, str]],
) -> SampledTables:
    """Return the sampled tables, of at least so many attributes, that err least.

    Those of two have a name of their own. The cells of all groups are at most as many as those of
    wanted tables: a document holds a program for each group.
    """
    orders = [2] if kind is SampledPairs else [one for one in (1, 3) if wanted <= one <= len(sizes)]
    within = [
        mechanism
        for order in orders
        if order < 3 or sum(map(prod, combinations(sizes, 3))) <= CELL_LIMIT
        for mechanism in by_every_oracle(sizes, epsilon, order)
    ]
    if not orders:
        rule = f"must be three or more for {kind.name} where pairs are wanted"
        raise OutOfReachError("attributes", rule, 'take mechanism = "auto"')
    if not within:
        rule = f"must have at most {CELL_LIMIT} cells of every three together for {kind.name}"
        raise OutOfReachError("attributes", rule, 'take mechanism = "auto"')
    return min(within, key=cost)


def _are_tables(value: object) -> TypeGuard[list[Mapping[str, Any]]]:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _own(tables: list[Mapping[str, Any]], where: str) -> list[Fraction | None]:
    """Return the ε that each attribute's table states, or None."""
    return [Question.stated(one, f"{where}[{i}]") for i, one in enumerate(tables)]
