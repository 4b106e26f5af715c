"""Quantiles by the exponential mechanism: losses, exact law, exact draws.

The loss of an answer v is how far the rank asked for lies outside the ranks of v; inside them it is
below 0, by how far it is from the nearer end. One replaced score moves each rank by at most 1, so
the loss too: rate ε/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.exact.entropy import Entropy
from sudare.exact.selection import exponential, permute_and_flip


@dataclass(frozen=True, eq=False)
class Quantile:
    """A quantile of whole scores, to be answered among 0..top.

    Attributes:
        below, upto: (top + 1,) how many scores lie below each answer, and not above it.
        rank: how many scores shall not be above the answer.
    """

    below: Integers
    upto: Integers
    rank: int

    @classmethod
    def of(cls, scores: Integers, share: Fraction, top: int) -> Quantile:
        """Return the quantile of some scores; the rank is rounded up."""
        counts = np.bincount(scores, minlength=top + 1)
        upto = np.cumsum(counts)
        return cls(upto - counts, upto, int(-(-share * scores.size // 1)))

    @property
    def truth(self) -> int:
        """The quantile itself: the least score that enough others are not above."""
        return int(np.argmax(self.upto >= self.rank))

    @property
    def losses(self) -> Integers:
        """How far the rank lies outside the ranks of each answer, below 0 inside them."""
        return np.maximum(self.below - self.rank, self.rank - self.upto)

    def law(self, epsilon: float) -> Floats:
        """Return the probabilities of the answers by the exponential mechanism."""
        return softmin(self.losses, epsilon / 2)

    def draws(
        self, epsilon: Fraction, trials: int, rng: Entropy, *, permute: bool = False
    ) -> Integers:
        """Return exact draws, by the exponential mechanism or by permute-and-flip."""
        losses, choose = self.losses, permute_and_flip if permute else exponential
        found = (choose(losses, epsilon / 2, rng) for _ in range(trials))
        return np.fromiter(found, dtype=np.int64, count=trials)

    def error(self, law: Floats) -> float:
        """Return the expected distance of the answer from the truth."""
        return float(law @ np.abs(np.arange(law.size) - self.truth))

    def bound(self, law: Floats, delta: float) -> int:
        """Return the least distance that the answer exceeds with at most ``delta``."""
        away = np.abs(np.arange(law.size) - self.truth)
        shares = np.cumsum(np.bincount(away, weights=law))
        return int(np.argmax(shares >= 1 - delta))


def softmin(losses: Integers, rate: float) -> Floats:
    """Return probabilities proportional to ``exp(-rate losses)``, along the last axis."""
    weights = np.exp(-rate * (losses - losses.min(axis=-1, keepdims=True)))
    law: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return law


def largest_ratio(quantile: Quantile, epsilon: float) -> float:
    """Return the largest log-ratio of the law's answers when any one score is replaced.

    All pairs of an old and a new score are tried, of the scores that occur.
    """
    answers = np.arange(quantile.upto.size)
    held = np.flatnonzero(quantile.upto > quantile.below)
    base = log_law(quantile.losses, epsilon / 2)
    worst = 0.0
    for old in held.tolist():
        new = answers[:, None]
        below = quantile.below - (old < answers) + (new < answers)
        upto = quantile.upto - (old <= answers) + (new <= answers)
        losses = np.maximum(below - quantile.rank, quantile.rank - upto)
        worst = max(worst, float(np.abs(log_law(losses, epsilon / 2) - base).max()))
    return worst


def log_law(losses: Integers, rate: float) -> Floats:
    """Return the logarithms of :func:`softmin`; nothing underflows."""
    logs = -rate * (losses - losses.min(axis=-1, keepdims=True))
    out: Floats = logs - np.log(np.exp(logs).sum(axis=-1, keepdims=True))
    return out
