"""Answers worded alike: each type of question, each language, each kind of collision."""

from __future__ import annotations

import json
import re
from itertools import product

import pytest

import sudare as sd
from sudare.catalogues import catalogues
from sudare.collection.collisions import plain
from sudare.collection.questions import question_types
from tests.cases import cases

HEAD = """[collection]
name = "s"
epsilon = 2.0
languages = ["en", "ja", "tlh"]
title = "S"
TEXTS
"""
LABELS = "labels = { en = EN, ja = JA, tlh = TLH }"
LISTED = (
    """[[question]]
id = "q"
type = "TYPE"
text = "Q"
"""
    + LABELS
)
MAP = """[[question]]
id = "q"
type = "place"
text = { en = "Q", ja = "Q", tlh = "Q" }
origin = [35.65, 139.70]
cell_height = 250
cell_width = 250
rows = 4
columns = 4
epsilon_per_metre = "0.01"
"""
SPOTS = "[[question.places]]\nat = [35.652, 139.702]\nname = { en = EN0, ja = JA0, tlh = TLH0 }\n"
TYPES = {
    "choice": LISTED.replace("TYPE", "choice") + '\nchoices = ["a", "b"]\n',
    "levels": LISTED.replace("TYPE", "choice") + '\nchoices = ["a", "b"]\nlevels = [1.0, 2.0]\n',
    "choices": LISTED.replace("TYPE", "choices") + '\nchoices = ["a", "b"]\n',
    "text": LISTED.replace("TYPE", "text") + '\nknown = ["a", "b"]\n',
    "ratings": LISTED.replace("TYPE", "ratings") + '\nitems = ["a", "b"]\n',
    "held": LISTED.replace("TYPE", "ratings").replace("labels", "held") + '\nitems = ["c", "d"]\n',
    "crosstab": """[[question]]
id = "q"
type = "crosstab"
text = "Q"
wanted = "cells"
[[question.attributes]]
id = "one"
text = "One"
choices = ["c", "d"]
[[question.attributes]]
id = "two"
text = "Two"
choices = ["a", "b"]
""" + LABELS,
    "place": MAP + SPOTS + re.sub("(EN|JA|TLH)0", r"\g<1>1", SPOTS),
    "at": MAP + """at = "home,work"
at_names.home = { en = EN0, ja = JA0, tlh = TLH0 }
at_names.work = { en = EN1, ja = JA1, tlh = TLH1 }
""",
}  # fmt: skip
NAMES = {
    "held": ("no", "yes"), "place": ("places[0]", "places[1]"), "at": ("q-home", "q-work"),
}  # fmt: skip
WITHOUT = {"number", "words"}
"""Types whose answers the owner does not word."""

ALIKE = {
    "to the letter": ("Fair", "Fair"),
    "case": ("Fair", "FAIR"),
    "case of more letters": ("Straße", "STRASSE"),
    "width": ("Fair", "Ｆａｉｒ"),
    "half-width kana": ("ガラス", "ｶﾞﾗｽ"),
    "composed": ("caf\u00e9", "cafe\u0301"),
    "ligature": ("\ufb01ne", "fine"),
    "around": ("Fair", "  Fair\t"),
    "within": ("So so", "So \u3000so"),
    "no-break": ("So so", "So\u00a0so"),
    "line": ("So so", "So\\nso"),
    "unseen": ("Fair", "Fa\u200b\u00adir\u2060"),
    "selector": ("\u2764", "\u2764\ufe0f"),
}
APART = [
    ("Fair", "Fairly"),
    ("Ba", "Pa"),
    ("So so", "Soso"),
    ("か", "が"),
    ("は", "ば"),
    ("1", "-1"),
]
LANGUAGES = ("en", "ja", "tlh")


def survey(kind: str, words: dict[str, tuple[str, str]], texts: str = "") -> str:
    text = HEAD.replace("TEXTS", texts) + TYPES[kind]
    for language, pair in words.items():
        own = [f'"{one}"' for one in pair]
        tag = language.upper()
        text = text.replace(f"= {tag}0", f"= {own[0]}").replace(f"= {tag}1", f"= {own[1]}")
        text = re.sub(rf"= {tag}\b", lambda _, own=own: f"= [{', '.join(own)}]", text)
    return text


def worded(language: str, pair: tuple[str, str]) -> dict[str, tuple[str, str]]:
    """Return words that are apart but in one language."""
    return {one: (f"x-{one}", f"y-{one}") for one in LANGUAGES} | {language: pair}


def test_every_type_is_here() -> None:
    own = {"levels", "held", "at"}
    standing = {
        name for name, one in question_types().items() if one.__module__.startswith("sudare")
    }
    assert standing - WITHOUT - {"levelled"} == set(TYPES) - own


@pytest.mark.parametrize("kind", TYPES)
def test_two_of_one_wording_are_refused(kind: str) -> None:
    """In each language alone, with the question, the language and both."""
    first, second = NAMES.get(kind, ("a", "b"))
    for language, (name, pair) in product(LANGUAGES, ALIKE.items()):
        text = survey(kind, worded(language, pair))
        with pytest.raises(sd.CollectionError) as caught:
            sd.Collection.from_toml(text)
        said = str(caught.value)
        assert caught.value.argument.startswith("question.q."), (name, said)
        assert caught.value.argument.endswith(f".{language}"), (name, said)
        assert f"must not word {first} and {second} alike in {language}" in said, (name, said)
        assert "write different words" in said


@cases("kind", TYPES)
def test_what_was_served_is_read_and_restored(kind: str) -> None:
    """By a register's text and by a document; words are not in the fingerprint."""
    old = survey(kind, worded("ja", ("ふつう", "ふつう")))
    served = sd.Collection.from_toml(old, served=True)
    right = sd.Collection.from_toml(survey(kind, worded("ja", ("ふつう", "よい"))))
    assert served.fingerprint == right.fingerprint
    document = json.loads(json.dumps(served.compiled()))
    assert sd.Collection.from_compiled(document).compiled() == served.compiled()


@cases("kind", TYPES)
def test_what_reads_differently_is_taken(kind: str) -> None:
    for language, pair in product(LANGUAGES, APART):
        sd.Collection.from_toml(survey(kind, worded(language, pair)))


PAGES = {
    "choice.prefer-not-to-say": ("choice", "choices", "text", "levels", "crosstab"),
    "choices.none": ("choices",),
    "text.other": ("text",),
}
IDS = {
    "choice.prefer-not-to-say": "prefer-not-to-say", "choices.none": "[]", "text.other": "other",
}  # fmt: skip


@cases("key", PAGES)
def test_an_answer_worded_as_one_of_the_pages_is_refused(key: str) -> None:
    """What pages say in the language, or in English; also as owners translate it."""
    own = f'texts.tlh = {{ "{key}" = "Qo" }}'
    for kind, (language, said, texts) in product(
        PAGES[key],
        [
            ("en", catalogues()["en"][key].upper(), ""),
            ("ja", f" {catalogues()['ja'][key]} ", ""),
            ("tlh", catalogues()["en"][key], ""),
            ("tlh", "QO", own),
        ],
    ):
        text = survey(kind, worded(language, ("x", said)), texts)
        with pytest.raises(
            sd.CollectionError, match=f"b and {re.escape(IDS[key])} alike"
        ) as caught:
            sd.Collection.from_toml(text)
        if kind != "text":
            assert caught.value.argument.endswith(language)
        if key == "choice.prefer-not-to-say":  # the only one of that wording
            plainly = text.replace('"a", "b"]', '"a", "b"]\nprefer_not_to_say = false')
            sd.Collection.from_toml(plainly)


def test_a_word_that_lacks_is_that_of_another_language() -> None:
    """The Japanese page shows English labels beside its own "prefer not to say"."""
    text = survey("choice", worded("en", ("x", catalogues()["ja"]["choice.prefer-not-to-say"])))
    text = re.sub(r", ja = .*", " }", text)
    with pytest.raises(sd.CollectionError, match="b and prefer-not-to-say alike in ja"):
        sd.Collection.from_toml(text)


@cases("en, ja", [(("Tea", "Coffee"), ("Kohi", "Tea")), (("B", "Coffee"), ("x", "y"))])
def test_a_typed_word_is_one_answer_in_whatever_language(
    en: tuple[str, str], ja: tuple[str, str]
) -> None:
    words = worded("en", en) | {"ja": ja}
    with pytest.raises(sd.CollectionError, match="must not word a and b alike"):
        sd.Collection.from_toml(survey("text", words))
    sd.Collection.from_toml(survey("choice", words))  # no page shows both


def test_how_wordings_are_compared() -> None:
    for first, second in ALIKE.values():
        assert plain(first.replace("\\n", "\n")) == plain(second.replace("\\n", "\n"))
    for first, second in APART:
        assert plain(first) != plain(second)
    flags = [
        "\U0001f3f4" + "".join(chr(0xE0000 + ord(one)) for one in f"gb{part}\x7f")
        for part in ("sct", "wls")
    ]
    assert plain(flags[0]) != plain(flags[1])
