"""What the numbers of a run say to each claim: rules that can come out otherwise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.studies.judging import grade
from sudare.studies.parts import Verdict

CLEAR = 3
"""Standard errors by which numbers must lie apart to be told apart."""
FEWEST = 20
"""Trials below which a standard error is too uncertain for that."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its standard error, infinite where trials are too few."""

    value: float
    error: float

    def below(self, other: float) -> bool:
        """Whether it is clearly smaller."""
        return self.value + CLEAR * self.error < other

    def above(self, other: float) -> bool:
        """Whether it is clearly larger."""
        return self.value - CLEAR * self.error > other


def quotient(ours: npt.NDArray[np.float64], theirs: npt.NDArray[np.float64]) -> Estimate:
    """Return the ratio of two means over the trials that both have.

    The standard error is that of the trials' residuals ``ours - ratio theirs``: trials of the same
    reports may depend on each other.

    Examples:
        >>> quotient(np.tile([1.0, 3.0], 10), np.full(20, 4.0))
        Estimate(value=0.5, error=0.057...)
    """
    both = min(ours.size, theirs.size)
    ours, theirs = ours[:both], theirs[:both]
    base = theirs.mean()
    ratio = float(ours.mean() / base)
    if both < FEWEST:
        return Estimate(ratio, math.inf)
    spread = (ours - ratio * theirs).std(ddof=1)
    return Estimate(ratio, float(spread / math.sqrt(both) / base))


def everywhere(ratios: Iterable[Estimate]) -> Verdict:
    """Errors clearly smaller (ratios below 1) everywhere; refuted by one that is clearly larger."""
    found = list(ratios)
    if any(ratio.above(1) for ratio in found):
        return Verdict.FAILS
    return Verdict.HOLDS if all(ratio.below(1) for ratio in found) else Verdict.OPEN


def frequencies(raw: Sequence[Estimate], clipped: Sequence[Estimate]) -> Verdict:
    """EM's error clearly below PrivKV's, clipped too.

    Roughly: nowhere above PrivKV's as it is, and less than a tenth above clipped PrivKV's.
    """
    if all(ratio.below(1) for ratio in (*raw, *clipped)):
        return Verdict.HOLDS
    if any(ratio.above(1) for ratio in raw) or any(ratio.above(1.1) for ratio in clipped):
        return Verdict.FAILS
    return Verdict.ROUGHLY if all(ratio.below(1.1) for ratio in clipped) else Verdict.OPEN


def spent(parts: Sequence[float]) -> Verdict:
    """The channel's ε is what was asked for (parts of 1); roughly: at most that."""
    return grade(
        all(abs(part - 1) <= 1e-9 for part in parts), all(part <= 1 + 1e-9 for part in parts)
    )


def worked(counts: Sequence[float], means: Sequence[float]) -> Verdict:
    """Counts within 2 of the printed 50, and means within 0.05 of 0."""
    return grade(
        all(abs(count - 50) <= 2 for count in counts) and all(abs(mean) <= 0.05 for mean in means)
    )


def pulled(average: Estimate, mean: float) -> Verdict:
    """The average estimate is clearly nearer to 0 than to the true mean, below 0."""
    if average.above(mean / 2):
        return Verdict.HOLDS
    return Verdict.FAILS if average.below(mean / 2) else Verdict.OPEN


def likelihoods(published: float, em: float, tolerance: float) -> Verdict:
    """What PrivKV and EM lack of the maximum: nothing and something.

    Roughly: both are at the maximum, or neither is.
    """
    first, second = published <= tolerance, em <= tolerance
    return grade(first and not second, first == second)


def smaller_gains(places: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Verdict:
    """EM's gains at most nine tenths of PrivKV's, all at every place; roughly: at three of four."""
    fewer = [all(a <= 0.9 * b for a, b in zip(*each, strict=True)) for each in places]
    part = sum(fewer) / len(fewer)
    return grade(part == 1, part >= 0.75)


def robust(frequency: float, mean: float, most: float) -> Verdict:
    """What fakes add at most to a target's frequency and mean; roughly: to its frequency."""
    return grade(max(frequency, mean) <= most, frequency <= most)
