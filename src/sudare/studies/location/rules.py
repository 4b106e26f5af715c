"""Rules of this study alone."""

from __future__ import annotations

from collections.abc import Sequence

from sudare.studies.parts import Verdict
from sudare.studies.rules import grade


def printed(ours: float, *, to: float, places: int) -> Verdict:
    """Equal as rounded; roughly: up to a unit of the last digit."""
    return grade(round(ours, places) == to, abs(ours - to) <= 10.0**-places)


def every(holds: Sequence[bool]) -> Verdict:
    """Every time; roughly: two times of three."""
    return grade(all(holds), 3 * sum(map(bool, holds)) >= 2 * len(holds))
