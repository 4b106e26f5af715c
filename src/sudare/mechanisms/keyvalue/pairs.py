"""Padding and sampling, and the two randomisers of the pair that is drawn.

They are no kinds of their own: no device runs them, and they have no JSON form.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.errors import ReportError, counted
from sudare.exact import uniform, uniform_one
from sudare.exact.bernoulli import bernoulli_columns
from sudare.exact.bit_counts import count_ones, nth_ones, packed_words
from sudare.exact.entropy import Entropy, EntropySource
from sudare.exact.uniform import uniform_each
from sudare.mechanisms.keyvalue.position import TOTAL, WIDTH, Position
from sudare.mechanisms.keyvalue.validation import NOT_HELD, STEPS, Holdings
from sudare.samplers import base

_ROWS, _CELLS, _FILLED = 1 << 12, 1 << 22, 1 << 16


@dataclass(frozen=True, slots=True)
class Padded(base.Unsent):
    """Draw one of the keys held, or a dummy where fewer than ``padding`` are, with a sign.

    A value is a list of d positions (:mod:`sudare.mechanisms.keyvalue.validation`). Dummies are
    numbered from d on; their sign is fair.
    """

    refusal: ClassVar[tuple[str, str]] = "must be of a kind that devices run", "use PrivKV instead"
    d: int
    padding: int
    position: Position

    @property
    def inputs(self) -> int:
        """Values of a list of d signed keys: each held with +1 or -1, or not held."""
        return int(3**self.d)

    @property
    def _rows(self) -> int:
        """People at a time, so that a bulk draw needs a few MB whatever d is."""
        return max(1, min(_ROWS, _CELLS // self.d))

    @abstractmethod
    def draw(self, values: Any, rng: Entropy) -> npt.NDArray[Any]:
        """Randomise :class:`~sudare.mechanisms.keyvalue.validation.Holdings`."""

    def _pairs(
        self, values: Holdings, start: int, rng: Entropy
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        """Return the keys drawn by the next people, and 1 where the sign is -1."""
        words = packed_words(values.held[start : start + self._rows])
        sizes = count_ones(words)
        places = uniform_each(np.maximum(sizes, self.padding), rng).astype(np.int64)
        real = places < sizes
        keys = np.minimum(nth_ones(words, places), self.d - 1)
        below = values.positions(start, keys)
        below[~real] = STEPS // 2
        keys = np.where(real, keys, self.d + places - sizes)
        return keys, (uniform(len(keys), STEPS, rng) < below).view(np.uint8)

    def _pair(self, value: list[int], entropy: EntropySource) -> tuple[int, int]:
        """Return one drawn key, and 1 where the sign is -1."""
        held = [key for key, position in enumerate(value) if position != NOT_HELD]
        place = uniform_one(max(len(held), self.padding), entropy)
        real = place < len(held)
        key = held[place] if real else self.d + place - len(held)
        below = value[key] if real else STEPS // 2
        return key, int(uniform_one(STEPS, entropy) < below)

    def _draws(self, value: Sequence[int]) -> Iterator[tuple[int, int, Fraction]]:
        """Yield (key, sign, probability) of what is drawn from keys at these positions."""
        held = [key for key, position in enumerate(value) if position != NOT_HELD]
        size = max(len(held), self.padding)
        for place in range(size):
            real = place < len(held)
            key = held[place] if real else self.d + place - len(held)
            minus = Fraction(value[key] if real else STEPS // 2, STEPS)
            yield key, 0, (1 - minus) / size
            yield key, 1, minus / size

    def every(self) -> Iterator[tuple[int, ...]]:
        """Return the lists of signed keys, in row-major order of the states."""
        return product((0, STEPS, NOT_HELD), repeat=self.d)

    def laws(self, values: Sequence[Sequence[int]]) -> list[list[Fraction]]:
        """Return ``P[value][report]``."""
        columns = []
        for value in values:
            column = [Fraction(0)] * self.outputs
            for key, sign, chance in self._draws(value):
                for report, own in enumerate(self._law(key, sign) if chance else ()):
                    column[report] += chance * own
            columns.append(column)
        return columns

    @abstractmethod
    def _law(self, key: int, sign: int) -> list[Fraction]:
        """Return the law of the report of a drawn pair."""


@dataclass(frozen=True, slots=True)
class Signs(Padded):
    """PCKV-UE: every position <1,+1>, <1,-1> or <0,0>, the drawn one likelier what it is.

    The wire is two bits a position.
    """

    @property
    def outputs(self) -> int:
        """``3**d``."""
        return int(3**self.d)

    @property
    def ratio(self) -> Fraction:
        """Largest ratio of one report under two people, each a mixture of at least ℓ pairs.

        With g the ratio of a state at the drawn position to the same at another one, of c = min(d,
        ℓ) pairs each may raise a report by the largest g or lower it by the least; the other ℓ - c
        are dummies, of which no position is sent. Where c = d all keys are held, and none says 0.
        """
        most, *less = (a / b for a, b in zip(self._own, self._other, strict=True))
        keys = min(self.d, self.padding)
        least = less[0] if keys == self.d else min(less)
        dummies = self.padding - keys
        return (keys * most + dummies) / (keys * least + dummies)

    @property
    def _own(self) -> tuple[Fraction, ...]:
        p = self.position
        weights = (p.true, p.flipped, TOTAL - p.true - p.flipped)
        return tuple(Fraction(weight, TOTAL) for weight in weights)

    @property
    def _other(self) -> tuple[Fraction, ...]:
        weights = (self.position.other, self.position.other, TOTAL - 2 * self.position.other)
        return tuple(Fraction(weight, TOTAL) for weight in weights)

    def _law(self, key: int, sign: int) -> list[Fraction]:
        own = self._own if sign == 0 else (self._own[1], self._own[0], self._own[2])
        out = []
        for states in product(range(3), repeat=self.d):
            chance = Fraction(1)
            for i, state in enumerate(states):
                chance *= own[state] if i == key else self._other[state]
            out.append(chance)
        return out

    def wires(self) -> Iterator[bytes]:
        """Yield every report's wire form, in row-major order of the states."""
        return map(self.encode_one, product(range(3), repeat=self.d))

    def draw(self, values: Any, rng: Entropy) -> npt.NDArray[np.uint8]:
        """Randomise into (n, d) states."""
        out = np.empty(values.held.shape, dtype=np.uint8)
        table = self.position.table()
        for start in range(0, len(out), self._rows):
            part = out[start : start + self._rows]
            keys, minus = self._pairs(values, start, rng)
            self._fill_others(part.reshape(-1), rng)
            real = np.flatnonzero(keys < self.d)
            part[real, keys[real]] = table.draw(minus, rng)[real]
        return out

    def _fill_others(self, cells: npt.NDArray[np.uint8], rng: Entropy) -> None:
        """Overwrite cells with states of keys that were not drawn: a sign by a fair bit, or 2."""
        for start in range(0, cells.size, _FILLED):
            part = cells[start : start + _FILLED]
            named = bernoulli_columns(part.size, 2 * self.position.other, WIDTH, rng)
            signs = np.unpackbits(rng.block((part.size + 7) // 8, np.uint8), count=part.size)
            signs &= named.view(np.uint8)
            np.logical_not(named, out=part.view(np.bool_))
            part *= 2
            part |= signs

    def draw_one(self, value: list[int], entropy: EntropySource) -> list[int]:
        """Randomise one person: the pair, then a word a position."""
        key, sign = self._pair(value, entropy)
        table = self.position.table()
        return [table.draw_one(sign if i == key else 2, entropy) for i in range(self.d)]

    @property
    def report_bytes(self) -> int:
        """Two bits a position."""
        return (2 * self.d + 7) // 8

    def encode_one(self, report: Any) -> bytes:
        """Return the states, the first in the lowest bits."""
        if len(report) != self.d or not all(0 <= state <= 2 for state in report):
            raise ReportError("report", f"must be {counted(self.d, 'state')} in [0, 3)")
        packed = sum(int(state) << 2 * i for i, state in enumerate(report))
        return packed.to_bytes(self.report_bytes, "little")

    def decode(self, wire: bytes) -> npt.NDArray[np.uint8]:
        """Return (n, d) states, each checked; bits beyond the last must be 0."""
        size = self.report_bytes
        if len(wire) % size:
            raise ReportError("report", f"must be {counted(size, 'byte')} long")
        rows = np.frombuffer(wire, dtype=np.uint8).reshape(-1, size)
        bits = np.unpackbits(rows, axis=1, bitorder="little")
        states = bits[:, : 2 * self.d : 2] + 2 * bits[:, 1 : 2 * self.d : 2]
        if bits[:, 2 * self.d :].any() or (states > 2).any():
            raise ReportError("report", "must hold states in [0, 3), and zero bits after them")
        return states


@dataclass(frozen=True, slots=True)
class Pairs(Padded, base.Indexed):
    """PCKV-GRR: one of the 2 (d + padding) signed keys, the drawn one likelier."""

    @property
    def outputs(self) -> int:
        """``2 (d + padding)``."""
        return 2 * (self.d + self.padding)

    @property
    def ratio(self) -> Fraction:
        """Largest ratio of one report under two people, each a mixture of at least ℓ pairs.

        A report of a key is likeliest where one of ℓ pairs is that very pair, and least likely
        where none is, or where one of ℓ is that key with the other sign.
        """
        p, others = self.position, self.padding - 1
        most = Fraction(p.true + others * p.other, self.padding)
        least = Fraction(min(p.flipped, p.other) + others * p.other, self.padding)
        return most / least

    def _law(self, key: int, sign: int) -> list[Fraction]:
        out = [Fraction(self.position.other, TOTAL)] * self.outputs
        out[2 * key + sign] = Fraction(self.position.true, TOTAL)
        out[2 * key + 1 - sign] = Fraction(self.position.flipped, TOTAL)
        return out

    def draw(self, values: Any, rng: Entropy) -> npt.NDArray[Any]:
        """Randomise into (n,) signed keys."""
        out = np.empty(len(values), dtype=base.index_dtype(self.outputs))
        for start in range(0, len(out), self._rows):
            keys, minus = self._pairs(values, start, rng)
            words = rng.block(keys.size, np.uint64)
            out[start : start + keys.size] = self._chosen(keys, minus, words)
        return out

    def _chosen(
        self,
        keys: npt.NDArray[np.int64],
        minus: npt.NDArray[np.uint8],
        words: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        p, own = self.position, 2 * keys
        rest = ((words - np.uint64(p.true + p.flipped)) // np.uint64(p.other)).astype(np.int64)
        rest += np.left_shift(rest >= own, 1, dtype=np.int64)  # skips the own key
        kept = words < np.uint64(p.true + p.flipped)
        own += minus ^ (words >= np.uint64(p.true)).view(np.uint8)
        return np.where(kept, own, rest)

    def draw_one(self, value: list[int], entropy: EntropySource) -> int:
        """Randomise one person: the pair, then one word."""
        key, sign = self._pair(value, entropy)
        word, p = base.word(entropy, WIDTH), self.position
        if word < p.true + p.flipped:
            return 2 * key + (sign ^ (word >= p.true))
        rest = (word - p.true - p.flipped) // p.other
        return rest + 2 * (rest >= 2 * key)
