"""A family of hash functions whose collisions are exact: linear maps over a prime field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Integers
from sudare.exact.projective import Geometry, Places, sums_at_points, sums_beside

_BLOCK = 255  # reports that are looked at together: their number fits in a byte


@dataclass(frozen=True)
class LinearHash:
    """``h_a(v) = (a_1 v_1 + ... + a_t v_t) mod g`` for every a, v being written in t digits.

    Two different values have the same hash under exactly ``g^(t-1)`` of the ``g^t`` functions: one
    in g. Three that do not lie on a line have any three hashes equally often. Values and functions
    are numbers, digits from the least.

    The value v is the plane of the vector ``(1, v_1, ..., v_t)`` in a geometry of t + 1 coordinates
    (:class:`~sudare.exact.projective.Geometry`), and it has the hash h under a where the point of
    ``(-h, a_1, ..., a_t)`` lies on it. What counts functions and hashes is counted at points: a
    function and its multiples share theirs, so that there are not ``g^(t+1)`` of them.

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

    @property
    def geometry(self) -> Geometry:
        """The geometry of which values are planes."""
        return Geometry(self.g, self.t + 1)

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

    @cached_property
    def _inverses(self) -> Integers:
        return np.array([0, *(pow(a, -1, self.g) for a in range(1, self.g))])

    def multiple(self, i: Places, j: Places, value: Places) -> Integers:
        """Return c where three different values lie on a line, ``j - value = c (i - value)``; else
        0."""
        i, j, value = np.broadcast_arrays(i, j, value)
        base = list(self._digits(value))
        first, second = (
            np.stack(np.broadcast_arrays(*(
                (own + self.g - digit) % self.g
                for own, digit in zip(self._digits(one), base, strict=True)
            ))).astype(np.int64)
            for one in (i, j)
        )  # fmt: skip
        at = (first != 0).argmax(axis=0)[None]
        lead, other = (np.take_along_axis(one, at, axis=0)[0] for one in (first, second))
        c = other * self._inverses[lead] % self.g
        return np.where((c * first % self.g == second).all(axis=0), c, 0)

    # -- what all functions and hashes count ------------------------------------------------------

    def points(self, functions: Integers, hashes: Integers) -> Integers:
        """Return the numbers of the points on the planes of the values that are hashed so.

        The function 0 gives all values the hash 0: that is the number behind the last point. Its
        other hashes are the point 0, which no value's plane has.
        """
        g, units = self.g, self.g ** np.arange(self.t)
        last = np.searchsorted(units, functions, side="right") - 1  # -1 of the function 0
        lead = functions // units[last]
        rest, inverse = functions - lead * units[last], self._inverses.take(lead)
        firsts = np.array([self.geometry.first(i) for i in range(self.t + 1)])
        out = firsts.take(last + 1) + (g - hashes) * inverse % g
        for unit in (units[1:]).tolist():
            higher = rest // g
            out += (rest - higher * g) * inverse % g * unit
            rest = higher
        out[(functions == 0) & (hashes == 0)] = self.geometry.points
        return np.asarray(out)

    def tally(
        self, functions: Integers, hashes: Integers, size: int = 1, numbers: Integers | None = None
    ) -> Integers:
        """Count at each point, and behind them, reports that name so many hashes from one on.

        Args:
            functions, hashes: (n,) of each report.
            numbers: (n,) how often it came; once where None.
        """
        out = np.zeros(self.geometry.points + 1, dtype=np.int64)
        for further in range(size):
            at = self.points(functions, (hashes + further) % self.g)
            if numbers is None:
                out += np.bincount(at, minlength=out.size)
            else:
                np.add.at(out, at, numbers)
        return out

    def supports(self, tally: Integers) -> Integers:
        """Return how many reports support each value, from :meth:`tally`.

        Digit by digit, in about ``t g^(t+1)`` steps or fewer: not one for each report and value.
        """
        return np.asarray(sums_beside(self.geometry, tally[:-1])[: self.k] + tally[-1])

    def sums(self, numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the sums of the numbers of the values with each hash, ``[direction, hash]``.

        A direction is a function whose last digit other than 0 is 1, of its multiples.
        """
        planes = np.zeros(self.geometry.points, dtype=numbers.dtype)
        start = self.geometry.first(self.t)
        planes[start : start + self.k] = numbers
        table = sums_at_points(self.geometry, planes)[1:].reshape(-1, self.g)
        return np.asarray(table[:, -np.arange(self.g)])

    def supports_one_by_one(self, functions: Integers, hashes: Integers, size: int = 1) -> Integers:
        """Return how many reports support each value by asking of each report and each value.

        The hash of a value is that of its low digits plus that of its high ones: two short tables a
        report, and one comparison or two a value.
        """
        low = self.g ** (self.t - self.t // 2)
        high = -(-self.k // low)
        kind = np.min_scalar_type(2 * self.g).type
        out = np.zeros((high, low), dtype=np.int64)
        for start in range(0, functions.size, _BLOCK):
            asked = functions[start : start + _BLOCK, None]
            lows = self.hashes(asked, np.arange(low)).astype(kind)
            first = hashes[start : start + _BLOCK, None] + self.g
            first = (first - self.hashes(asked, low * np.arange(high))) % self.g
            behind = lows[:, None, :] - first.astype(kind)[:, :, None]  # below 0 it is large
            same = behind < size
            if size > 1:
                same |= behind + kind(self.g) < size
            out += same.view(np.uint8).sum(axis=0, dtype=np.uint8)  # below 256: no block is longer
        return out.reshape(-1)[: self.k]

    def covered(self, size: int = 1) -> int:
        """Number of pairs (function, hash) so that some value has that hash or one of the next.

        All g hashes, where a digit below the highest counts. Where the highest alone does, or none,
        each hash that a value has covers as many as there are up to the one before it, at most
        ``size``.
        """
        highest = -(-self.k // self.g ** (self.t - 1))
        held = np.sort(np.arange(self.g)[:, None] * np.arange(highest) % self.g, axis=1)
        gaps = np.diff(held, axis=1, append=held[:, :1] + self.g)
        return int((self.functions - self.g) * self.g + np.minimum(gaps, size).sum())


def digits_of(k: int, g: int) -> int:
    """Return the least t >= 1 with ``g^t >= k``."""
    return next(t for t in count(1) if g**t >= k)


@cache
def primes(below: int) -> tuple[int, ...]:
    """Return the primes below a number.

    Examples:
        >>> primes(12)
        (2, 3, 5, 7, 11)
    """
    found: list[int] = []
    for n in range(2, below):
        if all(n % p for p in found if p * p <= n):
            found.append(n)
    return tuple(found)
