"""What an owner and a reader should know of a collection: an ε that hides little, lone reports."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sudare.catalogues import catalogues, without_catalogue
from sudare.collection.questions.chances import even, sure
from sudare.errors import counted
from sudare.exact import as_epsilon, decimal_text, exp_bounds

if TYPE_CHECKING:
    from sudare.collection import Collection

HIGH, VERY_HIGH = 4, 10
"""Above these ε a collection is spoken of as one that hides little, and next to nothing."""

SINGLE = "single-reports"
_SINGLE = {
    "steps": "a public step may be of one report, as publish_at or publish_every is 1: whoever "
    "polls the results can read reports one by one, as they were sent",
    "end": "publish_at is 1: if one person alone answers, the public result is that report as it "
    "was sent",
}
UNTRANSLATED = "no-catalogue"
SHORT_ROUND = "short-round"


def code_of(epsilon: Fraction) -> str | None:
    """Return the code of an ε: None, ``"high-epsilon"`` or ``"very-high-epsilon"``.

    Examples:
        >>> code_of(Fraction(4)), code_of(Fraction(5)), code_of(Fraction(20))
        (None, 'high-epsilon', 'very-high-epsilon')
    """
    if epsilon <= HIGH:
        return None
    return "high-epsilon" if epsilon <= VERY_HIGH else "very-high-epsilon"


def cautions(collection: Collection) -> list[dict[str, Any]]:
    """Return the cautions about a collection's ε as JSON data; empty where there are none.

    Each has its ``code``, the ``epsilon`` of the submission, or between the nearest cells of the
    ``question`` that is a place, and ``belief``: the most that such a report makes of 50:50,
    rounded up.
    """
    found = [_caution(collection.submission_epsilon)]
    for question in collection.questions:
        if question.unit.own_budget:
            near = Fraction(question.nearest_epsilon)
            found.append(_caution(near, question=question.id))
    return [one for one in found if one]


def owner_cautions(collection: Collection) -> list[dict[str, Any]]:
    """Return :func:`cautions`, and what the owner should know of publication, rounds, languages.

    ``"single-reports"``: a publication may be of one report, in ``"steps"`` or at the ``"end"``.
    ``"short-round"``: the last round is of so few ``hours``, less than half of any other.
    ``"no-catalogue"``: the pages around the questions cannot be had in some of its ``languages``.
    """
    rule = collection.publishing
    single = {"code": SINGLE, "when": "end" if rule.once else "steps"}
    last = None if collection.repeats is None else collection.repeats.short
    short = {
        "code": SHORT_ROUND,
        "hours": 0 if last is None else round(last / timedelta(hours=1), 1),
    }
    said = {language for texts in collection.page_texts.values() for language in texts}
    untold = {
        "code": UNTRANSLATED,
        "languages": [one for one in without_catalogue(collection.languages) if one not in said],
    }
    return [
        *cautions(collection),
        *([single] if rule.least == 1 else []),
        *([] if last is None else [short]),
        *([untold] if untold["languages"] else []),
    ]


def caution_of(epsilon: object) -> dict[str, Any]:
    """Return the caution about an ε alone, as :func:`cautions`; empty where there is none."""
    return _caution(as_epsilon(epsilon))


def _caution(epsilon: Fraction, **more: str) -> dict[str, Any]:
    code = code_of(epsilon)
    if code is None:
        return {}
    belief = even(exp_bounds(epsilon)[1])
    up = math.nextafter(float(belief), 1.0)
    return {"code": code, **more, "epsilon": decimal_text(epsilon, 6), "belief": up}


def in_words(caution: Mapping[str, Any]) -> str:
    """Return a caution in words."""
    if caution["code"] == SINGLE:
        return _SINGLE[caution["when"]]
    if caution["code"] == UNTRANSLATED:
        return (
            f"the words around the questions are not there in {', '.join(caution['languages'])}, "
            f"only in {', '.join(catalogues())}: another language is shown, unless you add a file "
            "or write them under [collection.texts]"
        )
    if caution["code"] == SHORT_ROUND:
        return (
            f"the last round is of {counted(caution['hours'], 'hour')}, less than half "
            "of any other: it "
            "has its part of ε all the same; move closes, or state rounds"
        )
    where = f" between the nearest cells of {caution['question']}" if "question" in caution else ""
    much = "high" if caution["code"] == "high-epsilon" else "very high"
    return (
        f"ε = {caution['epsilon']}{where} is {much}: a report can make who sees it "
        f"{sure_of(caution['belief'])} % sure of an answer that seemed 50:50 before"
    )


def sure_of(belief: float) -> str:
    """Return the belief of a caution in per cent, never as certainty."""
    return sure(min(Fraction(belief), 1 - Fraction(1, 10**16)))
