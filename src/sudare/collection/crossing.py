"""Any two or three questions of a collection, crossed after it was collected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy.typing as npt

from sudare.collection.definition import Collection
from sudare.collection.questions import Choice, Place, Question
from sudare.errors import DomainError, WrongTypeError
from sudare.estimation.estimate import Target
from sudare.mechanisms.crossed import Crossed, cross
from sudare.mechanisms.place.flows import flows


@dataclass(frozen=True)
class CrossedError:
    """The error of a table of questions that were randomised apart, as a plan asks for it.

    Where all answers are equally common the second moment of what a report says of a cell is the
    product of those of its questions.

    Attributes:
        parts: what is planned of each question.
        sizes: how many answers each has.
    """

    parts: tuple[Any, ...]
    sizes: tuple[int, ...]

    def expected_mse(
        self, n: int, shares: npt.ArrayLike | None = None, target: Target = "population"
    ) -> float:
        """Return the mean over the cells of the expected squared error of a share, at even ones.

        Raises:
            DomainError: shares are given, or the error of a part is not known.
        """
        if shares is not None:
            raise DomainError("shares", "must be left out", "even ones are assumed")
        pairs = zip(self.parts, self.sizes, strict=True)
        square = prod(part.expected_mse(1, None, "population") + 1 / k**2 for part, k in pairs)
        cells = prod(self.sizes)
        return float(square - (1 / cells**2 if target == "population" else 1 / cells)) / n


def crossable(collection: Collection) -> tuple[str, ...]:
    """Return the ids of the questions that can be crossed: choices that everybody is asked."""
    return _asked_of_all(collection, Choice)


def flowing(collection: Collection) -> tuple[str, ...]:
    """Return the ids of the questions about places that can be crossed two by two."""
    return _asked_of_all(collection, Place)


def _asked_of_all(collection: Collection, kind: type[Question]) -> tuple[str, ...]:
    return tuple(
        question.id
        for question in collection.questions
        if isinstance(question, kind) and question.ask_if is None
    )


def cross_questions(
    collection: Collection,
    questions: Sequence[str],
    submissions: bytes,
    *,
    target: Target = "population",
) -> Crossed:
    """Estimate the joint table of two or three choice questions from whole submissions, or of two
    questions about places: the flows from one to the other, by cells of the land.

    No ε is spent: the submissions were paid for when they were sent, whatever is computed from
    them. Nobody has to have planned the table.

    Args:
        collection: what was asked.
        questions: ids of two or three choices that everybody is asked, each once.
        submissions: as :func:`~sudare.files.read_submissions` returns them.
        target: whose shares the standard errors are about.

    Returns:
        Counts of pairs and the estimate; categories in the order of the questions' choices.

    Raises:
        WrongTypeError, DomainError: not two or three such ids, or an unknown target.
        ReportError: submissions of another collection.
        EstimationError: fewer than two submissions, or more than 1,024 cells.

    Examples:
        >>> collection, submissions = read_submissions("reports.parquet")     # doctest: +SKIP
        >>> found = cross_questions(collection, ["tea", "age"], submissions)  # doctest: +SKIP
        >>> found.estimate.dependence()                                       # doctest: +SKIP
        Dependence(V=0.212, 95 % interval 0.13 to 0.294)
    """
    remedy = f"of {', '.join(crossable(collection)) or 'none'}"
    if isinstance(questions, str) or not isinstance(questions, Sequence):
        raise WrongTypeError("questions", "must be a list of two or three ids", remedy)
    two = len(questions) == len(set(questions)) == 2
    if two and set(questions) <= set(flowing(collection)):
        return _flows(collection, questions, submissions, target)
    if len(questions) not in (2, 3) or len(set(questions)) < len(questions):
        raise DomainError("questions", "must be two or three, each once", remedy)
    if not set(questions) <= set(crossable(collection)):
        raise DomainError("questions", "must be choices that everybody is asked", remedy)
    places = [[q.id for q in collection.questions].index(one) for one in questions]
    reports = collection.program.decode(submissions)
    mechanisms: list[Any] = [collection.questions[place].mechanism for place in places]
    return cross(mechanisms, [reports[place] for place in places], target=target)


def _flows(
    collection: Collection, questions: Sequence[str], submissions: bytes, target: Target
) -> Crossed:
    places = [[q.id for q in collection.questions].index(one) for one in questions]
    reports = collection.program.decode(submissions)
    own: list[Any] = [collection.questions[place] for place in places]
    return flows(
        [one.mechanism for one in own],
        [reports[place] for place in places],
        [one.people for one in own],
        target=target,
    )
