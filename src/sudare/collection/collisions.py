"""Answers of one question that are worded alike: nobody could tell which of them is chosen."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sudare.collection.questions.base import Options, Question
from sudare.collection.wordings import PageTexts, page_word
from sudare.errors import CollectionError

_TAGS = frozenset(map(chr, range(0xE0020, 0xE0080)))
"""Unseen by their category, but the flags of Scotland and Wales differ by them."""
_FILLERS = re.compile("[\u034f\u115f\u1160\u2800\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Joiners, blanks and selectors of variants: of other categories, and as good as unseen."""


def check_wordings(
    questions: Sequence[Question], languages: Sequence[str], page_texts: PageTexts
) -> None:
    """Refuse answers that a reader could not tell apart in some language.

    Wordings are compared as pages show them, each in place of one that lacks, without widths,
    compatibility forms (NFKC), case, unseen characters and how white space is written.

    Raises:
        CollectionError: two are alike; with the question, the language and both identifiers.
    """
    for question in questions:
        for options in question.options():
            where = f"question.{question.id}.{options.where}"
            for language in languages:
                shown = (
                    (name, _shown(text, language, languages, name))
                    for name, text in options.wordings.items()
                )
                pages = (
                    (name, page_word(page_texts, key, language))
                    for name, key in options.pages.items()
                )
                _refuse_same([*shown, *pages], f"{where}.{language}", language)
            if options.typed:
                _refuse_same(
                    _typed(options, languages, page_texts), where, "one language or another"
                )
    _check_paid_together(questions, languages)


def plain(text: str) -> str:
    """Return a wording as it is compared.

    Examples:
        >>> plain(" Ｇｒｅｅｎ\\u200b   tea\\n"), plain("STRASSE") == plain("Straße")
        ('green tea', True)
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if not folded.isprintable():
        folded = "".join(" " if one.isspace() else one for one in folded if not _is_unseen(one))
    return " ".join(_FILLERS.sub("", folded).split())


def _is_unseen(one: str) -> bool:
    return unicodedata.category(one) in ("Cc", "Cf") and not (one.isspace() or one in _TAGS)


def _shown(text: Mapping[str, str], language: str, languages: Sequence[str], fallback: str) -> str:
    """Return a text as pages show it: in the language, one of its kind, or the first there is."""
    primary = language.partition("-")[0]
    near = [one for one in languages if one.partition("-")[0] == primary]
    return next((text[one] for one in (language, *near, *languages) if one in text), fallback)


def _typed(
    options: Options, languages: Sequence[str], page_texts: PageTexts
) -> Iterator[tuple[str, str]]:
    """Yield all that may be written for each answer, whatever the page's language."""
    for name, text in options.wordings.items():
        yield from ((name, own) for own in (name, *text.values()))
    for name, key in options.pages.items():
        yield name, name
        yield from ((name, page_word(page_texts, key, one)) for one in languages)


def _check_paid_together(questions: Sequence[Question], languages: Sequence[str]) -> None:
    """Refuse questions about two places of one person that ask with the same words."""
    together: dict[str, list[Question]] = {}
    for question in questions:
        together.setdefault(question.payer, []).append(question)
    for payer, each in together.items():
        texts = {one.id: one.texts()["text"] for one in each if len(each) > 1}
        for language in languages:
            asked = [(name, _shown(own, language, languages, name)) for name, own in texts.items()]
            _refuse_same(asked, f"question.{payer}.at_names.{language}", language)


def _refuse_same(worded: Iterable[tuple[str, str]], where: str, spoken: str) -> None:
    before: dict[str, str] = {}
    for name, text in worded:
        other = before.setdefault(plain(text), name)
        if other != name:
            raise CollectionError(
                where,
                f"must not word {other} and {name} alike in {spoken}",
                "write different words: capitals, widths and blanks do not tell them apart",
                got=text,
            )
