"""Noise for a whole number: how much, how far it may reach, and the draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from sudare.errors import PrivacyError
from sudare.exact import exact_text
from sudare.exact.bounds import exp_bounds
from sudare.exact.entropy import Entropy
from sudare.exact.noise import (
    LEAST_SCALE,
    MOST_SCALE,
    discrete_gaussian,
    discrete_gaussian_one,
    discrete_laplace,
    discrete_laplace_one,
)
from sudare.ledger import Cost
from sudare.release.protection import NeighbourRelation

_PI = Fraction(314159265358979, 10**14)  # below π


@dataclass(frozen=True, slots=True)
class Noise:
    """Discrete Laplace noise for ε, discrete Gaussian for ρ.

    Attributes:
        cost: what it costs.
        scale: ``sensitivity / ε``; for ρ the variance ``squared / (2 ρ)``.
    """

    cost: Cost
    scale: Fraction

    @classmethod
    def of(
        cls, cost: Cost, sensitivity: Fraction | int, squared: Fraction | int | None = None
    ) -> Noise:
        """Return the noise that a whole number, or several, of this sensitivity need.

        Args:
            cost: ε or ρ.
            sensitivity: largest change between neighbours, summed over the numbers.
            squared: the same as a sum of squares; None for one number.
        """
        if cost.unit == "epsilon":
            scale, most = Fraction(sensitivity) / cost.amount, MOST_SCALE
        else:
            whole = sensitivity * sensitivity if squared is None else squared
            scale, most = Fraction(whole) / (2 * cost.amount), MOST_SCALE**2 / 4
        if scale > most:
            remedy = "give a larger one, or a grid with fewer steps"
            raise PrivacyError(cost.unit, "is too small for this query", remedy)
        if scale < LEAST_SCALE:
            rule = "is so large that nothing is hidden"
            raise PrivacyError(cost.unit, rule, "give a smaller one")
        return cls(cost, scale)

    @classmethod
    def of_counts(cls, cost: Cost, protection: NeighbourRelation) -> Noise:
        """Return the noise of each count of groups that share no row."""
        return cls.of(cost, protection.of_counts, protection.of_counts_squared)

    def draw(self, rng: Entropy) -> int:
        """Return one draw, exact in law."""
        if self.cost.unit == "epsilon":
            return discrete_laplace_one(self.scale, rng)
        return discrete_gaussian_one(self.scale, rng)

    def noised(self, number: int, rng: Entropy) -> int:
        """Return a number with one draw."""
        return number + self.draw(rng)

    def added(self, numbers: Sequence[int], rng: Entropy) -> list[int]:
        """Return each number with a draw of its own."""
        draw = discrete_laplace if self.cost.unit == "epsilon" else discrete_gaussian
        drawn = draw(len(numbers), self.scale, rng).tolist()
        return [one + noise for one, noise in zip(numbers, drawn, strict=True)]

    def reach(self, miss: float) -> int:
        """Return the least t found with ``P(|noise| > t) <= miss``.

        Laplace: ``2 q^(t + 1) / (1 + q)``, ``q = exp(-1 / scale)``. Gaussian: at most that of the
        continuous one (Canonne, Kamath, Steinke 2020, proposition 25).
        """
        if self.cost.unit == "epsilon":
            rate = 1 / float(self.scale)
            return max(0, math.ceil(math.log(2 / (miss * (1 + math.exp(-rate)))) / rate) - 1)
        return math.ceil(-math.sqrt(self.scale) * NormalDist().inv_cdf(miss / 2))

    def tail(self, t: int) -> Fraction:
        """Return a rational that is no less than ``P(noise >= t)``, for t >= 1, and hardly more.

        Laplace: ``q^t / (1 + q)``. Gaussian: ``exp(-t² / 2v) / (1 - exp(-(2t + 1) / 2v))`` over
        ``max(1, sqrt(2πv))``, which is no more than the sum of all weights; and 1/2.

        Proof: ``docs/proofs/keys.md``, 4.
        """
        if self.cost.unit == "epsilon":
            return exp_bounds(-t / self.scale)[1] / (1 + exp_bounds(-1 / self.scale)[0])
        wide = 2 * self.scale
        weights = exp_bounds(-t * t / wide)[1] / (1 - exp_bounds(-(2 * t + 1) / wide)[1])
        whole = Fraction(math.isqrt(math.floor(_PI * wide * (1 << 64))), 1 << 32)
        return min(weights / max(whole, Fraction(1)), Fraction(1, 2))

    def beyond(self, chance: Fraction) -> int:
        """Return the least t >= 1 with ``tail(t) <= chance``, by halving."""
        below, t = 0, 1
        while self.tail(t) > chance:
            below, t = t, 2 * t
        while t - below > 1:
            middle = (below + t) // 2
            below, t = (below, middle) if self.tail(middle) <= chance else (middle, t)
        return t

    @property
    def stderr(self) -> float:
        """Standard deviation."""
        if self.cost.unit == "rho":
            return math.sqrt(self.scale)
        rate = 1 / float(self.scale)
        return math.sqrt(2 * math.exp(-rate)) / -math.expm1(-rate)

    def law(self, of: str, step: Fraction = Fraction(1)) -> dict[str, Any]:
        """Return the law as JSON data.

        ::

            discrete Laplace    P(x) ∝ exp(-|x| / scale)
            discrete Gaussian   P(x) ∝ exp(-x² / (2 variance))

        Args:
            of: what the noise is added to, in whole steps.
            step: a step, in the unit of the answer (to a power for sums of powers).
        """
        laplace = self.cost.unit == "epsilon"
        return {
            "of": of,
            "law": "discrete Laplace" if laplace else "discrete Gaussian",
            "scale" if laplace else "variance": exact_text(self.scale),
            "step": exact_text(step),
            "stderr": self.stderr * float(step),
        }
