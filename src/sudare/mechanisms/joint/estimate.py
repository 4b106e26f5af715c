"""``JointEstimate``: shares of a joint table, of which any part is an estimate too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sudare.estimation import Estimate
from sudare.estimation.caution import FEW
from sudare.estimation.conclude import MethodResult
from sudare.estimation.counts import check_axes


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
