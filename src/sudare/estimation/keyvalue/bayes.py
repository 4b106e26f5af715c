"""Empirical Bayes over keys: many keys teach each other what frequencies and means are usual.

The pairs (f, m) of the keys are drawn from one prior on a grid of 60 frequencies and 41 means; the
prior itself is fitted to all keys by EM (Robbins 1956; Kiefer and Wolfowitz 1956, stopped after ten
steps, which smooths it). A key's estimate is its posterior mean. Of very many keys some thousands
are enough to fit the prior: they are taken evenly from all, ordered by their counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

FREQUENCIES = (np.arange(60) + 0.5) / 60
MEANS = np.linspace(-1, 1, 41)
STEPS = 10
FITTED = 4096
"""Most keys that the prior is fitted to."""

_ROWS = 128


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
    with np.errstate(divide="ignore"):
        prior = np.log(_fitted(_some(counts), logs))
    frequency, mean = np.empty((len(counts), FREQUENCIES.size)), np.empty((len(counts), MEANS.size))
    for start in range(0, len(counts), _ROWS):
        part = slice(start, start + _ROWS)
        cells = _likelihoods(counts[part], logs, prior).reshape(-1, FREQUENCIES.size, MEANS.size)
        frequency[part], mean[part] = cells.sum(axis=2), cells.sum(axis=1)
    total = frequency.sum(axis=1, keepdims=True)
    return Posterior(frequency / total, mean / total)


def _some(counts: Floats) -> Floats:
    """Return the counts that the prior is fitted to: all, or every so-manyth in their order."""
    if len(counts) <= FITTED:
        return counts
    order = np.lexsort(counts.T)
    return counts[order[np.arange(FITTED) * len(counts) // FITTED]]


def _fitted(counts: Floats, logs: Floats) -> Floats:
    """Return the prior over the grid after ten EM steps from the uniform one."""
    likelihoods = _likelihoods(counts, logs)
    prior = np.full(logs.shape[1], 1 / logs.shape[1])
    for _ in range(STEPS):
        prior = prior * ((1 / (likelihoods @ prior)) @ likelihoods) / len(counts)
    return prior


def _likelihoods(counts: Floats, logs: Floats, prior: Floats | float = 0.0) -> Floats:
    """Return each key's likelihood over the grid times ``e**prior``, as parts of the largest."""
    out: Floats = counts @ logs
    out += prior
    out -= out.max(axis=1, keepdims=True)
    return np.exp(out, out=out)


def _central(cells: Floats, grid: Floats, width: float, confidence: float) -> tuple[Floats, Floats]:
    """Cut equal tails off; a grid point stands for the cell of this width around it."""
    below = np.cumsum(cells, axis=1)
    tail = (1 - confidence) / 2
    low = grid[(below > tail).argmax(axis=1)] - width / 2
    high = grid[(below >= 1 - tail - 1e-12).argmax(axis=1)] + width / 2
    return low.clip(grid[0] - width / 2, None), high
