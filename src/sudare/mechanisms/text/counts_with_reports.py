"""Counts that carry their reports: words can only be found in the reports themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sudare.errors import EstimationError
from sudare.estimation import Counts


def _none() -> npt.NDArray[np.uint16]:
    return np.zeros((0, 0), dtype=np.uint16)


@dataclass(frozen=True, eq=False, repr=False)
class CountsWithReports(Counts):
    """How many reports there are about each length, and the reports themselves.

    Sums hold the reports of both. As JSON, and where they are compared, they are their counts.

    Attributes:
        reports: (n, longest + 2) uint16, rows of :meth:`sudare.PEM.perturb`.
    """

    reports: npt.NDArray[np.uint16] = field(default_factory=_none)

    def __add__(self, other: Counts) -> CountsWithReports:
        total = Counts.__add__(self, other)
        if total is NotImplemented:
            return NotImplemented
        if not isinstance(other, CountsWithReports):
            raise EstimationError("counts", "must hold their reports", "use aggregate(reports)")
        both = [one.reports for one in (self, other) if one.n]
        reports = np.concatenate(both) if both else self.reports
        return CountsWithReports(total.support, total.n, total.mechanism, reports)
