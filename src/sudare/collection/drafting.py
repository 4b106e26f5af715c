"""A survey file to begin with: a question of each wanted type, with words that explain it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from textwrap import dedent

from sudare.collection import schema
from sudare.collection.questions import newest_auto, question_types
from sudare.errors import CollectionError, as_one_of
from sudare.exact import as_epsilon, decimal_text

_WORDING = re.compile(r"(?P<name>\w+)\.(?P<language>en|ja) = (?P<words>.*)")


def draft(
    name: str,
    types: Sequence[str],
    *,
    languages: Sequence[str] = ("en",),
    epsilon: object = 2,
    respondents: int = 1000,
    rounds: int = 0,
    opens: datetime | None = None,
) -> str:
    """Return the TOML text of a collection with a question of each type: it can be served at once.

    Args:
        name: of the collection.
        types: of the questions, in their order; one may stand twice.
        languages: the first is the fallback. Words that are not at hand in a language stand there
            in English, marked ``translate``.
        epsilon: of a person's whole submission; questions of places have one of their own.
        respondents: how many are expected.
        rounds: how often it is asked, each week; 0: once.
        opens: when it opens; needed with ``rounds``.

    Raises:
        CollectionError: an unknown type, or one without a template; no name, language or number.
        PrivacyError: ε is out of range.

    Examples:
        >>> print(draft("tea", ["choice"])[:25])
        [collection]
        name = "tea"
        >>> from sudare.collection import Collection
        >>> Collection.from_toml(draft("tea", ["number", "choice"])).questions[1].choices[0]
        'green'
    """
    known = {name: cls for name, cls in question_types().items() if cls.template}
    if not types:
        raise CollectionError("types", "must be at least one", f"choose from {', '.join(known)}")
    asked = [known[as_one_of(one, "types", known, CollectionError)] for one in types]
    spoken = schema.languages(list(languages), "languages")
    head = [f'name = "{schema.slug(name, "name")}"  # in the address; stays']
    if not all(cls.unit.own_budget for cls in asked):
        price = decimal_text(as_epsilon(epsilon))
        head.append(f"epsilon = {price}  # of a person's whole submission; questions share it")
    head += [
        f"expected_respondents = {schema.respondents(respondents)}  # about",
        f"auto = {newest_auto()}",
        *_times(rounds, opens, epsilon),
        f"languages = {json.dumps(spoken)}",
        'title.en = "A survey"',
        'title.ja = "アンケート"',
        'intro.en = "Your answers are randomised on this device before they are sent."',
        'intro.ja = "回答はこの端末でランダム化されてから送られます。"',
    ]
    parts = ["[collection]", *head]
    for number, cls in enumerate(asked, 1):
        text = dedent(cls.template)
        if types.count(cls.type) > 1:
            text = re.sub(r'^id = "(.*)"', rf'id = "\1-{number}"', text, count=1)
        parts += ["", "[[question]]", *text.rstrip().split("\n")]
    return "\n".join(_spoken(parts, spoken)) + "\n"


def _times(rounds: int, opens: datetime | None, epsilon: object) -> list[str]:
    if not rounds:
        return ["# closes = 2030-01-31T00:00:00+09:00"]
    if opens is None:
        raise CollectionError("opens", "must be stated with rounds")
    room = decimal_text(as_epsilon(epsilon) * 2)
    return [
        f"opens = {opens.isoformat()}",
        f'repeats = {{ every = "weekly", rounds = {rounds} }}  # or "daily", "monthly"',
        f"epsilon_cap = {room}  # room for answers that change: see `sudare plan`",
    ]


def _spoken(lines: Sequence[str], languages: Sequence[str]) -> list[str]:
    """Keep wordings in the languages that are wanted; repeat English where one is not at hand."""
    found: list[str] = []
    words: dict[str, str] = {}
    for i, line in enumerate(lines):
        wording = _WORDING.fullmatch(line)
        if wording is None:
            found.append(line)
            continue
        words[wording["language"]] = wording["words"]
        following = _WORDING.fullmatch(lines[i + 1]) if i + 1 < len(lines) else None
        if following is not None and following["name"] == wording["name"]:
            continue
        for language in languages:
            own = words.get(language, words["en"].partition("  #")[0] + "  # translate")
            found.append(f"{wording['name']}.{language} = {own}")
        words = {}
    return found
