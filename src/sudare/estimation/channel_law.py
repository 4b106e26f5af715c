"""How shares vary that are estimated by the inverse of any channel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.channels import Channel, Numeric
from sudare.errors import DomainError
from sudare.estimation.caution import FEW
from sudare.estimation.confidence import cell_miss, two_sided
from sudare.estimation.estimate import Kind, Target
from sudare.estimation.simplex import clip_and_normalise

C = TypeVar("C", bound=Channel)


@dataclass(frozen=True, eq=False)
class InverseLaw(Generic[C]):
    """The law of ``x = M^-1 y`` where y are the multinomial shares of n reports.

    ::

        n Cov = M^-1 diag(M x) M^-T - x x^T        (population)
                M^-1 diag(M x) M^-T - diag(x)      (respondents)

    at the plausible shares x: the estimated ones moved to the simplex.

    Args:
        channel: M.
        support: counts of the reports, in the shape of the shares.
        n: number of reports.
        target: whose shares.
        assumed: take all at these shares instead.
    """

    exclusive: ClassVar[bool] = True
    channel: C
    support: npt.NDArray[np.int64]
    n: int
    target: Target
    assumed: Floats | None = None

    def at(self, shares: Floats) -> Self:
        """Return the law of as many reports if these were the true shares."""
        return replace(self, assumed=shares)

    @cached_property
    def shares(self) -> Floats:
        """The unbiased shares."""
        out: Floats = self.channel.solve(self.support / self.n)
        return out

    @cached_property
    def plausible(self) -> Floats:
        """The shares without what is below 0, divided by their sum."""
        given = self.shares if self.assumed is None else self.assumed
        return clip_and_normalise(given.reshape(-1)).reshape(given.shape)

    @cached_property
    def _expected(self) -> Floats:
        """Expected shares of the reports: none is 0, also where nobody reported a cell."""
        out: Floats = self.channel.apply(self.plausible)
        return out


class ChannelLaw(InverseLaw[Numeric]):
    """The law for k values by any channel that is written out."""

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        x = self.plausible
        taken = x * x if self.target == "population" else x
        noise = self.channel.solve_squared(self._expected)
        return np.sqrt(np.maximum(noise - taken, 0.0) / self.n)

    @property
    def few(self) -> npt.NDArray[np.bool_]:
        """Cells that fewer than 30 reports are expected to name."""
        return self.n * self._expected < FEW

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``."""
        flat = weights.reshape(-1)
        spread = flat @ self.channel.inverse
        noise = float((spread * spread * self._expected).sum())
        mean = float(flat @ self.plausible)
        own = float((flat * flat * self.plausible).sum())
        return max(0.0, noise - (mean * mean if self.target == "population" else own)) / self.n

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)`` of normal intervals; a cell has no support count to test."""
        if kind == "score":
            raise DomainError("kind", "must be normal or auto for places", got=kind)
        half = two_sided(cell_miss(miss, self.shares.size) if simultaneous else miss) * self.stderr
        return self.shares - half, self.shares + half
