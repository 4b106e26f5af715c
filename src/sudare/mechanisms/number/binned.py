"""What mechanisms share that report in which bin of its range a number lies."""

from __future__ import annotations

import math
from abc import abstractmethod
from bisect import bisect_right
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.estimation import Counts
from sudare.estimation.distribution import Distribution
from sudare.estimation.estimate import Target, check_target
from sudare.exact import as_integer
from sudare.mechanisms.base import OneValue
from sudare.mechanisms.number.validation import as_one_within, each_within


class Binned(OneValue):
    """A mechanism of a number whose distribution is wanted: bins from ``low`` to ``high``.

    They are equal, unless the mechanism says otherwise.

    Must implement: ``distribution`` and ``_edge_variances``, and what every mechanism must; its
    ``_build`` calls ``_check_edges``.
    """

    conformance: ClassVar[str] = "sudare.testing.bins"
    __slots__ = ()
    low: float
    high: float
    bins: int

    @property
    def full_name(self) -> str:
        """The mechanism's name, and what tells it from others of that name."""
        return self.name

    def _check_edges(self) -> None:
        """Refuse a range in which floats are too few for so many bins."""
        if (np.diff(self.edges) <= 0).any():
            rule = f"must be so far above low that {self.bins} bins end at different numbers"
            raise DomainError("high", rule, "give a wider range or fewer bins", got=self.high)

    @property
    def edges(self) -> Floats:
        """(bins + 1,) where bins begin and end; a number on an edge belongs to the upper bin."""
        out = self.low + np.arange(self.bins + 1) * (self.high - self.low) / self.bins
        out[-1] = self.high
        return out

    @property
    def widest(self) -> float:
        """Width of the widest bin: numbers lie at most half of it from the middle of theirs."""
        return (self.high - self.low) / self.bins

    @property
    def centres(self) -> Floats:
        """(bins,) the middle of each bin: the scores of a mean."""
        return self.low + (self.high - self.low) * (np.arange(self.bins) + 0.5) / self.bins

    def bins_of(self, values: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return the bin of each number, checked: how many inner edges it has reached."""
        edges = self.edges
        inner, upper = edges[1:-1], np.append(edges[1:-1], math.inf)
        scale = self.bins / (self.high - self.low)

        def places(own: Floats) -> npt.NDArray[np.int64]:
            found = ((own - self.low) * scale).astype(np.int64)
            np.clip(found, 0, self.bins - 1, out=found)
            # right where bins are equal, but for the rounding of edges
            wrong = np.flatnonzero((own < edges.take(found)) | (own >= upper.take(found)))
            found[wrong] = np.searchsorted(inner, own[wrong], "right")
            return found

        return each_within(values, self.low, self.high, places, np.int64)

    def bin_of(self, value: Any) -> int:
        """Return the bin of one number, checked."""
        own = as_one_within(value, self.low, self.high)
        return bisect_right(self.edges[1:-1].tolist(), own)

    def _value(self, value: Any) -> Any:
        return self._value_of(self.bin_of(value))

    def _value_of(self, place: int) -> Any:
        """Return the program's value of a number in this bin."""
        return place

    @abstractmethod
    def distribution(self, counts: Counts, target: Target = "population") -> Distribution:
        """Estimate the distribution: ranges, quantiles and a histogram, with intervals.

        Args:
            counts: tally of the reports.
            target: whose distribution the intervals are about.

        Raises:
            EstimationError: no reports, or counts of another mechanism.
            DomainError: unknown target.
        """

    def expected_cdf_mse(self, n: int, target: Target = "population") -> float:
        """Expected squared error of the share below an edge, the mean over the inner edges.

        Of the unbiased estimate, exact for equal shares of all bins. It is what mechanisms for
        distributions are ranked by.

        Args:
            n: number of respondents.
            target: whose distribution.

        Raises:
            WrongTypeError, DomainError: n is no number of respondents, or an unknown target.
        """
        people = as_integer(n, "n", low=1, high=2**62)
        return float(self._edge_variances(people, check_target(target)).mean())

    @abstractmethod
    def _edge_variances(self, n: int, target: Target) -> Floats:
        """Return the variance of the share below each inner edge, at equal shares."""
