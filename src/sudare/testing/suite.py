"""What conformance checks are made of: rules, and comparisons with a law."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from sudare.exact.entropy import Entropy
from sudare.testing.fit import binomial_pvalues

T = TypeVar("T")
R = TypeVar("R")


class BrokenRuleError(Exception):
    """A check found a rule broken; the runner says by which mechanism and in which check."""


def demand(condition: bool, rule: str) -> None:
    """Raise :class:`BrokenRuleError` with the rule unless the condition holds."""
    if not condition:
        raise BrokenRuleError(rule)


def of(
    find: Callable[[Any], T | None],
) -> Callable[[Callable[[T, Entropy], R]], Callable[[Any, Entropy], R | tuple[()]]]:
    """Decorator: a check of what ``find`` returns of a mechanism; nothing is checked of None."""

    def decorate(check: Callable[[T, Entropy], R]) -> Callable[[Any, Entropy], R | tuple[()]]:
        @wraps(check)
        def run(m: Any, rng: Entropy) -> R | tuple[()]:
            found = find(m)
            return () if found is None else check(found, rng)

        return run

    return decorate


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Counts of events, each count binomial in a mechanism that follows its law.

    Attributes:
        what: the event, as it reads in a failure.
        observed: whole numbers of any shape.
        trials, probability: of the binomial law; of a shape that broadcasts to ``observed``. They
            are fixed before anything is drawn.
    """

    what: str
    observed: npt.NDArray[np.integer[Any]]
    trials: npt.ArrayLike
    probability: npt.ArrayLike

    @property
    def size(self) -> int:
        """Number of statistical tests: one a count."""
        return self.observed.size

    def worst(self) -> tuple[float, str]:
        """Return the least p-value and what was found there."""
        shape = self.observed.shape
        trials = np.broadcast_to(np.asarray(self.trials), shape).reshape(-1)
        law = np.broadcast_to(np.asarray(self.probability, dtype=np.float64), shape).reshape(-1)
        observed = self.observed.reshape(-1)
        p_values = binomial_pvalues(observed, trials, law)
        i = int(np.argmin(p_values))
        return float(p_values[i]), (
            f"{self.what} {observed[i]} times in {trials[i]}, "
            f"{float(trials[i] * law[i]):.6g} expected (p = {p_values[i]:.1e})"
        )


@dataclass(frozen=True, slots=True)
class Total:
    """A sum over independent respondents of which mean, variance and range are known.

    ::

        P(|X - mean| >= t) <= 2 exp( -t^2 / (2 (variance + range t / 3)) )      (Bernstein)

    Attributes:
        what: what is added up, as it reads in a failure.
        observed: the sum.
        mean, variance: of the sum.
        range: the most that one respondent can add.
    """

    what: str
    observed: int
    mean: float
    variance: float
    range: int
    size: ClassVar[int] = 1

    def worst(self) -> tuple[float, str]:
        """Return the bound on the p-value and what was found."""
        far = abs(self.observed - self.mean)
        scale = 2 * (self.variance + self.range * far / 3)
        p_value = min(1.0, 2 * math.exp(-far * far / scale)) if scale > 0 else 1.0
        found = f"{self.what} {self.observed} times, {self.mean:.6g} expected (p <= {p_value:.1e})"
        return p_value, found
