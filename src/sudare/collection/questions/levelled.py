"""A question with offered levels of ε: one of an ordinary question's, which the person picks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy.typing as npt

from sudare.collection.questions.base import OFFERS, Options, Question
from sudare.collection.questions.chances import Chances
from sudare.collection.unit import PrivacyUnit
from sudare.errors import CollectionError, SudareError
from sudare.estimation import Counts
from sudare.estimation.estimate import Target
from sudare.exact import log_bounds
from sudare.exact.entropy import EntropySource
from sudare.exact.parameters import exactly
from sudare.mechanisms import Levels

MOST_OFFERED = 8
"""Most levels that a question offers: a person reads them all."""

_PARTS = ("mechanism", "program")
_PLACES = 10**6
_MOST_GAMMA = 10**8


@dataclass(frozen=True)
class Levelled(Question):
    """The questions of all levels, by rising ε: alike but for ε and what follows from it.

    An answer is ``{"level": i, "answer": ...}``. What is said of the question as a whole, its ε
    first of all, is said of the level that spends most.
    """

    levels: tuple[Question, ...]

    def __post_init__(self) -> None:
        where = f"question.{self.id}.levels"
        for one in self.levels:
            if not one.offers_levels:
                raise CollectionError(where, f"are not for type {one.type}", "state one epsilon")
            if one.ask_if is not None:
                rule = "must not stand beside ask_if"
                remedy = "the level that is told would say who was asked"
                raise CollectionError(where, rule, remedy)
        self.check_spending()
        plain = [_alike(one.definition()) for one in self.levels]
        if any(one != plain[0] for one in plain):
            raise CollectionError(where, "must be alike but for their epsilon")
        if any(one.unit.own_budget and one.epsilon_cap != self.epsilon_cap for one in self.levels):
            raise CollectionError(where, "must share one cap")
        if any(one.epsilon >= following.epsilon for one, following in pairwise(self.levels)):
            raise CollectionError(where, "must rise", "from the level that spends least")
        if not 2 <= len(self.levels) <= MOST_OFFERED:
            raise CollectionError(where, f"must offer 2 to {MOST_OFFERED}", got=len(self.levels))
        try:
            self.mechanism  # noqa: B018  # made here, so that it is refused here
        except SudareError:
            remedy = "name a mechanism that gives one report for the whole answer"
            raise CollectionError(where, "must all use mechanisms of one family", remedy) from None

    def __getattr__(self, name: str) -> Any:
        """Return what is the same at all levels, such as the choices."""
        if name.startswith("_") or name == "levels":
            raise AttributeError(name)
        return getattr(self.levels[-1], name)

    @classmethod
    def read(
        cls, kind: type[Question], table: Mapping[str, Any], where: str,
        parse: Callable[[Mapping[str, Any], Fraction], Question],
    ) -> Levelled:  # fmt: skip
        """Read a ``[[question]]`` table with ``levels``; ``parse`` reads that of one level."""
        if "ask_if" in table:
            remedy = "the level that is told would say who was asked"
            raise CollectionError(f"{where}.levels", "must not stand beside ask_if", remedy)
        offered = offered_levels(kind, table, where)
        own = {name: value for name, value in table.items() if name not in OFFERS}
        plain, field = kind.at_levels(own, offered[-1][1], where), kind.offers_levels
        made = [parse({**plain, field: given}, epsilon) for given, epsilon in offered]
        return cls(tuple(made))

    @classmethod
    def rebuild(
        cls, data: Mapping[str, Any], restore: Callable[[Mapping[str, Any]], Question]
    ) -> Levelled:
        """Rebuild the question from its part of a definition; ``restore`` does that of one level.

        Raises:
            LookupError, TypeError: a field is missing or misstated.
        """
        plain = {name: value for name, value in data.items() if name != "levels"}
        mechanisms, programs = data["mechanism"]["mechanisms"], data["program"]["parts"]
        each = zip(data["levels"], mechanisms, programs, strict=True)
        return cls(
            tuple(
                restore({**plain, **own, "mechanism": mechanism, "program": program})
                for own, mechanism, program in each
            )
        )

    # -- what is the same at all levels --------------------------------------------------------

    @property
    def unit(self) -> PrivacyUnit:  # type: ignore[override] # of its type
        """As of its type."""
        return self.levels[-1].unit

    @property
    def located(self) -> bool:  # type: ignore[override] # of its type
        """As of its type."""
        return self.levels[-1].located

    @property
    def payer(self) -> str:
        """As of its type."""
        return self.levels[-1].payer

    def check_spending(self) -> None:
        """Raise CollectionError unless each level spends at most its own ε."""
        for one in self.levels:
            one.check_spending()

    @cached_property
    def mechanism(self) -> Levels:  # type: ignore[override] # made of the levels'
        """The mechanisms of the levels, of which a person picks one."""
        return Levels([one.mechanism for one in self.levels])  # type: ignore[misc]

    @property
    def planned(self) -> EvenlyPicked:
        """As many people at each level."""
        return EvenlyPicked(tuple(one.planned for one in self.levels))

    @property
    def nearest_epsilon(self) -> float:
        """The most of a level."""
        return max(one.nearest_epsilon for one in self.levels)

    @property
    def local_epsilon(self) -> float:
        """The most of a level."""
        return max(one.local_epsilon for one in self.levels)

    @property
    def ends(self) -> tuple[float, float] | None:
        """As of its type."""
        return self.levels[-1].ends

    @property
    def part_epsilons(self) -> dict[str, float]:
        """Of the level that spends most."""
        return self.levels[-1].part_epsilons

    def named(self, languages: Sequence[str]) -> dict[str, str]:
        """As of its type."""
        return self.levels[-1].named(languages)

    def options(self) -> Iterator[Options]:
        """As of its type."""
        return self.levels[-1].options()

    def chances(self) -> Chances:
        """Return those of the level that spends most."""
        return self.levels[-1].chances()

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Levelled:
        """Refuse: the type of the question reads its table."""
        raise CollectionError(where, "must be of a type")

    @classmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Levelled:
        """Refuse: the type of the question reads its definition."""
        raise CollectionError(where, "must be of a type")

    # -- an answer -----------------------------------------------------------------------------

    def encode(self, answer: object) -> tuple[int, Any]:
        """Return the level and the value of the answer there; errors never show the answer."""
        where, most = f"answers.{self.id}", len(self.levels) - 1
        if not isinstance(answer, Mapping) or set(answer) != {"level", "answer"}:
            remedy = f'such as {{"level": 0, "answer": ...}}, a level from 0 to {most}'
            raise CollectionError(where, "must be a level and an answer", remedy)
        level = answer["level"]
        if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= most:
            raise CollectionError(f"{where}.level", f"must be a whole number from 0 to {most}")
        return level, self.levels[level].encode(answer["answer"])

    def picked(self, value: Any) -> Question:
        """Return the question of the level that an encoded answer names."""
        level: int = value[0]
        return self.levels[level]

    def randomise(
        self, value: Any, entropy: EntropySource | None = None, index: int | None = None
    ) -> bytes:
        """Return the wire form: the level in clear, then the report of that level."""
        wire = bytes([value[0]]) + self.picked(value).randomise(value[1], entropy, index)
        return wire.ljust(self.mechanism.report_bytes, b"\0")

    def tally(self, reports: Any) -> Counts:
        """Count decoded reports, level by level."""
        return self.mechanism.tally(reports)

    # -- as data -------------------------------------------------------------------------------

    def definition(self) -> dict[str, Any]:
        """Return that of the last level with all mechanisms, and in what the levels differ."""
        each = [one.definition() for one in self.levels]
        plain = [name for name in each[0] if name not in _PARTS]
        differ = [name for name in plain if any(one[name] != each[0][name] for one in each)]
        return {
            **each[-1],
            "levels": [{name: one[name] for name in differ} for one in each],
            "mechanism": self.mechanism.to_json(),
            "program": self.mechanism.program.to_json(),
        }

    def texts(self) -> dict[str, Any]:
        """Return the wordings."""
        return self.levels[-1].texts()

    # -- results -------------------------------------------------------------------------------

    def guarantee(self) -> dict[str, Any]:
        """Return the most ε and what it covers."""
        told = self.levels[-1].guarantee()
        return {**told, "covers": f"{told['covers']}, at the level that spends most"}

    def results(self, counts: Counts, target: Target, confidence: float) -> dict[str, Any]:
        """Return the figures of all levels together, and those of each, of who picked it alone."""
        parts = self.mechanism.levels(counts)
        own = [
            {
                **one.guarantee(),
                "n": int(some.n),
                **one.results(some, target, confidence),
            }
            for one, some in zip(self.levels, parts, strict=True)
        ]
        together = self.levels[-1].results_of_levels(self.mechanism, counts, target, confidence)
        return {**together, "levels": own}


@dataclass(frozen=True)
class EvenlyPicked:
    """What is planned of a question with levels, each picked by as many people.

    Attributes:
        parts: what is planned of each level.
    """

    parts: tuple[Any, ...]

    def expected_mse(
        self, n: int, shares: npt.ArrayLike | None = None, target: Target = "population"
    ) -> float:
        """Return the mean of the levels' expected errors, as :meth:`sudare.Levels.expected_mse`."""
        each = [float(one.expected_mse(n, shares, target)) for one in self.parts]
        return sum(each) / len(each)


def _alike(data: Any) -> Any:
    """Return what of a definition is not to differ between levels."""
    if isinstance(data, Mapping):
        own = {k: v for k, v in data.items() if k not in _PARTS and not k.startswith("epsilon")}
        return {name: _alike(value) for name, value in own.items()}
    return [_alike(one) for one in data] if isinstance(data, list) else data


def offered_levels(
    kind: type[Question], table: Mapping[str, Any], where: str
) -> list[tuple[Any, Fraction]]:
    """Return the levels that a table offers, as they are written and exactly.

    Raises:
        CollectionError: they are not for the type, or no rising list of 2 to 8.
    """
    own = "levels" if "levels" in table else "gammas"
    spot, given, field = f"{where}.{own}", table[own], kind.offers_levels
    if table.keys() >= OFFERS:
        raise CollectionError(spot, "must not stand beside gammas", "write one of them")
    if not field:
        raise CollectionError(spot, f"are not for type {kind.type}", "state one epsilon")
    if own == "gammas" and field != "epsilon":
        raise CollectionError(spot, f"are not for type {kind.type}", "write levels")
    if field in table:
        raise CollectionError(spot, f"must not stand beside {field}", f"leave out {field}")
    if not isinstance(given, list) or not 2 <= len(given) <= MOST_OFFERED:
        what = field if own == "levels" else "γ"
        raise CollectionError(spot, f"must list 2 to {MOST_OFFERED} values of {what}")
    if own == "gammas":
        given = [_of_gamma(one, table, f"{spot}[{i}]") for i, one in enumerate(given)]
    exact = [kind.read_level(one, f"{spot}[{i}]") for i, one in enumerate(given)]
    if any(one >= following for one, following in pairwise(exact)):
        raise CollectionError(spot, "must rise", "from the level that spends least")
    return list(zip(given, exact, strict=True))


def _of_gamma(value: Any, table: Mapping[str, Any], where: str) -> Decimal:
    """Return ``D ln γ``, rounded down to six places: γ is of each of the D attributes alone."""
    gamma = exactly(value, where, "such as 3")
    if gamma is None or not 1 < gamma <= _MOST_GAMMA:
        raise CollectionError(where, f"must be above 1, at most {_MOST_GAMMA}", "such as 3")
    attributes = table.get("attributes", [None])
    listed = attributes if isinstance(attributes, list) else [None]
    if any(isinstance(one, Mapping) and "epsilon" in one for one in listed):
        rule = "must not stand beside an attribute's own epsilon"
        raise CollectionError(where, rule, "the others would have another γ: write levels")
    low = log_bounds(Fraction(gamma))[0] * len(listed)
    return Decimal(int(low * _PLACES)) / _PLACES
