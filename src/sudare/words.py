"""Text in English and Japanese."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sudare.errors import as_one_of

Language = Literal["en", "ja"]
LANGUAGES: tuple[Language, ...] = ("en", "ja")


@dataclass(frozen=True, slots=True)
class Text:
    """The same in both languages.

    Examples:
        >>> say(Text("tea", "お茶"), "ja"), say("GRR", "ja")
        ('お茶', 'GRR')
    """

    en: str
    ja: str


Words = Text | str
"""A text in both languages, or one that reads the same in both (names, numbers)."""


def say(words: Words, language: Language) -> str:
    """Return the words in a language."""
    return words if isinstance(words, str) else getattr(words, language)


def check_language(language: object) -> Language:
    """Return ``language`` if there is a report in it; DomainError otherwise."""
    return as_one_of(language, "language", LANGUAGES)
