"""``Quantity``: a number, or an array of them, with its standard error."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from sudare.errors import EstimationError
from sudare.estimation.confidence import cell_miss, check_confidence, check_flag, two_sided

V = TypeVar("V", float, npt.NDArray[np.float64])

REMEDY = "estimate by sudare.bootstrap(mechanism, counts, method=...)"


class Bounds(Protocol):
    """What knows the interval of a number."""

    def interval(self, value: Any, miss: float) -> tuple[Any, Any]:
        """Return ``(low, high)``; ``miss`` is 1 less the confidence."""
        ...


@dataclass(frozen=True, eq=False)
class Quantity(Generic[V]):
    """What is computed from estimated shares: a difference, a weighted sum, a mean.

    Attributes:
        value: a float; an array for the difference of two estimates.
        stderr: its standard error in the same shape; NaN where no formula is known.

    Examples:
        >>> Quantity(0.1, 0.02).interval(0.95)
        (0.0608..., 0.1391...)
    """

    value: V
    stderr: V
    _correlation: float = field(default=0.0, repr=False)
    _bounds: Bounds | None = field(default=None, repr=False)

    def interval(self, confidence: float = 0.95, *, simultaneous: bool = False) -> tuple[V, V]:
        """Return ``(low, high)``: a score interval, or a normal one where only ``stderr`` is known.

        Args:
            confidence: coverage of each interval, or of all at once if ``simultaneous``.
            simultaneous: all the numbers of an array at once.

        Raises:
            WrongTypeError, DomainError: an argument is out of range.
            EstimationError: the standard error is not known.
        """
        miss = 1 - check_confidence(confidence)
        if check_flag(simultaneous, "simultaneous"):
            miss = cell_miss(miss, np.size(self.value), self._correlation)
        if np.isnan(self.stderr).any():
            raise EstimationError("stderr", "is not known for this method", REMEDY)
        if self._bounds is not None:
            return self._bounds.interval(self.value, miss)
        half = two_sided(miss) * self.stderr
        return self.value - half, self.value + half


Difference = Quantity
"""The name of a quantity that :meth:`Estimate.difference` returns."""
