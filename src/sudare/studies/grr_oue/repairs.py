"""Unbiased estimates, many at once, and ways to repair them: a sum other than 1, shares below 0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.estimation import clip_and_normalise, project
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


def _shift(shares: Floats) -> Floats:
    shifted: Floats = shares - (shares.sum(axis=-1, keepdims=True) - 1) / shares.shape[-1]
    return shifted


REPAIRS: dict[str, Callable[[Floats], Floats]] = {
    "raw": lambda shares: shares,
    "shift": _shift,
    "clip": lambda shares: np.maximum(0.0, shares),
    "normalise": clip_and_normalise,
    "project": project,
}
