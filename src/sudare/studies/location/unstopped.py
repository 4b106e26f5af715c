"""Algorithm 1 as it is printed: nothing stops a weight at 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.location.kernel import Kernel
from sudare.location.weights.reduce import LEAST_GAIN, TIED, ZERO
from sudare.studies.location.orders import grouped
from sudare.studies.location.toy import GRID

STEP = 0.1
MOST_MOVES = 1_000


@dataclass(frozen=True, slots=True)
class Unstopped:
    """Where the printed algorithm ends.

    Attributes:
        first: number of the accepted move that makes a weight negative; 0 where none does.
        accepted: how many moves were accepted.
        f1: at the end, over cells whose weight is not 0.
        weight: the least weight.
        probability: the least "probability" of a report.
    """

    first: int
    accepted: int
    f1: float
    weight: float
    probability: float


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
    return Unstopped(first, accepted, best, float(weights.min()), float(law.min()))


def _posterior(
    kernel: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    alpha = 1 / (kernel @ weights)
    out: npt.NDArray[np.float64] = alpha / (kernel @ alpha)
    return out
