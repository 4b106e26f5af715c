"""Alias tables: the law they stand for, exactly, and words looked up as a plain reading does."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import sudare as sd
from sudare.exact.alias import Alias, Slots
from tests.cases import cases

LAWS = [
    [1, 1],
    [3, 1],
    [0, 5, 0],
    [7, 1, 1, 1, 1],
    [2**64 - 5, 3, 2],
    [3**200, 1, 2**300, 0, 5**90],
    [1] * 9,
    list(range(70)),
]


@cases("weights", LAWS)
def test_slots_hold_the_law(weights: list[int]) -> None:
    law = Slots.of(weights).law
    assert law[: len(weights)] == [Fraction(weight, sum(weights)) for weight in weights]
    assert not any(law[len(weights) :])


class Prepared:
    """Words of one block, then words of 64 bits for those that are tied."""

    def __init__(self, words: list[int], more: list[int]) -> None:
        self.words, self.more = words, list(more)

    def block(self, n: int, dtype: Any) -> np.ndarray:
        return np.array(self.words, dtype=dtype)

    def take(self, n: int) -> bytes:
        assert n == 8
        return self.more.pop(0).to_bytes(8, "little")


def plainly(weights: list[int], number: Fraction) -> int:
    """Return the outcome of a number in [0, 1) by the slots as rationals."""
    slots = Slots.of(weights)
    slot, rest = divmod(number * len(slots.own), 1)
    own = rest < Fraction(slots.own[slot], slots.total)
    return int(slot) if own else slots.others[slot]


@cases("weights", LAWS)
def test_words_at_the_edges_and_ties(weights: list[int]) -> None:
    """Words of 32 bits next to each cut; where they tie, all the bits that follow decide."""
    slots = Slots.of(weights)
    size = len(slots.own)
    edges = [Fraction(slot + Fraction(own % slots.total, slots.total), size) * 2**32
             for slot, own in enumerate(slots.own)]  # fmt: skip
    words, more, expected = [], [], []
    for edge in edges:
        for word in {max(0, int(edge) - 1), int(edge), min(2**32 - 1, int(edge) + 1)}:
            words.append(word)
            rest = (edge - word) * 2**64
            bits = [int(rest), 2**63] if 0 < rest < 2**64 else []
            more += bits if rest.denominator > 1 else bits[:1]
            exact = Fraction(word, 2**32) + sum(
                Fraction(one, 2 ** (32 + 64 * (i + 1))) for i, one in enumerate(bits)
            )
            expected.append(plainly(weights, exact))
    source: Any = Prepared(words, more)
    assert Alias([weights]).draw(len(words), source).tolist() == expected


def test_several_laws_and_names() -> None:
    alias = Alias([[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.array([10, -20, 30]))
    rows = np.array([2, 0, 1, 1, 0, 2], dtype=np.uint8)
    drawn = alias.draw(rows, sd.Entropy.system())
    assert drawn.tolist() == [30, 10, -20, -20, 10, 30]


def test_draws_follow_the_law_and_another_one_is_noticed() -> None:
    """Chi-squared at 1e-6 of fresh entropy; each weight moved by a few per cent fails."""
    weights, n = [5, 90, 0, 40, 40, 300], 32_768
    alias, off = Alias([weights]), Alias([[5, 90, 0, 44, 36, 300]])
    rng, seen, wrong = sd.Entropy.system(), np.zeros(6, np.int64), np.zeros(6, np.int64)
    for _ in range(10):
        seen += np.bincount(alias.draw(n, rng), minlength=6)
        wrong += np.bincount(off.draw(n, rng), minlength=6)
    law = [weight / sum(weights) for weight in weights]
    assert sd.testing.chi_square_pvalue(seen.tolist(), law) > 1e-6
    assert sd.testing.chi_square_pvalue(wrong.tolist(), law) < 1e-6


def test_many_outcomes_take_wide_words() -> None:
    weights = [1] * 70_000
    weights[-1] = 70_000
    drawn = np.concatenate([Alias([weights]).draw(20_000, sd.Entropy.system()) for _ in range(2)])
    assert drawn.max() == 69_999
    assert abs(int((drawn == 69_999).sum()) - 20_000) < 1_000
