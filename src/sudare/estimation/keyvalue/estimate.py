"""``KeyValueEstimate``: the frequency and the mean of every key, with their error bars."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare import frames
from sudare.arrays import Floats
from sudare.estimation.caution import Caution
from sudare.estimation.confidence import check_confidence
from sudare.estimation.estimate import Target
from sudare.estimation.keyvalue.law import StateLaw


@dataclass(frozen=True, eq=False)
class KeyValueEstimate:
    """Which share of the people holds each key, and the mean of the holders' values.

    Attributes:
        frequency: (d,) shares of holders; outside [0, 1] for ``"unbiased"`` and ``"privkv"`` where
            the noise takes them there.
        mean: (d,) means of the values, in [-1, 1] but for ``"unbiased"``; NaN where no holder is
            estimated, since a mean of nobody is not defined.
        stderr_frequency, stderr_mean: (d,) standard errors; NaN where no formula is known (see
            ``warnings``).
        n: number of reports.
        reports: (d,) reports about each key; n for mechanisms whose reports cover all keys.
        epsilon: realised ε of one submission.
        covers: what that ε covers.
        method: how it was estimated; an early stop is named.
        target: whose frequencies and means the standard errors are about.
        warnings: sentences that a reader should know.
    """

    frequency: Floats
    mean: Floats
    stderr_frequency: Floats
    stderr_mean: Floats
    n: int
    reports: npt.NDArray[np.int64]
    epsilon: float
    covers: str
    method: str
    target: Target
    warnings: tuple[Caution, ...] = ()
    _law: StateLaw = field(repr=False, kw_only=True)

    def interval_frequency(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Return ``(low, high)`` of each key's frequency, within [0, 1].

        Wilson's interval of the reports, whatever the method. For the population; for the
        respondents it is a little too wide.

        Raises:
            WrongTypeError, DomainError: the confidence is no number between 0 and 1.
        """
        return self._law.interval_frequency(check_confidence(confidence))

    def interval_mean(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Return ``(low, high)`` of each key's mean, within [-1, 1].

        Every mean that a score test of the reports does not reject, whatever the method: all of
        [-1, 1] where nobody may hold the key.

        Raises:
            WrongTypeError, DomainError: the confidence is no number between 0 and 1.
        """
        return self._law.interval_mean(check_confidence(confidence))

    def to_frame(self, library: str = "pandas", *, confidence: float = 0.95) -> Any:
        """Return a data frame (``"pandas"``, ``"polars"`` or ``"pyarrow"``), a row a key."""
        low, high = self.interval_frequency(confidence)
        mean_low, mean_high = self.interval_mean(confidence)
        return frames.build(
            {
                "key": np.arange(self.frequency.size),
                "reports": self.reports,
                "frequency": self.frequency,
                "stderr_frequency": self.stderr_frequency,
                "frequency_low": low,
                "frequency_high": high,
                "mean": self.mean,
                "stderr_mean": self.stderr_mean,
                "mean_low": mean_low,
                "mean_high": mean_high,
            },
            library,
        )
