"""``plan_collection``: how accurate a collection will be, before it opens."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from sudare import frames
from sudare.collection import Collection
from sudare.collection.cautions import owner_cautions
from sudare.collection.questions import Question
from sudare.collection.unit import PrivacyUnit
from sudare.errors import DomainError, WrongTypeError
from sudare.estimation.estimate import Target, check_target, normal_quantile
from sudare.exact import as_integer, decimal_text
from sudare.planning.published import TallyGuarantee, tally_guarantee
from sudare.planning.respondents import Plannable, sample_size

WISHES = (0.01, 0.02, 0.05)
"""Half widths for which :class:`QuestionPlan` says how many respondents they take."""

HOLDERS = (0.5, 0.2, 0.05)
"""Shares of holders, or of those asked, for which :class:`QuestionPlan` says what is known."""


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """What one question will show.

    Attributes:
        id, type: of the question.
        mechanism: name of its mechanism.
        epsilon: realised ε of an answer, rounded down.
        unit: what this ε is one for: an answer, or each metre, apart from the submission's.
        attribute_epsilons: of a crosstab, by the attributes' ids: realised ε of each alone.
        report_bytes: length of one report.
        stderr: expected standard error of a share, ``sqrt(expected_mse)``.
        half_width: half the width of a typical 95 % interval.
        respondents_for: half width to the least number of respondents that makes it typical.
        level_stderr: of ratings, the share of those who have an item to the expected standard
            error of their mean level, for one in the middle of the scale; empty for others.
        half_width_levels: of a question that offers levels, their ε to half the width of the
            interval if all respondents picked that one; empty for others.
        half_width_among: of a question with ``ask_if``, the share of those who are asked to half
            the width of the interval among them; empty for others.
        found_from: of unlisted words, the probability that a word is found to the least share for
            it, infinite where there is none; empty for others.
        within: of a number's mean, the ends of its range, whose difference is the unit of
            ``stderr`` and ``half_width``; None for shares.
    """

    id: str
    type: str
    mechanism: str
    epsilon: float
    unit: PrivacyUnit
    attribute_epsilons: dict[str, float]
    report_bytes: int
    stderr: float
    half_width: float
    respondents_for: dict[float, int]
    level_stderr: dict[float, float]
    half_width_among: dict[float, float]
    found_from: dict[float, float]
    half_width_levels: dict[float, float]
    within: tuple[float, float] | None = None

    def in_unit(self, share: float) -> float | None:
        """Return an error in the question's own unit; None where it is one of a share."""
        return None if self.within is None else share * (self.within[1] - self.within[0])

    def to_json(self) -> dict[str, Any]:
        """Return the question's plan as JSON data."""
        levels = {str(share): error for share, error in self.level_stderr.items()}
        among = {str(share): half for share, half in self.half_width_among.items()}
        found = {
            str(chance): share if math.isfinite(share) else None
            for chance, share in self.found_from.items()
        }
        chosen = {str(level): half for level, half in self.half_width_levels.items()}
        half = self.in_unit(self.half_width)
        return {
            "id": self.id,
            "type": self.type,
            "mechanism": self.mechanism,
            "epsilon": self.epsilon,
            "per_metre": self.unit.own_budget,
            "attribute_epsilons": self.attribute_epsilons,
            "report_bytes": self.report_bytes,
            "expected_stderr": self.stderr,
            "half_width_95": self.half_width,
            **({} if self.within is None else {"half_width_95_in_unit": half}),
            "respondents_for": {str(width): n for width, n in self.respondents_for.items()},
            **({"expected_level_stderr": levels} if levels else {}),
            **({"half_width_95_among_asked": among} if among else {}),
            **({"found_from": found} if found else {}),
            **({"half_width_95_levels": chosen} if chosen else {}),
        }


@dataclass(frozen=True, slots=True)
class NewerAuto:
    """What a newer version of ``auto`` would take for a question.

    Attributes:
        id: of the question.
        auto: the version.
        mechanism: name of what it would take.
        half_width: half the width of a typical 95 % interval then.
        report_bytes: length of one report then.
    """

    id: str
    auto: int
    mechanism: str
    half_width: float
    report_bytes: int

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "id": self.id,
            "auto": self.auto,
            "mechanism": self.mechanism,
            "half_width_95": self.half_width,
            "report_bytes": self.report_bytes,
        }


class RoundsPlan(NamedTuple):
    """What one device spends on a survey that is asked in rounds.

    Attributes:
        rounds: how many.
        report: ε of a first report.
        same: ε of all rounds of people whose answers stay the same, as it is charged.
        changing: ε of all rounds whatever is answered, as it is charged where nothing refuses it.
    """

    rounds: int
    report: float
    same: float
    changing: float


@dataclass(frozen=True)
class CollectionPlan:
    """A collection before it opens: a sequence of :class:`QuestionPlan`.

    Attributes:
        name: of the collection.
        n: respondents that the errors are for.
        target: whose shares the errors are about.
        epsilon: ε of a whole submission: the sum of its questions'.
        epsilon_cap: ε that one device spends on this collection over time, at most.
        report_bytes: length of a whole submission's reports.
        questions: in the order in which they are asked.
        cautions: that its ε hides little, or that single reports may be public.
        tally: what the published figures give away as the collection publishes them.
        tally_at_end: what they would with ``publish = "end"``, as one tally of n.
        rounds: of a survey that is asked again, how many rounds there are, and ε of a first
            ``report``, of all reports of people who answer alike (``same``) and of others
            (``changing``), the sums of its questions; None where it is asked once.
        newer: the questions for which a newer ``auto`` would take another mechanism.
    """

    name: str
    n: int
    target: Target
    epsilon: Fraction
    epsilon_cap: Fraction
    report_bytes: int
    questions: tuple[QuestionPlan, ...]
    tally: TallyGuarantee | None
    tally_at_end: TallyGuarantee | None
    cautions: tuple[dict[str, Any], ...] = ()
    newer: tuple[NewerAuto, ...] = ()
    rounds: RoundsPlan | None = None

    def __iter__(self) -> Iterator[QuestionPlan]:
        return iter(self.questions)

    def __len__(self) -> int:
        return len(self.questions)

    def __getitem__(self, index: int) -> QuestionPlan:
        return self.questions[index]

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON data."""
        return {
            "collection": self.name,
            "n": self.n,
            "target": self.target,
            "epsilon": decimal_text(self.epsilon),
            "epsilon_cap": decimal_text(self.epsilon_cap),
            "report_bytes": self.report_bytes,
            **({} if self.rounds is None else {"rounds": self.rounds._asdict()}),
            "cautions": list(self.cautions),
            "questions": [question.to_json() for question in self.questions],
            "newer_auto": [one.to_json() for one in self.newer],
            "tally": None if self.tally is None else self.tally.to_json(),
            "tally_at_end": None if self.tally_at_end is None else self.tally_at_end.to_json(),
        }

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame, a row a question."""
        rows = [question.to_json() for question in self.questions]
        for row in rows:
            needed = row.pop("respondents_for")
            row["attribute_epsilons"] = list(row["attribute_epsilons"].values())
            row.update({f"respondents_for_{width}": n for width, n in needed.items()})
            levels = row.pop("expected_level_stderr", {})
            among = row.pop("half_width_95_among_asked", {})
            row.pop("half_width_95_levels", None)
            if any(question.within for question in self):
                row.setdefault("half_width_95_in_unit", None)
            if any(question.half_width_among for question in self):
                row.update(
                    {f"half_width_among_{share}": among.get(str(share)) for share in HOLDERS}
                )
            if any(question.level_stderr for question in self):
                row.update({f"level_stderr_{share}": levels.get(str(share)) for share in HOLDERS})
        return frames.build({name: [row[name] for row in rows] for name in rows[0]}, library)


def plan_collection(
    collection: Collection,
    n: int | None = None,
    target: Target = "population",
    *,
    newer: Collection | None = None,
) -> CollectionPlan:
    """Return what each question of a collection will show for ``n`` respondents.

    The errors are exact means over a question's cells, for uniform shares (the worst case). Of
    ratings they are those of an item's share at its worst, with n / d reports about each of d.

    Args:
        collection: the survey.
        n: number of respondents; default the collection's ``expected_respondents``.
        target: whose shares the errors are about.
        newer: the same survey under a newer ``auto`` (:meth:`Collection.load`), to tell what that
            would take instead.

    Raises:
        WrongTypeError, DomainError: not a collection, n or target out of range, or a question
            whose mechanism has no expected error.

    Examples:
        >>> from sudare import Collection
        >>> survey = Collection.from_toml('''
        ... [collection]
        ... name = "tea"
        ... epsilon = 2.0
        ... expected_respondents = 5000
        ... [[question]]
        ... id = "brand"
        ... type = "choice"
        ... text = "Which tea?"
        ... choices = ["oi-ocha", "iyemon", "ayataka"]
        ... ''')
        >>> tea = plan_collection(survey)[0]
        >>> tea.mechanism, round(tea.half_width, 4), tea.respondents_for[0.02]
        ('GRR', 0.0195, 4762)
    """
    if not isinstance(collection, Collection):
        raise WrongTypeError("collection", "must be a sudare.Collection", "load it from a file")
    people = collection.expected_respondents
    if n is not None:
        people = as_integer(n, "n", low=1, high=2**62)
    check_target(target)
    rule = collection.publishing
    return CollectionPlan(
        name=collection.name,
        n=people,
        target=target,
        epsilon=collection.submission_epsilon,
        epsilon_cap=collection.epsilon_cap,
        report_bytes=collection.program.report_bytes,
        questions=tuple(
            plan_question(question, people, target) for question in collection.questions
        ),
        newer=() if newer is None else tuple(_newer(collection, newer, people, target)),
        cautions=tuple(owner_cautions(collection)),
        tally=tally_guarantee(collection, people if rule.once else rule.least),
        tally_at_end=tally_guarantee(collection, people),
        rounds=_rounds(collection),
    )


def _rounds(collection: Collection) -> RoundsPlan | None:
    """Return what one device spends over the rounds; None where questions are asked once."""
    repeats = collection.repeats
    if repeats is None:
        return None
    same = float(collection.submission_epsilon)
    most = [max((q.epsilon, *collection.totals(q))) for q in collection.questions]
    report = math.fsum(question.mechanism.epsilon for question in collection.questions)
    return RoundsPlan(repeats.rounds, report, same, float(sum(most)))


def _newer(old: Collection, newer: Collection, n: int, target: Target) -> Iterator[NewerAuto]:
    """Yield what is planned for the questions that are asked by another mechanism."""
    for question, other in zip(old.questions, newer.questions, strict=True):
        if question.mechanism != other.mechanism:
            own = plan_question(other, n, target)
            yield NewerAuto(own.id, newer.auto, own.mechanism, own.half_width, own.report_bytes)


def plan_question(question: Question, n: int, target: Target = "population") -> QuestionPlan:
    """Return what one question will show for ``n`` respondents, as :func:`plan_collection`."""
    mechanism, planned = question.mechanism, question.planned
    if not isinstance(planned, Plannable):
        raise DomainError(
            f"question.{question.id}", "must have a mechanism whose expected error is known"
        )
    z = normal_quantile(0.95)
    stderr = math.sqrt(planned.expected_mse(n, target=target))
    return QuestionPlan(
        id=question.id,
        type=question.type,
        mechanism=mechanism.name,
        epsilon=mechanism.epsilon,
        unit=question.unit,
        attribute_epsilons=question.part_epsilons,
        report_bytes=mechanism.report_bytes,
        stderr=stderr,
        half_width=z * stderr,
        respondents_for={w: sample_size(planned, rmse=w / z, target=target) for w in WISHES},
        level_stderr=question.level_stderr(n, target, HOLDERS),
        half_width_among={}
        if question.ask_if is None
        else {share: z * stderr / share for share in HOLDERS},
        found_from=question.found_from(n),
        half_width_levels={
            float(one.epsilon): z * math.sqrt(one.planned.expected_mse(n, target=target))
            for one in question.levels
        },
        within=question.error_within,
    )
