"""Verdicts from the numbers of a run, each by a rule that the report states."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from sudare.studies.parts import Claim, Verdict
from sudare.studies.words import Text, Words

BY_ARGUMENT = Text("by argument: no number of a run enters", "論証による（実行の数値によらない）")
"""The rule of a claim that numbers do not decide."""

_OTHERWISE = Text(
    "This run's numbers give another verdict than ours did.",
    "今回の実行の数値では、当方の実行と異なる判定になった。",
)
_TOO_FEW = Text(
    "Not enough repetitions to tell: the scatter of the means is too large for the rule.",
    "反復が足りず判定できない（平均のばらつきが規則に対して大きい）。",
)


def judged(
    place: Words,
    claim: Words,
    printed: Words,
    ours: Words,
    verdict: Verdict,
    usual: Verdict,
    rule: Words,
    reason: Words,
) -> Claim:
    """Return the claim with the verdict of this run.

    Args:
        place, claim, printed, ours: as of :class:`Claim`.
        verdict: what the numbers of this run say.
        usual: the verdict that ``reason`` explains; another one gets a sentence of its own.
        rule: how numbers become the verdict.
        reason: why the usual verdict is as it is.
    """
    if verdict is not usual:
        reason = _TOO_FEW if verdict is Verdict.OPEN else _OTHERWISE
    return Claim(place, claim, printed, ours, verdict, reason, rule)


def grade(holds: bool, roughly: bool = False) -> Verdict:
    """Return HOLDS, else ROUGHLY, else FAILS."""
    return Verdict.HOLDS if holds else Verdict.ROUGHLY if roughly else Verdict.FAILS


def scatter(values: npt.ArrayLike) -> float:
    """Return the relative standard error of the mean; infinite for a single value.

    Examples:
        >>> scatter([1.0, 2.0, 3.0]), scatter([1.0])
        (0.288..., inf)
    """
    array = np.asarray(values, dtype=np.float64)
    if array.size < 2:
        return math.inf
    return float(array.std(ddof=1) / math.sqrt(array.size) / array.mean())


def agreement(pairs: Iterable[tuple[float, float, float]], within: float) -> Verdict:
    """Judge whether all ours are the expected ones, up to a relative tolerance.

    Args:
        pairs: ours, expected, and the relative standard error of ours.
        within: the tolerance; OPEN where three standard errors of any are larger.

    Examples:
        >>> agreement([(1.1, 1.0, 0.01)], 0.12).name, agreement([(1.2, 1.0, 0.01)], 0.12).name
        ('HOLDS', 'FAILS')
        >>> agreement([(1.1, 1.0, 0.1)], 0.12).name
        'OPEN'
    """
    found = list(pairs)
    if any(3 * error > within for *_, error in found):
        return Verdict.OPEN
    return grade(all(abs(ours / expected - 1) <= within for ours, expected, _ in found))
