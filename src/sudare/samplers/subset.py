"""``subset``: one independent bit a category, likelier where the category is in the set."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import CollectionError
from sudare.exact.bernoulli import bernoulli_columns
from sudare.exact.entropy import Entropy, EntropySource
from sudare.samplers import base, packed

MAX_SET_CATEGORIES = 1024
"""Most categories of a set: the ratio is a power of that order, and is kept exactly."""

_BLOCK_CELLS = 1 << 18


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

    def laws(self, values: Sequence[Collection[int]]) -> list[list[Fraction]]:
        """Return ``P[set][report]``; the report's bits as a little-endian number."""
        total = 1 << self.width
        p, q = Fraction(self.own, total), Fraction(self.other, total)
        law = {(True, 1): p, (True, 0): 1 - p, (False, 1): q, (False, 0): 1 - q}
        return [
            [
                prod((law[i in held, report >> i & 1] for i in range(self.k)), start=Fraction(1))
                for report in range(1 << self.k)
            ]
            for held in map(frozenset, values)
        ]

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[np.uint8]:
        """Randomise sets, (n, k) booleans, into packed rows; the held bits are drawn apart."""
        n = values.shape[0]
        if self.width not in (32, 64):
            wire = b"".join(self.draw_one(np.flatnonzero(row).tolist(), rng) for row in values)
            return np.frombuffer(wire, dtype=np.uint8).reshape(n, self.report_bytes)
        out = np.empty((n, self.report_bytes), dtype=np.uint8)
        rows = max(1, _BLOCK_CELLS // self.k)
        for start in range(0, n, rows):
            part = values[start : start + rows]
            cells = bernoulli_columns(part.size, self.other, self.width, rng)
            held = np.flatnonzero(part)
            cells[held] = bernoulli_columns(held.size, self.own, self.width, rng)
            out[start : start + rows] = np.packbits(
                cells.reshape(part.shape), axis=1, bitorder="little"
            )
        return out

    def draw_one(self, value: Collection[int], entropy: EntropySource) -> bytes:
        """Randomise one set of indices: k words."""
        return self._draw_bits(frozenset(value), entropy)

    def to_json(self) -> dict[str, Any]:
        """Return the program as JSON data."""
        return {**packed.Packed.to_json(self), "most": self.most}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Subset:
        """Rebuild the program from its JSON data."""
        parts = packed.thresholds(data, MAX_SET_CATEGORIES)
        return cls(**parts, most=base.integer(data, "most", 1, parts["k"]))


def _power(number: Fraction, exponent: int) -> Fraction:
    return Fraction(number.numerator**exponent, number.denominator**exponent)
