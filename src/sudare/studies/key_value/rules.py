"""What the numbers of a run say to each claim: rules that can come out otherwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from sudare.arrays import Floats
from sudare.studies.parts import Verdict
from sudare.studies.rules import grade

CLEAR = 3
"""Standard errors by which numbers must lie apart to be told apart."""
FEWEST = 20
"""Trials below which a standard error is too uncertain for that."""
TOLD = {"clear": CLEAR, "fewest": FEWEST}
"""Both, for the words of the rules."""


class Estimate(NamedTuple):
    """A number with its standard error.

    Attributes:
        trials: whose scatter the standard error is of.
        most: more than so many are not made, however many repetitions there are.
    """

    value: float
    error: float
    trials: float = FEWEST
    most: float = math.inf

    def below(self, other: float) -> bool:
        """Whether it is clearly smaller."""
        return self.trials >= FEWEST and self.value + CLEAR * self.error < other

    def above(self, other: float) -> bool:
        """Whether it is clearly larger."""
        return self.trials >= FEWEST and self.value - CLEAR * self.error > other

    def at(self, times: float) -> Estimate:
        """Return it after so many times the repetitions."""
        trials = max(self.trials, min(self.most, math.floor(self.trials * times)))
        error = self.error * math.sqrt(self.trials / trials)
        return self._replace(error=error, trials=trials)


Pairs = Sequence[tuple[float, ...]]
"""Estimates, or the same as plain pairs."""


def quotient(ours: Floats, theirs: Floats, most: float = math.inf) -> Estimate:
    """Return the ratio of two means over the trials that both have.

    The standard error is that of the trials' residuals ``ours - ratio theirs``: trials of the same
    reports may depend on each other.

    Examples:
        >>> import numpy as np
        >>> quotient(np.tile([1.0, 3.0], 10), np.full(20, 4.0))
        Estimate(value=0.5, error=0.057..., trials=20, most=inf)
    """
    both = min(ours.size, theirs.size)
    ours, theirs = ours[:both], theirs[:both]
    base = theirs.mean()
    ratio = float(ours.mean() / base)
    spread = float((ours - ratio * theirs).std(ddof=1)) if both > 1 else math.inf
    return Estimate(ratio, float(spread / math.sqrt(both) / base), both, most)


def everywhere(ratios: Pairs) -> Verdict:
    """Errors clearly smaller (ratios below 1) everywhere; refuted by one that is clearly larger."""
    found = [Estimate(*one) for one in ratios]
    if any(ratio.above(1) for ratio in found):
        return Verdict.FAILS
    return Verdict.HOLDS if all(ratio.below(1) for ratio in found) else Verdict.OPEN


def frequencies(raw: Pairs, clipped: Pairs) -> Verdict:
    """EM's error clearly below PrivKV's, clipped too.

    Roughly: nowhere above PrivKV's as it is, and less than a tenth above clipped PrivKV's.
    """
    whole, cut = ([Estimate(*one) for one in each] for each in (raw, clipped))
    if all(ratio.below(1) for ratio in (*whole, *cut)):
        return Verdict.HOLDS
    if any(ratio.above(1) for ratio in whole) or any(ratio.above(1.1) for ratio in cut):
        return Verdict.FAILS
    return Verdict.ROUGHLY if all(ratio.below(1.1) for ratio in cut) else Verdict.OPEN


def pulled(average: tuple[float, ...], mean: float) -> Verdict:
    """The average estimate is clearly nearer to 0 than to the true mean, below 0."""
    found = Estimate(*average)
    if found.above(mean / 2):
        return Verdict.HOLDS
    return Verdict.FAILS if found.below(mean / 2) else Verdict.OPEN


def robust(gains: tuple[float, float], *, most: float) -> Verdict:
    """Fakes add at most so much to a target's frequency and mean; roughly: to its frequency."""
    frequency, mean = gains
    return grade(max(frequency, mean) <= most, frequency <= most)
