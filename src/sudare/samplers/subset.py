"""``subset``: one independent bit a category, likelier where the category is in the set."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError
from sudare.exact.bernoulli import bernoulli_either
from sudare.exact.entropy import Entropy
from sudare.samplers import packed
from sudare.samplers.fields import Field, whole

MAX_SET_CATEGORIES = 1024
"""Most categories of a set: the ratio is a power of that order, and is kept exactly."""

_BLOCK_CELLS = 1 << 17


@dataclass(frozen=True, slots=True)
class Subset(packed.Packed):
    """Set bit i where a word is below ``own`` (i is in the set) or ``other`` (it is not).

    A value is a set of at most ``most`` of the k categories: one value is a collection of
    distinct indices, n values a boolean array (n, k). The report and its layout of entropy are
    those of :class:`~sudare.samplers.Bits`.

    Examples:
        >>> Subset(k=4, width=8, own=128, other=64, most=1).ratio     # as Bits: p = 1/2, q = 1/4
        Fraction(3, 1)
        >>> Subset(k=4, width=8, own=128, other=64, most=4).ratio     # two in four: (p / q)**4
        Fraction(16, 1)
    """

    kind: ClassVar[str] = "subset"
    fields: ClassVar[Mapping[str, Field]] = {
        **packed.Packed.fields,
        "k": whole(2, MAX_SET_CATEGORIES),
        "most": whole(1, MAX_SET_CATEGORIES),
    }
    most: int

    def __post_init__(self) -> None:
        packed.Packed.__post_init__(self)
        if not 1 <= self.most <= self.k:
            raise CollectionError("program.most", "must be a whole number from 1 to k")

    @property
    def inputs(self) -> int:
        """Number of sets of at most ``most`` categories."""
        return sum(comb(self.k, size) for size in range(self.most + 1))

    @property
    def ratio(self) -> Fraction:
        """Largest ratio over all pairs of allowed sets; ``docs/proofs/sets.md``, item 2.

        ::

            max(A, B)**most min(A, B)**(min(2 most, k) - most)

        with ``A = p / q`` for each bit that falls away, ``B = (1 - q) / (1 - p)`` for each that
        comes in.
        """
        total = 1 << self.width
        gained = Fraction(self.own, self.other)
        lost = Fraction(total - self.other, total - self.own)
        low, high = sorted((gained, lost))
        rest = min(2 * self.most, self.k) - self.most
        return _power(high, self.most) * _power(low, rest)

    def sets(self) -> list[tuple[int, ...]]:
        """Return the allowed sets by size, in the order of :meth:`matrix`'s columns."""
        self._refuse_enumeration()
        return [s for size in range(self.most + 1) for s in combinations(range(self.k), size)]

    def every(self) -> list[tuple[int, ...]]:
        """Return the allowed sets."""
        return self.sets()

    def _held(self, value: Collection[int]) -> frozenset[int]:
        return frozenset(value)

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[np.uint8]:
        """Randomise sets, (n, k) booleans, into packed rows."""
        n = values.shape[0]
        if self.width not in (32, 64):
            wire = b"".join(self.draw_one(np.flatnonzero(row).tolist(), rng) for row in values)
            return np.frombuffer(wire, dtype=np.uint8).reshape(n, self.report_bytes)
        out = np.empty((n, self.report_bytes), dtype=np.uint8)
        rows = max(1, _BLOCK_CELLS // self.k)
        for start in range(0, n, rows):
            part = values[start : start + rows]
            cells = bernoulli_either(part, self.own, self.other, self.width, rng)
            out[start : start + rows] = packed.pack(cells)
        return out


def _power(number: Fraction, exponent: int) -> Fraction:
    return Fraction(number.numerator**exponent, number.denominator**exponent)
