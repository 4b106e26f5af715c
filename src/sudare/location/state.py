"""What weights of cells make of a map: posterior, retention, loss; from two sums over cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sudare.location.kernel import Kernel

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MapState:
    """A map under the uniform prior, with these weights of its cells.

    Args:
        kernel: ``exp(-ε d / 2)`` on the grid.
        weights: (cells,) >= 0.
        limit: keep cells of weight 0, with the posterior that they have in the limit.
    """

    kernel: Kernel
    weights: Floats
    limit: bool

    @cached_property
    def alpha(self) -> Floats:
        """(cells,) ``α = 1 / (k w)``."""
        out: Floats = 1 / self.kernel.apply(self.weights)
        return out

    @cached_property
    def all_posteriors(self) -> Floats:
        """(cells,) ``P(A=r | O=r) = α(r) / (k α)(r)``, that of weight 0 too."""
        return self.alpha / self.kernel.apply(self.alpha)

    @property
    def posterior(self) -> Floats:
        """``P(A=r | O=r)`` of the cells that count."""
        return self.all_posteriors if self.limit else self.all_posteriors[self.weights > 0]

    @cached_property
    def f1(self) -> float:
        """``max - min`` of the posterior."""
        found = self.posterior
        return float(found.max() - found.min())

    @property
    def kept(self) -> Floats:
        """(cells,) ``P(O=r | A=r) = α(r) w_r``."""
        return self.alpha * self.weights

    @cached_property
    def sql(self) -> float:
        """Metres between true and reported cell, expected."""
        lost = self.kernel.times_distance.apply(self.weights)
        return float((self.alpha * lost).mean())
