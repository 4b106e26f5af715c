from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.exact import uniform


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
    assert uniform(4, 6, words).tolist() == [0, 5, 1, 2]  # type: ignore[arg-type]


def test_a_power_of_two_takes_every_word() -> None:
    words = Words([(1 << 32) - 1, 5])
    assert uniform(2, 4, words).tolist() == [3, 1]  # type: ignore[arg-type]


@pytest.mark.parametrize("outcomes", [1, 2, 3, 42, (1 << 24) - 1])
def test_within_range_and_even(outcomes: int) -> None:
    drawn = uniform(300_000, outcomes, sd.Entropy.system())
    assert drawn.dtype == np.uint32
    assert int(drawn.max()) < outcomes
    if 1 < outcomes < 100:
        counts = np.bincount(drawn, minlength=outcomes)
        law = np.full(outcomes, 1 / outcomes)
        assert sd.testing.chi_square_pvalue(counts, law) > 1e-8
