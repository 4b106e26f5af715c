"""Words as rows of symbols: what is one word, what is refused, and what may follow what."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms.text.alphabet import END, Alphabet
from tests.cases import cases


@cases(
    "alphabet, fold, word, same",
    [
        ("bytes", False, " cafe\u0301\n", "caf\u00e9"),
        ("bytes", True, "STRASSE", "stra\u00dfe"),
        ("bytes", False, "Tea", "Tea"),
        ("kana", False, "\u3000ラーメン ", "らーめん"),
        ("kana", False, "か\u3099", "ガ"),
        ("abc", True, "ABBA", "abba"),
    ],
)
def test_what_is_the_same_word_has_the_same_symbols(
    alphabet: str, fold: bool, word: str, same: str
) -> None:
    own = Alphabet(alphabet, fold)
    assert own.encode(word, 8).tolist() == own.encode(same, 8).tolist()
    assert own.decode(own.encode(word, 8)) == own.normalised(same)


def test_case_is_kept_unless_it_is_folded() -> None:
    assert Alphabet("bytes").normalised("Tea") != Alphabet("bytes").normalised("tea")


@cases("word", [None, float("nan"), 3, b"tea", ["tea"], np.nan])
def test_what_is_no_text_is_refused(word: object) -> None:
    with pytest.raises(sd.WrongTypeError, match=r"words\[1\] must be text"):
        sd.PEM(5, 1.0).perturb(["tea", word])


@cases(
    "alphabet, word, rule",
    [
        ("bytes", "", "must have a character"),
        ("bytes", " \u3000\n", "must have a character"),
        ("bytes", "coffee", "at most 5 bytes"),
        ("bytes", "ちゃ", "at most 5 bytes"),
        ("bytes", "a\0b", "must be of the alphabet"),
        ("bytes", "\ud800", "must be of the alphabet"),
        ("kana", "tea", "must be of the alphabet"),
        ("kana", "らーめんや", None),
        ("kana", "らーめんやさ", "at most 5 characters"),
        ("abc", "d", "must be of the alphabet"),
    ],
)
def test_a_word_outside_is_refused_by_its_place_and_rule(
    alphabet: str, word: str, rule: str | None
) -> None:
    m = sd.PEM(5, 1.0, alphabet)
    if rule is None:
        assert len(m.perturb([word])) == 1
        return
    for ask in (m.perturb, lambda words: m.perturb_one(words[0])):
        with pytest.raises(sd.DomainError, match=rule) as caught:
            ask([word])
        assert len(word) < 2 or not word.strip() or word not in str(caught.value)


@cases("words", ["tea", b"tea", 3, None])
def test_words_are_a_list(words: object) -> None:
    with pytest.raises(sd.WrongTypeError, match="must be a list of texts"):
        sd.PEM(5, 1.0).perturb(words)


def reached(alphabet: Alphabet, longest: int) -> set[bytes]:
    """Return all rows of so many symbols that one can come to."""
    rows = {b""}
    for left in reversed(range(longest)):
        rows = {
            row + bytes([symbol])
            for row in rows
            for symbol in np.flatnonzero(alphabet.follow(np.frombuffer(row, np.uint8), left))
        }
    return rows


def test_all_utf8_and_nothing_else_is_reached() -> None:
    words = {
        row for row in map(bytes, product(range(1, 256), repeat=2))
        if row.decode("utf-8", "ignore").encode() == row
    }  # fmt: skip
    words |= {bytes([one, END]) for one in range(1, 128)}
    assert reached(Alphabet("bytes"), 2) == words
    assert len(reached(Alphabet("ab"), 3)) == 2 + 4 + 8


@cases("word", ["é", "簾", "𠮷", "a簾", "すし"])
def test_every_prefix_of_a_word_goes_on(word: str) -> None:
    own = Alphabet("bytes")
    for longest in (len(word.encode()), 9):
        row = own.encode(word, longest)
        for i, symbol in enumerate(row):
            assert own.follow(row[:i], longest - i - 1)[symbol]


@cases(
    "arguments, error",
    [
        ({"longest": 0}, sd.DomainError),
        ({"longest": 65}, sd.DomainError),
        ({"longest": 2.0}, sd.WrongTypeError),
        ({"epsilon": 0}, sd.PrivacyError),
        ({"epsilon": float("nan")}, sd.PrivacyError),
        ({"alphabet": ""}, sd.DomainError),
        ({"alphabet": "aba"}, sd.DomainError),
        ({"alphabet": "aB", "fold": True}, sd.DomainError),
        ({"alphabet": None}, sd.WrongTypeError),
        ({"fold": 1}, sd.WrongTypeError),
        ({"lengths": (2, 3)}, sd.DomainError),
        ({"lengths": (4, 2, 6)}, sd.DomainError),
        ({"lengths": ()}, sd.DomainError),
        ({"lengths": 6}, sd.WrongTypeError),
        ({"lengths": (3, 6)}, sd.DomainError),
    ],
)
def test_parameters_out_of_range_are_refused(
    arguments: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        sd.PEM(**{"longest": 6, "epsilon": 1.0} | arguments)
