"""How the estimated shares of a joint table vary."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.channels import Kronecker
from sudare.estimation.caution import FEW
from sudare.estimation.confidence import cell_miss, two_sided
from sudare.estimation.estimate import Kind, Target
from sudare.estimation.score import wilson
from sudare.estimation.simplex import clip_and_normalise

_Z95 = 1.959964


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
        out = self.channel.solve(self.support)  # type: ignore[arg-type] # copied to floats once
        out /= self.n
        return out

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
        """Return ``(low, high)``: normal, by the score test, or wide enough for both.

        The score interval of a cell holds every x in [0, 1] that the test ``(x_i - x)² <= z²
        Var(x)`` does not reject, with x_i moved out by half a report and the shares of the other
        cells held as they are: where a cell has few reports, its own share rules the variance.
        Either alone misses too often there, the normal one where there is little noise, the score
        one for many cells at once.
        """
        z = two_sided(cell_miss(miss, self.shares.size) if simultaneous else miss)
        if kind == "score":
            return self._tested(z * z / self.n)
        half = z * self.stderr
        low, high = self.shares - half, self.shares + half
        few = self.support < FEW * max(1.0, z / _Z95) ** 6
        if kind == "auto" and few.any():
            least, most = self._tested(z * z / self.n)
            low, high = (
                np.where(few, np.minimum(low, least), low),
                np.where(few, np.maximum(high, most), high),
            )
        return low, high

    def _tested(self, z2: float) -> tuple[Floats, Floats]:
        """Return the score intervals of all cells; the noise of a cell's own share is ``own x``."""
        units = (np.eye(part.shape[1], 1)[:, 0] for part in self.channel.parts)
        own = prod(
            float(part.noise(unit)[0]) for part, unit in zip(self.channel.parts, units, strict=True)
        )
        others = np.maximum(self.channel.noise(self.plausible) - own * self.plausible, 0)
        sampled = self.target == "population"
        each = own if sampled else own - 1
        low, high = wilson(self.shares, z2 * others, z2 * each, z2 if sampled else 0.0, 1 / self.n)
        high = np.fmax(high, self.stderr).clip(0, 1)  # far below 0 is no proof of 0
        return np.fmin(np.nan_to_num(low), high).clip(0, 1), high
