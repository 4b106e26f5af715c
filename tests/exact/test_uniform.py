from __future__ import annotations

from typing import Any

import numpy as np

import sudare as sd
from sudare.exact import uniform
from sudare.exact.uniform import uniform_each
from tests.cases import cases


class Words:
    """Prepared words, as a stream."""

    def __init__(self, words: list[int]) -> None:
        self._words = list(words)

    def block(self, n: int, dtype: Any) -> np.ndarray:
        out, self._words = self._words[:n], self._words[n:]
        return np.array(out, dtype=dtype)


def test_words_that_would_spoil_the_evenness_are_drawn_again() -> None:
    top = 1 << 32
    fair = top - top % 6
    words = Words([0, fair - 1, fair, top - 1, 7, 8])
    assert uniform(4, 6, words).tolist() == [0, 5, 1, 2]


def test_a_power_of_two_takes_every_word() -> None:
    words = Words([(1 << 32) - 1, 5])
    assert uniform(2, 4, words).tolist() == [3, 1]


@cases("outcomes", [1, 2, 3, 42, (1 << 24) - 1])
def test_within_range_and_even(outcomes: int) -> None:
    drawn = uniform(300_000, outcomes, sd.Entropy.system())
    assert drawn.dtype == np.uint32
    assert int(drawn.max()) < outcomes
    if 1 < outcomes < 100:
        counts = np.bincount(drawn, minlength=outcomes)
        law = np.full(outcomes, 1 / outcomes)
        assert sd.testing.chi_square_pvalue(counts, law) > 1e-8


def test_each_number_below_its_own_bound() -> None:
    """The word times the bound, its upper half; again where the lower one is below the excess."""
    bounds = np.array([3, 3, 1, 7, 2**31, 6, 3])
    words = [0, 2**32 - 1, 5, 1, 2**32 - 1, 0, 2**31, 0, 2**32 // 3 + 1, 4]
    # 0 is one word too many for 3 and for 6, and once more for the first of all
    expected = [0, 2, 0, 0, 2**31 - 1, 2, 1]
    assert uniform_each(bounds, Words(words)).tolist() == expected


@cases("outcomes", [1, 2, 3, 5, 6, 7, 10])
def test_as_many_words_for_each_number(outcomes: int) -> None:
    """Of small words all: the rule of rejection leaves each number as many, exactly."""
    top = 1 << 8
    kept = [w * outcomes // top for w in range(top) if w * outcomes % top >= top % outcomes]
    assert np.bincount(kept).tolist() == [top // outcomes] * outcomes


def test_bounds_of_all_sizes_are_even() -> None:
    bounds = np.tile(np.array([2, 5, 11]), 100_000)
    drawn = uniform_each(bounds, sd.Entropy.system())
    for bound in (2, 5, 11):
        seen = np.bincount(drawn[bounds == bound], minlength=bound).tolist()
        assert sd.testing.chi_square_pvalue(seen, [1 / bound] * bound) > 1e-8
