"""What an owner should look at before a survey file is served, beyond what is refused."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sudare.catalogues import DEFAULT, catalogues
from sudare.collection.cautions import UNTRANSLATED, in_words, owner_cautions, sure_of
from sudare.collection.definition import Collection
from sudare.collection.questions import newest_auto
from sudare.collection.wordings import lacking, replaced
from sudare.errors import counted

CODES = (
    "untranslated",
    "few-page-texts",
    "replaced-page-texts",
    "asked-of-some",
    "no-word-found",
    "high-epsilon",
    "high-epsilon.place",
    "very-high-epsilon",
    "very-high-epsilon.place",
    "single-reports.steps",
    "single-reports.end",
    "no-catalogue",
    "short-round",
    "no-end",
    "older-auto",
)
"""What an advice may be about; pages say each in their language (``operator.warning.CODE``)."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What an owner should look at.

    Attributes:
        code: one of :data:`CODES`.
        parameters: what it is about: texts, numbers, lists of texts.
        text: both as an English sentence.
    """

    code: str
    parameters: Mapping[str, Any]
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {"code": self.code, "parameters": dict(self.parameters), "text": self.text}


def advice(collection: Collection) -> list[Advice]:
    """Return advice about a collection: what lacks or replaces words, a high ε, no end, an older
    ``auto``.

    Examples:
        >>> from sudare.collection.drafting import draft
        >>> (one,) = advice(Collection.from_toml(draft("tea", ["choice"])))
        >>> one.code, one.text
        ('no-end', 'closes is not stated: it stays open until it is closed by hand')
    """
    return [
        *_of_words(collection),
        *_of_skips(collection),
        *_of_unlisted(collection),
        *map(_of_caution, owner_cautions(collection)),
        *_of_life(collection),
    ]


def _of_words(collection: Collection) -> Iterator[Advice]:
    texts = {k: part for k, part in collection.compiled()["texts"].items() if k != "pages"}
    first = collection.languages[0]
    for where, language in _untold(texts, collection.languages):
        yield Advice(
            "untranslated",
            {"where": where, "language": language, "shown": first},
            f"{where} is not written in {language}: {first} is shown",
        )
    for language, had, lack in lacking(collection.page_texts, collection.languages):
        if lack:
            yield Advice(
                "few-page-texts",
                {"language": language, "had": had, "of": had + lack, "shown": DEFAULT},
                f"the pages say {had} of {counted(had + lack, 'text')} in {language} by "
                f"texts.{language}, "
                f"the others in {DEFAULT}: there is no catalogue of it",
            )
    for language, keys in replaced(collection.page_texts).items():
        yield Advice(
            "replaced-page-texts",
            {"language": language, "keys": keys},
            f"the pages say the owner's words in {language} by texts.{language}: {', '.join(keys)}",
        )


def _of_skips(collection: Collection) -> Iterator[Advice]:
    for question in collection.questions:
        if (rule := question.ask_if) is not None:
            yield Advice(
                "asked-of-some",
                {"question": question.id, "earlier": rule.question, "answers": list(rule.answers)},
                f"{question.id} is asked of those alone who answer {rule.question} with "
                f"{' or '.join(rule.answers)}: where they are one in ten, its errors are ten "
                "times those of a question asked of all (`sudare plan`)",
            )


def _of_unlisted(collection: Collection) -> Iterator[Advice]:
    n = collection.expected_respondents
    for question in collection.questions:
        if math.inf in question.found_from(n).values():
            yield Advice(
                "no-word-found",
                {"question": question.id, "respondents": n},
                f"{question.id}: among {n:,} people even a word that most of them write may not be "
                "found: make words shorter or the alphabet smaller, give a larger epsilon, or ask "
                "more people",
            )


def _of_caution(caution: Mapping[str, Any]) -> Advice:
    parameters = {name: value for name, value in caution.items() if name != "code"}
    code = caution["code"]
    if "when" in parameters:
        code += f".{parameters.pop('when')}"
    if "question" in parameters:
        code += ".place"
    if "belief" in parameters:
        parameters["sure"] = sure_of(parameters.pop("belief"))
    if code == UNTRANSLATED:
        parameters["known"] = list(catalogues())
    return Advice(code, parameters, in_words(caution))


def _of_life(collection: Collection) -> Iterator[Advice]:
    if collection.closes is None:
        text = "closes is not stated: it stays open until it is closed by hand"
        yield Advice("no-end", {}, text)
    if collection.auto < newest_auto():
        yield Advice(
            "older-auto",
            {"auto": collection.auto, "newest": newest_auto()},
            f"auto = {collection.auto} ranks fewer mechanisms than auto = {newest_auto()}: "
            "`sudare plan` tells what that costs",
        )


def _untold(
    texts: Any, languages: Sequence[str], where: tuple[str, ...] = ()
) -> Iterator[tuple[str, str]]:
    """Yield each wording that lacks in a language, with its place: words stand by language."""
    if not isinstance(texts, Mapping):
        return
    if texts and set(texts) <= set(languages):
        yield from ((".".join(where), one) for one in languages if one not in texts)
        return
    for name, part in texts.items():
        yield from _untold(part, languages, (*where, name))
