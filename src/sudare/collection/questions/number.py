"""``number``: a number in a range, of which the mean or the distribution is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, cast

from sudare.collection import schema
from sudare.collection.questions.asking import AskIf
from sudare.collection.questions.auto import Candidates, mechanism_of
from sudare.collection.questions.base import Question
from sudare.collection.questions.bins import of_bins
from sudare.collection.questions.chances import Chances, of_number
from sudare.collection.questions.distribution import (
    BINNED,
    MOST_BINS,
    UNEVEN,
    ErrorBelow,
    Range,
    best_of,
    distribution_results,
)
from sudare.errors import CollectionError, DomainError, WrongTypeError, as_one_of
from sudare.estimation import Counts
from sudare.estimation.conditional import ConditionalShare
from sudare.estimation.estimate import Target
from sudare.exact import decimal_text, uniform_one
from sudare.exact.entropy import EntropySource, as_entropy_source
from sudare.mechanisms import from_json
from sudare.mechanisms.number.binned import Binned
from sudare.mechanisms.number.choose import fine_bins
from sudare.mechanisms.number.mean import STEPS, MeanOfNumber
from sudare.mechanisms.picked import Picked
from sudare.samplers import Pick

FIELDS = ("id", "type", "text", "low", "high", "wanted", "mechanism", "epsilon")
MEAN, DISTRIBUTION = "mean", "distribution"
_REQUIRED = ("id", "text")
_FIGURES = ("value", "stderr", "low", "high")
_METHOD = "unbiased"
_FAMILIES: dict[str, type[MeanOfNumber | Binned]] = {MEAN: MeanOfNumber, DISTRIBUTION: Binned}


@dataclass(frozen=True)
class Number(Question):
    """A number from ``low`` to ``high``; the results are the mean of all answers.

    With ``wanted = "distribution"`` they are a histogram, the median, deciles and the share between
    any two numbers as well: a report is then about the bin in which the number lies. Bins are
    equal, or lie between the ``edges`` that the file states; the mechanism has them.

    There is no "prefer not to say": it is no number, and would leave a mean without its people.

    Attributes:
        low, high: the ends of the range, which everybody may know.
        mechanism: over that range :class:`~sudare.Duchi`, :class:`~sudare.Piecewise` or
            :class:`~sudare.Hybrid`; for a distribution :class:`~sudare.SquareWave` or
            :class:`~sudare.HierarchicalHistogram`.
        wanted: ``"mean"`` or ``"distribution"``.
    """

    type: ClassVar[str] = "number"
    template: ClassVar[str] = """\
id = "sleep"
type = "number"
text.en = "How many hours do you sleep?"
text.ja = "睡眠時間は何時間ですか？"
low = 0
high = 14
wanted = "mean"  # or "distribution": a histogram, the median, any range
"""
    candidates: ClassVar[Candidates] = {1: ("Duchi", "Piecewise", "Hybrid")}
    id: str
    low: Fraction
    high: Fraction
    epsilon: Fraction
    mechanism: MeanOfNumber | Binned
    text: Mapping[str, str] = field(default_factory=dict)
    wanted: str = MEAN
    ask_if: AskIf | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        mechanism = self.mechanism
        if (mechanism.low, mechanism.high) != (float(self.low), float(self.high)):
            raise CollectionError(
                f"question.{self.id}.mechanism", "must have the same low and high"
            )

    @classmethod
    def ranked(cls, table: Mapping[str, Any]) -> Candidates:
        """Return what is ranked for the mean, or for the distribution."""
        if table.get("wanted") != DISTRIBUTION:
            return cls.candidates
        return UNEVEN if "edges" in table else BINNED

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Number:
        """Read the table of a number question."""
        wanted = _wanted(table, where)
        own = ("bins", "edges") if wanted == DISTRIBUTION else ()
        needed = _REQUIRED if own and "edges" in table else (*_REQUIRED, "low", "high")
        schema.check_fields(table, (*FIELDS, *own), needed, where, "every number has it")
        within = Range.read(table, where)
        bins = 0
        if within.edges is not None:
            bins = len(within.edges) - 1
        elif "bins" in table:
            bins = schema.whole(table["bins"], f"{where}.bins", 2, MOST_BINS)
        elif own:
            bins = fine_bins(epsilon, n, MOST_BINS)

        def make(kind: Any) -> MeanOfNumber | Binned:
            if issubclass(kind, Binned):
                return best_of(kind, within, epsilon, bins, n, where)
            return cast(MeanOfNumber, kind(epsilon, float(within.low), float(within.high)))

        def error(mechanism: Any) -> float:
            if isinstance(mechanism, Binned):
                return mechanism.expected_cdf_mse(n)
            worst: float = mechanism.expected_mse(1, target="respondents")
            return worst

        return cls(
            id=schema.slug(table["id"], f"{where}.id"),
            low=within.low,
            high=within.high,
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
    def ends(self) -> tuple[float, float]:
        """The range of the question."""
        return float(self.low), float(self.high)

    @property
    def planned(self) -> Any:
        """What errs: the mean as a share of the range, or the share of people below a number."""
        mechanism = self.mechanism
        if isinstance(mechanism, Binned):
            return ErrorBelow(mechanism)
        return type(mechanism)(mechanism.requested_epsilon, 0.0, 1.0)

    @property
    def error_within(self) -> tuple[float, float] | None:
        """The range, where a mean is wanted."""
        return self.ends if self.wanted == MEAN else None

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

    def unasked(self, entropy: EntropySource) -> Any:
        """Return one of all positions, or that of one of all bins, uniformly."""
        if isinstance(self.mechanism, Binned):
            return self.mechanism._value_of(uniform_one(self.mechanism.bins, entropy))
        return uniform_one(STEPS + 1, entropy)

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
        return self._published(counts, target, confidence)

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
        asked: ConditionalShare | None = None,
    ) -> dict[str, Any]:
        if isinstance(self.mechanism, Binned):
            return distribution_results(self.mechanism, counts, target, confidence, asked)
        if counts.n == 0:
            return {"method": _METHOD, "mean": dict.fromkeys(_FIGURES), "warnings": []}
        estimate = self.mechanism.estimate(counts, _METHOD, target)
        mean = estimate.mean
        if asked is not None:
            ends = float(self.low), float(self.high)
            middle, square = sum(ends) / 2, (ends[1] - ends[0]) ** 2
            mean = asked.number(mean, middle, square * (STEPS + 2) / (12 * STEPS), ends)
        figures = (mean.value, mean.stderr, *mean.interval(confidence))
        return {
            "method": _METHOD,
            "mean": dict(zip(_FIGURES, figures, strict=True)),
            "warnings": [{"code": caution.code} for caution in estimate.warnings],
        }


def _wanted(table: Mapping[str, Any], where: str) -> str:
    wanted = table.get("wanted", MEAN)
    return as_one_of(wanted, f"{where}.wanted", tuple(_FAMILIES), CollectionError)
