"""Shares drawn towards even ones: empirical Bayes, and intervals that hold on the average.

Of thousands of categories and few respondents most shares are nearer to 1/k than noise lets anybody
see. How far they lie from it altogether is known from the estimates: their mean square less the
noise's. Source: James and Stein 1961; Efron and Morris 1973; the intervals: Armstrong, Kolesár,
Plagborg-Møller 2022 (Econometrica 90), section 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, NoReturn

import numpy as np

from sudare.arrays import Booleans, Floats
from sudare.errors import EstimationError
from sudare.estimation import score
from sudare.estimation.confidence import two_sided
from sudare.estimation.estimate import Kind, Target
from sudare.estimation.shares import ShareLaw
from sudare.estimation.spread import Spread
from sudare.estimation.support import SupportLaw

STANDS_OUT = 0.05
"""Chance that of even shares any is taken to stand out."""

_STEPS = 60
_NODES = 40


@dataclass(frozen=True, slots=True)
class Shrinkage:
    """How the shares of m categories are drawn towards a centre c.

    ::

        spread = mean (x_i - c)² - noise, at least 0
        weight = (spread + 2 noise / (m - 1)) / (spread + noise), at most 1
        shrunk = c + weight (x_i - c)

    Of normal errors that is the positive part of James and Stein's estimator, in the m - 1
    directions in which shares that add up to 1 vary, but for a weight of 2 / (m - 1) at least: for
    m > 3 its expected squared error, of all categories together, is below that of the raw shares.
    That some stand out, and are left alone, is not in that: of few categories it can cost some
    per cent.

    Attributes:
        centre: c.
        noise: variance of a raw share near it.
        spread: mean square of what the true shares lie from it, estimated.
        many: m.
    """

    centre: float
    noise: float
    spread: float
    many: float

    @property
    def weight(self) -> float:
        """The part of a raw share's distance from the centre that is kept."""
        if self.many <= 3:
            return 1.0
        kept = self.spread + 2 * self.noise / (self.many - 1)
        return min(1.0, kept / (self.spread + self.noise))

    @property
    def doubt(self) -> float:
        """Standard error of the spread, of normal errors."""
        return math.sqrt(2 * self.noise * (self.noise + 2 * self.spread) / max(self.many, 1))

    def critical_value(self, miss: float) -> float:
        """Return how many standard deviations of a shrunken share to go to either side, so that so
        many of the m shares are missed on the average.

        The bias of each share is unknown; its mean square over the shares is
        ``(1 - weight)² spread``, taken one standard error of the spread higher: whatever the
        distribution of the shares with that spread, no more are missed.
        """
        w = self.weight
        return critical_value((1 / w - 1) ** 2 * (self.spread + self.doubt) / self.noise, miss)


@dataclass(frozen=True, eq=False)
class ShrunkLaw:
    """How far shrunken shares are off: known on the average over categories, not of each.

    A category stands out where its interval for all at once, of 95 %, lies above 1/k: it keeps its
    raw share, and its own interval. The others, where they are four or more, are drawn towards the
    even share of what is left.

    Args:
        raw: the law of the raw shares.
    """

    exclusive: ClassVar[bool] = True
    raw: ShareLaw

    @cached_property
    def standing_out(self) -> Booleans:
        """The categories that stand out."""
        low, _ = self.raw.interval(STANDS_OUT, "auto", True)
        found = np.asarray(low > 1 / low.size)
        return found if (~found).sum() > 3 else np.ones_like(found)

    @cached_property
    def drawn(self) -> Shrinkage:
        """How the others are drawn together."""
        raw, others = self.raw, ~self.standing_out
        many = int(others.sum())
        if not many:
            return Shrinkage(0.0, 1.0, 0.0, 0)  # no share is drawn anywhere
        centre = max(0.0, 1 - float(raw.shares[self.standing_out].sum())) / many
        noise = _noise(raw.report, centre, raw.n, raw.target)
        square = float(np.square(raw.shares[others] - centre).mean())
        return Shrinkage(centre, noise, max(0.0, square - noise), many)

    @cached_property
    def shares(self) -> Floats:
        """Those that stand out as they are, the others drawn together."""
        to, raw = self.drawn, self.raw.shares
        return np.where(self.standing_out, raw, to.centre + to.weight * (raw - to.centre))

    @cached_property
    def _deviation(self) -> Floats:
        """Standard deviation of each shrunken share."""
        raw, own = self.raw, self.shares.clip(0, 1)
        return self.drawn.weight * np.sqrt(raw.report.variance(own, raw.n, raw.target))

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of those that stand out; of the others the root of the variance, and of
        the mean square of what all of them are biased."""
        bias = (1 - self.drawn.weight) ** 2 * self.drawn.spread
        return np.where(self.standing_out, self.raw.stderr, np.sqrt(self._deviation**2 + bias))

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)`` in [0, 1], of one construction whatever the kind."""
        if simultaneous:
            raise EstimationError(
                "simultaneous",
                "must be False for the method 'shrunk': its intervals hold on the average",
                "estimate by the method 'unbiased'",
            )
        half = self.drawn.critical_value(miss) * self._deviation
        low, high = self.raw.interval(miss, "auto", False)
        low = np.where(self.standing_out, low, (self.shares - half).clip(0, 1))
        return low, np.where(self.standing_out, high, (self.shares + half).clip(0, 1))

    def at(self, shares: Floats) -> NoReturn:
        """Refuse, as :meth:`variance`."""
        raise _no_sums()

    def variance(self, weights: Floats) -> NoReturn:
        """Refuse: the biases of a sum's shares add up, and nobody knows their signs."""
        raise _no_sums()

    def spread(self, weights: Floats | None = None) -> Spread:
        """Refuse, as :meth:`variance`."""
        raise _no_sums()


def _no_sums() -> EstimationError:
    return EstimationError(
        "method",
        "must not be shrunk for sums, differences and means: the biases of its shares add up",
        "estimate by the method 'unbiased'",
    )


def _noise(report: SupportLaw, share: float, n: int, target: Target) -> float:
    return float(report.variance(np.array([share]), n, target)[0])


def expected_error(report: SupportLaw, shares: Floats, n: int, target: Target) -> float:
    """Return the expected mean squared error of shrunken shares, before anything is collected.

    With normal raw shares. A category that is d above the centre, with the standard deviation s, is
    drawn where ``Z < a``; else its error is ``s² (1 - Φ(a) + a φ(a))``. Of those that are drawn::

        Σ error² = w(S)² S - 2 w(S) C + Σ d²,   S = Σ (d + s Z)²,   C = Σ d (d + s Z)

    whose expectation is taken over S, about normal, with the regression of C on S.

    Args:
        report: the law of one report.
        shares: (k,) the true ones.
        n: number of reports.
        target: whose shares.
    """
    k = shares.size
    edge = _edge(report, k, n, target)
    s = np.sqrt(report.variance(shares, n, target))
    # where nothing varies, as among respondents of whom all have one value, a is on either side
    a = np.divide(edge - shares, s, out=np.sign(edge - shares) * 1e9, where=s > 0)
    below, height = _normal(a)
    kept = below - a * height  # of Z² where Z < a
    apart = float((s * s * (1 - kept)).sum())
    many = float(below.sum())
    if not many > 3:
        return float((s * s).mean())
    centre = float(below @ shares) / many
    d, noise = shares - centre, _noise(report, centre, n, target)
    true = float(d * d @ below)
    cross = true - float(d * s @ height)
    square = 2 * cross - true + float(s * s @ kept)
    scatter = math.sqrt(2 * noise * (2 * true + many * noise))
    slope = 2 * noise * true / scatter**2 if scatter > 0 else 0.0
    z, chance = np.polynomial.hermite_e.hermegauss(_NODES)
    drawn = 0.0
    for one, part in zip(z.tolist(), (chance / chance.sum()).tolist(), strict=True):
        total = max(0.0, square + scatter * one)
        w = Shrinkage(centre, noise, max(0.0, total / many - noise), many).weight
        drawn += part * (w * w * total - 2 * w * (cross + slope * (total - square)) + true)
    return (apart + drawn) / k


def _edge(report: SupportLaw, k: int, n: int, target: Target) -> float:
    """Return the raw share above which a category stands out: between two counts."""
    p, q, miss = float(report.p), float(report.q), STANDS_OUT / k
    if p < q or not report.counted:
        return 1 / k + two_sided(miss) * math.sqrt(_noise(report, 1 / k, n, target))
    few, many = 0, n + 1
    while few < many:
        count = (few + many) // 2
        low, _ = score.limits(np.array([count]), n, p, q, miss, sampled=target == "population")
        few, many = (few, count) if low[0] > 1 / k else (count + 1, many)
    return ((few - 0.5) / n - q) / (p - q)


def _normal(a: Floats) -> tuple[Floats, Floats]:
    """Return the normal distribution function and density; those far out are exactly 0 and 1."""
    near = np.abs(a) < 38
    below, height = (a > 0).astype(np.float64), np.zeros_like(a)
    z = a[near]
    below[near] = [0.5 * math.erfc(-one / math.sqrt(2)) for one in z.tolist()]
    height[near] = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return below, height


@lru_cache(256)
def critical_value(bias: float, miss: float) -> float:
    """Return the least c with ``P(|Z + b| > c) <= miss`` for every b whose square has this mean.

    ::

        sup P = max over u >= bias of  r(0) + (bias / u) (r(u) - r(0)),   r(u) = P(|Z + √u| > c)

    for the worst b is 0 or ±√u. Source: Armstrong, Kolesár, Plagborg-Møller 2022, section 4.2 and
    supplement B.2.

    Args:
        bias: mean of b² >= 0, in variances.
        miss: chance of a miss, on the average over b.

    Examples:
        >>> round(critical_value(0.0, 0.05), 2), round(critical_value(1.0, 0.05), 2)
        (1.96, 3.26)
    """
    low, high = two_sided(miss), math.sqrt((1 + bias) / miss)  # Chebyshev's
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _worst(bias, middle) > miss:
            low = middle
        else:
            high = middle
    return high


def _worst(bias: float, c: float) -> float:
    """Return the largest ``P(|Z + b| > c)`` of a b with this mean square."""

    def beyond(b: float) -> float:
        return (math.erfc((c - b) / math.sqrt(2)) + math.erfc((c + b) / math.sqrt(2))) / 2

    none, least = beyond(0.0), math.sqrt(bias)

    def chance(b: float) -> float:
        return none + (bias / (b * b) if b else 1.0) * (beyond(b) - none)

    low = max(least, c - 8.0)  # below it no share is missed
    high = max(low, c) + 8.0
    for _ in range(_STEPS):  # it rises, and falls for good
        third = (high - low) / 3
        if chance(low + third) < chance(high - third):
            low += third
        else:
            high -= third
    return max(chance(low), chance(least))
