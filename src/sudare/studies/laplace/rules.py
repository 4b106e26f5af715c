"""What the numbers of a run say to each claim: rules that can come out otherwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from sudare.studies.judging import grade
from sudare.studies.parts import Verdict

CLEAR = 3
"""Standard errors within which drawn shares count as the expected ones."""


def equal(ours: float, printed: float, tolerance: float) -> Verdict:
    """Ours is the printed number, up to a relative tolerance."""
    return grade(abs(ours / printed - 1) <= tolerance)


def standard_error(share: float, trials: int) -> float:
    """Return the standard error of a share of trials."""
    return math.sqrt(share * (1 - share) / trials)


def share(found: Sequence[float], expected: float, trials: int, within: float) -> Verdict:
    """All shares near the expected one; open where two standard errors exceed ``within``."""
    if 2 * standard_error(expected, trials) > within:
        return Verdict.OPEN
    return grade(all(abs(one - expected) <= within for one in found))


def scattered(found: Sequence[float], expected: float, trials: int) -> Verdict:
    """All shares within three standard errors of the expected one; open below 1,000 trials."""
    if trials < 1000:
        return Verdict.OPEN
    room = CLEAR * standard_error(expected, trials)
    return grade(all(abs(one - expected) <= room for one in found))


def scattered_mean(found: float, expected: float, error: float) -> Verdict:
    """A mean within three standard errors of the expected one."""
    return grade(abs(found - expected) <= CLEAR * error)


def at_most(found: float, most: float) -> Verdict:
    """A number at most another one, up to rounding."""
    return grade(found <= most * (1 + 1e-9))


def falling(numbers: Sequence[float]) -> Verdict:
    """Each number smaller than the one before."""
    return grade(all(b < a for a, b in pairwise(numbers)))


def both(first: bool, second: bool) -> Verdict:
    """Two conditions; roughly: the first alone."""
    return grade(first and second, first)


def averaged(left: float) -> Verdict:
    """What averaging leaves of one answer's error: at least half; else it needs a budget."""
    return grade(left >= 0.5, True)
