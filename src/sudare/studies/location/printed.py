"""Algorithm 1 as it is printed: nothing stops a weight at 0; and orders of trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.location.kernel import Kernel
from sudare.location.weights.reduce import LEAST_GAIN, TIED, ZERO
from sudare.studies.location.toy import GRID

Order = Callable[[Floats], Sequence[npt.NDArray[np.intp]]]

STEP = 0.1
MOST_MOVES = 1_000


@dataclass(frozen=True, slots=True)
class Unstopped:
    """Where the printed algorithm ends.

    Attributes:
        first: number of the accepted move that makes a weight negative; 0 where none does.
        f1: at the end, over cells whose weight is not 0.
        weight: the least weight.
        probability: the least "probability" of a report.
    """

    first: int
    f1: float
    weight: float
    probability: float


def grouped(tied: float, key: Callable[[Any], Any] = np.negative) -> Order:
    """Return the order of trial by ``key`` of the posterior; neighbours within ``tied`` are one."""

    def order(posterior: Floats) -> list[npt.NDArray[np.intp]]:
        values = key(posterior)
        ranks = np.argsort(values, kind="stable")
        breaks = np.flatnonzero(np.diff(values[ranks]) > tied) + 1
        return [ranks[a:b] for a, b in pairwise([0, *breaks.tolist(), ranks.size])]

    return order


def reduce_unstopped(epsilon: float) -> Unstopped:
    """Run the printed loop on the source's map: cells of weight 0 left out, step 0.1."""
    kernel = Kernel.of(GRID, epsilon).dense
    weights = np.ones(GRID.cells)
    posterior = _posterior(kernel, weights)
    best = float(np.ptp(posterior))
    order = grouped(TIED)
    first = accepted = 0
    moved = True
    while moved and accepted < MOST_MOVES:
        moved = False
        for group in order(posterior):
            trial = weights.copy()
            trial[group] -= STEP
            trial[np.abs(trial) < ZERO] = 0
            found = _posterior(kernel, trial)
            counted = found[trial != 0]
            if counted.size and best - np.ptp(counted) > LEAST_GAIN:
                weights, posterior, best, moved = trial, found, float(np.ptp(counted)), True
                accepted += 1
                break
        if not first and weights.min() < 0:
            first = accepted
    law = kernel * weights[:, None]
    law /= law.sum(axis=0)
    return Unstopped(first, best, float(weights.min()), float(law.min()))


def _posterior(kernel: Floats, weights: Floats) -> Floats:
    alpha = 1 / (kernel @ weights)
    out: Floats = alpha / (kernel @ alpha)
    return out
