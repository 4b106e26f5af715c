"""``Average``: the noisy numbers that tell a mean of whole numbers, and how far off it may be.

The numbers share one price: with noise of the scale ``D_i / ε`` each, neighbours differ in loss by
``ε Σ |Δ_i| / D_i``, which the D are chosen to keep at ε. Proofs: ``docs/proofs/averages.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sudare.exact.entropy import Entropy
from sudare.ledger import Cost
from sudare.release.noise import Noise
from sudare.release.protection import NeighbourRelation


@dataclass(frozen=True, slots=True)
class Part:
    """A whole number with noise: ``total * Σ x + rows * n``.

    Attributes:
        of: what it is, in words.
        total, rows: how much of the sum, and of the number of rows.
        noise: its noise.
        step: what 1 of it is, in the unit of the answer.
    """

    of: str
    total: int
    rows: int
    noise: Noise
    step: Fraction


@dataclass(frozen=True, slots=True)
class Average:
    """Noisy numbers for the mean of the whole numbers x in ``[first, last]`` of n rows.

    ::

        n public       Σ (x - middle),               D = last - first = w
        add-remove     Σ (x - first), Σ (last - x),  D = w each: a row moves both by w together
        replace-one    Σ (2 x - first - last), n,    D = 2 w, 2

    Several groups that share no row have the pair of add-remove each, under both relations.

    Attributes:
        first, last: of x, in steps.
        n: number of rows, where it is public.
        parts: what is drawn.
    """

    first: int
    last: int
    n: int | None
    parts: tuple[Part, ...]

    @classmethod
    def of(
        cls,
        cost: Cost,
        protection: NeighbourRelation,
        between: tuple[int, int],
        step: Fraction,
        *,
        n: int | None = None,
        groups: int = 1,
        what: str = "sum",
    ) -> Average:
        """Return the numbers that the price buys.

        Args:
            cost: of all of them.
            protection: whom they protect.
            between: first and last of x.
            step: what 1 of x is, in the unit of the answer.
            n: number of rows, where it is public; None where it is private.
            groups: how many groups share the price, a row in one of them at most.
            what: the sum in words.
        """
        first, last = between
        wide, middle = last - first, (first + last) // 2
        if n is not None:
            noise = Noise.of(cost, protection.of_sum(first - middle, last - middle))
            around = Part(f"{what} around the middle", 1, -middle, noise, step)
            return cls(first, last, n, (around,))
        if protection.neighbours == "add-remove" or groups > 1:
            squared = protection.of_counts_squared * wide * wide
            noise = Noise.of(cost, protection.of_counts * wide, squared)
            above = Part(f"{what} above the lower bound", 1, -first, noise, step)
            below = Part(f"{what} below the upper bound", -1, last, noise, step)
            return cls(first, last, None, (above, below))
        rows = protection.rows
        noise, count = Noise.of(cost, 2 * wide * rows), Fraction(4 * rows * rows, 3)
        around = Part(f"{what} around the middle", 2, -first - last, noise, step / 2)
        counted = Part("count", 0, 1, Noise.of(cost, 2 * rows, count), Fraction(1))
        return cls(first, last, None, (around, counted))

    def numbers(self, total: int, n: int) -> list[int]:
        """Return the numbers before their noise."""
        return [one.total * total + one.rows * n for one in self.parts]

    def drawn(self, total: int, n: int, rng: Entropy) -> list[int]:
        """Return the numbers with their noise."""
        numbers = zip(self.parts, self.numbers(total, n), strict=True)
        return [part.noise.noised(one, rng) for part, one in numbers]

    @property
    def laws(self) -> tuple[dict[str, Any], ...]:
        """The laws of the noise as JSON data."""
        return tuple(one.noise.law(one.of, one.step) for one in self.parts)

    @property
    def origin(self) -> Fraction:
        """What the first number is a sum around: the middle, or the first of x for a pair."""
        return Fraction(-self.parts[0].rows, self.parts[0].total)

    @property
    def _is_pair(self) -> bool:
        return self.parts[-1].total < 0

    def rows(self, answer: Sequence[int]) -> Fraction:
        """Return the number of rows: public, or with noise, without bias."""
        if self.n is not None:
            return Fraction(self.n)
        if self._is_pair:
            return Fraction(answer[0] + answer[1], self.last - self.first)
        return Fraction(answer[1])

    def mean(self, answer: Sequence[int]) -> Fraction:
        """Return the mean, between first and last: their middle where less than a row is left."""
        rows = self.rows(answer)
        if rows < 1:
            return Fraction(self.first + self.last, 2)
        found = self.origin + answer[0] / (self.parts[0].total * rows)
        return min(max(found, Fraction(self.first)), Fraction(self.last))

    def reach(self, answer: Sequence[int], miss: float) -> float:
        """Return how far the mean is off at most, with probability ``1 - miss``.

        Never farther than the bounds of x are.
        """
        mean, rows = self.mean(answer), self.rows(answer)
        most = float(max(mean - self.first, self.last - mean))
        return most if rows < 1 else min(most, self.planned(rows, miss, mean))

    def planned(self, rows: Fraction | int, miss: float, mean: Fraction | None = None) -> float:
        """Return the same where there is no answer yet.

        Args:
            rows: what the answer will be divided by.
            miss: the probability.
            mean: the mean that was found; None for the widest of all.
        """
        wide = float(self.last - self.first)
        each = [one.noise.reach(miss / len(self.parts)) for one in self.parts]
        if self.n is not None or self._is_pair:  # a pair errs by a mixture of both errors
            return min(wide, float(max(each) / Fraction(rows)))
        total, count = (float(one / Fraction(rows)) for one in (Fraction(each[0], 2), each[1]))
        out = total + wide / 2 * count
        if mean is not None:  # what n is off by weighs as much as the mean is from the middle
            out = total + min(wide / 2, abs(float(mean - self.origin)) + out) * count
        return min(wide, out)
