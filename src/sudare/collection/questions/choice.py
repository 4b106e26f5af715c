"""``choice``: one of k, where "prefer not to say" is a choice like the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from sudare.collection import schema
from sudare.collection.questions.again import mechanism_of_rounds, restored_mechanism
from sudare.collection.questions.auto import Candidates, mechanism_of
from sudare.collection.questions.chances import Chances, of_choice
from sudare.collection.questions.listed import FIELDS, Listed
from sudare.errors import CollectionError, EstimationError
from sudare.estimation import Counts
from sudare.estimation.conditional import ConditionalShare, among_asked
from sudare.estimation.estimate import Target
from sudare.exact import uniform_one
from sudare.exact.entropy import EntropySource
from sudare.mechanisms import FrequencyOracle

if TYPE_CHECKING:
    from sudare.mechanisms import Levels


@dataclass(frozen=True)
class Choice(Listed[FrequencyOracle]):
    """One of several choices; on an ordinal scale if they have scores.

    ``mechanism = "auto"`` takes the least exact expected error for the expected number of
    respondents. Scores, one for each choice but "prefer not to say", change nothing of what is
    sent: the results carry their mean among those who answered.
    """

    type: ClassVar[str] = "choice"
    template: ClassVar[str] = """\
id = "tea"
type = "choice"
text.en = "Which tea do you like best?"
text.ja = "いちばん好きなお茶は？"
choices = ["green", "black", "oolong"]  # what is sent: names that stay
labels.en = ["Green", "Black", "Oolong"]  # what is read: may change at any time
labels.ja = ["緑茶", "紅茶", "烏龍茶"]
"""
    candidates: ClassVar[Candidates] = {
        1: ("DyadicUnary", "GRR", "OUE", "SUE"),
        2: (
            "DyadicUnary",
            "GRR",
            "HadamardResponse",
            "OUE",
            "ProjectiveGeometry",
            "SUE",
            "SubsetSelection",
        ),
        3: (
            "DyadicUnary",
            "GRR",
            "HadamardResponse",
            "LinearHashing",
            "OUE",
            "ProjectiveGeometry",
            "SUE",
            "SubsetSelection",
        ),
    }
    remembers: ClassVar[bool] = True
    offers_levels: ClassVar[str] = "epsilon"
    scores: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        Listed.__post_init__(self)
        if self.scores is not None and len(self.scores) != len(self.listed):
            raise CollectionError(
                f"question.{self.id}.scores", f"must be {len(self.listed)}, one for each choice"
            )

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Choice:
        """Read the table of a choice question."""
        shared = cls._parse(table, where, known, (*FIELDS, "scores", "repeats"))
        k, repeats = len(shared["choices"]), table.get("repeats")

        def cost(m: FrequencyOracle) -> Any:
            return m.expected_mse(n), m.report_bytes, m.name

        if repeats is None:
            mechanism = mechanism_of(
                table, FrequencyOracle, lambda kind: kind(k, epsilon), cost, where
            )
        else:
            mechanism = mechanism_of_rounds(table, repeats, k, epsilon, cost, where)
        scores = _scores(table, where, k - shared["prefer_not_to_say"], schema.score)
        return cls(**shared, epsilon=epsilon, mechanism=mechanism, scores=scores)

    @classmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Choice:
        """Rebuild the question from its part of a definition."""
        shared = cls._restore(data, texts, where)
        mechanism = restored_mechanism(data["mechanism"])
        listed = len(shared["choices"]) - shared["prefer_not_to_say"]
        scores = _scores(data, where, listed, schema.score_from_text)
        return cls(**shared, mechanism=mechanism, scores=scores)

    def encode(self, answer: object) -> int:
        """Return the index of the chosen identifier."""
        if not isinstance(answer, str) or answer not in self.choices:
            raise CollectionError(
                f"answers.{self.id}", "must be one of the question's choices", "see .choices"
            )
        return self.choices.index(answer)

    def unasked(self, entropy: EntropySource) -> int:
        """Return one of all choices, uniformly."""
        return uniform_one(len(self.choices), entropy)

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers: also the scores, where there are any."""
        if self.scores is None:
            return Listed.definition(self)
        return {**Listed.definition(self), "scores": [schema.score_text(s) for s in self.scores]}

    def chances(self) -> Chances:
        """Return the chances of one of k answers."""
        return of_choice(self.mechanism.program, len(self.choices))

    @property
    def ends(self) -> tuple[float, float] | None:
        """The least and the greatest score, where there are any."""
        scores = self.scores
        return None if scores is None else (float(min(scores)), float(max(scores)))

    @property
    def _scored(self) -> list[float] | None:
        """The scores of all categories, NaN of those that decline."""
        if self.scores is None:
            return None
        return [*map(float, self.scores), *([math.nan] * self.prefer_not_to_say)]

    @property
    def summed(self) -> dict[str, Any]:
        """The scores: their mean is shown."""
        return {"scores": self._scored}

    def results_of_levels(
        self, mechanism: Levels, counts: Counts, target: Target, confidence: float
    ) -> dict[str, Any]:
        """Return the same of the counts of all levels."""
        return self._published(counts, target, confidence, None, mechanism)

    def _published(
        self,
        counts: Counts,
        target: Target,
        confidence: float,
        asked: ConditionalShare | None,
        mechanism: FrequencyOracle | Levels | None = None,
    ) -> dict[str, Any]:
        """Return each choice's share and, of a scale, the mean score of those who answered."""
        used = self.mechanism if mechanism is None else mechanism
        shares = Listed._published(self, counts, target, confidence, asked, used)
        if self.scores is None:
            return shares
        return {**shares, "mean": self._mean(used, counts, target, confidence, asked)}

    def _mean(
        self,
        mechanism: FrequencyOracle | Levels,
        counts: Counts,
        target: Target,
        confidence: float,
        asked: ConditionalShare | None,
    ) -> dict[str, float | None]:
        names = ("value", "stderr", "low", "high")
        scores = self._scored
        if counts.n == 0 or scores is None:
            return dict.fromkeys(names)
        estimate = mechanism.estimate(counts, target=target)
        try:
            among = estimate if asked is None else among_asked(estimate, asked)
            mean = among.mean(scores)
        except EstimationError:  # nobody is estimated to have answered
            return dict.fromkeys(names)
        return dict(zip(names, (mean.value, mean.stderr, *mean.interval(confidence)), strict=True))


def _scores(
    table: Mapping[str, Any], where: str, listed: int, read: Callable[[Any, str], Fraction]
) -> tuple[Fraction, ...] | None:
    """Read ``scores = [...]``, one for each listed choice."""
    if "scores" not in table:
        return None
    given, spot = table["scores"], f"{where}.scores"
    if not isinstance(given, list) or len(given) != listed:
        raise CollectionError(spot, f"must be a list of {listed} numbers, one for each choice")
    return tuple(read(value, f"{spot}[{i}]") for i, value in enumerate(given))
