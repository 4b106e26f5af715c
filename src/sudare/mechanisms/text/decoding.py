"""Finding words: prefixes that are supported often enough, continued symbol by symbol."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Bytes, Integers
from sudare.errors import EstimationError
from sudare.estimation.tails import least_count
from sudare.exact.linear_hash import LinearHash
from sudare.mechanisms.text.chances import WordSearch
from sudare.mechanisms.text.discovered_words import DiscoveredWords

if TYPE_CHECKING:
    from sudare.mechanisms.text.alphabet import Alphabet
    from sudare.mechanisms.text.pem import PEM
    from sudare.samplers.prefix import Reports


MOST_TOGETHER = 2.0
"""Shares that words above the threshold may add up to at least; beyond it reports were made up."""


@dataclass(frozen=True)
class Supports:
    """How many reports of one length support prefixes of that length."""

    family: LinearHash
    functions: npt.NDArray[np.uint16]
    told: npt.NDArray[np.uint16]

    @cached_property
    def _hashes(self) -> npt.NDArray[np.uint16]:
        """``g - hash`` of each symbol under each function, a row a symbol."""
        every = np.arange(self.family.functions)
        hashes = self.family.hashes(every, np.arange(self.family.k)[:, None])
        return (self.family.g - hashes).astype(np.uint16)

    @cached_property
    def _low(self) -> LinearHash:
        """Functions of a symbol's low digits, which are decoded at once; its high ones one by one.

        So many digits as take the least steps: the reports for each of the high ones, and about
        ``s g^(s+1)`` for s low ones.
        """
        k, g, n = self.family.k, self.family.g, len(self.told)

        def steps(digits: int) -> int:
            return int(-(-k // g**digits) * (n + digits * g ** (digits + 1)))

        return LinearHash(g ** min(range(1, self.family.t + 1), key=steps), g)

    @cached_property
    def _points(self) -> npt.NDArray[np.int32]:
        """Where a function of low digits and what is left as their hash are tallied.

        The second axis is that rest before its remainder by g is taken.
        """
        functions, g = self._low.functions, self.family.g
        rests = np.arange(g * (self.functions.shape[1] + 1)) % g
        at = self._low.points(np.repeat(np.arange(functions), g), np.tile(np.arange(g), functions))
        return at.reshape(functions, g)[:, rests].astype(np.int32)

    @cached_property
    def _rows(self) -> Integers:
        """Where the row of each report's last function begins in the table of points."""
        last = self.functions[:, -1].astype(np.int64)
        return np.asarray(last % self._low.functions * self._points.shape[1])

    def after(self, prefix: Bytes) -> Integers:
        """Return how many reports support the prefix with each symbol behind it: (size,).

        What the prefix leaves of a hash is the last symbol's, and those of all symbols with the
        same high digits are counted at once (:meth:`LinearHash.supports`).
        """
        rest = self.told.copy()
        for i, symbol in enumerate(prefix.tolist()):
            rest += self._hashes[symbol].take(self.functions[:, i])
        out = []
        for high in range(0, self.family.k, self._low.k):
            left = rest + self._hashes[high].take(self.functions[:, -1])
            points = self._points.reshape(-1).take(self._rows + left)
            out.append(self._low.supports(np.bincount(points, minlength=self._size)))
        return np.concatenate(out)[: self.family.k]

    @property
    def _size(self) -> int:
        return self._low.geometry.points + 1


def find(m: PEM, reports: Reports, false: float, above: float, beam: int) -> DiscoveredWords:
    """Go from length to length, as :meth:`~sudare.PEM.find` says.

    A report whose last function is 0 says nothing of the last symbol: all words with the same
    beginning have one hash, and one of zeros alone would support every word. One device in
    ``g^t`` draws it; such reports are left out, and other words collide no oftener than one in g.
    """
    asked = WordSearch.checked(m, false, above, beam)
    p, q = (float(one) for one in m.support_probabilities)
    kept = np.zeros((1, 0), dtype=np.uint8)
    for which, (start, length) in enumerate(pairwise((0, *m.lengths))):
        own = reports[(reports[:, 0] == which) & (reports[:, length] > 0)]
        if not len(own):
            rule = "must have some about each length of prefixes"
            raise EstimationError("reports", rule, "ask more people, or about fewer lengths")
        supports = Supports(m.family, own[:, 1 : 1 + length], own[:, -1])
        for _ in range(start, length - 1):
            kept = _with(kept, _mays(m.alphabet, kept, m.longest))
        mays = _mays(m.alphabet, kept, m.longest)
        counts = np.array([supports.after(prefix) for prefix in kept]).reshape(mays.shape)[mays]
        kept, tried = _with(kept, mays), counts.size
        if length < m.longest:
            over = np.flatnonzero(counts >= least_count(len(own), q, asked.level(tried)))
            best = over[np.argsort(-counts[over], kind="stable")[:beam]]
            kept = kept[best]
    chance = q + above * (p - q)
    least = least_count(len(own), chance, false / max(1, tried))
    over = np.flatnonzero(counts >= least)
    threshold = (least / len(own) - q) / (p - q)
    flooded = bool(over.size * threshold > MOST_TOGETHER)
    best = over[np.argsort(-counts[over], kind="stable")][: 0 if flooded else None]
    held = counts[best] / len(own)
    return DiscoveredWords(
        words=tuple(m.alphabet.decode(row) for row in kept[best]),
        shares=(held - q) / (p - q),
        stderr=np.sqrt(held * (1 - held) / len(own)) / (p - q),
        threshold=threshold,
        false=false,
        above=above,
        tried=tried,
        n=len(reports),
        asked=len(own),
        epsilon=m.epsilon,
        flooded=flooded,
    )


def _mays(alphabet: Alphabet, prefixes: Bytes, longest: int) -> Booleans:
    left = longest - prefixes.shape[1] - 1
    mays = [alphabet.follow(prefix, left) for prefix in prefixes]
    return np.array(mays, dtype=np.bool_).reshape(-1, alphabet.size)


def _with(prefixes: Bytes, mays: Booleans) -> Bytes:
    """Return the prefixes with each symbol behind them that may be there."""
    rows, symbols = np.nonzero(mays)
    return np.column_stack([prefixes[rows], symbols]).astype(np.uint8)
