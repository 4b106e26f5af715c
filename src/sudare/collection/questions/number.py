"""``number``: a number in a range, of which the mean is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from sudare.collection import schema
from sudare.collection.questions.auto import Candidates, mechanism_of
from sudare.collection.questions.base import Question
from sudare.collection.questions.chances import Chances, of_number
from sudare.errors import CollectionError, DomainError, WrongTypeError
from sudare.estimation import Counts
from sudare.estimation.estimate import Target
from sudare.exact import decimal_text
from sudare.exact.entropy import EntropySource, as_entropy_source
from sudare.mechanisms import from_json
from sudare.mechanisms.number.mean import MeanOfNumber

FIELDS = ("id", "type", "text", "low", "high", "mechanism", "epsilon")
_REQUIRED = ("id", "text", "low", "high")
_FIGURES = ("value", "stderr", "low", "high")
_METHOD = "unbiased"


@dataclass(frozen=True)
class Number(Question):
    """A number from ``low`` to ``high``; the results are the mean of all answers.

    There is no "prefer not to say": it is no number, and would leave a mean without its people.

    Attributes:
        low, high: the ends of the range, which everybody may know.
        mechanism: :class:`~sudare.Duchi`, :class:`~sudare.Piecewise` or :class:`~sudare.Hybrid`
            over that range.
    """

    type: ClassVar[str] = "number"
    candidates: ClassVar[Candidates] = {1: ("Duchi", "Piecewise", "Hybrid")}
    id: str
    low: Fraction
    high: Fraction
    epsilon: Fraction
    mechanism: MeanOfNumber
    text: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        mechanism = self.mechanism
        if (mechanism.low, mechanism.high) != (float(self.low), float(self.high)):
            raise CollectionError(
                f"question.{self.id}.mechanism", "must have the same low and high"
            )

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Number:
        """Read the table of a number question."""
        schema.check_fields(table, FIELDS, _REQUIRED, where, "every number has it")
        low, high = (schema.score(table[name], f"{where}.{name}") for name in ("low", "high"))
        if low >= high:
            raise CollectionError(f"{where}.high", "must be above low", "give the least first")
        return cls(
            id=schema.slug(table["id"], f"{where}.id"),
            low=low,
            high=high,
            epsilon=epsilon,
            mechanism=mechanism_of(
                table,
                MeanOfNumber,
                lambda kind: kind(epsilon, float(low), float(high)),
                lambda m: m.expected_mse(1, target="respondents"),  # the worst noise
                where,
            ),
            text=schema.texts(table["text"], f"{where}.text", known),
        )

    @classmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Number:
        """Rebuild the question from its part of a definition."""
        return cls(
            id=data["id"],
            low=schema.score_from_text(data["low"], f"{where}.low"),
            high=schema.score_from_text(data["high"], f"{where}.high"),
            epsilon=schema.epsilon_text(data["epsilon"], f"{where}.epsilon"),
            mechanism=from_json(data["mechanism"], MeanOfNumber),
            text=dict(texts.get("text", {})),
        )

    @property
    def planned(self) -> MeanOfNumber:
        """The mechanism on a range of length 1: errors as shares of the range."""
        return type(self.mechanism)(self.mechanism.requested_epsilon, 0.0, 1.0)

    def encode(self, answer: object) -> int:
        """Return the position of a number: 0 for ``low``, 2^31 for ``high``."""
        try:
            return self.mechanism._value(answer)
        except (WrongTypeError, DomainError):
            raise CollectionError(
                f"answers.{self.id}",
                f"must be a number from {schema.score_text(self.low)} "
                f"to {schema.score_text(self.high)}",
            ) from None

    def randomise(
        self, value: int, entropy: EntropySource | None = None, index: int | None = None
    ) -> bytes:
        """Return the wire form of one report about an encoded answer."""
        if index is not None:
            raise DomainError("index", f"must be left out for a question of type {self.type}")
        program = self.mechanism.program
        return program.encode_one(program.draw_one(value, as_entropy_source(entropy)))

    def chances(self) -> Chances:
        """Return the chances of a number."""
        return of_number(self.mechanism.program, self.mechanism.table.weights())

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers: the range, ε, mechanism and thresholds."""
        return self._defined(
            low=schema.score_text(self.low),
            high=schema.score_text(self.high),
            epsilon=decimal_text(self.epsilon),
        )

    def texts(self) -> dict[str, Any]:
        """Return the wordings by language."""
        return {"text": dict(self.text)}

    def results(self, counts: Counts, target: Target, confidence: float) -> dict[str, Any]:
        """Return the mean with its standard error and interval; nulls without a report."""
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
