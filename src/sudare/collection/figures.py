"""What is published of a question, as JSON data; of one with ``ask_if`` among those asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.collection.definition import Collection
from sudare.collection.questions import Question
from sudare.estimation import Counts
from sudare.estimation.estimate import Target

FEW_ASKED = "few-asked"
"""Code of the warning that nothing can be said of those asked."""


def question_json(
    collection: Collection,
    place: int,
    counts: tuple[Counts, ...],
    *,
    target: Target,
    confidence: float,
) -> dict[str, Any]:
    """Return what is published of a question; of one with ``ask_if`` among those asked."""
    question, own = collection.questions[place], counts[place]
    if question.ask_if is None:
        found = question.results(own, target, confidence)
    else:
        found = _among(collection, question, own, counts, target, confidence)
    return {
        "id": question.id,
        "type": question.type,
        "mechanism": question.mechanism.to_json(),
        **question.guarantee(),
        "n": int(own.n),
        **found,
    }


def _among(
    collection: Collection,
    question: Question,
    own: Counts,
    counts: tuple[Counts, ...],
    target: Target,
    confidence: float,
) -> dict[str, Any]:
    """Return figures among those asked, and the share of these; nothing but it where few were."""
    rule: Any = question.ask_if
    asked = rule.share(collection.questions, counts, target) if own.n else None
    if asked is not None and asked.enough(confidence):
        told = question.results_among(own, asked, confidence)
    else:
        nothing = Counts(np.zeros_like(own.support), 0, own.mechanism)
        told = question.results(nothing, target, confidence)
        told["warnings"] = [] if asked is None else [{"code": FEW_ASKED}]
    names = ("share", "stderr", "low", "high")
    share: dict[str, float | None] = dict.fromkeys(names)
    if asked is not None:
        of_all = asked.share
        figures = of_all.value, of_all.stderr, *of_all.interval(confidence)
        share = dict(zip(names, figures, strict=True))
    return {**told, "method": "among-asked", "asked": {**rule.definition(), **share}}
