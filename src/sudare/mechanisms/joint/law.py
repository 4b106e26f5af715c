"""How the estimated shares of a joint table vary."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sudare.channels import Kronecker
from sudare.errors import DomainError
from sudare.estimation.confidence import Floats, cell_miss, two_sided
from sudare.estimation.estimate import Kind, Target
from sudare.estimation.simplex import clip_and_normalise

FEW = 30
"""Number of reports below which a cell is flagged."""


@dataclass(frozen=True, eq=False)
class JointLaw:
    """The law of ``x = M^-1 y`` where y are the multinomial shares of n reports.

    ::

        n Cov = M^-1 diag(M x) M^-T - diag(x)      (respondents)
                M^-1 diag(M x) M^-T - x x^T        (population)

    at the plausible shares x: the estimated ones moved to the simplex.

    Args:
        channel: M.
        support: counts of the reports, in the shape of the cells.
        n: number of reports.
        target: whose shares.
        assumed: take all at these shares instead.
    """

    exclusive: ClassVar[bool] = True
    channel: Kronecker
    support: npt.NDArray[np.int64]
    n: int
    target: Target
    assumed: Floats | None = None

    def at(self, shares: Floats) -> JointLaw:
        """Return the law of as many reports if these were the true shares."""
        return replace(self, assumed=shares)

    @cached_property
    def shares(self) -> Floats:
        """The unbiased shares."""
        return self.channel.solve(self.support / self.n)

    @cached_property
    def plausible(self) -> Floats:
        """The shares without what is below 0, divided by their sum."""
        given = self.shares if self.assumed is None else self.assumed
        return clip_and_normalise(given.reshape(-1)).reshape(given.shape)

    @cached_property
    def _expected(self) -> Floats:
        """Expected shares of the reports: none is 0, also where nobody reported a cell."""
        return self.channel.apply(self.plausible)

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        taken = self.plausible**2 if self.target == "population" else self.plausible
        variance = self.channel.noise(self.plausible)
        variance -= taken
        np.maximum(variance, 0, out=variance)
        variance /= self.n
        return np.sqrt(variance, out=variance)

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``, by one solve."""
        spread = self.channel.solve(weights)  # M is symmetric, and so is its inverse
        noise = float((spread * spread * self._expected).sum())
        if self.target == "population":
            taken = float((weights * self.plausible).sum()) ** 2
        else:
            taken = float((weights * weights * self.plausible).sum())
        return (noise - taken) / self.n

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)`` of normal intervals; a cell has no support count to test."""
        if kind == "score":
            raise DomainError("kind", "must be normal or auto for a joint table", got=kind)
        half = two_sided(cell_miss(miss, self.shares.size) if simultaneous else miss) * self.stderr
        return self.shares - half, self.shares + half
