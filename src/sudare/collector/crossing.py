"""Questions crossed afterwards, as JSON: counts of pairs, shares, and how strongly they depend."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import singledispatch
from itertools import combinations, product
from typing import Any

import numpy as np

from sudare.collection import Collection
from sudare.collection.crossing import CrossedError, cross_questions
from sudare.collection.questions import Place
from sudare.collection.questions.base import figures as figures_of
from sudare.errors import DomainError
from sudare.estimation.estimate import Target
from sudare.mechanisms.crossed import Crossed
from sudare.planning.respondents import least_answers

COVERS = "these answers together; the table costs nothing beyond what their reports did"


def cross_json(
    collection: Collection,
    questions: Sequence[str],
    submissions: bytes,
    target: Target,
    confidence: float,
) -> dict[str, Any]:
    """Return the joint table of two or three questions.

    Args:
        collection: what was asked.
        questions: ids of its choices.
        submissions: whole ones, as they are stored.
        target: whose shares.
        confidence: of each cell's interval.

    Raises:
        DomainError: not such questions.
        EstimationError: fewer than two submissions, or too many cells.
    """
    whole = cross_questions(collection, questions, submissions, target=target)
    pairs = [
        whole
        if len(questions) == 2
        else cross_questions(collection, pair, submissions, target=target)
        for pair in combinations(questions, 2)
    ]
    return {
        "name": collection.name,
        "questions": list(questions),
        "n": whole.estimate.n,
        "target": target,
        "confidence": confidence,
        "epsilon": whole.estimate.epsilon,
        "covers": COVERS,
        **_table(collection, questions, whole, target, confidence),
        "pairs": [
            {
                "questions": list(pair),
                **_table(collection, pair, found, target, confidence),
                "dependence": _dependence(collection, pair, found, confidence),
            }
            for pair, found in zip(combinations(questions, 2), pairs, strict=True)
        ],
    }


def _table(
    collection: Collection,
    questions: Sequence[str],
    found: Crossed,
    target: Target,
    confidence: float,
) -> dict[str, Any]:
    choices = [_choices(collection, name) for name in questions]
    parts = {question.id: question.planned for question in collection.questions}
    planned = CrossedError(tuple(parts[name] for name in questions), tuple(map(len, choices)))
    table = found.estimate
    rows = figures_of(table, table.shares.size, confidence)
    each = zip(product(*choices), found.pairs.ravel().tolist(), rows, strict=True)
    return {
        "cells": [{"choices": some, "reports": pairs, **row} for some, pairs, row in each],
        "warnings": [{"code": one.code, "cells": list(one.cells)} for one in table.warnings],
        "least_answers": max(least_answers(part, target) for part in (planned, *planned.parts)),
    }


def _choices(collection: Collection, name: str) -> list[str]:
    return _answers(next(one for one in collection.questions if one.id == name))


@singledispatch
def _answers(question: Any) -> list[str]:
    return list(question.choices)


@_answers.register
def _(question: Place) -> list[str]:
    return [str(cell) for cell in np.flatnonzero(question.on_land).tolist()]


def _dependence(
    collection: Collection, pair: Sequence[str], found: Crossed, confidence: float
) -> dict[str, Any]:
    """Return Cramér's V of two questions, from their own table: a third one would add noise."""
    v = found.estimate.dependence()
    told = zip(("value", "low", "high"), (v.value, *v.interval(confidence)), strict=True)
    return {
        "measure": "cramers-v",
        **{name: None if math.isnan(one) else one for name, one in told},
        "left_out": [
            [_choices(collection, one)[place] for place in some]
            for one, some in zip(pair, v.left_out, strict=True)
        ],
    }


def questions_of(given: Mapping[str, str]) -> list[str]:
    """Return the ids that a query names, ``questions=tea,age``.

    Raises:
        DomainError: it names none.
    """
    if not given.get("questions"):
        raise DomainError("questions", "must name two or three choices", "questions=tea,age")
    return given["questions"].split(",")
