"""Estimates among those whom a question was asked, where all others have answered at random.

Whatever the answer is, a number that is estimated of all reports is a mixture::

    t = a θ + (1 - a) μ,     θ = μ + (t - μ) / a

of the number θ among those asked, a share ``a`` of all, and its mean μ where the answer is drawn.
Both estimates are of the same n respondents, and randomisation is apart for each question: over
random samples of a population

    Cov(t, a) = a (1 - a) (θ - μ) / n

while among the respondents themselves it is 0, and the variance of t grows by (1 - a) σ² / n, that
of the answers drawn for the others. θ is consistent and not unbiased: a ratio's bias is of the
order 1 / n. Standard errors are by the delta method. Intervals are by Fieller's theorem: of all x
for which ``(t - μ) - a (x - μ)`` lies within z of its standard errors, at that x, of 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.errors import DomainError, EstimationError
from sudare.estimation.confidence import two_sided
from sudare.estimation.covariance import Covariance
from sudare.estimation.estimate import Estimate, Kind, Law, Target
from sudare.estimation.quantity import Quantity
from sudare.estimation.spread import Spread, interval, spreads


@dataclass(frozen=True, eq=False)
class ConditionalShare:
    """The share of those whom a question is asked, as it is estimated.

    Attributes:
        share: of all, with its standard error.
        n, target: respondents and target of the estimates that it comes from.
    """

    share: Quantity[float]
    n: int
    target: Target

    @classmethod
    def of(
        cls, filtered: Estimate, cells: Sequence[int], before: ConditionalShare | None = None
    ) -> ConditionalShare:
        """Return the share of those who gave one of some answers to an earlier question.

        Where that question was not asked of everybody either, but of a share b, those who gave one
        of m of its k answers among those asked are what is left of the share s of such answers::

            a = s - (1 - b) m / k

        Linear in both estimates, so unbiased: shares of shares are multiplied nowhere.

        Args:
            filtered: estimate of the earlier question, by inversion.
            cells: the answers to it upon which the later one is asked.
            before: of whom the earlier one was asked; None for everybody.

        Raises:
            DomainError: not estimates of the same respondents and target.
        """
        weights = np.zeros(filtered.shares.size)
        weights[list(cells)] = 1
        share, n, target = filtered.linear(weights), filtered.n, filtered.target
        if before is None:
            return cls(share, n, target)
        before._check(n, target)
        chance, others = len(cells) / weights.size, 1 - before.share.value
        now, covariance = before._with(share.value, share.stderr**2, chance, chance * (1 - chance))
        variance = now + 2 * chance * covariance + (chance * before.share.stderr) ** 2
        value = share.value - others * chance
        return cls(Quantity(value, math.sqrt(max(float(variance), 0.0))), n, target)

    def enough(self, confidence: float) -> bool:
        """Tell whether the share can be told from 0: else no interval among those asked has ends.

        Args:
            confidence: of the intervals.
        """
        return self.share.value > two_sided(1 - confidence) * self.share.stderr

    def number(
        self, found: Quantity[float], mean: float, variance: float, ends: tuple[float, float]
    ) -> Quantity[float]:
        """Return a mean among those asked.

        Args:
            found: the mean of all reports.
            mean, variance: of a drawn answer.
            ends: the least and the largest that the mean can be.

        Raises:
            EstimationError: nobody is estimated to have been asked.
        """
        value, spread = self.among(found.value, found.stderr**2, mean, variance, ends)
        return Quantity(float(value), math.sqrt(spread.now), _bounds=spread)

    def among(
        self, mixed: Any, now: Any, mean: Any, variance: Any, ends: tuple[Any, Any]
    ) -> tuple[Any, Spread]:
        """Return numbers among those asked, and how they vary, as at the head of this module.

        Args:
            mixed, now: the numbers t of all reports, and their variances.
            mean, variance: μ and σ² of an answer that is drawn.
            ends: the least and the largest value of each number.

        Raises:
            EstimationError: nobody is estimated to have been asked.
        """
        a, square = self.share.value, self.share.stderr**2
        if not a > 0:
            raise EstimationError(
                "asked", "must be a share of people above 0", "collect more reports"
            )
        noise, covariance = self._with(mixed, now, mean, variance)
        value = mean + (mixed - mean) / a

        def at(x: Any) -> Any:
            far = x - mean
            return np.maximum(noise - 2 * far * covariance + far * far * square, 0) / a**2

        bottom, top = ends
        return value, Spread(at(value), 0.0, bottom, top, at(bottom), at(top), -square / a**2)

    def _with(self, mixed: Any, now: Any, mean: Any, variance: Any) -> tuple[Any, Any]:
        """Return the variance of t with that of the answers drawn, and the covariance with a."""
        others = 1 - min(max(self.share.value, 0.0), 1.0)
        if self.target == "population":
            return now, (others * (mixed - mean) if self.share.value > 0 else 0.0 * mixed) / self.n
        return now + others * variance / self.n, 0.0 * mixed

    def _check(self, n: int, target: Target) -> None:
        if n > self.n or target != self.target:
            raise DomainError("asked", "must be of the same respondents and the same target")


@dataclass(frozen=True, eq=False)
class ConditionalLaw:
    """How shares among those asked vary, from the law of the shares of all reports.

    Attributes:
        base, mixed: that law, and the shares of all reports.
        drawn: the chance of each category where the answer is drawn: one category alone.
        asked: the share of those asked.
    """

    base: Law
    mixed: Floats
    drawn: Floats
    asked: ConditionalShare

    @property
    def exclusive(self) -> bool:
        """Whether each respondent is in exactly one cell."""
        return self.base.exclusive

    @cached_property
    def _each(self) -> tuple[Floats, Spread]:
        """The shares, and how each varies."""
        u, now = self.drawn, self.base.stderr**2
        return self.asked.among(self.mixed, now, u, u * (1 - u), (0.0, 1.0))

    @property
    def shares(self) -> Floats:
        """The shares among those asked."""
        return self._each[0]

    @property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        out: Floats = np.sqrt(self._each[1].now)
        return out

    def at(self, shares: Floats) -> ConditionalLaw:
        """Return the law of as many reports if these were the true shares among those asked."""
        part = min(self.asked.share.value, 1.0)
        mixed = part * shares + (1 - part) * self.drawn
        return ConditionalLaw(self.base.at(mixed), mixed, self.drawn, self.asked)

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``."""
        return float(self.spread(weights).now)

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how ``Σ weights_i shares_i`` varies; without weights how each share does."""
        if weights is None:
            return self._each[1]
        return self._sums(weights.ravel(), max(self.base.variance(weights), 0.0))

    def spreads(self, weights: Floats) -> Spread:
        """Return the same for each row of the weights."""
        return self._sums(weights, spreads(self.base, weights).now)

    def _sums(self, rows: Floats, now: Any) -> Spread:
        u = self.drawn.ravel()
        mean = rows @ u
        variance = (rows * rows) @ u - mean * mean
        if self.exclusive:
            ends = rows.min(axis=-1), rows.max(axis=-1)
        else:
            ends = rows.clip(max=0).sum(axis=-1), rows.clip(min=0).sum(axis=-1)
        return self.asked.among(rows @ self.mixed.ravel(), now, mean, variance, ends)[1]

    def covariance(self, base: Covariance) -> Covariance:
        """Return the covariances of all shares, from those of the shares of all reports.

        ::

            C = (B + (V(a) - 2 a (1 - a) / n) q q^T) / a²,   q = θ - μ          (population)
                (B + V(a) q q^T + (1 - a) (diag μ - μ μ^T) / n) / a²            (respondents)
        """
        of_whom, u = self.asked, self.drawn.ravel()
        a, n = of_whom.share.value, of_whom.n
        others, inner = 1 - min(a, 1.0), of_whom.share.stderr**2
        total = base
        if of_whom.target == "population":
            inner -= 2 * a * others / n
        else:
            total += Covariance.of_one(u).scaled(others / n)
        far = (self.shares.ravel() - u)[:, None]
        total += Covariance(np.zeros(u.size), far, np.array([[inner]]))
        return total.scaled(1 / a**2)

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)``, drawn in at 0 and 1 but where the whole interval lies beyond."""
        low, high = interval(self, miss, kind, simultaneous)
        if kind == "normal":
            return low, high
        return np.where(high < 0, low, low.clip(0)), np.where(low > 1, high, high.clip(max=1))


def among_asked(
    estimate: Estimate, asked: ConditionalShare, drawn: Floats | None = None
) -> Estimate:
    """Return the shares of a question's answers among those whom it was asked.

    Args:
        estimate: of the question, by inversion.
        asked: of whom it was asked, of the same respondents and target; the question's own reports
            may be of a part of them, drawn at random.
        drawn: the chance of each category where the answer is drawn; default the same for all.

    Raises:
        DomainError: not of the same respondents and target.
        EstimationError: nobody is estimated to have been asked, or the estimate is by a method of
            which it is not known how the shares vary.

    Examples:
        >>> import sudare as sd
        >>> smokes, brand = sd.GRR(2, 3.0), sd.GRR(2, 3.0)
        >>> asked = ConditionalShare.of(smokes.estimate(smokes.simulate([2000, 8000])), [0])
        >>> answers = brand.estimate(brand.simulate([1500 + 4000, 500 + 4000]))
        >>> found = among_asked(answers, asked)
        >>> bool(abs(found.shares[0] - 0.75) < 6 * found.stderr[0])
        True
    """
    asked._check(estimate.n, estimate.target)
    if estimate._law is None:
        raise EstimationError("method", "must be unbiased", "estimate without a method")
    even = np.full(estimate.shares.shape, 1 / estimate.shares.size)
    law = ConditionalLaw(estimate._law, estimate.shares, even if drawn is None else drawn, asked)
    return Estimate(
        shares=law.shares,
        stderr=law.stderr,
        n=estimate.n,
        epsilon=estimate.epsilon,
        covers=estimate.covers,
        method="among-asked",
        target=estimate.target,
        warnings=estimate.warnings,
        labels=estimate.labels,
        _law=law,
    )
