"""Empirical Bayes over keys: many keys teach each other what frequencies and means are usual.

The pairs (f, m) of the keys are drawn from one prior on a grid of 60 frequencies and 41 means; the
prior itself is fitted to all keys by EM (Robbins 1956; Kiefer and Wolfowitz 1956, stopped after ten
steps, which smooths it). A key's estimate is its posterior mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

FREQUENCIES = (np.arange(60) + 0.5) / 60
MEANS = np.linspace(-1, 1, 41)
STEPS = 10

_ROWS = 512


@dataclass(frozen=True)
class Posterior:
    """What is known of each key's frequency and mean after its reports.

    Attributes:
        frequency: (d, 60) probabilities of :data:`FREQUENCIES`.
        mean: (d, 41) probabilities of :data:`MEANS`.
    """

    frequency: Floats
    mean: Floats

    def moments(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the means of f and m, and their standard deviations."""
        f, m = self.frequency @ FREQUENCIES, self.mean @ MEANS
        spread_f = self.frequency @ FREQUENCIES**2 - f**2
        spread_m = self.mean @ MEANS**2 - m**2
        return f, m, np.sqrt(spread_f.clip(0)), np.sqrt(spread_m.clip(0))

    def interval_frequency(self, confidence: float) -> tuple[Floats, Floats]:
        """Return the central credible interval of each frequency."""
        return _central(self.frequency, FREQUENCIES, 1 / 60, confidence)

    def interval_mean(self, confidence: float) -> tuple[Floats, Floats]:
        """Return the central credible interval of each mean."""
        return _central(self.mean, MEANS, MEANS[1] - MEANS[0], confidence)


def posterior(counts: Floats, channel: Floats, padding: int) -> Posterior:
    """Return each key's posterior under the prior that all keys fit.

    Args:
        counts: (d, 3) reports of each kind; a key without one has the prior.
        channel: (3, 3), ``M[report, state]``.
        padding: the states' shares are 1/padding of the frequencies.
    """
    f, m = (grid.ravel() for grid in np.meshgrid(FREQUENCIES / padding, MEANS, indexing="ij"))
    states = np.stack([f * (1 + m) / 2, f * (1 - m) / 2, 1 - f])
    logs = np.log(channel @ states)
    prior = np.full(f.size, 1 / f.size)
    for _ in range(STEPS):
        total = np.zeros_like(prior)
        for start in range(0, len(counts), _ROWS):
            total += _weights(counts[start : start + _ROWS], logs, prior).sum(axis=0)
        prior = total / len(counts)
    frequency, mean = [], []
    for start in range(0, len(counts), _ROWS):
        cells = _weights(counts[start : start + _ROWS], logs, prior)
        cells = cells.reshape(-1, FREQUENCIES.size, MEANS.size)
        frequency.append(cells.sum(axis=2))
        mean.append(cells.sum(axis=1))
    return Posterior(np.concatenate(frequency), np.concatenate(mean))


def _weights(counts: Floats, logs: Floats, prior: Floats) -> Floats:
    """Return the posterior of some keys over the whole grid."""
    exponent = counts @ logs
    exponent -= exponent.max(axis=1, keepdims=True)
    cells = np.exp(exponent) * prior
    out: Floats = cells / cells.sum(axis=1, keepdims=True)
    return out


def _central(cells: Floats, grid: Floats, width: float, confidence: float) -> tuple[Floats, Floats]:
    """Cut equal tails off; a grid point stands for the cell of this width around it."""
    below = np.cumsum(cells, axis=1)
    tail = (1 - confidence) / 2
    low = grid[(below > tail).argmax(axis=1)] - width / 2
    high = grid[(below >= 1 - tail - 1e-12).argmax(axis=1)] + width / 2
    return low.clip(grid[0] - width / 2, None), high
