"""The kernels' laws by enumeration: every word that can be drawn, drawn once."""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.exact.bernoulli import (
    bernoulli,
    bernoulli_columns,
    bernoulli_either,
    dyadic_planes,
)
from sudare.exact.entropy import Entropy
from tests.cases import cases


class Scripted:
    """An entropy source that gives out prepared blocks."""

    def __init__(self, *blocks: np.ndarray) -> None:
        self._blocks = list(blocks)

    def block(self, n: int, dtype: Any) -> np.ndarray:
        block = self._blocks.pop(0)
        assert block.size == n
        assert block.dtype == np.dtype(dtype)
        return block

    def fill(self, out: np.ndarray) -> None:
        out[:] = self.block(out.size, out.dtype)


@cases("lead", [0, 1, 127, 254, 255])
@cases("rest", [0, 1, (1 << 55) - 1, (1 << 56) - 1])
def test_byte_columns_refine_ties_exactly(lead: int, rest: int) -> None:
    threshold = lead << 56 | rest
    every_byte = np.arange(256, dtype=np.uint8)
    for word in (0, max(0, rest - 1), rest, min((1 << 56) - 1, rest + 1)):
        tie = np.array([word << 8], dtype=np.uint64)
        ones = bernoulli_columns(256, threshold, 64, Scripted(every_byte, tie))
        expected = [(byte << 56) + word < threshold for byte in range(256)]
        assert ones.tolist() == expected


@cases("high, low", [(255, 0), (127, 1), (128, 127), (9, 9), (1, 0)])
@cases("held", [True, False])
def test_either_threshold_refines_its_own_ties_exactly(high: int, low: int, held: bool) -> None:
    own, other = high << 56 | 7 << 40, low << 56 | 3 << 40
    threshold = own if held else other
    every_byte, marks = np.arange(256, dtype=np.uint8), np.full((8, 32), held)
    for word in ((7 << 40) - 1, 7 << 40, (3 << 40) - 1, 3 << 40, 0, (1 << 56) - 1):
        tie = np.array([word << 8], dtype=np.uint64)
        bits = bernoulli_either(marks, own, other, 64, Scripted(every_byte, tie))
        assert bits.shape == marks.shape
        expected = [(byte << 56) + word < threshold for byte in range(256)]
        assert bits.ravel().tolist() == expected


def test_either_threshold_goes_by_the_cell() -> None:
    marks = np.random.default_rng(3).random((700, 131)) < 0.3
    bits = bernoulli_either(marks, (1 << 32) - 1, 1, 32, Entropy.seeded(b"cells"))
    assert (bits == marks).all()


@cases("numerator, bits", [(1, 1), (1, 2), (3, 2), (5, 3), (11, 5), (63, 6)])
def test_planes_have_exactly_their_probability(numerator: int, bits: int) -> None:
    # Position i of plane j holds bit j of i: all 2**bits combinations occur once.
    cells = 1 << max(bits, 6)
    planes = [
        np.packbits((np.arange(cells) >> j & 1).astype(bool), bitorder="little").view(np.uint64)
        for j in range(bits)
    ]
    out = np.zeros(cells // 8, dtype=np.uint8)
    dyadic_planes(out, numerator, bits, Scripted(*planes))
    ones = int(np.unpackbits(out).sum())
    assert ones * (1 << bits) == numerator * cells


@cases("width", [32, 64])
def test_whole_words_compare_with_the_threshold(width: int) -> None:
    kind = np.uint32 if width == 32 else np.uint64
    threshold = 1 << (width - 1)
    words = np.array([0, threshold - 1, threshold, (1 << width) - 1], dtype=kind)
    out = bernoulli(4, threshold, width, Scripted(words))
    assert out.tolist() == [True, True, False, False]
    assert bernoulli(3, 1 << width, width, Entropy.seeded(b"")).all()
    assert not bernoulli(3, 0, width, Entropy.seeded(b"")).any()


@cases("size", [1, 7, 8, 9, 100_003])
def test_planes_fill_odd_sizes(size: int) -> None:
    out = np.zeros(size, dtype=np.uint8)
    dyadic_planes(out, 3, 2, Entropy.seeded(b"odd"))
    share = np.unpackbits(out).mean()
    assert abs(share - 0.75) < 6 * np.sqrt(0.1875 / (8 * size))


def test_byte_columns_draw_their_probability() -> None:
    cells, p = 3_000_000, 0.1192
    ones = bernoulli_columns(cells, int(p * 2**64), 64, Entropy.system()).sum()
    assert abs(ones - cells * p) < 6.5 * np.sqrt(cells * p * (1 - p))
