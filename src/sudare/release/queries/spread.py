"""``Spread``: the noisy numbers that tell a variance, and how far off it may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sudare.exact.entropy import Entropy
from sudare.ledger import Cost
from sudare.release.protection import NeighbourRelation
from sudare.release.queries.averages import Average

FINE = 1024
"""A centre is a whole number of parts of a step, about so many or more between the bounds."""

SHARES = [Fraction(1, 1 << i) for i in range(1, 8)]
"""Of the price, for the centre."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A noisy mean, then the mean square distance from it.

    ::

        variance = Σ (x - c)² / n - (mean - c)²     for any c, here the noisy mean

    A square distance lies in ``[0, max(c - first, last - c)²]``: the nearer c is to the middle of
    the bounds, the less noise hides it. Proof: ``docs/proofs/averages.md``, 5.

    Attributes:
        centring: what tells the mean.
        rest: the price of the square distances.
        protection: whom they protect.
        parts: of a step, in which the centre is a whole number.
        step: of the grid.
    """

    centring: Average
    rest: Cost
    protection: NeighbourRelation
    parts: int
    step: Fraction

    @classmethod
    def of(
        cls,
        cost: Cost,
        protection: NeighbourRelation,
        between: tuple[int, int],
        step: Fraction,
        n: int | None,
    ) -> Spread:
        """Return the numbers that the price buys; arguments as of :meth:`Average.of`.

        Of the shares for the centre the one that errs least is taken; where n, which decides it, is
        private, a sixth.
        """
        parts = max(1, math.ceil(Fraction(FINE, between[1] - between[0])))

        def one(share: Fraction) -> Spread:
            first, rest = (Cost(cost.unit, cost.amount * part) for part in (share, 1 - share))
            centring = Average.of(first, protection, between, step, n=n)
            return cls(centring, rest, protection, parts, step)

        found = one(Fraction(1, 6)) if n is None else min(map(one, SHARES), key=cls._error)
        # now: refused for a centre that was drawn it would tell of that one, and nothing is paid
        found.squares(parts * between[0])
        return found

    def _error(self) -> float:
        """Return about how far it is off, in steps, where the mean is half-way to a bound."""
        one = self.centring
        squares = self.squares(self.parts * (3 * one.first + one.last) // 4)
        rows, (near, far) = one.n or 1, (part.parts[0].noise.stderr for part in (one, squares))
        return math.hypot(far / rows / self.parts**2, 2 * (near / rows) ** 2)

    def squares(self, centre: int) -> Average:
        """Return what tells the mean square distance from a centre, in squares of parts."""
        one, what = self.centring, "sum of squared distances"
        far = max(centre - self.parts * one.first, self.parts * one.last - centre)
        step = (self.step / self.parts) ** 2
        return Average.of(self.rest, self.protection, (0, far * far), step, n=one.n, what=what)

    def drawn(self, total: int, squares: int, n: int, rng: Entropy) -> list[int]:
        """Return the numbers with their noise: those of the centre first."""
        first, parts = self.centring.drawn(total, n, rng), self.parts
        centre = self._centre(first)
        around = parts * parts * squares - 2 * parts * centre * total + n * centre * centre
        return [*first, *self.squares(centre).drawn(around, n, rng)]

    def variance(self, answer: Sequence[int]) -> Fraction:
        """Return the variance, in squares of steps, that numbers between the bounds can have."""
        found = self._squares(answer).mean(self._split(answer)[1]) - self._beside(answer) ** 2
        return min(max(found / self.parts**2, Fraction(0)), self._most)

    def reach(self, answer: Sequence[int], miss: float) -> float:
        """Return how far it is off at most, with probability ``1 - miss``."""
        first, second = self._split(answer)
        squares = self._squares(answer).reach(second, miss / 2)
        found, mean = self.variance(answer), self.centring.reach(first, miss / 2)
        wide = self._widened(squares, mean, abs(float(self._beside(answer))))
        return min(wide, float(max(found, self._most - found)))

    def planned(self, rows: int, miss: float) -> float:
        """Return the same for so many rows before there is an answer: the mean is at a bound."""
        squares = self.squares(self.parts * self.centring.first).planned(rows, miss / 2)
        mean = self.centring.planned(rows, miss / 2)
        return min(self._widened(squares, mean, 0.5), float(self._most))

    def laws(self, answer: Sequence[int]) -> tuple[dict[str, Any], ...]:
        """Return the laws of the noise as JSON data: the centre says that of the squares."""
        return (*self.centring.laws, *self._squares(answer).laws)

    @property
    def _most(self) -> Fraction:
        return Fraction((self.centring.last - self.centring.first) ** 2, 4)

    def _split(self, answer: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
        size = len(self.centring.parts)
        return answer[:size], answer[size:]

    def _centre(self, answer: Sequence[int]) -> int:
        return round(self.parts * self.centring.mean(answer))

    def _squares(self, answer: Sequence[int]) -> Average:
        return self.squares(self._centre(self._split(answer)[0]))

    def _beside(self, answer: Sequence[int]) -> Fraction:
        """Return how far the noisy mean is from the centre, in parts: rounding alone."""
        first, _ = self._split(answer)
        return self.parts * self.centring.mean(first) - self._centre(first)

    def _widened(self, squares: float, mean: float, beside: float) -> float:
        """Return what both errors make: ``|u² - v²| <= |u - v| (2 |v| + |u - v|)``, in steps."""
        off = self.parts * mean
        return (squares + off * (2 * beside + off)) / self.parts**2
