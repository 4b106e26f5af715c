"""What a survey says in the place of the pages' words: which keys, places and languages."""

from __future__ import annotations

import copy
import re

import pytest
from in_node import ask

import sudare as sd
from sudare.catalogues import FORM, catalogues
from sudare.collection.checking import advice
from sudare.collection.wordings import REPLACEABLE, is_locked, read_page_texts
from tests.cases import cases

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


@cases(
    "texts, said",
    [
        ('fr = { submit = "Envoyer" }', "collection.texts.fr is not a field"),
        ('ar-one-two = { submit = "..." }', "must be a tag such as ar"),
        ('ar = { sent = "..." }', "collection.texts.ar.sent is not said by any page"),
        ('ar = { submit = " " }', "collection.texts.ar.submit must be text"),
        ("ar = { submit = 3 }", "collection.texts.ar.submit must be text"),
        ('ar = "submit"', "collection.texts.ar must be a table of texts"),
        ('ar = { "tells.kept" = "Many send it." }', "must have the places .* {of}, {part}"),
        ('en = { loading = "Opening {it}" }', "must have the places of the English text: none"),
        ('en = { "how.leaves" = "Certified: {doubt}" }', "en.how.leaves must not be replaced"),
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


LIES = re.compile(
    "ε|epsilon|%|random|chance|likel|sure|certain|doubt|probab|report|batch|remember|device|browser"
    "|kept|keeps|memory|hidden|hide|publi|honest|spend|spent|fingerprint|invitations in"
    "|乱数|ランダム|確率|偶然|確か|端末|記憶|覚え|報告|公開"
    "|zufäl|wahrschein|sicher|zweifel|meldung|gerät|merkt|speicher|öffentlich",
    re.IGNORECASE,
)
"""What a text speaks of that must stay as it is."""

NEUTRAL = {"place.unavailable", "place.map", "place.looking"}
"""Of the device's position alone."""


def test_what_may_be_reworded_speaks_of_nothing_that_is_promised() -> None:
    assert len(REPLACEABLE) < len({FORM.sub("", key) for key in catalogues()["en"]}) / 4
    for language, own in catalogues().items():
        said = {FORM.sub("", key): text for key, text in own.items()}
        assert set(said) >= REPLACEABLE
        for key, text in own.items():
            if (base := FORM.sub("", key)) in REPLACEABLE - NEUTRAL:
                assert not LIES.search(text), (language, base, text)


@cases("language", [*catalogues(), "en-GB", "de-AT", "ja-JP", "eng", "jpn"])
def test_each_key_is_locked_unless_listed(language: str) -> None:
    """A key that is added tomorrow is locked as well; languages without a catalogue translate."""
    for key, text in {**catalogues()["en"], "how.epsilon.two": "{epsilon}, {factor}"}.items():
        free = FORM.sub("", key) in REPLACEABLE
        if not text.strip():
            continue
        assert read_page_texts({"ar": {key: text}}, "texts", ("ar",)) == {key: {"ar": text}}
        assert is_locked(key, language) is not free
        given = {language: {key: text}}
        if free:
            assert read_page_texts(given, "texts", (language,)) == {key: {language: text}}
            continue
        with pytest.raises(sd.CollectionError, match="must not be replaced"):
            read_page_texts(given, "texts", (language,))
        assert read_page_texts(given, "texts", (language,), served=True) == {}
    assert is_locked("a.key.of.tomorrow", language)


def test_what_was_stored_goes_on_without_what_is_locked_by_now() -> None:
    """Both as text of a register and as a document of a database; the fingerprint stays."""
    lie = 'en = { "how.chance" = "Certified: nobody can ever learn it.", loading = "One moment" }'
    with pytest.raises(sd.CollectionError, match="must not be replaced"):
        tea(lie)
    served = sd.Collection.from_toml(TEA.replace("TEXTS", lie), served=True)
    document = tea('en = { loading = "One moment" }').compiled()
    document["texts"]["pages"]["how.chance"] = {"en": "Certified: nobody can ever learn it."}
    for one in (served, sd.Collection.from_compiled(document)):
        assert one.page_texts == {"loading": {"en": "One moment"}}
        assert one.fingerprint == tea("").fingerprint


def test_check_lists_what_an_owner_has_written() -> None:
    own, _ = advice(tea('en = { "page.next" = "Go on", loading = "One moment" }'))
    assert own.code == "replaced-page-texts"
    assert own.parameters == {"language": "en", "keys": ["loading", "page.next"]}
    assert own.text == "the pages say the owner's words in en by texts.en: loading, page.next"


def test_check_says_how_much_is_left_in_english() -> None:
    (nothing,) = advice(tea(""))
    assert "the words around the questions are not there in ar" in nothing.text
    (some, _) = advice(tea('ar = { submit = "إرسال", loading = "..." }'))
    assert re.fullmatch(
        r"the pages say 2 of \d{3} texts in ar by texts.ar, the others in en: .*", some.text
    )
