"""Where the n-th mark of a row is, against a plain look at the row."""

from __future__ import annotations

import numpy as np

from sudare.exact.bit_counts import count_ones, nth_ones, packed_words
from tests.cases import cases


@cases("d", [1, 2, 7, 8, 9, 63, 64, 65, 128, 200, 1000])
@cases("share", [0.02, 0.5, 1.0])
def test_every_mark_of_some_rows(d: int, share: float) -> None:
    marks = np.random.default_rng(d).random((300, d)) < share
    words = packed_words(marks)
    sizes = count_ones(words)
    assert sizes.tolist() == marks.sum(axis=1).tolist()
    where = [np.flatnonzero(row) for row in marks]
    for place in {0, 1, 2, d // 3, d - 1}:
        found = nth_ones(words, np.full(300, place))
        for row in np.flatnonzero(sizes > place).tolist():
            assert found[row] == where[row][place]


def test_each_row_by_its_own_number() -> None:
    dice = np.random.default_rng(1)
    marks = dice.random((2_000, 130)) < 0.4
    places = dice.integers(0, np.maximum(marks.sum(axis=1), 1))
    found = nth_ones(packed_words(marks), places)
    expected = [int(np.flatnonzero(row)[n]) for row, n in zip(marks, places, strict=True)]
    assert found.tolist() == expected
