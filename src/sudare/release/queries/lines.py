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
from sudare.release.queries.student import student

INTERCEPT = "(intercept)"

_TINY = float(np.finfo(float).tiny)

MOST_SHIFT = 0.5
"""The noise may turn the matrix that is solved by so large a part of itself, or nothing is said."""

ROUNDING = 2.0**-45
"""What floats may be off, as a part of the largest: 256 times the rounding of one, 2^-53.

A number of M is rounded once. Eigenvalues and what is solved by them are those of a matrix that is
off by p(k) 2^-53 |M|, p a polynomial below 256 in practice for k <= 16. So rounding is taken
as noise of this size on each number; where that may be all of M, nothing is said.
"""

MOST_STEP = 64.0
"""exp(MOST_STEP) is no bound of anything: a last step as far as that says nothing."""


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
        freedom: degrees of freedom that the variance of a row's error is known by.
    """

    found: Floats
    noise: Floats
    sampling: Floats
    unit: str
    drift: Floats | None = None
    freedom: float = math.inf

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
        turns: float | None = None,
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
            turns: of the noise of each number of M; None for the same.

        Proof: ``docs/proofs/regression.md``, 5.
        """
        size = right.size
        nothing = np.zeros(size) if about is None else about
        endless = cls(nothing, _endless(size), _endless(size), cost.unit)
        if not (np.isfinite(matrix).all() and np.isfinite(right).all()):
            return endless
        # what is drawn decides these numbers, and none of them may raise an error
        with np.errstate(all="ignore"):
            try:
                values, vectors = np.linalg.eigh(matrix)
            except np.linalg.LinAlgError:
                return endless
            rounding = ROUNDING * max(np.abs(values).max(), np.abs(right).max())
            own = np.hypot(stderr, rounding)
            each = np.hypot(stderr if turns is None else turns, rounding)
            turned = 2 * each * math.sqrt(size)
            inverse = (vectors / np.maximum(values, max(turned, _TINY))) @ vectors.T
            found = inverse @ right
            if not np.isfinite(found).all():
                return endless
            steps = each**2 * found**2
            spread = np.eye(size) * (own**2 + steps.sum()) + each**2 * np.outer(found, found)
            spread -= np.diag(steps)
            if known:
                spread[0, 0] -= steps[0]
            shift = turned / values[0] if values[0] > 0 else math.inf
            noise = _turned(inverse, spread) / (1 - shift) ** 2
            sampling = residual * inverse
        if not (shift < MOST_SHIFT and np.isfinite(noise).all() and np.isfinite(sampling).all()):
            noise = sampling = _endless(size)
        return cls(nothing + found, noise, sampling, cost.unit)

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
        noise, sampling = (_turned(turn, one) for one in (self.noise, self.sampling))
        return replace(self, found=found, noise=noise, sampling=sampling, drift=drift)

    def stepped(self, matrix: Floats, about: Floats, most: float) -> Line:
        """Return the same as Newton's step on the loss whose second derivatives M is.

        The step's own error is added; beyond ``most`` nothing is said, as of separated data.

        Proof: ``docs/proofs/regression.md``, 6.
        """
        step = self.found - about
        far = float(np.abs(step).sum())
        sure = np.abs(self.found).max() < most and far < MOST_STEP
        if not (sure and np.isfinite(self.noise).all()):
            endless = _endless(self.found.size)
            return replace(self, noise=endless, sampling=endless)
        part = (math.expm1(far) - far) / far if far else 0.0
        size = math.sqrt(max(0.0, float(step @ matrix @ step)))
        return replace(self, drift=part * size * np.sqrt(np.maximum(np.diag(self.sampling), 0)))

    def reaches(self, miss: float) -> list[float]:
        """Return how far the noise takes each coefficient, with about probability 1 - miss."""
        besides = np.zeros(self.found.size) if self.drift is None else self.drift
        tail = self._tail(miss)
        both = zip(np.diag(self.noise), besides, strict=True)
        return [tail * math.sqrt(max(one, 0.0)) + float(more) for one, more in both]

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
        """Return from where to where each coefficient of the population lies, about so surely.

        The whole line where no row is left to tell how far rows are off: fewer than 1 of freedom.
        """
        if self.freedom < 1:
            return [(-math.inf, math.inf)] * self.found.size
        far = student(miss, self.freedom)
        both = zip(self.reaches(miss), np.diag(self.sampling), strict=True)
        wide = [math.hypot(noise, far * math.sqrt(max(one, 0.0))) for noise, one in both]
        return [(float(b) - one, float(b) + one) for b, one in zip(self.found, wide, strict=True)]

    def _tail(self, miss: float) -> float:
        """Return how many standard deviations: of the normal law, or Laplace's where it is more."""
        normal = -NormalDist().inv_cdf(miss / 2)
        laplace = math.log(1 / miss) / math.sqrt(2)
        return max(normal, laplace) if self.unit == "epsilon" else normal


def _turned(turn: Floats, of: Floats) -> Floats:
    """Return a covariance seen by a linear map, and on the diagonal what its rounding may be."""
    out: Floats = turn @ of @ turn.T
    wide = np.abs(turn) @ np.abs(of) @ np.abs(turn).T
    return out + ROUNDING * np.diag(np.diag(wide))


def _endless(size: int) -> Floats:
    return np.full((size, size), math.inf)


def names_of(columns: Sequence[str]) -> list[str]:
    """Return the names of the coefficients."""
    return [INTERCEPT, *columns]
