"""Words as rows of symbols, and which symbol may follow which."""

from __future__ import annotations

import unicodedata
from codecs import getincrementaldecoder
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from sudare.arrays import Booleans, Bytes
from sudare.errors import DomainError, WrongTypeError

END = 0
"""The symbol behind a word's last one, and behind itself."""
MOST_SYMBOLS = 256

_KANA = "".join(map(chr, range(0x3041, 0x3097))) + "ー"
_TO_HIRAGANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}


@dataclass(frozen=True, slots=True)
class Alphabet:
    """What words are made of: ``"bytes"`` (of UTF-8), ``"kana"``, or a text of its characters.

    A word is first normalised: composed (NFC), without white space around it, where ``fold`` is
    True without a difference of upper and lower case (Unicode's casefold); of ``"kana"`` katakana
    become hiragana.

    Attributes:
        name: as given.
        fold: whether upper and lower case are one.

    Examples:
        >>> kana = Alphabet("kana")
        >>> kana.size, kana.normalised(" スシ ")
        (88, 'すし')
        >>> kana.decode(kana.encode("スシ", 4))
        'すし'
    """

    name: str
    fold: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            rule = 'must be "bytes", "kana" or a text of characters'
            raise WrongTypeError("alphabet", rule, got=self.name)
        if not isinstance(self.fold, bool):
            raise WrongTypeError("fold", "must be True or False", got=self.fold)
        own = self.characters
        if own is None:
            return
        if not own or len(set(own)) < len(own) or len(own) >= MOST_SYMBOLS:
            rule = f"must have 1 to {MOST_SYMBOLS - 1} characters, none twice"
            raise DomainError("alphabet", rule, 'or be "bytes" or "kana"', got=self.name)
        if any(self.normalised(one) != one for one in own if not one.isspace()):
            rule = "must have characters as words have them once normalised"
            raise DomainError("alphabet", rule, "composed, and with fold in lower case")

    @property
    def characters(self) -> str | None:
        """The characters, or None where symbols are bytes."""
        return {"bytes": None, "kana": _KANA}.get(self.name, self.name)

    @property
    def size(self) -> int:
        """Number of symbols, :data:`END` among them."""
        return MOST_SYMBOLS if self.characters is None else len(self.characters) + 1

    def normalised(self, word: str) -> str:
        """Return the word as all that are the same are written."""
        word = unicodedata.normalize("NFC", word)
        if self.fold:
            word = unicodedata.normalize("NFC", word.casefold())
        if self.name == "kana":
            word = word.translate(_TO_HIRAGANA)
        return word.strip()

    def encode(self, word: Any, longest: int, argument: str = "word") -> Bytes:
        """Return the word's symbols, (longest,) uint8, :data:`END` behind the last one.

        Raises:
            WrongTypeError: not text, as NaN and None are not.
            DomainError: nothing but white space, too long, or of another alphabet.
        """
        if not isinstance(word, str):
            remedy = "leave out who wrote nothing, or give a word that says so"
            raise WrongTypeError(argument, "must be text", remedy)
        word = self.normalised(word)
        if not word:
            raise DomainError(argument, "must have a character that is no white space")
        own = self.characters
        try:
            symbols = list(word.encode()) if own is None else [own.index(c) + 1 for c in word]
        except ValueError:  # half of a surrogate pair, too
            symbols = [END]
        if END in symbols:
            rule = "must be of the alphabet alone"
            raise DomainError(argument, rule, f"it is {self.name!r}")
        if len(symbols) > longest:
            what = "bytes of UTF-8" if own is None else "characters"
            raise DomainError(argument, f"must have at most {longest} {what}", "or raise longest")
        return np.array(symbols + [END] * (longest - len(symbols)), dtype=np.uint8)

    def encode_all(self, words: Any, longest: int) -> Bytes:
        """Return the symbols of words, (n, longest) uint8; errors name the place, not the word."""
        if isinstance(words, str | bytes) or not hasattr(words, "__iter__"):
            raise WrongTypeError("words", "must be a list of texts", "such as [word]")
        rows: dict[Any, int] = {}
        known: list[Bytes] = []
        places = []
        for i, word in enumerate(words):
            at = rows.get(word) if isinstance(word, str) else None
            if at is None:
                known.append(self.encode(word, longest, f"words[{i}]"))
                at = rows[word] = len(rows)
            places.append(at)
        table = np.array(known, dtype=np.uint8).reshape(-1, longest)
        return table[np.array(places, dtype=np.int64)]

    def decode(self, symbols: Sequence[int] | Bytes) -> str:
        """Return the word of its symbols."""
        own, kept = self.characters, [int(one) for one in symbols if one != END]
        return bytes(kept).decode() if own is None else "".join(own[one - 1] for one in kept)

    def follow(self, prefix: Bytes, left: int) -> Booleans:
        """Tell which symbols may come next: (size,) bool.

        No word is empty, behind :data:`END` comes nothing else, and what is no UTF-8, or would not
        be it in the ``left`` symbols after the next one, is nobody's word.
        """
        own = self.characters
        may = np.zeros(self.size, dtype=np.bool_)
        if prefix.size and prefix[-1] == END:
            may[END] = True
        elif own is None:
            may[:] = _bytes_after(_begun(prefix.tobytes()), min(left, 3))
            may[END] &= prefix.size > 0
        else:
            may[:] = True
            may[END] = prefix.size > 0
        return may


def _begun(prefix: bytes) -> bytes:
    """Return the bytes of a character that is not there as a whole yet."""
    decoder = getincrementaldecoder("utf-8")()
    decoder.decode(prefix)
    return decoder.getstate()[0]


@cache
def _bytes_after(begun: bytes, left: int) -> Booleans:
    return np.array([not begun, *(_goes_on(begun + bytes([b]), left) for b in range(1, 256))])


def _goes_on(begun: bytes, left: int) -> bool:
    """Tell whether that begins UTF-8 and needs no more than ``left`` bytes to be a character."""
    try:
        still = _begun(begun)
    except UnicodeDecodeError:
        return False
    lead = still[0] if still else 0
    return not still or 2 + (lead >= 0xE0) + (lead >= 0xF0) - len(still) <= left
