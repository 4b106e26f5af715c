"""``JointEstimate``: shares of a joint table, of which any part is an estimate too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.channels import Kronecker
from sudare.estimation import Estimate
from sudare.estimation.caution import FEW
from sudare.estimation.channel_law import InverseLaw
from sudare.estimation.confidence import cell_miss, two_sided
from sudare.estimation.counts import check_axes
from sudare.estimation.ending import MethodResult
from sudare.estimation.estimate import Kind
from sudare.estimation.score import wilson

_Z95 = 1.959964


class JointLaw(InverseLaw[Kronecker]):
    """How the shares of a joint table vary, of which there may be many: nothing is written out."""

    @cached_property
    def shares(self) -> Floats:
        """The unbiased shares."""
        out = self.channel.solve(self.support)  # type: ignore[arg-type] # copied to floats once
        out /= self.n
        return out

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


@dataclass(frozen=True, eq=False, repr=False)
class JointEstimate(Estimate):
    """Estimated shares of all cells of several attributes."""

    _mechanism: Any = field(default=None, repr=False)
    _counts: Any = field(default=None, repr=False)

    @property
    def attribute_epsilons(self) -> tuple[float, ...]:
        """Realised ε of each of these attributes alone; :attr:`epsilon` covers all together."""
        alone: tuple[float, ...] = self._mechanism.attribute_epsilons
        return alone

    def __repr__(self) -> str:
        return f"{Estimate.__repr__(self)[:-1]}, attribute_epsilons={self.attribute_epsilons})"

    def marginal(self, axes: int | Sequence[int]) -> JointEstimate:
        """Return the estimate of some attributes alone, in the order named: one, or a sub-table.

        The shares are summed over the other attributes; standard errors, intervals and warnings
        are those of the sub-table's own reports. ε stays that of the whole submission, which is
        what the answers cost.

        Args:
            axes: one attribute, or several.

        Raises:
            WrongTypeError, DomainError: not distinct attributes.

        Examples:
            >>> import sudare as sd
            >>> j = sd.JointRR([3, 2], gamma=9)
            >>> table = j.estimate(j.simulate([[500, 300], [100, 900], [0, 200]]))
            >>> table.marginal(0).shares.shape, table.marginal([1, 0]).shares.shape
            ((3,), (2, 3))
        """
        one = isinstance(axes, int | np.integer) and not isinstance(axes, bool)
        kept = check_axes([axes] if one else axes, self.shares.ndim)  # type: ignore[list-item, arg-type]
        counts = self._mechanism.marginal(self._counts, kept)
        part: Any = self._mechanism.subset(kept)
        if self._law is not None:
            own: JointEstimate = part.estimate(counts, target=self.target)
            return replace(own, epsilon=self.epsilon)
        others = tuple(axis for axis in range(self.shares.ndim) if axis not in kept)
        shares = self.shares.sum(axis=others).transpose(np.argsort(np.argsort(kept)))
        method, _, rule = self.method.partition(", ")
        found = MethodResult(shares, counts.support < FEW, rule=rule)
        asked = part._asked(counts, method, self.target)
        out: JointEstimate = part._conclude(asked, found, counts)
        return replace(out, epsilon=self.epsilon)
