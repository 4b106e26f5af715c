"""``NumberEstimate``: the mean of a number with its error bar and what it cost."""

from __future__ import annotations

from dataclasses import dataclass

from sudare.estimation.caution import Caution
from sudare.estimation.estimate import Target
from sudare.estimation.quantity import Quantity


@dataclass(frozen=True, eq=False)
class NumberEstimate:
    """The estimated mean of the respondents' numbers.

    Attributes:
        mean: with ``.value``, ``.stderr`` and ``.interval(0.95)``; not clipped to the range.
        n: number of reports.
        epsilon: realised ε of one answer.
        covers: what that ε covers, in words.
        method: how it was estimated.
        target: whose mean the standard error is about.
        warnings: sentences that a reader should know.
    """

    mean: Quantity[float]
    n: int
    epsilon: float
    covers: str
    method: str
    target: Target
    warnings: tuple[Caution, ...] = ()
