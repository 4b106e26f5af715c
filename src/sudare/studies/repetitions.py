"""How many repetitions a claim needs, from the standard errors that a run saw.

A rule that finds too few repetitions is asked again with the same facts, their standard errors and
numbers of trials as they would be after more repetitions, until it decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

MOST = 100_000
"""Most repetitions that a study takes."""


class StandardError(float):
    """A standard error of so many repetitions: it falls with their root."""

    def at(self, times: float) -> StandardError:
        """Return it after so many times the repetitions."""
        return StandardError(self / math.sqrt(times))


class Trials(int):
    """A number of trials that grows with the repetitions."""

    def at(self, times: float) -> Trials:
        """Return it after so many times the repetitions."""
        return Trials(math.floor(self * times))


def at(fact: Any, times: float) -> Any:
    """Return a fact with what it holds of standard errors and trials after more repetitions.

    Examples:
        >>> at([0.5, StandardError(0.2), {"trials": Trials(10)}], 4)
        [0.5, 0.1, {'trials': 40}]
    """
    if hasattr(fact, "at"):
        return fact.at(times)
    if isinstance(fact, Mapping):
        return {key: at(one, times) for key, one in fact.items()}
    if isinstance(fact, list | tuple):
        return [at(one, times) for one in fact]
    return fact


def needed(decided: Callable[[float], bool], repetitions: int) -> int | None:
    """Return the least number at which ``decided(times)`` holds, times the repetitions of a run.

    None where 100,000 do not suffice.

    Examples:
        >>> needed(lambda times: 0.3 / times**0.5 < 0.11, repetitions=10)
        75
    """
    low, high = repetitions, repetitions
    while not decided(high / repetitions):
        if high >= MOST:
            return None
        low, high = high, min(2 * high, MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decided(middle / repetitions) else (middle, high)
    return high
