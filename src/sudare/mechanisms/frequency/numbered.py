"""Encodings whose report is the number of something that supports several categories."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
import numpy.typing as npt

from sudare.channels import Dense
from sudare.estimation import Counts, histogram
from sudare.mechanisms.bulk import in_parts
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.reports import as_indices


class Numbered(FrequencyOracle):
    """What they share: a histogram of the numbers, and what it supports.

    Must implement: ``_compile``, ``law``, ``_support`` and ``_simulate``.
    """

    __slots__ = ()

    @property
    def channel(self) -> Dense:
        """One row a report, one column a category."""
        return Dense.from_matrix(self.program.matrix())

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count the reports that support each category; reports: (n,) whole numbers."""
        array = as_indices(reports, self.program.outputs)
        return self._counts(self._support(histogram(array, self.program.outputs)), array.size)

    @abstractmethod
    def _support(self, tally: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return how many reports support each category, (k,), of how often each came."""
