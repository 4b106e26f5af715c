"""EM as one might write it down: four states, a person without a key having a sign too."""

from __future__ import annotations

import math

import numpy as np

from sudare.arrays import Floats


def channel(epsilon: float) -> Floats:
    """Return PrivKV's law (half split) of <1,+1>, <1,-1>, <0,+1>, <0,-1> to three reports."""
    p = 1 / (1 + math.exp(-epsilon / 2))
    q = 1 - p
    return np.array([[p * p, p * q, q * p, q * q], [p * q, p * p, q * q, q * p], [q, q, p, p]])


def fit(shares: Floats, law: Floats, start: Floats, steps: int) -> Floats:
    """Return the states' shares after so many EM steps.

    Args:
        shares: (d, 3) shares of the reports.
        law: (3, states).
        start: (d, states), or one row for all.
        steps: how many.
    """
    states = np.broadcast_to(start, (len(shares), law.shape[1]))
    for _ in range(steps):
        states = states * ((shares / (states @ law.T)) @ law)
    return states


def mean(states: Floats) -> Floats:
    """Return the holders' means."""
    out: Floats = (states[:, 0] - states[:, 1]) / (states[:, 0] + states[:, 1])
    return out
