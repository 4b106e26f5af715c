"""How shares vary that are estimated by the inverse of any channel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.channels import Kronecker, Numeric
from sudare.estimation.estimate import Kind, Target
from sudare.estimation.memory import keep_freed
from sudare.estimation.simplex import clip_and_normalise
from sudare.estimation.spread import Spread, interval

_BLOCK = 1 << 14


@dataclass(frozen=True, eq=False)
class ChannelLaw:
    """The law of ``x = M^-1 y`` where y are the multinomial shares of n reports.

    ::

        n Cov = M^-1 diag(y) M^-T - x x^T        (population)
                M^-1 diag(y) M^-T - diag(x)      (respondents)

    at the reports' own shares y, or at those of the plausible x, the estimated ones moved to the
    simplex, whichever is more: the first know nothing of reports that are rare and not yet seen,
    the second are those of shares that are nearer to equal ones.

    Args:
        channel: M, cells to reports.
        support: counts of the reports, in the shape of the cells where they are as many.
        n: number of reports.
        target: whose shares.
        assumed: take all at these shares instead.
    """

    exclusive: ClassVar[bool] = True
    channel: Numeric | Kronecker
    support: npt.NDArray[np.int64]
    n: int
    target: Target
    assumed: Floats | None = None

    def at(self, shares: Floats) -> ChannelLaw:
        """Return the law of as many reports if these were the true shares."""
        return replace(self, assumed=shares)

    @cached_property
    def shares(self) -> Floats:
        """The unbiased shares."""
        keep_freed(self.support.nbytes)
        out = self.channel.solve(self.support.astype(np.float64))  # sums of whole numbers: exact
        out *= 1 / self.n
        return out

    @cached_property
    def _taken(self) -> Floats:
        """The shares at which all is taken."""
        return self.shares if self.assumed is None else self.assumed

    @cached_property
    def _reported(self) -> Floats:
        """Shares of the reports."""
        if self.assumed is None:
            return self.support.astype(np.float64) * (1 / self.n)
        return np.maximum(self.channel.apply(self.assumed), 0)

    @cached_property
    def _plausible(self) -> Floats:
        """The shares moved to the simplex."""
        x = self._taken
        return clip_and_normalise(x.reshape(-1)).reshape(x.shape)

    @cached_property
    def _expected(self) -> Floats:
        """Expected shares of the reports at the plausible shares."""
        return self.channel.apply(self._plausible)

    @property
    def _sampled(self) -> bool:
        return self.target == "population"

    @cached_property
    def _variance(self) -> Floats:
        """Variance of each share."""
        x, n = self._taken.reshape(-1), self.n
        if self.assumed is None:
            found = self.channel.solve_squared(self.support.astype(np.float64)).reshape(-1)
            plausible = np.maximum(self._taken, 0)
            noise = self.channel.noise(plausible).reshape(-1)
            each, least = 1 / n, 1 / float(plausible.sum())  # shares add up to 1: not 0
        else:
            found, noise = self.channel.solve_squared(self._reported).reshape(-1), None
            each = least = 1.0
        for start in range(0, x.size, _BLOCK):  # which stays in the cache
            block = slice(start, start + _BLOCK)
            own, clipped = found[block], x[block].clip(0, 1)
            own *= each
            own -= np.square(x[block]) if self._sampled else clipped
            if noise is not None:
                other = noise[block]
                other *= least
                other -= np.square(clipped) if self._sampled else clipped
                np.maximum(own, other, out=own)
            np.maximum(own, 0, out=own)
            own *= 1 / n
        return found.reshape(self._taken.shape)

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        return np.sqrt(self._variance)

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``."""
        return self._sum(weights)[0]

    def _sum(self, weights: Floats) -> tuple[float, Floats, Floats]:
        """Return the variance of a sum, the numbers of its reports, and n times the noise of each
        cell."""
        scores = self.channel.solve_adjoint(weights)
        each = self.channel.adjoint(scores**2) - weights**2
        x, found = self._taken, [float(each.min()), 0.0]
        for y in (self._reported, self._expected):
            own = (scores * y).sum() ** 2 if self._sampled else (weights**2 * x).sum()
            found.append(float((scores**2 * y).sum() - own))
        return max(found) / self.n, scores, each

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how ``Σ weights_i shares_i`` varies; without weights how each share does."""
        asked = 1 / self.n if self._sampled else 0.0
        if weights is None:
            own, others = self.channel.ends_squared
            now, x = self._variance, self._taken.clip(0, 1)
            noise = now - asked * x * (1 - x) + x * (others - own) / self.n
            top = np.maximum(own, 0) / self.n
            return Spread(now, self._third, 0.0, 1.0, np.maximum(noise, 0), top, asked)
        variance, scores, each = self._sum(weights)
        ends = float(weights.min()), float(weights.max())
        there = [max(float(each[weights == end].max()), 0.0) / self.n for end in ends]
        apart = scores - float((scores * self._reported).sum())
        third = float((apart**3 * self._reported).sum()) / self.n**2
        return Spread(variance, third, ends[0], ends[1], there[0], there[1], asked)

    @property
    def _third(self) -> Floats:
        """Third central moment of each share; for the respondents about as skewed."""
        x, y = self._taken, self._reported
        square, cube = self.channel.solve_squared(y), self.channel.solve_cubed(y)
        out = (cube - 3 * x * square + 2 * x**3) / self.n**2
        if not self._sampled:
            whole = (square - x * x) / self.n
            out *= np.divide(self._variance, whole, out=np.zeros_like(whole), where=whole > 0)
        return out

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)``: normal, or by a score test."""
        return interval(self, miss, kind, simultaneous)
