"""Uniform subsets of one size in bulk: heads of independent bits, and tails out of a table.

A respondent holds one of k places. It is in the set with one probability, and the others are a
uniform subset. The other places are numbered, the last few of them are the *tail*, those before the
*head*. Heads are independent bits of a dyadic probability r. One with s ones is kept with a chance
proportional to

::

    (weight of the sets that have s ones in the head, or one of them) / (r / (1 - r))^s

so that what is kept is as frequent as in uniform sets, exactly; heads with equal s are equally
likely. Then a coin tells whether the own place is in the set, and the tail is one of the words with
as many ones as are missing, each equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, exp, lgamma, log, log1p
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.exact.bernoulli import dyadic_planes
from sudare.exact.entropy import Entropy

Words = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.intp]

_TAIL = 16
_BLOCK = 1 << 13
_MOST_BITS = 8


@dataclass(frozen=True)
class Coins:
    """One exact probability for each kind: coins of 16 bits, ties drawn on."""

    chances: Sequence[Fraction]
    leads: npt.NDArray[np.uint16]

    @classmethod
    def of(cls, chances: Sequence[Fraction]) -> Coins:
        """Return the coins of these probabilities, 0 to 1."""
        leads = [min(int(chance * 65536), 65535) for chance in chances]
        return cls(chances, np.array(leads, dtype=np.uint16))

    def flips(self, kinds: Integers, rng: Entropy) -> npt.NDArray[np.bool_]:
        """Flip the coin of each of these kinds."""
        words = rng.block(kinds.size, np.uint16)
        leads = self.leads.take(kinds, mode="clip")
        heads = words < leads
        for i in np.flatnonzero(words == leads).tolist():
            rest = self.chances[kinds[i]] * 65536 - int(leads[i])
            heads[i] = _below(rest, rng)
        return heads


def _below(chance: Fraction, rng: Entropy) -> bool:
    """Return whether a uniform number of endless digits lies below ``chance``."""
    while True:
        whole, word = int(chance * 2**64), int.from_bytes(rng.take(8), "little")
        if word != whole:
            return word < whole
        chance = chance * 2**64 - whole


@dataclass(frozen=True)
class Sets:
    """How sets of ``size`` of k places are drawn, the own one of odds ``own : lost`` in it.

    Attributes:
        head: number of places before the tail.
        one, bits: the head's bits have the probability ``one / 2**bits``.
        keep: whether a head with so many ones is kept.
        has_own: whether the own place comes in, beside such a head.
        share: of the heads that are kept.
    """

    k: int
    size: int
    head: int
    one: int
    bits: int
    keep: Coins
    has_own: Coins
    share: float

    @property
    def cost(self) -> float:
        """How long one set takes, in about nanoseconds."""
        tried = 2 + -(-self.head // 64) * (1.2 * self.bits + 2)
        return 20 + tried / self.share if self.share > 0.02 else float("inf")

    @classmethod
    def of(cls, k: int, size: int, own: int, lost: int, one: int, bits: int) -> Sets:
        """Return the way that begins with bits of ``one / 2**bits``."""
        tail = min(_TAIL, k - 1)
        head = k - 1 - tail
        odds = Fraction((1 << bits) - one, one)
        most = min(head, size)
        with_own, all_sets = [Fraction(0)] * (head + 1), [Fraction(0)] * (head + 1)
        for s in range(max(0, size - 1 - tail), most + 1):
            weight = odds ** (s - most)
            with_own[s] = weight * (own * (k - size) * _choose(tail, size - 1 - s))
            all_sets[s] = with_own[s] + weight * (lost * size * _choose(tail, size - s))
        best = max(all_sets)
        keep = [some / best for some in all_sets]
        has_own = [a / b if b else Fraction(0) for a, b in zip(with_own, all_sets, strict=True)]
        share = sum(
            _binomial(head, s, one / (1 << bits)) * float(c) for s, c in enumerate(keep) if c
        )
        return cls(k, size, head, one, bits, Coins.of(keep), Coins.of(has_own), share)

    def draw(self, values: npt.NDArray[Any], rng: Entropy) -> npt.NDArray[np.uint8]:
        """Return packed rows, one for each value: a place from 0 to k - 1."""
        out = np.empty((values.shape[0], -(-self.k // 8)), dtype=np.uint8)
        for start in range(0, len(out), _BLOCK):
            part = values[start : start + _BLOCK].astype(np.uint64)
            words = np.zeros((-(-self.k // 64), part.size), dtype="<u8")
            ones = self._heads(words, rng)
            own = self.has_own.flips(ones, rng)
            self._tails(words, self.size - own - ones, rng)
            self._place_own(words, part, own)
            _packed(words, out[start : start + _BLOCK])
        return out

    def _heads(self, words: Words, rng: Entropy) -> Integers:
        """Write heads that are kept, and return their numbers of ones."""
        n, filled = words.shape[1], 0
        ones = np.zeros(n, dtype=np.intp)
        if not self.head:
            return ones
        tried = np.empty((-(-self.head // 64), 2 * _BLOCK), dtype="<u8")
        while filled < n:
            some = tried[:, : min(ceil((n - filled) / self.share * 1.02) + 8, 2 * _BLOCK)]
            for row in some:
                dyadic_planes(row, self.one, self.bits, rng)
            if self.head % 64:
                some[-1] &= np.uint64((1 << self.head % 64) - 1)
            found = np.bitwise_count(some[0]).astype(np.intp)
            for row in some[1:]:
                found += np.bitwise_count(row)
            kept = np.flatnonzero(self.keep.flips(found, rng))[: n - filled]
            part = slice(filled, filled + kept.size)
            for row, word in zip(some, words, strict=False):
                row.take(kept, out=word[part], mode="clip")
            found.take(kept, out=ones[part], mode="clip")
            filled += kept.size
        return ones

    def _tails(self, words: Words, ones: Integers, rng: Entropy) -> None:
        """Put words of so many ones behind the heads, each equally likely."""
        tail = self.k - 1 - self.head
        table, sizes, starts = _by_ones(tail)
        many = sizes.take(ones, mode="clip")
        number = rng.block(ones.size, np.uint32) * many
        # the product's low half is below 2**32 mod m only where it is below m: draw those again
        rare = np.flatnonzero((number & np.uint64(0xFFFFFFFF)) < sizes.max())
        for i in rare.tolist():
            m, product = int(many[i]), int(number[i])
            while product % 2**32 < 2**32 % m:
                product = int.from_bytes(rng.take(4), "little") * m
            number[i] = product
        number >>= np.uint64(32)
        number += starts.take(ones, mode="clip")
        found = table.take(number.astype(np.intp), mode="clip")
        at, shift = divmod(self.head, 64)
        words[at] |= found << np.uint64(shift)
        if shift + tail > 64:
            words[at + 1] |= found >> np.uint64(64 - shift)

    def _place_own(self, words: Words, values: Words, own: npt.NDArray[np.bool_]) -> None:
        """Move what stands at the own place to the last one, and the own bit there."""
        bit = values & np.uint64(63)
        place = (values >> np.uint64(6)).astype(np.intp) * values.size + np.arange(values.size)
        flat = words.reshape(-1)
        moved = flat.take(place, mode="clip") >> bit & np.uint64(1)
        words[-1] |= moved << np.uint64((self.k - 1) & 63)
        # at the last place itself nothing stood
        flat[place] ^= (moved ^ own) << bit


@lru_cache(256)
def quickest(k: int, size: int, own: int, lost: int) -> Sets:
    """Return the way of the least cost to draw sets of 1 to k - 1 of k places.

    Args:
        own, lost: weights of the sets with the own place, and of those without it.
    """
    options = [
        Sets.of(k, size, own, lost, one, bits)
        for bits in range(1, _MOST_BITS + 1)
        for one in {(size << bits) // k, (size << bits) // k + 1}
        if one % 2 and one < 1 << bits
    ]
    return min(options, key=lambda way: way.cost)


@lru_cache(_TAIL)
def _by_ones(tail: int) -> tuple[Words, Words, Words]:
    """Return all words of so many bits by their ones, how many have i of them, and where."""
    words = np.arange(1 << tail, dtype=np.uint64)
    table = words[np.argsort(np.bitwise_count(words), kind="stable")]
    sizes = np.array([comb(tail, i) for i in range(tail + 1)], dtype=np.uint64)
    return table, sizes, np.cumsum(sizes) - sizes


def _packed(words: Words, out: npt.NDArray[np.uint8]) -> None:
    """Write the words of each row one after the other, as bytes."""
    whole = out.shape[1] % 8 == 0
    rows = out.view("<u8") if whole else np.empty(words.shape[::-1], dtype="<u8")
    for i, word in enumerate(words):
        rows[:, i] = word
    if not whole:
        out[:] = rows.view(np.uint8)[:, : out.shape[1]]


def _choose(n: int, i: int) -> int:
    return comb(n, i) if i >= 0 else 0


def _binomial(n: int, s: int, r: float) -> float:
    log_sets = lgamma(n + 1) - lgamma(s + 1) - lgamma(n - s + 1)
    return exp(log_sets + s * log(r) + (n - s) * log1p(-r))
