"""Rules that turn facts into verdicts; their words stand in ``rules.toml`` under the same names.

A study's own rules stand in its module ``rules`` and are found first. A rule takes the facts of a
claim as positional arguments and the rest of what ``judged`` says as keywords.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from sudare.studies.parts import Verdict
from sudare.studies.templates import evaluate

Numbers = float | Iterable[float]


def grade(holds: bool, roughly: bool = False) -> Verdict:
    """Return HOLDS, else ROUGHLY, else FAILS."""
    return Verdict.HOLDS if holds else Verdict.ROUGHLY if roughly else Verdict.FAILS


def rounds(ours: Numbers, *, to: Numbers, places: int | Sequence[int]) -> Verdict:
    """Ours, rounded to so many places, is what is printed."""
    digits = _pairs(ours, places)
    same = (
        abs(round(a, int(d)) - b) < 1e-9
        for (a, b), (_, d) in zip(_pairs(ours, to), digits, strict=True)
    )
    return grade(all(same))


def last_digit(ours: Numbers, *, to: Numbers, places: int | Sequence[int]) -> Verdict:
    """Ours is what is printed up to one unit of its last place."""
    digits = _pairs(ours, places)
    near = (abs(a - b) < 10.0**-d for (a, b), (_, d) in zip(_pairs(ours, to), digits, strict=True))
    return grade(all(near))


def within(ours: Numbers, *, of: Numbers, part: float) -> Verdict:
    """Ours is what is expected, up to a part of it."""
    return grade(all(abs(a - b) <= part * abs(b) for a, b in _pairs(ours, of)))


def below(ours: Numbers, *, limit: Numbers) -> Verdict:
    """Every number lies below the limit."""
    return grade(all(a < b for a, b in _pairs(ours, limit)))


def above(ours: Numbers, *, limit: Numbers) -> Verdict:
    """Every number lies above the limit."""
    return grade(all(a > b for a, b in _pairs(ours, limit)))


def between(ours: Numbers, *, low: float, high: float) -> Verdict:
    """Every number lies between the two."""
    return grade(all(low <= a <= high for a, _ in _pairs(ours, low)))


def falls(numbers: Sequence[float]) -> Verdict:
    """Each number lies below the one before."""
    return grade(all(b < a for a, b in pairwise(numbers)))


def orders(smaller: Numbers, larger: Numbers) -> Verdict:
    """The first is smaller than the second, everywhere."""
    return grade(all(a < b for a, b in _pairs(smaller, larger)))


def vanishes(differences: Numbers, *, tolerance: float = 1e-9) -> Verdict:
    """All differences are 0 up to rounding: an identity, checked on many cases."""
    return grade(all(abs(a) <= tolerance for a, _ in _pairs(differences, 0.0)))


def same(ours: Any, *, to: Any) -> Verdict:
    """Ours is exactly what the source says."""
    return grade(ours == to)


def graded(facts: Mapping[str, Any], *, holds: str, roughly: str = "", open: str = "") -> Verdict:
    """Expressions on facts decide: first ``open``, then ``holds``, then ``roughly``."""
    if open and evaluate(open, facts):
        return Verdict.OPEN
    return grade(bool(evaluate(holds, facts)), bool(roughly) and bool(evaluate(roughly, facts)))


def uncheckable() -> Verdict:
    """Nothing decides, however often it is repeated; the claim's reason says why."""
    return Verdict.UNCHECKABLE


def _pairs(ours: Numbers, theirs: Numbers) -> list[tuple[float, float]]:
    """Pair numbers with numbers, or all of them with one; what is not a number equals nothing."""
    mine = list(ours) if isinstance(ours, Iterable) else [ours]
    other = list(theirs) if isinstance(theirs, Iterable) else [theirs] * len(mine)
    return [(math.nan if a is None else a, b) for a, b in zip(mine, other, strict=True)]
