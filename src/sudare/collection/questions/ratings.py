"""``ratings``: which of several items a person has, and how the person rates each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from sudare.arrays import Integers
from sudare.channels import Numeric
from sudare.collection import schema
from sudare.collection.questions.asking import AskIf
from sudare.collection.questions.auto import Candidates, mechanism_of
from sudare.collection.questions.base import Options, Question
from sudare.collection.questions.chances import Chances, of_levels
from sudare.errors import CollectionError, DomainError, EstimationError, as_one_of
from sudare.estimation import Counts, Estimate, Quantity
from sudare.estimation.caution import FEW, FEW_REPORTS, Caution
from sudare.estimation.channel_law import ChannelLaw
from sudare.estimation.conditional import ConditionalShare, among_asked
from sudare.estimation.estimate import Target
from sudare.estimation.keyvalue.law import HOLDS
from sudare.exact import decimal_text, uniform_one
from sudare.exact.entropy import EntropySource, as_entropy_source
from sudare.mechanisms import from_json
from sudare.mechanisms.keyvalue.sampled import Sampled, keyed
from sudare.mechanisms.keyvalue.validation import NOT_HELD, STEPS

Widget = Literal["stars", "slider"]
WIDGETS: tuple[Widget, ...] = get_args(Widget)

MOST_ITEMS = 500
MOST_LEVELS = 101
MOST_STARS = 10

_FIELDS = (
    "id",
    "type",
    "text",
    "items",
    "labels",
    "held",
    "scale",
    "widget",
    "mechanism",
    "epsilon",
)
_HELD = ("no", "yes")
_FIGURES = ("value", "stderr", "low", "high")
_METHOD = "mle"


@dataclass(frozen=True)
class Ratings(Question):
    """Which of d items a person has, and a level from 1 to ``scale`` for each item that is had.

    Level l of L stands for the value ``v = -1 + 2 (l - 1) / (L - 1)``, exactly. One report is about
    one item, drawn uniformly by the device or fixed by a ticket; ε covers the answers about all
    items together.

    Attributes:
        items: identifiers, in the order in which they are shown.
        scale: number of levels, 2 to 101.
        widget: ``"stars"``, up to ten, or ``"slider"``.
        mechanism: :class:`~sudare.PrivKV` or :class:`~sudare.StateRR` over the items.
        held: the wordings of the answers "no" and "yes" to whether a person has an item.
    """

    type: ClassVar[str] = "ratings"
    template: ClassVar[str] = """\
id = "shelf"
type = "ratings"
text.en = "Which of these do you have, and how do you like them?"
text.ja = "家にあるものはどれですか？ お好きですか？"
items = ["green", "black", "oolong"]
labels.en = ["Green tea", "Black tea", "Oolong"]
labels.ja = ["緑茶", "紅茶", "烏龍茶"]
scale = 5
"""
    candidates: ClassVar[Candidates] = {1: ("PrivKV", "StateRR")}
    id: str
    items: tuple[str, ...]
    scale: int
    widget: Widget
    epsilon: Fraction
    mechanism: Sampled
    text: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    held: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    ask_if: AskIf | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        where = f"question.{self.id}"
        if not 2 <= len(self.items) <= MOST_ITEMS:
            raise CollectionError(
                f"{where}.items", f"must be 2 to {MOST_ITEMS}", "leave some out or merge some"
            )
        if self.mechanism.d != len(self.items):
            raise CollectionError(f"{where}.mechanism", f"must have d = {len(self.items)}")
        if self.widget == "stars" and self.scale > MOST_STARS:
            raise CollectionError(
                f"{where}.widget", f"must be slider for more than {MOST_STARS} levels"
            )

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the scale."""
        return 1.0, float(self.scale)

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Ratings:
        """Read the table of a ratings question."""
        schema.check_fields(table, _FIELDS, ("id", "text", "items"), where, "every ratings has it")
        items = schema.slugs(table["items"], f"{where}.items", 2)
        scale = schema.whole(table.get("scale", 5), f"{where}.scale", 2, MOST_LEVELS)
        return cls(
            id=schema.slug(table["id"], f"{where}.id"),
            items=items,
            scale=scale,
            widget=_widget(table, scale, where),
            epsilon=epsilon,
            mechanism=mechanism_of(
                table,
                Sampled,
                lambda kind: kind(len(items), epsilon),  # type: ignore[call-arg] # all take these
                lambda m: m.expected_mse(n),
                where,
            ),
            text=schema.texts(table["text"], f"{where}.text", known),
            labels=schema.labels(table.get("labels", {}), f"{where}.labels", items, known),
            held=schema.labels(table.get("held", {}), f"{where}.held", _HELD, known),
        )

    @classmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Ratings:
        """Rebuild the question from its part of a definition."""
        scale = schema.whole(data["scale"], f"{where}.scale", 2, MOST_LEVELS)
        return cls(
            id=data["id"],
            items=schema.slugs(list(data["items"]), f"{where}.items", 2),
            scale=scale,
            widget=_widget(texts, scale, where),
            epsilon=schema.epsilon_text(data["epsilon"], f"{where}.epsilon"),
            mechanism=from_json(data["mechanism"], Sampled),
            text=dict(texts.get("text", {})),
            labels=dict(texts.get("labels", {})),
            held=dict(texts.get("held", {})),
        )

    # -- the respondent's side ---------------------------------------------------------------

    def encode(self, answer: object, index: int | None = None) -> list[int]:
        """Return each item's position on the program's grid, or the one of an item not had.

        Args:
            answer: a level from 1 to ``scale`` for each item's identifier, or None.
            index: of the one item that a ticket has drawn; the answer is about it alone.
        """
        asked = self.items if index is None else (self.items[self._index(index)],)
        where = f"answers.{self.id}"
        if not isinstance(answer, Mapping) or set(answer) != set(asked):
            raise CollectionError(
                where,
                f"must answer each item once: {_listed(asked)}",
                "an item that the person does not have is None",
            )
        return [
            self._position(answer[item], f"{where}.{item}") if item in answer else NOT_HELD
            for item in self.items
        ]

    def unasked(self, entropy: EntropySource) -> list[int]:
        """Return for each item, apart, one of all answers to it, uniformly: none, or a level."""
        drawn = [uniform_one(self.scale + 1, entropy) for _ in self.items]
        return [self._positions[place] for place in drawn]

    @cached_property
    def _positions(self) -> list[int]:
        """Of an item not had, and of each level."""
        return [self._position(level, "level") for level in (None, *range(1, self.scale + 1))]

    def _index(self, index: int) -> int:
        if (
            isinstance(index, bool)
            or not isinstance(index, int)
            or not 0 <= index < len(self.items)
        ):
            raise DomainError("index", f"must be that of an item, below {len(self.items)}")
        return index

    def _position(self, level: Any, where: str) -> int:
        """Return ``floor((1 - v) / 2 * 2**31 + 1 / 2)`` of a level's value v, in integers."""
        if level is None:
            return NOT_HELD
        if isinstance(level, bool) or not isinstance(level, int) or not 1 <= level <= self.scale:
            raise CollectionError(
                where, f"must be a whole number from 1 to {self.scale}", "or None where not had"
            )
        below, whole = self.scale - level, self.scale - 1
        return (2 * below * STEPS + whole) // (2 * whole)

    def randomise(
        self, value: list[int], entropy: EntropySource | None = None, index: int | None = None
    ) -> bytes:
        """Return the wire form of one report about an encoded answer."""
        program = self.mechanism.program
        part = None if index is None else self._index(index)
        return program.encode_one(program.draw_one(value, as_entropy_source(entropy), part))

    # -- as data -----------------------------------------------------------------------------

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers: items, levels, ε, mechanism and thresholds."""
        return self._defined(
            items=list(self.items),
            scale=self.scale,
            epsilon=decimal_text(self.epsilon),
        )

    def texts(self) -> dict[str, Any]:
        """Return how the question looks: its widget, and its wordings by language."""
        return {
            "text": dict(self.text),
            "widget": self.widget,
            "labels": {item: dict(names) for item, names in self.labels.items()},
            "held": {answer: dict(names) for answer, names in self.held.items()},
        }

    def options(self) -> Iterator[Options]:
        """Yield the items, then the answers to whether a person has one."""
        yield Options("labels", {one: self.labels.get(one, {}) for one in self.items})
        pages = {} if self.held else {one: f"ratings.{one}" for one in _HELD}
        yield Options("held", self.held, pages)

    def chances(self) -> Chances:
        """Return the chances of the answer about the item that is drawn."""
        mechanism = self.mechanism
        return of_levels(mechanism.program.parts[0], mechanism.state_program, self._positions)

    def level_stderr(self, n: int, target: Target, shares: Sequence[float]) -> dict[float, float]:
        """Return the expected error of an item's mean level, in the middle of the scale."""
        middle, half = np.zeros(len(self.items)), (self.scale - 1) / 2
        errors = {s: self.mechanism.expected_stderr(n, middle + s, middle, target) for s in shares}
        return {share: half * float(stderr_mean[0]) for share, (_, stderr_mean) in errors.items()}

    # -- results -----------------------------------------------------------------------------

    def tally(self, reports: Any) -> Counts:
        """Count decoded reports: three states of each item."""
        return self.mechanism.aggregate(keyed(reports, len(self.items)))

    def results(self, counts: Counts, target: Target, confidence: float) -> dict[str, Any]:
        """Return each item's reports, frequency and mean, by maximum likelihood.

        ``mean`` is that of the values in [-1, 1] among those who have the item, ``level`` the same
        on the scale of the levels; nulls without a report, and where no holder is estimated.
        """
        if counts.n == 0:
            empty = [dict.fromkeys(_FIGURES)] * len(self.items)
            return self._published([0] * len(self.items), empty, empty, [])
        estimate = self.mechanism.estimate(counts, _METHOD, target)
        frequency = _figures(
            estimate.frequency,
            estimate.stderr_frequency,
            *estimate.interval_frequency(confidence),
        )
        mean = _figures(estimate.mean, estimate.stderr_mean, *estimate.interval_mean(confidence))
        reports = estimate.reports.tolist()
        return self._published(reports, frequency, mean, self._warnings(reports, estimate.warnings))

    def results_among(
        self, counts: Counts, asked: ConditionalShare, confidence: float
    ) -> dict[str, Any]:
        """Return the same among those asked, by inversion; figures beyond the ends lie at them.

        An item's mean is a ratio of two numbers among those asked, with Fieller's interval too. For
        the respondents errors are a little too large: those of a population that reports about
        the item.
        """
        rows = np.full((2, len(_FIGURES), len(self.items)), np.nan)
        for place, support in enumerate(counts.support):
            if not support.sum():
                continue
            states = self._among(support, asked)
            rows[0, :, place] = _drawn_in(states.linear(HOLDS), 0.0, confidence)
            with suppress(EstimationError):  # nobody is estimated to have it
                rows[1, :, place] = _drawn_in(states.mean([1.0, -1.0, np.nan]), -1.0, confidence)
        reports = counts.support.sum(axis=1).tolist()
        frequency, mean = (_figures(*one) for one in rows)
        return self._published(reports, frequency, mean, self._warnings(reports, []))

    def _among(self, support: Integers, asked: ConditionalShare) -> Estimate:
        """Return the shares of an item's states <+1>, <-1> and <0> among those asked."""
        law = ChannelLaw(
            Numeric(self.mechanism.channel.dense()), support, int(support.sum()), "population"
        )
        less = Fraction(sum(self._positions[1:]), STEPS)  # how many levels come out as -1
        states = [float(share / (self.scale + 1)) for share in (self.scale - less, less, 1)]
        every = Estimate(
            shares=law.shares,
            stderr=law.stderr,
            n=law.n,
            epsilon=self.mechanism.epsilon,
            covers=self.mechanism.covers,
            method="unbiased",
            target=asked.target,
            _law=law,
        )
        return among_asked(every, asked, np.array(states))

    def _warnings(self, reports: list[int], cautions: Sequence[Caution]) -> list[dict[str, Any]]:
        """Return what a reader should know, as codes with the items concerned."""
        few = [item for item, n in zip(self.items, reports, strict=True) if n < FEW]
        told = [{"code": FEW_REPORTS, "items": few}] if few else []
        for caution in cautions:
            seen = [self.items[cell] for cell in caution.cells if reports[cell]]
            if seen or not caution.cells:
                told.append({"code": caution.code, "items": seen})
        return told

    def _published(
        self,
        reports: list[int],
        frequency: list[dict[str, float | None]],
        mean: list[dict[str, float | None]],
        warnings: list[dict[str, Any]],
    ) -> dict[str, Any]:
        return {
            "method": _METHOD,
            "items": [
                {
                    "item": item,
                    "n": n,
                    "frequency": share,
                    "mean": value,
                    "level": {name: self._level(name, one) for name, one in value.items()},
                }
                for item, n, share, value in zip(self.items, reports, frequency, mean, strict=True)
            ],
            "warnings": warnings,
        }

    def _level(self, name: str, figure: float | None) -> float | None:
        """Return a figure of the mean on the scale of the levels."""
        if figure is None:
            return None
        half = (self.scale - 1) / 2
        return figure * half if name == "stderr" else 1 + (figure + 1) * half


def _drawn_in(found: Quantity[float], bottom: float, confidence: float) -> tuple[float, ...]:
    """Return a figure from ``bottom`` to 1, its standard error and its interval."""
    value, low, high = (
        min(max(x, bottom), 1.0) for x in (found.value, *found.interval(confidence))
    )
    return value, found.stderr, low, high


def _figures(*columns: Iterable[float]) -> list[dict[str, float | None]]:
    """Return a value with its error and interval for each item; all null where the value is NaN."""
    out = []
    for row in zip(*columns, strict=True):
        known = not math.isnan(row[0])
        out.append(
            {
                name: float(one) if known and not math.isnan(one) else None
                for name, one in zip(_FIGURES, row, strict=True)
            }
        )
    return out


def _widget(table: Mapping[str, Any], scale: int, where: str) -> Widget:
    """Read ``widget``; by default stars, and a slider where there are too many levels for them."""
    widget = table.get("widget", "stars" if scale <= MOST_STARS else "slider")
    return as_one_of(widget, f"{where}.widget", WIDGETS, CollectionError)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:8]) + (", ..." if names[8:] else "")
