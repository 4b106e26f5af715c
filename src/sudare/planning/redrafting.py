"""A survey's text under another ε and for other numbers of respondents: what a slider moves."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from sudare.collection import Collection
from sudare.errors import CollectionError
from sudare.exact import as_integer, decimal_text, epsilon_from_text
from sudare.planning.survey import plan_question

_HEAD = re.compile(r"^[ \t]*\[collection\][ \t]*(?:#.*)?$", re.MULTILINE)
_NEXT = re.compile(r"^[ \t]*\[", re.MULTILINE)


def redraft(text: str, epsilon: str | None = None, n: object = None) -> dict[str, Any]:
    """Return what a survey will show, as it is or under another ε and n.

    Questions that state an ε of their own keep it, within the new one.

    Args:
        text: the definition, as TOML.
        epsilon: of a whole submission, as decimal text; None for what the text states.
        n: respondents that are expected; None for what the text states.

    Returns:
        ``text`` with both written in, its ``compiled`` document and its ``plan``: ``n``,
        ``epsilon`` and the ``questions``, each as :class:`~sudare.planning.survey.QuestionPlan`.

    Raises:
        CollectionError, PrivacyError: the text is refused, or would be under this ε.
        DomainError, WrongTypeError: ε or n out of range.

    Examples:
        >>> from sudare.collection.drafting import draft
        >>> told = redraft(draft("tea", ["choice"]), epsilon="1.5", n=4000)
        >>> Collection.from_toml(told["text"]).epsilon, told["plan"]["n"]
        (Fraction(3, 2), 4000)
    """
    wanted = {}
    if epsilon is not None:
        wanted["epsilon"] = epsilon_from_text(epsilon, "epsilon")
    if n is not None:
        wanted["expected_respondents"] = Fraction(as_integer(n, "n", low=1, high=10**12))
    for name, value in wanted.items():
        shown = decimal_text(value)
        text = _stated(text, name, shown if name == "epsilon" else str(int(value)))
    collection = Collection.from_toml(text)
    for name, value in wanted.items():
        if getattr(collection, name) != value:
            raise CollectionError(
                f"collection.{name}", "must stand in a line of its own", "write it as a = b"
            )
    people = collection.expected_respondents
    plan = {
        "n": people,
        "epsilon": decimal_text(collection.epsilon),
        "questions": [plan_question(one, people).to_json() for one in collection.questions],
    }
    return {"text": text, "compiled": collection.compiled(), "plan": plan}


def _stated(text: str, name: str, value: str) -> str:
    """Return the text with a value of its ``[collection]``, in the place of the one it has."""
    head = _HEAD.search(text)
    if head is None:
        return text
    following = _NEXT.search(text, head.end())
    end = following.start() if following else len(text)
    own, rest = text[head.end() : end], text[end:]
    line = re.compile(rf"^([ \t]*{name}[ \t]*=[ \t]*)[^#\s]+", re.MULTILINE)
    changed, found = line.subn(rf"\g<1>{value}", own, count=1)
    if not found:
        changed = f"\n{name} = {value}{own}"
    return text[: head.end()] + changed + rest
