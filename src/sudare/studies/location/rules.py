"""What the numbers of a run say to each claim: rules that can come out otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sudare.studies.judging import grade
from sudare.studies.parts import Verdict

TINY = 1e-9
LOSS = 0.05
"""Most that the expected distance may grow for a loss to be called slight."""
INNER = 0.1
"""Part of the gap within which a posterior is near the least one."""


def bounded(parts: Sequence[float]) -> Verdict:
    """Each is at most 1 part of what was promised."""
    return grade(max(parts) <= 1 + TINY)


def sums_to_one(sums: Sequence[float]) -> Verdict:
    """All sums are 1."""
    return grade(all(abs(one - 1) <= TINY for one in sums))


def printed(ours: float, figure: float, digits: int) -> Verdict:
    """Equal as rounded; roughly: up to a unit of the last digit."""
    return grade(round(ours, digits) == figure, abs(ours - figure) <= 10.0**-digits)


def same_cells(found: Sequence[Sequence[int]], expected: Sequence[int]) -> Verdict:
    """The same cells every time; roughly: these among others."""
    return grade(
        all(set(one) == set(expected) for one in found),
        all(set(one) >= set(expected) for one in found),
    )


def most(parts: Sequence[float], least: float) -> Verdict:
    """More than a half each time; roughly: at ``least`` or more."""
    return grade(all(part > 0.5 for part in parts), all(part >= least for part in parts))


def unmoved(changes: Mapping[float, float], at: float, within: float) -> Verdict:
    """No change at any ε; roughly: none at the main one."""
    return grade(
        all(abs(change) <= within for change in changes.values()), abs(changes[at]) <= within
    )


def slight(changes: Sequence[float]) -> Verdict:
    """Losses of at most :data:`LOSS` at every ε; roughly: at two of three."""
    small = sum(change <= LOSS for change in changes)
    return grade(small == len(changes), 3 * small >= 2 * len(changes))


def at_the_edge(ratios: Sequence[float]) -> Verdict:
    """At least twice the loss at the edge, every time; roughly: all but once."""
    twice = sum(ratio >= 2 for ratio in ratios)
    return grade(twice == len(ratios), twice >= len(ratios) - 1)


def every(holds: Sequence[bool]) -> Verdict:
    """Every time; roughly: two of three."""
    return grade(all(holds), 3 * sum(holds) >= 2 * len(holds))
