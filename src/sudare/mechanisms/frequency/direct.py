"""Direct encodings: the report is itself one of the k categories."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy.typing as npt

from sudare.channels import Symmetric
from sudare.estimation import Counts, histogram
from sudare.estimation.support import SingleLaw
from sudare.mechanisms.bulk import in_parts
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.reports import as_indices


class Direct(FrequencyOracle):
    """What all direct encodings share: a histogram, and one support a report.

    Must implement: ``_compile``, ``law`` and ``_simulate``.
    """

    by_line: ClassVar[bool] = True
    __slots__ = ()

    @property
    @abstractmethod
    def law(self) -> SingleLaw:
        """What one report supports: one category, ``p + (k - 1) q = 1``. Exact."""

    @property
    def channel(self) -> Symmetric:
        """``a I + b J``."""
        return Symmetric(self.k, *self.support_probabilities)

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count each reported category; reports: (n,) whole numbers in [0, k)."""
        array = as_indices(reports, self.k)
        return self._counts(histogram(array, self.k), array.size)
