"""``Estimate``: shares with standard errors, intervals and the ε that they cost."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sudare import frames
from sudare.errors import DomainError, WrongTypeError
from sudare.exact import as_integer

Target = Literal["population", "respondents"]
TARGETS: tuple[Target, ...] = ("population", "respondents")
Floats = npt.NDArray[np.float64]


def check_target(target: object) -> Target:
    """Return ``target`` if it is one of the two; DomainError otherwise."""
    for known in TARGETS:
        if isinstance(target, str) and target == known:
            return known
    raise DomainError("target", f"must be one of {list(TARGETS)}", got=target)


def check_confidence(confidence: object) -> float:
    """Return a confidence level strictly between 0 and 1; a typed error otherwise."""
    if isinstance(confidence, bool) or not isinstance(confidence, numbers.Real):
        raise WrongTypeError("confidence", "must be a number", "try 0.95", got=confidence)
    level = float(confidence)
    if not 0 < level < 1:
        raise DomainError("confidence", "must lie between 0 and 1", "try 0.95", got=confidence)
    return level


def normal_quantile(confidence: float, cells: int = 1) -> float:
    """Return z with ``P(|Z| <= z) = confidence``, Bonferroni-shared by ``cells`` intervals."""
    return -NormalDist().inv_cdf((1 - confidence) / (2 * cells))


@dataclass(frozen=True)
class Difference:
    """The difference of two shares with its standard error.

    Examples:
        >>> Difference(0.1, 0.02).interval(0.95)
        (0.0608..., 0.1391...)
    """

    value: float
    stderr: float

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return ``(low, high)`` of the normal interval."""
        half = normal_quantile(check_confidence(confidence)) * self.stderr
        return self.value - half, self.value + half


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated shares of the categories.

    Attributes:
        shares: unbiased shares, float64 in the shape of the domain; they may lie below 0 or
            above 1 and are not clipped.
        stderr: standard error of each share under ``target``.
        n: number of reports.
        epsilon: ε that each respondent spent on this answer.
        covers: what that ε covers, in words.
        method: how the shares were computed.
        target: ``"population"`` (the people that the respondents are a random sample of) or
            ``"respondents"`` (these people: only the randomisation varies).
    """

    shares: Floats
    stderr: Floats
    n: int
    epsilon: float
    covers: str
    method: str
    target: Target
    _covariance: Callable[[int, int], float] = field(repr=False)

    @property
    def counts(self) -> Floats:
        """Estimated number of the ``n`` respondents in each category: ``n * shares``."""
        return self.n * self.shares

    def interval(
        self, confidence: float = 0.95, *, simultaneous: bool = False
    ) -> tuple[Floats, Floats]:
        """Return ``(low, high)`` arrays of normal intervals for the shares.

        Args:
            confidence: coverage of each interval, or of all at once if ``simultaneous``
                (Bonferroni).
        """
        cells = self.shares.size if simultaneous else 1
        half = normal_quantile(check_confidence(confidence), cells) * self.stderr
        return self.shares - half, self.shares + half

    def difference(self, i: int, j: int) -> Difference:
        """Return ``shares[i] - shares[j]`` with the standard error of the difference."""
        last = self.shares.size - 1
        i, j = as_integer(i, "i", low=0, high=last), as_integer(j, "j", low=0, high=last)
        variance = self.stderr[i] ** 2 + self.stderr[j] ** 2 - 2 * self._covariance(i, j)
        stderr = 0.0 if i == j else math.sqrt(max(0.0, float(variance)))
        return Difference(float(self.shares[i] - self.shares[j]), stderr)

    def mean(self, scores: npt.ArrayLike) -> Difference:
        """Return the mean score among those whose category has one, with its standard error.

        ::

            m = Σ s_i x_i / Σ x_i   over the categories with a score

        The standard error is the delta method's. Where the estimated share of those who have a
        score is not above 0, mean and error are NaN.

        Args:
            scores: a number for each category, NaN for one without ("prefer not to say").

        Raises:
            WrongTypeError: not numbers.
            DomainError: another shape, an infinite score, or no score at all.
        """
        given = _scores(scores, self.shares.size)
        counted = np.flatnonzero(~np.isnan(given))
        share = float(self.shares[counted].sum())
        if not share > 0:
            return Difference(math.nan, math.nan)
        value = float(given[counted] @ self.shares[counted]) / share
        slopes = (given[counted] - value) / share
        variance = float(slopes**2 @ self.stderr[counted] ** 2)
        for a, i in enumerate(counted.tolist()):
            for b, j in enumerate(counted[:a].tolist()):
                variance += 2 * float(slopes[a] * slopes[b]) * self._covariance(i, j)
        return Difference(value, math.sqrt(max(0.0, variance)))

    def to_frame(self, library: str = "pandas", *, confidence: float = 0.95) -> Any:
        """Return a data frame (``"pandas"``, ``"polars"`` or ``"pyarrow"``), a row a category."""
        low, high = self.interval(confidence)
        return frames.build(
            {
                "category": np.arange(self.shares.size),
                "share": self.shares,
                "count": self.counts,
                "stderr": self.stderr,
                "low": low,
                "high": high,
            },
            library,
        )


def _scores(scores: npt.ArrayLike, size: int) -> Floats:
    try:
        array = np.asarray(scores)
    except ValueError:
        raise WrongTypeError("scores", "must be an array of numbers") from None
    if array.dtype.kind not in "iuf" or isinstance(scores, np.ma.MaskedArray):
        raise WrongTypeError("scores", "must be an array of numbers", "NaN where there is none")
    given = array.astype(np.float64)
    if given.shape != (size,):
        raise DomainError("scores", f"must have the shape ({size},)", got=given.shape)
    if np.isinf(given).any() or np.isnan(given).all():
        raise DomainError("scores", "must be finite, at least one of them", "NaN for none")
    return given
