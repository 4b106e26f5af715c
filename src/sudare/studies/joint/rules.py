"""Rules of this study alone."""

from __future__ import annotations

from collections.abc import Sequence

from sudare.studies.parts import Verdict
from sudare.studies.rules import grade


def agrees(pairs: Sequence[Sequence[float]], *, part: float) -> Verdict:
    """All ours are the expected ones, up to a part; each: ours, expected, relative standard error.

    Open where three standard errors of any are larger.
    """
    if any(3 * error > part for *_, error in pairs):
        return Verdict.OPEN
    return grade(all(abs(ours / expected - 1) <= part for ours, expected, _ in pairs))


def steps_down(steps: Sequence[Sequence[float]]) -> Verdict:
    """Each error is below the one before; a step: before, after, relative standard error.

    Open where three standard errors reach over the step.
    """
    if any(after / before - 3 * error > 1 for before, after, error in steps):
        return Verdict.FAILS
    clear = all(after / before + 3 * error < 1 for before, after, error in steps)
    return Verdict.HOLDS if clear else Verdict.OPEN


def most(ratios: Sequence[float]) -> Verdict:
    """Smaller everywhere (ratios below 1); roughly: in three of four."""
    part = sum(ratio < 1 for ratio in ratios) / len(ratios)
    return grade(part == 1, part >= 0.75)
