"""How weighted shares vary: randomisation, sampling and weighting together, from the residuals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.estimation.covariance import Covariance
from sudare.estimation.spread import Spread
from sudare.estimation.student import Studentised, StudentLaw, onto


@dataclass(frozen=True, eq=False)
class WeightedLaw(StudentLaw):
    """How weighted shares vary, by what each unit that was drawn adds to them.

    Attributes:
        units: (units, cells) what is left of each in the weighted shares, cells in row-major order:
            their squares and products add up to the covariances.
    """

    units: Floats

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        out: Floats = np.sqrt(np.einsum("ij,ij->j", self.units, self.units))
        return out.reshape(self.shares.shape)

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``."""
        each = self.units @ weights.reshape(-1)
        return float(each @ each)

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how a weighted sum varies; without weights how each share does."""
        each = self.units if weights is None else self.units @ weights.reshape(-1)
        shape = self.shares.shape if weights is None else ()
        now, third = ((each**power).sum(axis=0).reshape(shape) for power in (2, 3))
        return Studentised.of(now, third, self.freedom)

    def covariance(self) -> Covariance:
        """Return the covariances of all shares."""
        size = self.shares.size
        return Covariance(np.zeros(size), np.eye(size), self.units.T @ self.units)

    def summed(self, places: npt.NDArray[np.intp], shares: Floats) -> WeightedLaw:
        """Return the law of sums of the shares: ``places`` says to which each belongs."""
        return WeightedLaw(shares, self.freedom, self.units @ onto(places, shares.size))
