"""The law of shares that come from support counts: variances, and intervals of every kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.estimation import score
from sudare.estimation.caution import FEW
from sudare.estimation.confidence import cell_miss, pair_correlation, two_sided
from sudare.estimation.estimate import Kind, Target
from sudare.estimation.spread import Spread, interval
from sudare.estimation.support import SupportLaw

if TYPE_CHECKING:
    from sudare.estimation.covariance import Covariance


@dataclass(frozen=True, eq=False)
class ShareLaw:
    """How the shares vary that are estimated by ``(support / n - q) / (p - q)``.

    All is taken at the plausible shares: the estimated ones moved into [0, 1].

    Where a random group of N respondents reports, drawn without replacement, the variance of a
    share x of all of them is that of a population less ``known x (1 - x) / n``,
    ``known = (n - 1) / (N - 1)``. Score intervals are shortened by as much as the standard error
    at their ends: not at all at 0 and 1, where nothing varies among the respondents.

    Args:
        report: the law of one report.
        support: (k,) counts.
        n: number of reports.
        target: whose shares; ``"population"`` where ``known`` is given.
        known: the part of the sampling variance that is none.
        assumed: take all at these shares instead.
    """

    exclusive: ClassVar[bool] = True
    report: SupportLaw
    support: npt.NDArray[np.int64]
    n: int
    target: Target
    known: float = 0.0
    assumed: Floats | None = None

    def at(self, shares: Floats) -> Self:
        """Return the law of as many reports if these were the true shares."""
        return replace(self, assumed=shares)

    @property
    def _ends(self) -> tuple[float, float]:
        return float(self.report.p), float(self.report.q)

    @cached_property
    def shares(self) -> Floats:
        """The unbiased shares."""
        return (self.support / self.n - float(self.report.q)) / float(self.report.p - self.report.q)

    @cached_property
    def plausible(self) -> Floats:
        """The shares moved into [0, 1]."""
        return np.clip(self.shares if self.assumed is None else self.assumed, 0, 1)

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        x = self.plausible
        variance = self.report.variance(x, self.n, self.target)
        if self.known:
            variance = np.maximum(variance - self.known * x * (1 - x) / self.n, 0.0)
        return np.sqrt(variance)

    @property
    def few(self) -> npt.NDArray[np.bool_]:
        """Cells that fewer than 30 reports are expected to support."""
        return self.expected_support < FEW

    @property
    def expected_support(self) -> Floats:
        """Reports that are expected to support each cell; all, where each says a number of it."""
        if not self.report.counted:
            return np.full(self.shares.shape, float(self.n))
        one = float(self.report.q) + float(self.report.p - self.report.q) * self.plausible
        return self.n * one

    @property
    def correlation(self) -> float:
        """Of two cells, where there are two."""
        return pair_correlation(self.variance, self.stderr)

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``: the noise, and who was asked.

        ::

            ( spread(w, x) + Σ w_i^2 x_i - (Σ w_i x_i)^2 ) / n       (the last two: population)
        """
        w, x = weights, self.plausible
        noise = self.report.spread(w, x)
        if self.target == "respondents":
            return noise / self.n
        sampled = float((w * w) @ x) - float(w @ x) ** 2
        return (noise + (1 - self.known) * sampled) / self.n

    def covariance(self) -> Covariance:
        """Return the covariances of all shares.

        Raises:
            EstimationError: there are too many.
        """
        from sudare.estimation.covariance import Covariance  # asked for by few

        noise = self.report.covariance(self.plausible)
        if self.target == "population":
            noise += Covariance.of_one(self.plausible).scaled(1 - self.known)
        return noise.scaled(1 / self.n)

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how ``Σ weights_i shares_i`` varies; without weights how each share does."""
        asked = (1 - self.known) / self.n if self.target == "population" else 0.0
        step = 1 / (self.n * abs(float(self.report.p - self.report.q)))
        x, sampled = self.plausible, asked > 0
        if weights is None:
            low, high = self.report.cells(np.array([0.0, 1.0])) / self.n
            third = self.report.third_of_cells(x, sampled) / self.n**2
            return Spread(self.stderr**2, third, 0.0, 1.0, low, high, asked, step)
        places = self._extremes(weights)
        bottom, top = (float(weights @ one) for one in places)
        noise = [self.report.noise(weights, one) / self.n for one in places]
        skew = self.report.third(weights, x, sampled) / self.n**2
        step *= float(np.diff(np.unique(weights)).min(initial=top - bottom))
        return Spread(
            max(self.variance(weights), 0.0), skew, bottom, top, noise[0], noise[1], asked, step
        )

    def spreads(self, weights: Floats) -> Spread:
        """Return :meth:`spread` of each row of (m, k) weights."""
        if not self.exclusive:
            return Spread.stack([self.spread(row) for row in weights], weights.shape[:1])
        asked = (1 - self.known) / self.n if self.target == "population" else 0.0
        x, n, rows = self.plausible, self.n, np.arange(len(weights))
        low, high = weights.argmin(axis=1), weights.argmax(axis=1)
        places = np.zeros((3, *weights.shape))
        places[0], places[1, rows, low], places[2, rows, high] = x, 1.0, 1.0
        now, at_bottom, at_top = self.report.spreads(weights, places) / n
        if asked:
            now = now + asked * ((weights * weights) @ x - (weights @ x) ** 2)
        skew = self.report.third(weights, x, asked > 0) / n**2
        bottom, top = weights[rows, low], weights[rows, high]
        apart = np.diff(np.sort(weights, axis=1), axis=1)
        least = np.where(apart > 0, apart, np.inf).min(axis=1, initial=np.inf)
        step = np.minimum(least, top - bottom) / (n * abs(float(self.report.p - self.report.q)))
        now = np.maximum(now, 0.0)
        return Spread(now, skew, bottom, top, at_bottom, at_top, asked, step)

    def _extremes(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return the shares of the least and the largest weighted sum: all in one category."""
        every = np.arange(weights.size)
        least, most = int(weights.argmin()), int(weights.argmax())
        return (every == least).astype(np.float64), (every == most).astype(np.float64)

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)``: normal, or by both tails of the support count."""
        if not self.report.counted:
            low, high = interval(self, miss, kind, simultaneous)
            return (low, high) if kind == "normal" else (low.clip(0, 1), high.clip(0, 1))
        if simultaneous:
            miss = cell_miss(miss, self.shares.size, self.correlation)
        if kind == "normal":
            half = two_sided(miss) * self.stderr
            return self.shares - half, self.shares + half
        sampled = self.target == "population"
        low, high = score.limits(self.support, self.n, *self._ends, miss, sampled=sampled)
        if self.known:
            x = self.plausible
            low, high = (x + (end - x) * self._part(end) for end in (low, high))
        return low, high

    def _part(self, x: Floats) -> Floats:
        """Return what is left of a standard error at the shares x, for what is known."""
        whole = self.report.variance(x, self.n, self.target)
        part: Floats = np.sqrt((1 - self.known * x * (1 - x) / self.n / whole).clip(0))
        return part
