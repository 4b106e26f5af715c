"""Fake reports with a state or a bit at every position: mixtures of independent positions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats, Integers
from sudare.poisoning.laws import FakeLaw

_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class Signs(FakeLaw):
    """A state at each of d positions: what is reported to PCKV-UE.

    A fake respondent is of one of several kinds, evenly; a kind's positions are independent.

    Args:
        kinds: (kinds, d, 3) law of each kind's positions.
    """

    kinds: Floats

    @property
    def rates(self) -> Floats:
        """(d, 3)."""
        out: Floats = self.kinds.mean(axis=0)
        return out

    def reports(self, m: int, generator: np.random.Generator) -> npt.NDArray[Any]:
        """(m, d) states."""
        out = np.empty((m, self.kinds.shape[1]), dtype=np.uint8)
        steps = np.cumsum(self.kinds, axis=2)[:, :, :2]
        for rows in _parts(out, self.kinds.shape[1]):
            chosen = steps[generator.integers(len(self.kinds), size=len(rows))]
            words = generator.random(rows.shape)
            rows[:] = (words[..., None] >= chosen).sum(axis=2)
        return out

    def support(self, m: int, generator: np.random.Generator) -> Integers:
        """One multinomial a kind and position."""
        people = _kinds(m, len(self.kinds), generator)
        law = self.kinds.clip(0)
        drawn = generator.multinomial(people[:, None], law / law.sum(axis=2, keepdims=True))
        out: Integers = drawn.sum(axis=0).astype(np.int64)
        return out


@dataclass(frozen=True, eq=False)
class Bits(FakeLaw):
    """A bit for each of k categories, packed: what is reported to unary encodings.

    A fake respondent is of one of several kinds, evenly; a kind's bits are independent. Beside
    them, so many of the ``filled`` bits are 1, a set drawn uniformly.

    Args:
        kinds: (kinds, k) chance of each kind's bits to be 1.
        filled: categories that the set is drawn from; their chance in ``kinds`` is 0.
        ones: size of the set.
    """

    kinds: Floats
    filled: npt.NDArray[np.intp]
    ones: int

    @property
    def rates(self) -> Floats:
        """(k,)."""
        out: Floats = self.kinds.mean(axis=0)
        if self.ones:
            out[self.filled] = self.ones / self.filled.size
        return out

    def reports(self, m: int, generator: np.random.Generator) -> npt.NDArray[Any]:
        """(m, ceil(k / 8)) packed bits."""
        k = self.kinds.shape[1]
        out = np.empty((m, (k + 7) // 8), dtype=np.uint8)
        for rows in _parts(out, k):
            chosen = self.kinds[generator.integers(len(self.kinds), size=len(rows))]
            bits = generator.random(chosen.shape) < chosen
            if self.ones:
                order = generator.random((len(rows), self.filled.size)).argsort(axis=1)
                bits[np.arange(len(rows))[:, None], self.filled[order[:, : self.ones]]] = True
            rows[:] = np.packbits(bits, axis=1, bitorder="little")
        return out

    def support(self, m: int, generator: np.random.Generator) -> Integers:
        """One binomial a kind and category, and one a category and bits still to be set."""
        people = _kinds(m, len(self.kinds), generator)
        sums = generator.binomial(people[:, None], self.kinds).sum(axis=0)
        if self.ones:
            sums[self.filled] = set_sums(m, self.ones, self.filled.size, generator)
        out: Integers = sums.astype(np.int64)
        return out


def _parts(out: npt.NDArray[Any], width: int) -> Iterator[npt.NDArray[Any]]:
    """Yield the rows of an array, so many at a time that all positions need a few MB."""
    rows = max(1, _CELLS // width)
    for start in range(0, len(out), rows):
        yield out[start : start + rows]


def _kinds(m: int, kinds: int, generator: np.random.Generator) -> Integers:
    return generator.multinomial(m, np.full(kinds, 1 / kinds)).astype(np.int64)


def set_sums(m: int, ones: int, columns: int, generator: np.random.Generator) -> Integers:
    """Draw the column sums of m uniform sets, each of ``ones`` out of ``columns``.

    Column by column: whoever has s places left to set among the c columns left sets this one with
    probability s / c.
    """
    left = np.zeros(ones + 1, dtype=np.int64)  # sets by places that are left to set
    left[ones] = m
    places = np.arange(ones + 1)
    sums = np.empty(columns, dtype=np.int64)
    for column in range(columns):
        taken = generator.binomial(left, np.minimum(places / (columns - column), 1.0))
        sums[column] = taken.sum()
        left -= taken
        left[:-1] += taken[1:]
    return sums
