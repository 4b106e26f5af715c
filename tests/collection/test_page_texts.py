"""What a survey says in the place of the pages' words: which keys, places and languages."""

from __future__ import annotations

import copy
import re

import pytest
from in_node import ask

import sudare as sd
from sudare.catalogues import catalogues
from sudare.collection.checking import advice

TEA = """
[collection]
name = "tea"
epsilon = 2.0
auto = 3
closes = 2030-01-01T00:00:00Z
languages = ["en", "ar"]
title = { en = "Tea", ar = "شاي" }
texts = { TEXTS }
[[question]]
id = "brand"
type = "choice"
text = { en = "Which?", ar = "أيّ؟" }
choices = ["green", "black"]
labels = { en = ["Green", "Black"], ar = ["أخضر", "أسود"] }
"""


def tea(texts: str) -> sd.Collection:
    more = ', "ar-one-two"' if "ar-one" in texts else ""
    text = TEA.replace("TEXTS", texts).replace(', "ar"]', f', "ar"{more}]')
    return sd.Collection.from_toml(text)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ('fr = { submit = "Envoyer" }', "collection.texts.fr is not a field"),
        ('ar-one-two = { submit = "..." }', "must be a tag such as ar"),
        ('ar = { sent = "..." }', "collection.texts.ar.sent is not said by any page"),
        ('ar = { submit = " " }', "collection.texts.ar.submit.ar must be text"),
        ("ar = { submit = 3 }", "collection.texts.ar.submit.ar must be text"),
        ('ar = "submit"', "collection.texts.ar must be a table of texts"),
        ('en = { "tells.kept" = "Many send it." }', "must have the places .* {of}, {part}"),
        ('en = { submit = "Send {it}" }', "must have the places of the English text: none"),
    ],
)
def test_what_is_refused(texts: str, said: str) -> None:
    with pytest.raises(sd.CollectionError, match=said):
        tea(texts)


def test_forms_are_those_of_the_language() -> None:
    """Arabic has six; places that some English form leaves out may be left out."""
    key = next(key for key in catalogues()["en"] if key.endswith(".one"))
    base, text = key.removesuffix(".one"), catalogues()["en"][f"{key.removesuffix('.one')}.other"]
    found = tea(f'''ar = {{ "{base}.two" = "{text}", "{base}.many" = "{text}" }}''')
    assert set(found.page_texts) == {f"{base}.two", f"{base}.many"}


def test_they_are_not_in_the_fingerprint_and_travel_with_the_document() -> None:
    own, plain = tea('ar = { submit = "إرسال" }'), tea("")
    assert own.fingerprint == plain.fingerprint
    assert "pages" not in plain.compiled()["texts"]
    document = own.compiled()
    assert document["texts"]["pages"] == {"submit": {"ar": "إرسال"}}
    assert sd.Collection.from_compiled(document).page_texts == own.page_texts
    foreign = copy.deepcopy(document)
    foreign["texts"]["pages"]["submit"]["fr"] = "Envoyer"
    with pytest.raises(sd.CollectionError):
        sd.Collection.from_compiled(foreign)
    later = copy.deepcopy(document)
    later["texts"]["pages"]["a.key.of.later"] = {"ar": "..."}
    assert sd.Collection.from_compiled(later).fingerprint == own.fingerprint
    judged = ask("judge.js", [document, foreign, later])
    assert [one["accepted"] for one in judged] == [True, False, True]


def test_check_says_how_much_is_left_in_english() -> None:
    (nothing,) = advice(tea(""))
    assert "the words around the questions are not there in ar" in nothing.text
    (some,) = advice(tea('ar = { submit = "إرسال", loading = "..." }'))
    assert re.fullmatch(
        r"the pages say 2 of \d{3} texts in ar by texts.ar, the others in en: .*", some.text
    )
