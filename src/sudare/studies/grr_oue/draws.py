"""Repeated experiments: unbiased shares from the exact law of the tally."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sudare.exact import Entropy
from sudare.mechanisms import FrequencyOracle


def simulated_shares(
    mechanism: FrequencyOracle, truth: npt.NDArray[np.int64], repetitions: int, rng: Entropy
) -> npt.NDArray[np.float64]:
    """Return (repetitions, k) estimates: as ``mechanism.estimate``, all at once."""
    drawn = [mechanism.simulate(truth, rng=rng).support for _ in range(repetitions)]
    p, q = mechanism.support_probabilities
    shares: npt.NDArray[np.float64] = np.array(drawn) / truth.sum() - float(q)
    return shares / float(p - q)
