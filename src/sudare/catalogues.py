"""The words of the pages: one file a language, which anybody can add."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

DEFAULT = "en"
"""The language of pages that can be had in none that is wanted; its catalogue is whole."""

Catalogue = Mapping[str, str]
"""The words of one language by their keys."""

FORM = re.compile(r"\.(?:1|zero|one|two|few|many|other)$")
"""The end of a key that is one form of a text with a number."""

_RIGHT_TO_LEFT = frozenset(
    ("ar", "arc", "ckb", "dv", "fa", "he", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi")
)
_SCRIPTS = frozenset(("adlm", "arab", "hebr", "mand", "nkoo", "rohg", "syrc", "thaa"))


@cache
def catalogues() -> Mapping[str, Catalogue]:
    """Return the catalogues that are installed, by language.

    Examples:
        >>> catalogues()["ja"]["language.name"]
        '日本語'
    """
    return read_catalogues(files("sudare").joinpath("web", "i18n"))


def read_catalogues(folder: Traversable) -> Mapping[str, Catalogue]:
    """Read the catalogues of a folder; what one does not say is said in English."""
    found = {
        entry.name.removesuffix(".json"): json.loads(entry.read_text(encoding="utf-8"))
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".json")
    }
    english = found[DEFAULT]
    out = {}
    for language, own in found.items():
        said = {FORM.sub("", key) for key in own}
        missing = {key: text for key, text in english.items() if FORM.sub("", key) not in said}
        out[language] = {**missing, **own}
    return out


def closest(tag: str, offered: Iterable[str]) -> str | None:
    """Return the language among those offered that a tag names, with or without its last parts.

    Examples:
        >>> closest("de-CH", ["en", "de"]), closest("zh-Hant-TW", ["zh-Hant"])
        ('de', 'zh-Hant')
    """
    known = {one.lower(): one for one in offered}
    parts = tag.lower().split("-")
    while parts:
        found = known.get("-".join(parts))
        if found is not None:
            return found
        parts.pop()
    return None


def direction(tag: str) -> str:
    """Return how a language is written: by the script that its tag names, or its usual one.

    Examples:
        >>> direction("ar-EG"), direction("az-Arab"), direction("ar-Latn"), direction("ja")
        ('rtl', 'rtl', 'ltr', 'ltr')
    """
    first, *more = tag.lower().split("-")
    scripts = [part for part in more if len(part) == 4 and part.isalpha()]
    right = scripts[0] in _SCRIPTS if scripts else first in _RIGHT_TO_LEFT
    return "rtl" if right else "ltr"


def without_catalogue(languages: Iterable[str]) -> list[str]:
    """Return the languages in which the pages have no words of their own.

    Examples:
        >>> without_catalogue(["en", "de-AT", "tlh"])
        ['tlh']
    """
    return [one for one in languages if closest(one, catalogues()) is None]


def accepted(header: str) -> list[str]:
    """Return the tags of an Accept-Language, the most wanted first.

    Examples:
        >>> accepted("en;q=0.5, de-CH, *;q=0.1, fr;q=0")
        ['de-CH', 'en', '*']
    """
    weighed = []
    for one in header.split(","):
        tag, _, weight = one.partition(";")
        found = re.fullmatch(r"\s*q=([01](?:\.\d{0,3})?)\s*", weight)
        much = float(found[1]) if found else 1.0 if not weight.strip() else 0.0
        if tag.strip() and much > 0:
            weighed.append((-much, tag.strip()))
    return [tag for _, tag in sorted(weighed, key=lambda pair: pair[0])]
