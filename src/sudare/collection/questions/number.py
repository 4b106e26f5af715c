"""``number``: a number in a range, of which the mean or the distribution is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, cast

from sudare.collection import schema
from sudare.collection.questions.auto import Candidates, mechanism_of
from sudare.collection.questions.base import Question
from sudare.collection.questions.bins import of_bins
from sudare.collection.questions.chances import Chances, of_number
from sudare.collection.questions.distribution import (
    BINNED,
    MOST_BINS,
    ErrorBelow,
    best_of,
    distribution_results,
)
from sudare.errors import CollectionError, DomainError, WrongTypeError, as_one_of
from sudare.estimation import Counts
from sudare.estimation.estimate import Target
from sudare.exact import decimal_text
from sudare.exact.entropy import EntropySource, as_entropy_source
from sudare.mechanisms import from_json
from sudare.mechanisms.number.binned import Binned
from sudare.mechanisms.number.choose import fine_bins
from sudare.mechanisms.number.mean import MeanOfNumber
from sudare.mechanisms.picked import Picked
from sudare.samplers import Pick

FIELDS = ("id", "type", "text", "low", "high", "wanted", "mechanism", "epsilon")
MEAN, DISTRIBUTION = "mean", "distribution"
_REQUIRED = ("id", "text", "low", "high")
_FIGURES = ("value", "stderr", "low", "high")
_METHOD = "unbiased"
_FAMILIES: dict[str, type[MeanOfNumber | Binned]] = {MEAN: MeanOfNumber, DISTRIBUTION: Binned}


@dataclass(frozen=True)
class Number(Question):
    """A number from ``low`` to ``high``; the results are the mean of all answers.

    With ``wanted = "distribution"`` they are a histogram, the median, deciles and the share between
    any two numbers as well: a report is then about the bin in which the number lies.

    There is no "prefer not to say": it is no number, and would leave a mean without its people.

    Attributes:
        low, high: the ends of the range, which everybody may know.
        mechanism: over that range :class:`~sudare.Duchi`, :class:`~sudare.Piecewise` or
            :class:`~sudare.Hybrid`; for a distribution :class:`~sudare.SquareWave` or
            :class:`~sudare.HierarchicalHistogram`.
        wanted: ``"mean"`` or ``"distribution"``.
    """

    type: ClassVar[str] = "number"
    candidates: ClassVar[Candidates] = {1: ("Duchi", "Piecewise", "Hybrid")}
    id: str
    low: Fraction
    high: Fraction
    epsilon: Fraction
    mechanism: MeanOfNumber | Binned
    text: Mapping[str, str] = field(default_factory=dict)
    wanted: str = MEAN

    def __post_init__(self) -> None:
        mechanism = self.mechanism
        if (mechanism.low, mechanism.high) != (float(self.low), float(self.high)):
            raise CollectionError(
                f"question.{self.id}.mechanism", "must have the same low and high"
            )

    @classmethod
    def ranked(cls, table: Mapping[str, Any]) -> Candidates:
        """Return what is ranked for the mean, or for the distribution."""
        return BINNED if table.get("wanted") == DISTRIBUTION else cls.candidates

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Number:
        """Read the table of a number question."""
        wanted = _wanted(table, where)
        own = ("bins",) if wanted == DISTRIBUTION else ()
        schema.check_fields(table, (*FIELDS, *own), _REQUIRED, where, "every number has it")
        low, high = (schema.score(table[name], f"{where}.{name}") for name in ("low", "high"))
        if low >= high:
            raise CollectionError(f"{where}.high", "must be above low", "give the least first")
        ends = float(low), float(high)
        bins = fine_bins(epsilon, n, MOST_BINS) if own else 0
        if "bins" in table:
            bins = schema.whole(table["bins"], f"{where}.bins", 2, MOST_BINS)

        def make(kind: Any) -> MeanOfNumber | Binned:
            if issubclass(kind, Binned):
                return best_of(kind, *ends, epsilon, bins, n)
            return cast(MeanOfNumber, kind(epsilon, *ends))

        def error(mechanism: Any) -> float:
            if isinstance(mechanism, Binned):
                return mechanism.expected_cdf_mse(n)
            worst: float = mechanism.expected_mse(1, target="respondents")
            return worst

        return cls(
            id=schema.slug(table["id"], f"{where}.id"),
            low=low,
            high=high,
            epsilon=epsilon,
            mechanism=mechanism_of(table, _FAMILIES[wanted], make, error, where),
            text=schema.texts(table["text"], f"{where}.text", known),
            wanted=wanted,
        )

    @classmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Number:
        """Rebuild the question from its part of a definition."""
        wanted = _wanted(data, where)
        return cls(
            id=data["id"],
            low=schema.score_from_text(data["low"], f"{where}.low"),
            high=schema.score_from_text(data["high"], f"{where}.high"),
            epsilon=schema.epsilon_text(data["epsilon"], f"{where}.epsilon"),
            mechanism=from_json(data["mechanism"], _FAMILIES[wanted]),
            text=dict(texts.get("text", {})),
            wanted=wanted,
        )

    @property
    def planned(self) -> Any:
        """What errs: the mean as a share of the range, or the share of people below a number."""
        mechanism = self.mechanism
        if isinstance(mechanism, Binned):
            return ErrorBelow(mechanism)
        return type(mechanism)(mechanism.requested_epsilon, 0.0, 1.0)

    def encode(self, answer: object, index: int | None = None) -> Any:
        """Return a number's position, 0 for ``low`` and 2^31 for ``high``; or that of its bin.

        Args:
            answer: the number.
            index: of the level that a ticket has drawn; the value is that of every level.
        """
        try:
            return self.mechanism._value(answer)
        except (WrongTypeError, DomainError):
            raise CollectionError(
                f"answers.{self.id}",
                f"must be a number from {schema.score_text(self.low)} "
                f"to {schema.score_text(self.high)}",
            ) from None

    def randomise(
        self, value: Any, entropy: EntropySource | None = None, index: int | None = None
    ) -> bytes:
        """Return the wire form of one report about an encoded answer."""
        program, source = self.mechanism.program, as_entropy_source(entropy)
        if isinstance(program, Pick):
            return program.encode_one(program.draw_one(value, source, index))
        if index is not None:
            raise DomainError("index", f"must be left out for {self.mechanism.name}")
        return program.encode_one(program.draw_one(value, source))

    def tally(self, reports: Any) -> Counts:
        """Count decoded reports."""
        mechanism = self.mechanism
        return mechanism.tally(reports) if isinstance(mechanism, Picked) else super().tally(reports)

    def chances(self) -> Chances:
        """Return the chances of a number."""
        mechanism = self.mechanism
        if isinstance(mechanism, MeanOfNumber):
            return of_number(mechanism.program, mechanism.table.weights())
        return of_bins(mechanism.program, mechanism.bins, getattr(mechanism, "branching", 1))

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers: range, ε, what is wanted but a mean, mechanism."""
        return self._defined(
            low=schema.score_text(self.low),
            high=schema.score_text(self.high),
            epsilon=decimal_text(self.epsilon),
            **({} if self.wanted == MEAN else {"wanted": self.wanted}),
        )

    def texts(self) -> dict[str, Any]:
        """Return the wordings by language."""
        return {"text": dict(self.text)}

    def results(self, counts: Counts, target: Target, confidence: float) -> dict[str, Any]:
        """Return the mean with its standard error and interval; nulls without a report.

        Where the distribution is wanted, :func:`distribution_results`.
        """
        if isinstance(self.mechanism, Binned):
            return distribution_results(self.mechanism, counts, target, confidence)
        if counts.n == 0:
            return {"method": _METHOD, "mean": dict.fromkeys(_FIGURES), "warnings": []}
        estimate = self.mechanism.estimate(counts, _METHOD, target)
        mean = estimate.mean
        figures = (mean.value, mean.stderr, *mean.interval(confidence))
        return {
            "method": _METHOD,
            "mean": dict(zip(_FIGURES, figures, strict=True)),
            "warnings": [{"code": caution.code} for caution in estimate.warnings],
        }


def _wanted(table: Mapping[str, Any], where: str) -> str:
    wanted = table.get("wanted", MEAN)
    return as_one_of(wanted, f"{where}.wanted", tuple(_FAMILIES), CollectionError)
