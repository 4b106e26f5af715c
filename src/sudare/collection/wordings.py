"""``texts``: what a survey's owner says in the place of the pages' own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from sudare.catalogues import DEFAULT, FORM, catalogues, closest, without_catalogue
from sudare.collection import schema
from sudare.errors import CollectionError

PageTexts = Mapping[str, schema.Texts]
"""By key of a catalogue, and by language."""

_WELL_FORMED = re.compile(r"[a-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?")
"""Tags that every browser takes: a language, a script and a region."""

_PLACE = re.compile(r"\{(\w+)\}")

_SHORT = {"eng": "en", "jpn": "ja", "deu": "de", "ger": "de"}
"""Longer codes of languages with a catalogue (ISO 639-2): they would get round what is locked."""

_LABELS = """
language.name language.switch skip loading back
question.number question.more question.filter question.shown
submit.missing submit.open page.back page.next sent.results
invite.title invite.code invite.hint invite.submit invite.mistyped
early.title early.body closed.title closed.body closes
error.missing error.retry error.window
results.eyebrow results.title results.order results.order.defined results.order.share
results.choice results.answer results.more
results.download results.download.all results.download.of
choice.missing choices.all choices.hint choices.limit choices.missing
crosstab.missing crosstab.pair number.range number.missing number.bin
place.position place.map place.cell place.sea place.off-road place.none place.chosen
place.is-sea place.is-off-road place.looking place.denied place.unavailable place.timeout
place.outside place.at-sea place.at-off-road place.missing
place.cell-head place.areas place.area-head
ratings.how ratings.untouched ratings.say ratings.rate ratings.missing ratings.missing.item
ratings.item text.word text.missing words.answer words.missing words.word
"""

REPLACEABLE = frozenset(_LABELS.split())
"""Keys, without forms, that an owner may reword where the pages have words of their own.

All others are locked: with them the pages say in Sudare's name what chance does, what a report
tells, what is kept, and which answers the pages themselves offer.
"""


def read_page_texts(
    value: Any, where: str, known: tuple[str, ...], *, served: bool = False
) -> PageTexts:
    """Read ``[collection.texts.LANGUAGE]`` tables, whose keys are those of the catalogues.

    Args:
        value: the tables.
        where: they stand.
        known: the collection's languages.
        served: whether a collector has the file already; locked texts are then left out.

    Raises:
        CollectionError: a language that is not the collection's, a key that no page says, a locked
            text, or one that leaves out or adds a ``{place}``: what pages promise is said in every
            wording.
    """
    if not isinstance(value, Mapping):
        raise CollectionError(where, "must be a table of languages", f"[{where}.{known[0]}]")
    schema.refuse_unknown(value, known, where)
    out: dict[str, schema.Texts] = {}
    for language, texts in value.items():
        spot = f"{where}.{language}"
        if not _WELL_FORMED.fullmatch(language):
            raise CollectionError(spot, "must be a tag such as ar, ar-EG or az-Arab")
        if not isinstance(texts, Mapping):
            raise CollectionError(spot, "must be a table of texts", 'write "submit" = "..."')
        for key, text in texts.items():
            schema.label(text, f"{spot}.{key}")
            if is_locked(key, language) and FORM.sub("", key) in _places():
                if served:
                    continue
                raise CollectionError(
                    f"{spot}.{key}",
                    "must not be replaced: there the pages say what Sudare answers for",
                    "leave it out; your own words go into title, intro and the questions' text",
                )
            _check_places(key, text, f"{spot}.{key}")
            out.setdefault(key, {})[language] = text
    return out


def is_locked(key: str, language: str) -> bool:
    """Return whether the pages' own text of a key stands in a language, whatever an owner says.

    Examples:
        >>> is_locked("how.chance", "en-GB"), is_locked("page.next", "en-GB")
        (True, False)
        >>> is_locked("how.chance", "ar")  # nothing of it is there: owners translate
        False
    """
    first, *more = language.lower().split("-")
    tag = "-".join((_SHORT.get(first, first), *more))
    return closest(tag, catalogues()) is not None and FORM.sub("", key) not in REPLACEABLE


def without_locked(page_texts: PageTexts) -> PageTexts:
    """Return the texts of a stored definition without those that are locked by now."""
    kept = {
        key: {one: text for one, text in texts.items() if not is_locked(key, one)}
        for key, texts in page_texts.items()
    }
    return {key: texts for key, texts in kept.items() if texts}


def replaced(page_texts: PageTexts) -> dict[str, list[str]]:
    """Return by language the keys whose text an owner has written, in order."""
    languages = sorted({one for texts in page_texts.values() for one in texts})
    return {
        language: sorted(key for key, texts in page_texts.items() if language in texts)
        for language in languages
    }


def page_word(page_texts: PageTexts, key: str, language: str) -> str:
    """Return what the pages of a collection say for a key without places, in a language of it."""
    own = page_texts.get(key, {}).get(language)
    return own or catalogues()[closest(language, catalogues()) or DEFAULT][key]


def lacking(page_texts: PageTexts, languages: tuple[str, ...]) -> Iterator[tuple[str, int, int]]:
    """Yield the languages without a catalogue, with how many texts they have and how many lack."""
    whole = len(_places())
    for language in without_catalogue(languages):
        had = {FORM.sub("", key) for key, texts in page_texts.items() if language in texts}
        if had:
            yield language, len(had), whole - len(had)


@cache
def _places() -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """Return for each text the places that every form of it has, and those that some form has."""
    found: dict[str, list[frozenset[str]]] = {}
    for key, text in catalogues()[DEFAULT].items():
        found.setdefault(FORM.sub("", key), []).append(frozenset(_PLACE.findall(text)))
    return {
        key: (frozenset.intersection(*some), frozenset.union(*some)) for key, some in found.items()
    }


def _check_places(key: str, text: str, where: str) -> None:
    places = _places().get(FORM.sub("", key))
    if places is None:
        raise CollectionError(
            where, "is not said by any page", "the keys are those of web/i18n/en.json"
        )
    needed, allowed = places
    own = frozenset(_PLACE.findall(text))
    if not needed <= own <= allowed:
        named = ", ".join(f"{{{one}}}" for one in sorted(needed)) or "none"
        raise CollectionError(where, f"must have the places of the English text: {named}")
