"""What a collection's published figures give away to those who see them alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache, singledispatch
from typing import Any

from sudare.collection import Collection
from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.frequency.unary import Unary
from sudare.planning.shuffling import LEAST_DELTA, MOST_REPORTS, shuffled_epsilon

DELTA = 1e-6
"""δ that is stated beside the ε of published tallies, for all questions together."""

ASSUMES = "the collector keeps single reports to itself; that many reports are honest"


@dataclass(frozen=True, slots=True)
class TallyGuarantee:
    """(ε, δ) of the tallies of n reports, of all questions together; rounded up.

    Attributes:
        n: reports that are published together, at the least.
        epsilon, delta: for one person's whole submission, without questions about places.
    """

    n: int
    epsilon: float
    delta: float

    def to_json(self) -> dict[str, Any]:
        """Return the guarantee as JSON data, with what it assumes."""
        return {**asdict(self), "assumes": ASSUMES}


def tally_guarantee(collection: Collection, n: int) -> TallyGuarantee | None:
    """Return what tallies of n reports of a collection give away.

    Of unary reports not the counts alone are public, but an alarm that is made of how many ones
    each has: theirs is the guarantee of the shuffled reports. Of q questions each spends δ / q, and
    the ε add up. The publications under one definition are tallies of steps that have no report in
    common: n is the size of the least step. None where all questions are places, whose ε is not one
    for an answer.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    asked = tuple(q.mechanism for q in collection.questions if not q.unit.own_budget)
    return TallyGuarantee(n, _total(asked, n), DELTA) if asked else None


@lru_cache(maxsize=512)
def _total(mechanisms: tuple[Mechanism, ...], n: int) -> float:
    share = DELTA / len(mechanisms)
    if share < LEAST_DELTA:  # more than ten thousand questions
        return rounded_up(sum(one.epsilon for one in mechanisms) + 1e-6)
    people = min(n, MOST_REPORTS)
    return rounded_up(sum(_epsilon(one, people, share) for one in mechanisms))


@singledispatch
def _epsilon(mechanism: Mechanism, n: int, delta: float) -> float:
    """Return the ε of what is published of a tally."""
    return shuffled_epsilon(mechanism, n, delta)


@_epsilon.register
def _(mechanism: Unary, n: int, delta: float) -> float:
    """How many ones each report has is published too."""
    return shuffled_epsilon(mechanism, n, delta, reports=True)


def rounded_up(epsilon: float, places: int = 6) -> float:
    """Return ε rounded up to so many decimal places.

    Examples:
        >>> rounded_up(0.1230001), rounded_up(0.5), rounded_up(0.1201, 3)
        (0.123001, 0.5, 0.121)
    """
    return float(Decimal(epsilon).quantize(Decimal(1).scaleb(-places), ROUND_CEILING))
