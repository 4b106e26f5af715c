"""``words``: a word that is typed, whatever it is; those that many write are found."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, cast

from sudare.collection import schema
from sudare.collection.questions.base import Question
from sudare.collection.questions.listed import PREFER_NOT_TO_SAY
from sudare.errors import CollectionError, DomainError, EstimationError, SudareError
from sudare.estimation import Counts
from sudare.estimation.confidence import normal_quantile
from sudare.estimation.estimate import Target
from sudare.exact import decimal_text
from sudare.exact.entropy import EntropySource, as_entropy_source
from sudare.mechanisms.text import PEM
from sudare.mechanisms.text.counts_with_reports import CountsWithReports

FALSE = 0.05
"""Most probability that a publication names anything false."""
MOST = 1 << 22
"""Reports in which words are looked for, at most."""
PROBABILITIES = (0.5, 0.9, 0.99)
FEW = 10
"""A word that at most so many people hold is a false one."""

_BLANK = r"[\s\x1c-\x1f\x85\ufeff]+"
_AROUND = re.compile(f"^{_BLANK}|{_BLANK}$")
_FIELDS = ("id", "type", "text", "longest", "alphabet", "fold", "prefer_not_to_say", "epsilon")


@dataclass(frozen=True)
class Words(Question):
    """A word in the person's own writing, of which none is known beforehand.

    In the survey file it is a ``text`` without ``known``. A report is about one prefix of the word
    (:class:`sudare.PEM`); words are found once there are many reports, and published only above a
    threshold: anything that at most :data:`FEW` people wrote is named with probability
    :data:`FALSE` at most. Who would rather not say reports about no word at all.
    """

    type: ClassVar[str] = "words"
    template: ClassVar[str] = """\
id = "dish"
type = "text"
text.en = "What did you eat last?"
text.ja = "最後に食べたものは？"
longest = 4  # characters, of "bytes" those of UTF-8: a Japanese one has three
alphabet = "kana"  # or "bytes", or all characters that a word may have
"""
    id: str
    fold: bool
    prefer_not_to_say: bool
    epsilon: Fraction
    mechanism: PEM
    text: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(
        cls, table: Mapping[str, Any], where: str, epsilon: Fraction, n: int, known: tuple[str, ...]
    ) -> Words:
        """Read the table of a text question without known words."""
        needed = ("id", "text", "longest")
        remedy = "a text question without known needs it: the most symbols of a word"
        schema.check_fields(table, _FIELDS, needed, where, remedy)
        fold = schema.flag(table.get("fold", True), f"{where}.fold")
        try:
            mechanism = PEM(table["longest"], epsilon, table.get("alphabet", "bytes"))
        except SudareError as error:
            raise error.within(where) from None
        own = mechanism.alphabet.characters or ""
        if any(plain(one, fold=fold) != one for one in own if not one.isspace()):
            rule = "must have characters as they are once written alike"
            remedy = "in lower case, or fold = false; half-width katakana as full-width"
            raise CollectionError(f"{where}.alphabet", rule, remedy)
        question = cls(
            id=schema.slug(table["id"], f"{where}.id"),
            fold=fold,
            prefer_not_to_say=schema.flag(
                table.get("prefer_not_to_say", True), f"{where}.prefer_not_to_say"
            ),
            epsilon=epsilon,
            mechanism=mechanism,
            text=schema.texts(table["text"], f"{where}.text", known),
        )
        if question.least_share(MOST) > 1:
            raise CollectionError(
                f"{where}.longest",
                f"must let a word be found at ε = {decimal_text(epsilon)}: among {MOST:,} people "
                "not even one that all of them write would be",
                "make words shorter or the alphabet smaller, or give a larger epsilon",
            )
        return question

    @classmethod
    def restore(cls, data: Mapping[str, Any], texts: Mapping[str, Any], where: str) -> Words:
        """Rebuild the question from its part of a definition."""
        return cls(
            id=data["id"],
            fold=schema.flag(data["fold"], f"{where}.fold"),
            prefer_not_to_say=schema.flag(data["prefer_not_to_say"], where),
            epsilon=schema.epsilon_text(data["epsilon"], f"{where}.epsilon"),
            mechanism=PEM.from_json(data["mechanism"]),
            text=dict(texts.get("text", {})),
        )

    def encode(self, answer: object) -> list[int]:
        """Return the symbols of a word; none of one who prefers not to say.

        Raises:
            CollectionError: no text or none but white space, too long, or not of the alphabet; the
                message never shows it.
        """
        if answer == PREFER_NOT_TO_SAY and self.prefer_not_to_say:
            return [0] * self.mechanism.longest
        where = f"answers.{self.id}"
        if not isinstance(answer, str):
            raise CollectionError(
                where, "must be a word", f"or {PREFER_NOT_TO_SAY}, where it may be"
            )
        own = self.mechanism
        try:
            row = own.alphabet.encode(plain(answer, fold=self.fold), own.longest, where)
        except SudareError as error:
            raise CollectionError(where, error.rule, error.remedy) from None
        return cast("list[int]", row.tolist())

    def randomise(
        self, value: Any, entropy: EntropySource | None = None, index: int | None = None
    ) -> bytes:
        """Return the wire form of one report about the symbols of a word."""
        if index is not None:
            raise DomainError("index", f"must be left out for a question of type {self.type}")
        program = self.mechanism.program
        return program.encode_one(program.draw_one(value, as_entropy_source(entropy)))

    def definition(self) -> dict[str, Any]:
        """Return what the fingerprint covers: how words are written alike, ε, mechanism."""
        return self._defined(
            fold=self.fold,
            prefer_not_to_say=self.prefer_not_to_say,
            epsilon=decimal_text(self.epsilon),
        )

    def texts(self) -> dict[str, Any]:
        """Return the wording."""
        return {"text": dict(self.text)}

    def found_from(self, n: int) -> dict[float, float]:
        """Return from which share on a word is found among n people, with each probability."""
        return {own: self.least_share(n, own) for own in PROBABILITIES}

    def least_share(self, n: int, probability: float = 0.9) -> float:
        """Return the share from which on a word is found among n people, infinite where none."""
        people = min(n, MOST)
        return self.mechanism.least_share(people, probability, false=FALSE, above=_few(people))

    def results(self, counts: Counts, target: Target, confidence: float) -> dict[str, Any]:
        """Return the words that many wrote, with their shares of the population."""
        told: dict[str, Any] = {
            "method": "prefix-extension",
            "words": [],
            "threshold": None,
            "false": FALSE,
            "few": FEW,
            "flooded": False,
            "warnings": [],
        }
        if not isinstance(counts, CountsWithReports) or not counts.n:
            return told
        try:
            found = self.mechanism.find(counts, false=FALSE, above=_few(counts.n))
        except EstimationError:  # nobody reported about one of the lengths
            return told
        z = normal_quantile(confidence)
        rows = zip(found.words, found.shares.tolist(), found.stderr.tolist(), strict=True)
        told["words"] = [
            {"word": word, "share": share, "stderr": error,
             "low": share - z * error, "high": share + z * error}
            for word, share, error in rows
        ]  # fmt: skip
        told["flooded"] = found.flooded
        told["threshold"] = found.threshold if math.isfinite(found.threshold) else None
        return told


def _few(n: int) -> float:
    """Return the share that few people are of n: below 1, as those of no word are published."""
    return min(FEW / max(1, n), 0.99)


def plain(word: str, *, fold: bool) -> str:
    """Return a word as it is compared: without widths (NFKC) and white space around it, without
    case where ``fold`` is set."""
    word = unicodedata.normalize("NFKC", word)
    return _AROUND.sub("", word.lower() if fold else word)


def visible(word: str) -> str:
    """Return a word as it can be shown anywhere: what is not seen, or turns or hides what stands
    around it, by its number.

    Examples:
        >>> visible("a\u202eb")
        'a⟨U+202E⟩b'
    """
    return "".join(
        f"⟨U+{ord(one):04X}⟩"
        if unicodedata.category(one)[0] == "C" or unicodedata.category(one) in ("Zl", "Zp")
        else one
        for one in word
    )
