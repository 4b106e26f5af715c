"""The ε of any two sequences of answers: exact over a few rounds, a proven bound over more.

Numbers refer to ``docs/proofs/repeated.md``. ``web/js/repeats/sequences.js`` is the same in the
browser: the same sums in the same order, so that both state one number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, expm1, inf, log, log1p

import numpy as np

from sudare.arrays import Floats, Integers

EXACT = 6
"""Rounds up to which all pairs of sequences are enumerated (item 7)."""
STEPS = 60
"""How often a part is cut off where the best price of a round is looked for: any gives a bound."""
_GOLDEN = (5**0.5 - 1) / 2
ROUNDING = Fraction(1, 10**9)
"""More than what sums of some thousand logarithms in floats err, of a sum above 1 in its unit."""

Block = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Settled:
    """What stands behind the reports of all rounds.

    Attributes:
        k: how many symbols there are, or bits.
        answers: so many permanent answers may a person have, k at most: two categories reach two
            of the hashes.
        own: probability of the answer's own symbol, or of a 1 of its own bit.
        other: of another symbol, or of a 1 of another bit.
        step: log ρ, of how much likelier a symbol itself is told than another one.
    """

    k: int
    answers: int
    own: float
    other: float
    step: float

    @classmethod
    def of(cls, k: int, answers: int, own: Fraction, other: Fraction, each: Fraction) -> Settled:
        """Return what these exact probabilities are in floats, each within 1e-15 of itself."""
        return cls(k, answers, float(own), float(other), log1p(float(each - 1)))

    def symbol(self, part: float, times: int) -> float:
        """Return ``log(1 + part (ρ^times - 1))``, also of a times below 0."""
        height = times * self.step
        if height > 30:
            return height + log(part + (1 - part) * exp(-height))
        return log1p(part * expm1(height))

    def bit(self, part: float, ones: int, zeros: int) -> float:
        """Return ``log(part ρ^ones + (1 - part) ρ^zeros)``."""
        return zeros * self.step + self.symbol(part, ones - zeros)


# -- a few rounds: all pairs of sequences --------------------------------------------------------


def partitions(whole: int, most: int) -> Iterator[Block]:
    """Yield the sizes of blocks, largest first, into which so many rounds can be put."""
    if whole == 0:
        yield ()
    for first in range(min(whole, most), 0, -1):
        for rest in partitions(whole - first, first):
            yield (first, *rest)


@lru_cache(EXACT)
def pairs(rounds: int) -> tuple[tuple[Block, Block], ...]:
    """Return two sequences of answers each, as the block of each round, up to the rounds' order.

    Which answer a block is stays open: a block of the one may have the answer of one of the other.
    """
    out, seen = [], set()
    for sizes in partitions(rounds, rounds):
        one = tuple(a for a, size in enumerate(sizes) for _ in range(size))
        for two in _growing(rounds):
            cells: dict[int, list[int]] = {}
            for a, b in zip(one, two, strict=True):
                cells.setdefault(b, []).append(a)
            key = (one, tuple(sorted(map(tuple, cells.values()))))
            if key not in seen:
                seen.add(key)
                out.append((one, two))
    return tuple(out)


def _growing(rounds: int) -> Iterator[Block]:
    """Yield all ways to put rounds into blocks, numbered as they appear."""
    if rounds == 0:
        yield ()
        return
    for rest in _growing(rounds - 1):
        for block in range(max(rest, default=-1) + 2):
            yield (*rest, block)


def matched(gains: Sequence[Sequence[float]], least: int) -> float:
    """Return the largest sum of gains of pairs, each row and each column once at most.

    Args:
        gains: of row a with column b.
        least: how many pairs there must be; -inf where there cannot be so many.
    """
    best = {0: 0.0}
    for row in gains:
        more = dict(best)
        for used, value in best.items():
            for b, gain in enumerate(row):
                if not used >> b & 1:
                    key = used | 1 << b
                    more[key] = max(more.get(key, -inf), value + gain)
        best = more
    return max((one for used, one in best.items() if used.bit_count() >= least), default=-inf)


def _symbols_exactly(law: Settled, rounds: int) -> float:
    """Item 7: the reports are what the one answers, each block by its own symbol."""
    best = 0.0
    for one, two in pairs(rounds):
        size, width = one[-1] + 1, max(two) + 1
        if max(size, width) > law.answers:
            continue
        cells = np.zeros((size, width), dtype=np.int64)
        np.add.at(cells, (list(one), list(two)), 1)
        told = np.expm1(cells * law.step)
        above = sum(law.symbol(law.own, int(n)) for n in cells.sum(axis=1))
        apart = 1 + law.other * told.sum(axis=0)
        alike = np.log(apart[None] + (law.own - law.other) * told)
        gains = np.log(apart)[None] - alike
        most = matched(gains.tolist(), size + width - law.answers)
        best = max(best, above - float(np.log(apart).sum()) + most)
    return best


def _bits_exactly(law: Settled, rounds: int) -> float:
    """Item 7: given both sequences, each bit has its own worst reports."""
    best = 0.0
    for one, two in pairs(rounds):
        size, width = one[-1] + 1, max(two) + 1
        if max(size, width) > law.k:
            continue
        above, below = _bits_of(law, one), _bits_of(law, two)
        worst = (above[:, None] - below[None]).max(axis=2)  # the last row, column: of no own bit
        left, right, none = worst[:-1, -1], worst[-1, :-1], worst[-1, -1]
        base = left.sum() + right.sum() + (law.k - size - width) * none
        gains = worst[:-1, :-1] - left[:, None] - right[None] + none
        best = max(best, float(base) + matched(gains.tolist(), size + width - law.k))
    return best


@lru_cache(1 << 10)
def _bits_of(law: Settled, blocks: Block) -> Floats:
    """Return the logarithms of all reports of a bit: of each block's own, then of another one."""
    rounds, size = len(blocks), max(blocks) + 1
    reports = np.arange(1 << rounds)[:, None] >> np.arange(rounds) & 1
    member = np.array(blocks)[:, None] == np.arange(size)
    ones, all_of = reports @ member, member.sum(axis=0)
    own, other = (
        np.array([[law.bit(part, i, n - i) for i in range(n + 1)] + [0.0] * (rounds - n)
                  for n in all_of.tolist()])
        for part in (law.own, law.other)
    )  # fmt: skip
    at = np.arange(size)
    others: Floats = other[at, ones]
    owns: Floats = own[at, ones]
    none = others.sum(axis=1)
    return np.vstack([none + (owns - others)[:, a] for a in range(size)] + [none])


# -- more rounds: bounds -------------------------------------------------------------------------


def least_of(bound: Callable[[float], float], high: float) -> float:
    """Return about the least of a convex function on [0, high]: each of its values is a bound."""
    left, right = high - _GOLDEN * high, _GOLDEN * high
    low, at_left, at_right = 0.0, bound(left), bound(right)
    for _ in range(STEPS):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = bound(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = bound(right)
    return min(at_left, at_right, bound(low))


def _spread(values: Floats, whole: Integers, parts: int) -> Floats:
    """Return the least sums of a convex function of so many whole numbers that add up.

    Args:
        values: of the function at 0, 1, ...; one more than is needed.
        whole: what the numbers add up to.
        parts: how many numbers.
    """
    each, more = np.divmod(whole, parts)
    return np.asarray((parts - more) * values[each] + more * values[each + 1])


def _symbols_bound(law: Settled, rounds: int) -> float:
    """Item 8: s symbols are told, and each pays the s-th part of every answer's block."""
    told = np.arange(1, rounds + 1)
    heights = range(rounds + 2)
    above = np.array([law.symbol(law.own, m) for m in range(1, rounds + 1)])
    best = 0.0
    for s in range(1, min(law.k, rounds) + 1):
        others = np.array([law.symbol(s * law.other, m) for m in heights])
        least = np.full(rounds, inf)
        for j in range(rounds // law.answers + 2):
            rest = np.maximum(told - j, 0)
            each = law.symbol(s * law.own, j) + _spread(others, rest, law.answers - 1)
            least = np.minimum(least, np.where(told >= j, each, inf))
        if law.answers < law.k:  # a symbol that none of the answers has
            least = np.minimum(least, _spread(others, told, law.answers))
        gains = above - least / s

        def bound(price: float, s: int = s, gains: Floats = gains) -> float:
            return s * float((gains - price * told).max()) + price * rounds

        best = max(best, least_of(bound, law.step))
    return best


@dataclass(frozen=True)
class _Bit:
    """Logarithms of the reports of a bit with 0, 1, ... ones in so many rounds.

    Attributes:
        never: the largest where its own answer is never given.
        always: the largest where its own answer is given with each 1.
        apart, below: the least is the least of a row of ``below``, where its own block has so many
            more ones than zeros, or fewer, as ``apart`` says.
    """

    never: Floats
    always: Floats
    apart: Integers
    below: Floats

    @classmethod
    def of(cls, law: Settled, rounds: int) -> _Bit:
        both, parts, middle = range(-rounds - 1, rounds + 2), law.k - 1, rounds + 1
        mine, others = (np.array([law.symbol(b, d) for d in both]) for b in (law.own, law.other))
        at = np.arange(-rounds, rounds + 1)
        up, down = (
            _spread(one, np.abs(at), parts) for one in (others[middle:], others[middle::-1])
        )
        spread = np.where(at >= 0, up, down)
        ones = np.arange(rounds + 1)
        own = ones[:, None] + ones - rounds
        zeros = rounds - ones
        below = mine[middle + own] + spread[2 * ones[:, None] - own] + zeros[:, None] * law.step
        rest = np.array([law.bit(law.other, 0, o) for o in zeros.tolist()])
        never, always = (one[middle : middle + rounds + 1] + rest for one in (others, mine))
        return cls(never, always, np.abs(own), below)


def _bit_bound(law: Settled, rounds: int) -> float:
    """Item 9: the worst of one bit, whose own answer is given as often as it likes."""
    bit = _Bit.of(law, rounds)
    return float((bit.always - bit.below.min(axis=1)).max())


def _bits_bound(law: Settled, rounds: int) -> float:
    """Item 9: each bit may have the sequences that are worst for it, but shares the rounds."""
    bit, ones = _Bit.of(law, rounds), np.arange(rounds + 1)

    def of_both(price: float) -> float:
        below = (bit.below + price * bit.apart).min(axis=1)
        never = float((bit.never - below).max())
        always = bit.always - below

        def bound(other: float) -> float:
            worst = max(never, float((always - other * ones).max()))
            return law.k * worst + (price + other) * rounds

        return least_of(bound, law.step)

    return least_of(of_both, 2 * law.step)


# -- either ---------------------------------------------------------------------------------------


def bits_epsilon(law: Settled, rounds: int) -> float:
    """Return ε of any two sequences of answers about which k bits are told."""
    return (_bits_exactly if rounds <= EXACT else _bits_bound)(law, rounds)


def symbols_epsilon(law: Settled, rounds: int) -> float:
    """Return ε of any two sequences of answers about which one of k symbols is told.

    Of two symbols it is that of one bit, exactly.
    """
    if law.k == 2:
        return _bit_bound(law, rounds)
    return (_symbols_exactly if rounds <= EXACT else _symbols_bound)(law, rounds)
