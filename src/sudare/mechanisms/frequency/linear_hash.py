"""A family of hash functions whose collisions are exact: linear maps over a prime field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, count
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Integers
from sudare.estimation.support import Places

_BLOCK = 255  # reports that are looked at together: their number fits in a byte


@dataclass(frozen=True)
class LinearHash:
    """``h_a(v) = (a_1 v_1 + ... + a_t v_t) mod g`` for every a, v being written in t digits.

    Two different values have the same hash under exactly ``g^(t-1)`` of the ``g^t`` functions: one
    in g. Three have it under one in g² where they do not lie on a line, else under one in g. Values
    and functions are numbers, digits from the least.

    Attributes:
        k: number of values.
        g: a prime, the number of hashes; ``g^t`` and ``t g^2`` are below 2^32.

    Examples:
        >>> family = LinearHash(k=10, g=3)
        >>> family.t, family.functions
        (3, 27)
        >>> hashes = family.hashes(np.arange(27)[:, None], np.array([4, 7]))
        >>> int((hashes[:, 0] == hashes[:, 1]).sum())
        9
    """

    k: int
    g: int

    @cached_property
    def t(self) -> int:
        """Digits of a value: the least t with ``g^t >= k``."""
        return digits_of(self.k, self.g)

    @property
    def functions(self) -> int:
        """``g^t``."""
        return int(self.g**self.t)

    def _digits(self, numbers: Places) -> Iterator[npt.NDArray[np.uint32]]:
        rest, g = np.asarray(numbers).astype(np.uint32), np.uint32(self.g)
        for _ in range(self.t):
            higher = rest // g
            yield rest - higher * g
            rest = higher

    def hashes(self, functions: Places, values: Places) -> npt.NDArray[np.uint32]:
        """Return the hashes of values under functions, as NumPy broadcasts."""
        pairs = zip(self._digits(functions), self._digits(values), strict=True)
        total: Any = sum(a * v for a, v in pairs)
        return np.asarray(total - total // np.uint32(self.g) * np.uint32(self.g))

    def on_a_line(self, i: Places, j: Places, value: Places) -> Booleans:
        """Tell whether three different values lie on a line: ``i - value`` is a multiple of
        ``j - value``."""
        base = list(self._digits(value))
        first, second = (
            [
                (own + self.g - digit) % self.g
                for own, digit in zip(self._digits(one), base, strict=True)
            ]
            for one in (i, j)
        )
        out = np.ones(np.broadcast(*first, *second).shape, dtype=bool)
        for a, b in combinations(range(self.t), 2):
            out &= (first[a] * second[b]) % self.g == (first[b] * second[a]) % self.g
        return out

    # -- sums over all functions ------------------------------------------------------------------

    def supports(self, tally: Integers) -> Integers:
        """Return how many reports support each value, from a tally ``[function, hash]``.

        ::

            support_v = Σ_a tally[a, h_a(v)]

        digit by digit, in ``t g^(t+2)`` steps at most: not one for each report and value.
        """
        table = tally.reshape(*(self.g,) * self.t, self.g)
        for axis in range(self.t - 1):
            table = self._turned(table, axis, 1)
        a = np.arange(self.g)
        columns = [table[..., a, a * v % self.g].sum(axis=-1) for v in range(self.g)]
        return np.stack(columns, axis=-1).reshape(-1)[: self.k]

    def sums(self, numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the sum of the numbers of the values with each hash, ``[function, hash]``."""
        padded = np.zeros(self.functions, dtype=numbers.dtype)
        padded[: self.k] = numbers
        last = padded.reshape(*(self.g,) * self.t)
        table = np.zeros((*last.shape, self.g), dtype=numbers.dtype)
        table[..., 0, 0] = last.sum(axis=-1)
        v = np.arange(self.g)
        for a in range(1, self.g):
            table[..., a, a * v % self.g] = last
        for axis in range(self.t - 1):
            table = self._turned(table, axis, -1)
        return table.reshape(self.functions, self.g)

    def _turned(self, table: npt.NDArray[Any], axis: int, sign: int) -> npt.NDArray[Any]:
        """Return ``out[.., v, .., y] = Σ_a table[.., a, .., y + sign a v]`` along one digit."""
        g = self.g
        doubled = np.concatenate((table, table), axis=-1)
        parts = [np.take(doubled, a, axis=axis) for a in range(g)]
        out = np.empty_like(table)
        for v in range(g):
            total = out[(slice(None),) * axis + (v,)]
            total[:] = parts[0][..., :g]
            for a in range(1, g):
                start = sign * a * v % g
                total += parts[a][..., start : start + g]
        return out

    def supports_one_by_one(self, functions: Integers, hashes: Integers) -> Integers:
        """Return :meth:`supports` of reports by asking of each report and each value.

        The hash of a value is that of its low digits plus that of its high ones: two short tables a
        report, and one comparison a value.
        """
        low = self.g ** (self.t - self.t // 2)
        high = -(-self.k // low)
        kind = np.min_scalar_type(self.g)
        out = np.zeros((high, low), dtype=np.int64)
        for start in range(0, functions.size, _BLOCK):
            asked = functions[start : start + _BLOCK, None]
            lows = self.hashes(asked, np.arange(low))
            wanted = hashes[start : start + _BLOCK, None] + self.g
            wanted = (wanted - self.hashes(asked, low * np.arange(high))) % self.g
            same = lows.astype(kind)[:, None, :] == wanted.astype(kind)[:, :, None]
            out += same.view(np.uint8).sum(axis=0, dtype=np.uint8)  # below 256: no block is longer
        return out.reshape(-1)[: self.k]

    @property
    def covered(self) -> int:
        """Number of pairs (function, hash) that some value has.

        All g hashes, where a digit below the highest counts; as many as the highest digit has
        values, where it alone counts; one hash, where none does.
        """
        highest = -(-self.k // self.g ** (self.t - 1))
        return int((self.functions - self.g) * self.g + (self.g - 1) * highest + 1)


def digits_of(k: int, g: int) -> int:
    """Return the least t >= 1 with ``g^t >= k``."""
    return next(t for t in count(1) if g**t >= k)


def primes(below: int) -> list[int]:
    """Return the primes below a number.

    Examples:
        >>> primes(12)
        [2, 3, 5, 7, 11]
    """
    found: list[int] = []
    for n in range(2, below):
        if all(n % p for p in found if p * p <= n):
            found.append(n)
    return found
