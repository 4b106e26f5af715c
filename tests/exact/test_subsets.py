"""Uniform subsets from heads and tails: the law to the last digit, and what is drawn."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

import sudare as sd
from sudare.exact import subsets
from sudare.exact.subsets import Coins, Sets, quickest
from sudare.samplers import Choose
from tests.cases import cases

ALPHA = 1e-8


class Words:
    """Hands out these words, as a stream of entropy does."""

    def __init__(self, *words: int, width: int) -> None:
        self.words, self.width = words, width
        self.more: list[int] = []

    def block(self, n: int, _: object) -> np.ndarray:
        return np.array(self.words[:n], dtype=f"u{self.width}")

    def take(self, n: int) -> bytes:
        return self.more.pop(0).to_bytes(n, "little")


@cases("one, bits", [(1, 1), (1, 2), (5, 3)])
@cases("k, size, tail", [(9, 3, 3), (9, 7, 2), (30, 8, 16), (5, 2, 4)])
def test_every_set_has_its_weight(
    k: int, size: int, tail: int, one: int, bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subsets, "_TAIL", tail)
    own, lost = 7, 3
    sets = Sets.of(k, size, own, lost, one, bits)
    assert sets.head == k - 1 - tail
    r, weights = Fraction(one, 1 << bits), set()
    for s, (keep, has_own) in enumerate(zip(sets.keep.chances, sets.has_own.chances, strict=True)):
        head = r**s * (1 - r) ** (sets.head - s) * keep
        for inside, chance in ((True, has_own), (False, 1 - has_own)):
            rest = size - s - inside
            if head * chance:
                tails = comb(tail, rest)
                expected = Fraction(own, comb(k - 1, size - 1)) if inside else Fraction(
                    lost, comb(k - 1, size)
                )  # fmt: skip
                weights.add(head * chance / tails / expected)
            else:
                assert not 0 <= rest <= tail
    assert len(weights) == 1
    assert max(sets.keep.chances) == 1
    assert sets.share == pytest.approx(float(weights.pop() * (own + lost)))


@cases("value", [0, 4, 8])
@cases("size, tail", [(3, 3), (6, 1)])
def test_what_is_drawn_follows_it(
    size: int, tail: int, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subsets, "_TAIL", tail)
    program = Choose(k=9, width=32, own=7 << 29, size=size)
    n = 40_000
    sets = Sets.of(9, size, program.own, (1 << 32) - program.own, 3, 3)
    rows = sets.draw(np.full(n, value), sd.Entropy.system())
    counts = np.bincount(rows @ np.array([1, 256]), minlength=512)
    law = np.array([float(cell) for cell in program.laws([value])[0]])
    sent = law > 0
    assert not counts[~sent].any()
    assert sd.testing.chi_square_pvalue(counts[sent], law[sent]) > ALPHA
    if value != 4:  # of 4 the next numbers up are as likely
        assert sd.testing.chi_square_pvalue(counts[sent], np.roll(law[sent], 1)) < ALPHA


@cases("k", [2, 17, 18, 64, 65, 81, 82, 128, 129, 200])
def test_places_of_all_words_are_even(k: int) -> None:
    size, n = max(1, k // 4), 30_000
    own = int((size / k + 1) / 2 * 2**32)
    value = k - 2
    sets = quickest(k, size, own, (1 << 32) - own)
    rows = sets.draw(np.full(n, value), sd.Entropy.system())
    bits = np.unpackbits(rows, axis=1, bitorder="little")
    assert (bits.sum(axis=1) == size).all()
    assert not bits[:, k:].any()
    p = own / 2**32
    rates = np.full(k, (size - p) / (k - 1))
    rates[value] = p
    z = (bits[:, :k].sum(axis=0) - n * rates) / np.sqrt(n * rates * (1 - rates) + 1e-9)
    assert np.abs(z).max() < 7  # by chance less than once in 10**9 times


def test_a_tie_is_drawn_on() -> None:
    coins = Coins.of([Fraction(1, 3), Fraction(1), Fraction(0)])
    assert coins.leads.tolist() == [21845, 65535, 0]
    kinds = np.array([0, 0, 0, 1, 2])
    words = Words(21844, 21845, 21846, 65535, 0, width=2)
    third = 2**64 // 3  # what is left of 1/3 after 16 bits is 1/3 again; 0 ties once more
    words.more = [third, third - 1, 2**64 - 1, 0, 1]
    assert coins.flips(kinds, words).tolist() == [True, True, False, True, False]
    assert not words.more


def test_a_tail_beyond_the_fair_words_is_drawn_again() -> None:
    sets = quickest(4, 1, 3 << 30, 1 << 30)  # three places, one of which is in the set
    words = np.zeros((1, 2), dtype=np.uint64)
    entropy = Words(0, (1 << 32) - 1, width=4)
    entropy.more = [0, (1 << 32) - 1]
    sets._tails(words, np.array([1, 1]), entropy)
    assert words.tolist() == [[4, 4]]
    assert not entropy.more
