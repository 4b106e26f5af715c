"""How the estimated shares of a joint table vary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sudare.channels import Kronecker
from sudare.errors import DomainError
from sudare.estimation.confidence import Floats, cell_miss, two_sided
from sudare.estimation.estimate import Kind, Target

FEW = 30
"""Expected report count below which a cell is flagged."""


@dataclass(frozen=True, eq=False)
class JointLaw:
    """The law of ``x = M^-1 y`` where y are the multinomial shares of n reports.

    ::

        n Cov = M^-1 diag(y) M^-T - diag(x)      (respondents)
                M^-1 diag(y) M^-T - x x^T        (population)

    Args:
        channel: M.
        support: counts of the reports, in the shape of the cells.
        n: number of reports.
        target: whose shares.
    """

    channel: Kronecker
    support: npt.NDArray[np.int64]
    n: int
    target: Target

    @cached_property
    def _reported(self) -> Floats:
        reported: Floats = self.support / self.n
        return reported

    @cached_property
    def shares(self) -> Floats:
        """The unbiased shares."""
        return self.channel.solve(self._reported)

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share, at the shares moved into [0, 1]."""
        taken = np.clip(self.shares, 0, 1)
        if self.target == "population":
            taken *= taken
        variance = self.channel.solve_squared(self._reported)
        variance -= taken
        np.maximum(variance, 0, out=variance)
        variance /= self.n
        return np.sqrt(variance, out=variance)

    @property
    def few(self) -> npt.NDArray[np.bool_]:
        """Cells that fewer than 30 reports name."""
        return self.support < FEW

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``, by one solve."""
        spread = self.channel.solve(weights)  # M is symmetric, and so is its inverse
        noise = float((spread * spread * self._reported).sum())
        if self.target == "population":
            taken = float((weights * self.shares).sum()) ** 2
        else:
            taken = float((weights * weights * np.clip(self.shares, 0, 1)).sum())
        return (noise - taken) / self.n

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)`` of normal intervals; a cell has no support count to test."""
        if kind == "score":
            raise DomainError("kind", "must be normal or auto for a joint table", got=kind)
        half = two_sided(cell_miss(miss, self.shares.size) if simultaneous else miss) * self.stderr
        return self.shares - half, self.shares + half
