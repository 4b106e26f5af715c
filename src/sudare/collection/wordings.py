"""``texts``: what a survey's owner says in the place of the pages' own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from sudare.catalogues import DEFAULT, FORM, catalogues, without_catalogue
from sudare.collection import schema
from sudare.errors import CollectionError

PageTexts = Mapping[str, schema.Texts]
"""By key of a catalogue, and by language."""

_WELL_FORMED = re.compile(r"[a-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?")
"""Tags that every browser takes: a language, a script and a region."""

_PLACE = re.compile(r"\{(\w+)\}")


def read_page_texts(value: Any, where: str, known: tuple[str, ...]) -> PageTexts:
    """Read ``[collection.texts.LANGUAGE]`` tables, whose keys are those of the catalogues.

    Raises:
        CollectionError: a language that is not the collection's, a key that no page says, or a text
            that leaves out or adds a ``{place}``: what pages promise is said in every wording.
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
            own = schema.texts({language: text}, f"{spot}.{key}", known)
            _check_places(key, own[language], f"{spot}.{key}")
            out.setdefault(key, {}).update(own)
    return out


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
