"""Direct encodings: the report is itself one of the k categories."""

from __future__ import annotations

from typing import ClassVar

import numpy.typing as npt

from sudare.channels import Symmetric
from sudare.estimation import Counts, histogram
from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.reports import as_indices


class Direct(FrequencyOracle):
    """What all direct encodings share: a histogram, and one support a report.

    Must implement: ``_compile``, ``support_probabilities`` with ``p + (k - 1) q = 1``, and
    ``_simulate``.
    """

    single_support: ClassVar[bool] = True
    __slots__ = ()

    @property
    def channel(self) -> Symmetric:
        """``a I + b J``."""
        return Symmetric(self.k, *self.support_probabilities)

    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count each reported category; reports: (n,) whole numbers in [0, k)."""
        array = as_indices(reports, self.k)
        return self._counts(histogram(array, self.k), array.size)

    def _noise_covariance(self, x: float, y: float, p: float, q: float) -> float:
        return -(x * p * q + y * q * p + (1 - x - y) * q * q) / (p - q) ** 2
