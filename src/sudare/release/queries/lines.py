"""``Line``: coefficients that come of noisy sums, with what noise and sampling do to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from sudare.arrays import Floats
from sudare.errors import PrivacyError
from sudare.ledger import Cost
from sudare.release.queries.gram import Centred

INTERCEPT = "(intercept)"

MOST_SHIFT = 0.5
"""The noise may turn the matrix that is solved by so large a part of itself, or nothing is said."""


@dataclass(frozen=True, slots=True)
class Line:
    """Coefficients ``b = M⁻¹ c`` of columns between -1 and 1, M and c with noise.

    Attributes:
        found: (p + 1,) the coefficients, that of 1 first.
        noise: (p + 1, p + 1) covariance of what the noise does to them, in first order; infinite
            where the noise may be all of M.
        sampling: the same of taking the rows for a larger population.
        unit: of the price, which says how heavy the noise's tails are.
        drift: how far each coefficient may be off besides, where they are found in steps.
    """

    found: Floats
    noise: Floats
    sampling: Floats
    unit: str
    drift: Floats | None = None

    @classmethod
    def of(
        cls,
        matrix: Floats,
        right: Floats,
        stderr: float,
        cost: Cost,
        *,
        about: Floats | None = None,
        known: bool,
        residual: float,
        part: float = 1.0,
    ) -> Line:
        """Return the solution, without fail: of a matrix that is no covariance one that is near.

        ::

            b - b* = M⁻¹ r,   r = e - E (b - about),   e, E: the noise of c and M

        Args:
            matrix, right: M and c, with noise.
            stderr: of the noise of each number of c.
            cost: the price.
            about: what is added to the solution.
            known: M's first number has no noise.
            residual: variance of a row's error, by which M⁻¹ is the covariance of sampling.
            part: the noise of a number of M, as a part of that of c.

        Proof: ``docs/proofs/regression.md``, 5.
        """
        size = right.size
        values, vectors = np.linalg.eigh(matrix)
        turned = 2 * part * stderr * math.sqrt(size)
        least = max(turned, np.finfo(float).tiny)
        inverse = (vectors / np.maximum(values, least)) @ vectors.T
        found = inverse @ right
        steps = part**2 * (found**2)
        spread = stderr**2 * (np.eye(size) * (1 + steps.sum()) + np.outer(found, found) * part**2)
        spread -= stderr**2 * np.diag(steps)
        if known:
            spread[0, 0] -= stderr**2 * steps[0]
        shift = turned / values[0] if values[0] > 0 else math.inf
        sure = shift < MOST_SHIFT
        noise = inverse @ spread @ inverse / (1 - shift) ** 2 if sure else _endless(size)
        sampling = residual * inverse if sure else _endless(size)
        whole = found if about is None else about + found
        return cls(whole, noise, sampling, cost.unit)

    def shown(self, of: Centred, *, target: bool) -> Line:
        """Return the coefficients in the columns' units.

        Args:
            of: the columns: the first one is told by the others, if it is a ``target``.
            target: else what is told has no unit.
        """
        first = 1 if target else 0
        halves, middles = of.halves[first:], of.middles[first:]
        own, around = (of.halves[0], of.middles[0]) if target else (1.0, 0.0)
        turn = own * np.diag([1.0, *(1 / halves)])
        turn[0, 1:] = -own * middles / halves
        found = turn @ self.found
        found[0] += around
        drift = None if self.drift is None else np.abs(turn) @ self.drift
        if not np.isfinite(self.noise).all():
            return replace(self, found=found, drift=drift)
        noise, sampling = (turn @ one @ turn.T for one in (self.noise, self.sampling))
        return replace(self, found=found, noise=noise, sampling=sampling, drift=drift)

    def stepped(self, matrix: Floats, about: Floats, most: float) -> Line:
        """Return the same as Newton's step on the loss whose second derivatives M is.

        The step's own error is added; beyond ``most`` nothing is said, as of separated data.

        Proof: ``docs/proofs/regression.md``, 6.
        """
        if not np.isfinite(self.noise).all() or np.abs(self.found).max() >= most:
            endless = _endless(self.found.size)
            return replace(self, noise=endless, sampling=endless)
        step = self.found - about
        far = float(np.abs(step).sum())
        part = (math.expm1(far) - far) / far if far else 0.0
        size = math.sqrt(max(0.0, float(step @ matrix @ step)))
        return replace(self, drift=part * size * np.sqrt(np.diag(self.sampling)))

    def reaches(self, miss: float) -> list[float]:
        """Return how far the noise takes each coefficient, with about probability 1 - miss."""
        besides = np.zeros(self.found.size) if self.drift is None else self.drift
        tail = self._tail(miss)
        both = zip(np.diag(self.noise), besides, strict=True)
        return [tail * math.sqrt(one) + float(more) for one, more in both]

    def widest(self, miss: float, cost: Cost) -> float:
        """Return the largest reach of the coefficients but the intercept, before an answer.

        Raises:
            PrivacyError: there is none: the noise may be all that is told.
        """
        found = max(self.reaches(miss)[1:])
        if math.isinf(found):
            rule = "is too small for a bound: the noise may be all that is told"
            raise PrivacyError(cost.unit, rule, "give a larger one, or ask of more rows")
        return found

    def intervals(self, miss: float) -> list[tuple[float, float]]:
        """Return from where to where each coefficient of the population lies, about so surely."""
        far = -NormalDist().inv_cdf(miss / 2)
        both = zip(self.reaches(miss), np.diag(self.sampling), strict=True)
        wide = [math.hypot(noise, far * math.sqrt(max(one, 0.0))) for noise, one in both]
        return [(float(b) - one, float(b) + one) for b, one in zip(self.found, wide, strict=True)]

    def _tail(self, miss: float) -> float:
        """Return how many standard deviations: of the normal law, or Laplace's where it is more."""
        normal = -NormalDist().inv_cdf(miss / 2)
        laplace = math.log(1 / miss) / math.sqrt(2)
        return max(normal, laplace) if self.unit == "epsilon" else normal


def _endless(size: int) -> Floats:
    return np.full((size, size), math.inf)


def names_of(columns: Sequence[str]) -> list[str]:
    """Return the names of the coefficients."""
    return [INTERCEPT, *columns]
