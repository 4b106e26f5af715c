"""Exact draws from laws of whole-number weights, by Walker's alias method: one word a draw.

``2**s`` slots of equal width hold a law: a slot belongs to its own outcome up to a cut, and to
another one beyond it. The leading s bits of a word choose the slot, the others are compared with
the cut. The cut is a rational number: where the word's bits equal its own leading ones, more words
are drawn until they tell. So each outcome has the probability ``weight / total``, whatever the
numbers are (proof: ``docs/proofs/tables.md``).

Source: Walker 1977, with the construction of Vose 1991, here in whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.exact.entropy import BLOCK_BYTES, Entropy
from sudare.exact.reals import uniform_below

MOST_DRAWS = BLOCK_BYTES // 8
"""Most draws of one call."""

_NARROW = 16  # most leading bits of a word of 32: one draw in 65,536 or fewer then needs more


@dataclass(frozen=True, slots=True)
class Slots:
    """The slots of one law in whole numbers.

    Attributes:
        own: of each slot how much of ``total`` is its own outcome's.
        others: the outcome that has the rest.
        total: width of a slot; the sum of the weights.

    Examples:
        >>> Slots.of([5, 2, 1])
        Slots(own=[8, 0, 4, 0], others=[0, 0, 0, 1], total=8)
    """

    own: list[int]
    others: list[int]
    total: int

    @classmethod
    def of(cls, weights: Sequence[int]) -> Slots:
        """Share the slots out: what a small outcome leaves of its slot, a large one takes."""
        bits, total = bits_for(len(weights)), sum(weights)
        own = [weight << bits for weight in weights] + [0] * ((1 << bits) - len(weights))
        others = list(range(len(own)))
        small = [i for i, weight in enumerate(own) if weight < total]
        large = [i for i, weight in enumerate(own) if weight >= total]
        while small:
            i, j = small.pop(), large[-1]
            others[i] = j
            own[j] -= total - own[i]
            if own[j] < total:
                small.append(large.pop())
        return cls(own, others, total)

    @property
    def law(self) -> list[Fraction]:
        """Return the probability of each outcome, exactly."""
        masses = [0] * len(self.own)
        for slot, (own, other) in enumerate(zip(self.own, self.others, strict=True)):
            masses[slot] += own
            masses[other] += self.total - own
        return [Fraction(mass, self.total * len(self.own)) for mass in masses]


class Alias:
    """Several laws over the same outcomes, as tables that words are looked up in.

    Args:
        laws: of each law the weights of the outcomes, whole numbers >= 0, not all 0.
        names: what stands for each outcome; default its number.

    Examples:
        >>> coins = Alias([[3, 1], [1, 0]])
        >>> coins.draw(np.array([0, 0, 1, 1, 1]), Entropy.system())[2:].tolist()
        [0, 0, 0]
    """

    __slots__ = ("_bits", "_cuts", "_names", "_rest", "laws")

    def __init__(self, laws: Iterable[Sequence[int]], names: Any = None) -> None:
        self.laws = [Slots.of(law) for law in laws]
        size = len(self.laws[0].own)
        self._bits = bits_for(size)
        kind: Any = np.uint32 if self._bits <= _NARROW else np.uint64
        self._rest = 8 * np.dtype(kind).itemsize - self._bits
        # a slot that is full belongs to one outcome on both sides of any cut
        cuts = [
            (slot << self._rest) + (own % one.total << self._rest) // one.total
            for one in self.laws
            for slot, own in enumerate(one.own)
        ]
        self._cuts = np.array(cuts, dtype=kind)
        # both outcomes of a slot side by side; a slot beyond the outcomes has none of its own
        both = [place for one in self.laws for pair in enumerate(one.others) for place in pair]
        plain = np.arange(size, dtype=np.min_scalar_type(size - 1))
        named = plain if names is None else np.asarray(names)
        self._names = np.append(named, named[:1].repeat(size - len(named)))[both]

    def draw(self, rows: int | npt.NDArray[Any], rng: Entropy) -> npt.NDArray[Any]:
        """Draw an outcome for each of some laws, or so many of the first law.

        Args:
            rows: numbers of the laws, or how many draws; at most :data:`MOST_DRAWS`.
        """
        n = rows if isinstance(rows, int) else rows.size
        words = rng.block(n, self._cuts.dtype)
        slots = (words >> self._cuts.dtype.type(self._rest)).astype(np.intp)
        if not isinstance(rows, int):
            slots += np.left_shift(rows, self._bits, dtype=np.intp, casting="unsafe")
        cuts = self._cuts.take(slots)
        beyond = words >= cuts
        ties = np.flatnonzero(words == cuts)
        if ties.size:
            tied = words[ties].tolist()  # before more words overwrite them
            for place, word, slot in zip(ties.tolist(), tied, slots[ties].tolist(), strict=True):
                beyond[place] = not self._keeps(slot, word & (1 << self._rest) - 1, rng)
        slots <<= 1
        slots += beyond
        out: npt.NDArray[Any] = self._names.take(slots)
        return out

    def _keeps(self, slot: int, word: int, rng: Entropy) -> bool:
        """Return whether a number whose leading bits are the cut's lies below it."""
        law, place = divmod(slot, 1 << self._bits)
        one = self.laws[law]
        share = Fraction(one.own[place] % one.total, one.total)
        return uniform_below(word, self._rest, lambda _: (share, share), rng)


def bits_for(outcomes: int) -> int:
    """Return the bits that number so many outcomes; at least one."""
    return max(1, (outcomes - 1).bit_length())
