"""Repeated experiments: unbiased shares from the exact law of the tally."""

from __future__ import annotations

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.exact import Entropy
from sudare.mechanisms import FrequencyOracle


def simulated_shares(
    mechanism: FrequencyOracle, truth: Integers, repetitions: int, rng: Entropy
) -> Floats:
    """Return (repetitions, k) estimates: as ``mechanism.estimate``, all at once."""
    drawn = [mechanism.simulate(truth, rng=rng).support for _ in range(repetitions)]
    p, q = mechanism.support_probabilities
    shares: Floats = np.array(drawn) / truth.sum() - float(q)
    return shares / float(p - q)
