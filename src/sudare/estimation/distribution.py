"""``Distribution``: of a number, from shares of bins: ranges, quantiles and their intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, Literal

import numpy as np

from sudare.arrays import Booleans, Floats, Integers
from sudare.errors import DomainError, EstimationError, WrongTypeError
from sudare.estimation.confidence import check_confidence, spaced, two_sided
from sudare.estimation.estimate import Estimate
from sudare.estimation.quantity import REMEDY, Quantity
from sudare.estimation.spread import Spread, spreads
from sudare.exact import as_integer
from sudare.exact.parameters import as_number

_MOST_WEIGHTS = 1 << 20  # of sums that are looked at together
DECILES = tuple(i / 10 for i in range(1, 10))


@dataclass(frozen=True, slots=True)
class Quantile:
    """A quantile with its interval.

    Attributes:
        p: share of the people whose number is smaller.
        value: where the shown distribution reaches p.
        low, high: between which it lies with that confidence.
        confidence: of the interval.
    """

    p: float
    value: float
    low: float
    high: float
    confidence: float

    def to_json(self) -> dict[str, float]:
        """Return the quantile as JSON data."""
        return {"p": self.p, "value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True, eq=False)
class Histogram:
    """Shares of bars, to be shown.

    Attributes:
        edges: (bars + 1,) where they begin and end.
        shares: (bars,) none below 0, adding up to 1.
        raw: (bars,) the unbiased ones.
        low, high: (bars,) the intervals of each, about the unbiased ones.
        confidence: of each interval.
    """

    edges: Floats
    shares: Floats
    raw: Floats
    low: Floats
    high: Floats
    confidence: float

    @property
    def density(self) -> Floats:
        """(bars,) shares by the width of their bars: heights whose areas are the shares."""
        out: Floats = self.shares / np.diff(self.edges)
        return out

    def to_json(self) -> dict[str, Any]:
        """Return the histogram as JSON data."""
        names = ("edges", "shares", "raw", "low", "high")
        return {name: getattr(self, name).tolist() for name in names}


@dataclass(frozen=True, eq=False)
class Distribution:
    """The distribution of a number, of which the shares of bins are estimated.

    A number on an edge belongs to the bin above it. What is asked at an edge is a sum of shares:
    unbiased, with the interval of such sums. Inside a bin people are taken to lie evenly.

    Attributes:
        edges: (bins + 1,) where bins begin and end, rising.
        estimate: the unbiased shares of the bins, each person in one.
        shown: (bins,) shares that are none below 0 and add up to 1, for histograms and the values
            of quantiles; default the nearest distribution (:func:`monotone`) to the unbiased.

    Examples:
        >>> import numpy as np, sudare as sd
        >>> m = sd.HierarchicalHistogram(epsilon=2.0, low=0, high=100, bins=64)
        >>> ages = np.random.default_rng(1).normal(40, 12, 20_000).clip(0, 100)
        >>> found = m.distribution(m.aggregate(m.perturb(ages, rng=sd.Entropy.seeded(b"ages"))))
        >>> found.median.low <= 40 <= found.median.high
        True
        >>> adults = found.range(18, 65)
        >>> round(adults.value, 1), adults.stderr < 0.02
        (0.9, True)
    """

    edges: Floats
    estimate: Estimate
    shown: Floats | None = None

    def __post_init__(self) -> None:
        if self.edges.shape != (self.estimate.shares.size + 1,) or (np.diff(self.edges) <= 0).any():
            raise DomainError("edges", "must rise, one more than there are bins")

    @property
    def shares(self) -> Floats:
        """(bins,) the unbiased shares."""
        return self.estimate.shares

    # -- ranges ------------------------------------------------------------------------------

    def range(self, low: float, high: float) -> Quantity[float]:
        """Return the share of the people whose number lies from ``low`` to ``high``.

        An end inside a bin takes the part of the bin's share that lies in the range: exact only
        where people lie evenly in that bin. Ends beyond the bins are those of the bins.

        Raises:
            WrongTypeError, DomainError: not numbers in their order.
        """
        first, last = _as_place(low, "low"), _as_place(high, "high")
        if first > last:
            raise DomainError("high", "must not be below low", "give the least number first")
        return self.estimate.linear(self._part(last) - self._part(first))

    def cdf(self, x: float) -> Quantity[float]:
        """Return the share of the people whose number is at most x, as :meth:`range`."""
        return self.estimate.linear(self._part(_as_place(x, "x")))

    def _part(self, x: float) -> Floats:
        """Return the part of each bin that lies below x."""
        out: Floats = (x - self.edges[:-1]) / np.diff(self.edges)
        return out.clip(0, 1)

    def between(self, edges: Sequence[int], confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Return the limits of the share between every two edges.

        Args:
            edges: their places, 0 to the number of bins, two or more, rising.
            confidence: of each interval.

        Returns:
            ``(low, high)``, pairs in the order of ``itertools.combinations``.

        Raises:
            WrongTypeError, DomainError: an argument is out of range.
            EstimationError: it is not known how the shares vary.
        """
        if isinstance(edges, str) or not isinstance(edges, Sequence | np.ndarray):
            raise WrongTypeError("edges", "must be a list of whole numbers", "their places")
        places = [as_integer(one, "edges", low=0, high=self.shares.size) for one in edges]
        if len(places) < 2 or any(one >= other for one, other in pairwise(places)):
            raise DomainError("edges", "must be two or more, rising", "each place once")
        pairs = np.array(list(combinations(places, 2)))
        first, last, every = pairs[:, :1], pairs[:, 1:], np.arange(self.shares.size)
        spread = self._spreads(
            np.arange(len(pairs)), lambda some: (first[some] <= every) & (every < last[some])
        )
        shares = np.diff(self.cumulated[pairs])[:, 0]
        low, high = spread.interval(shares, 1 - check_confidence(confidence))
        return low, high

    # -- quantiles ---------------------------------------------------------------------------

    def quantile(self, p: float, confidence: float = 0.95) -> Quantile:
        """Return the number below which the share p of the people lies.

        ::

            from where F reaches p - z s  to  where it reaches p + z s

        with F the nearest distribution to the unbiased one and s its standard error: the root of
        the mean variance at the edges from where it reaches p - z s' to p + z s', s' that at the
        value. Each end is then moved outwards to the edge of its bin: many people may hold one and
        the same number, and nothing tells where in the bin it lies. So both ends miss the number
        only where F errs by z s at one edge of its bin, or by z s and the bin's share less what is
        missing to p at that edge, at the other::

            P(Z > z) + P(Z > z + m / s) = 1 - confidence

        with m the mean share of the bins of the interval of the usual z.

        Args:
            p: above 0 and below 1.
            confidence: of the interval.

        Raises:
            WrongTypeError, DomainError: an argument is out of range.
            EstimationError: it is not known how the shares vary.

        Source: Woodruff 1952.
        """
        share = as_number(p, "p")
        if not 0 < share < 1:
            raise DomainError("p", "must be above 0 and below 1", "0.5 is the median", got=p)
        miss = 1 - check_confidence(confidence)
        z = two_sided(miss)
        value = self._reaches(self._shown, share, "left")
        near = self._reaches(self._nearest, share, "left")
        s = float(np.sqrt(np.interp(near, self.edges, self._variances)))
        first, last = self._ends(share, z * s)
        within = (first <= self.edges) & (self.edges <= last)
        if within.any():
            s = float(np.sqrt(self._variances[within].mean()))
        wide = self._whole(*self._ends(share, z * s))
        z = spaced(miss, self._mean_share(*wide) / s) if s > 0 else z
        low, high = self._whole(*self._ends(share, z * s))
        return Quantile(share, value, min(low, value), max(high, value), float(confidence))

    def _mean_share(self, low: float, high: float) -> float:
        """Return the mean share of the bins between two edges, of the nearest distribution."""
        first, last = np.searchsorted(self.edges, [low, high])
        return float((self._nearest[last] - self._nearest[first]) / (last - first))

    def _ends(self, p: float, half: float) -> tuple[float, float]:
        """Return from where to where the nearest distribution lies within ``half`` of p."""
        first, last = float(self.edges[0]), float(self.edges[-1])
        if p - half > 0:
            first = self._reaches(self._nearest, p - half, "left")
        if p + half < 1:
            last = self._reaches(self._nearest, p + half, "right")
        return first, last

    def _whole(self, first: float, last: float) -> tuple[float, float]:
        """Return the edges of the bins in which an interval ends."""
        low = int(np.searchsorted(self.edges, first, "right")) - 1
        high = int(np.searchsorted(self.edges, last))
        return float(self.edges[min(low, self.shares.size - 1)]), float(self.edges[max(high, 1)])

    @property
    def median(self) -> Quantile:
        """The quantile of 1/2, at 95 %."""
        return self.quantile(0.5)

    @property
    def deciles(self) -> tuple[Quantile, ...]:
        """The nine quantiles of 1/10 to 9/10, each at 95 %."""
        return tuple(self.quantile(p) for p in DECILES)

    @cached_property
    def cumulated(self) -> Floats:
        """(bins + 1,) the unbiased shares below each edge: 0 first, 1 last."""
        return np.concatenate([[0.0], np.cumsum(self.shares)[:-1], [1.0]])

    @cached_property
    def _shown(self) -> Floats:
        """(bins + 1,) the same, none above the next."""
        if self.shown is None:
            return self._nearest
        return np.concatenate([[0.0], np.cumsum(self.shown)[:-1].clip(0, 1), [1.0]])

    @cached_property
    def _nearest(self) -> Floats:
        return np.concatenate([[0.0], monotone(self.cumulated[1:-1]), [1.0]])

    def _reaches(self, cumulated: Floats, p: float, side: Literal["left", "right"]) -> float:
        return reaches(self.edges, cumulated, p, side)

    @cached_property
    def _variances(self) -> Floats:
        """(bins + 1,) of the unbiased share below each edge; at the ends that of the next edge."""
        bins = self.shares.size
        found = self._spreads(np.arange(1, bins), lambda edges: np.arange(bins) < edges[:, None])
        return np.concatenate([found.now[:1], found.now, found.now[-1:]])

    def _spreads(self, places: Integers, rows: Callable[[Integers], Booleans]) -> Spread:
        """Return how the sums of shares vary that ``rows`` names, for some places at a time."""
        law = self.estimate._law
        if law is None:
            raise EstimationError("stderr", "is not known for this method", REMEDY)
        size = max(1, _MOST_WEIGHTS // self.shares.size)
        parts = [places[i : i + size] for i in range(0, places.size, size)]
        return Spread.join([spreads(law, rows(part).astype(np.float64)) for part in parts])

    # -- to be shown -------------------------------------------------------------------------

    def histogram(self, confidence: float = 0.95, bars: int | None = None) -> Histogram:
        """Return shares to be shown, and beside them the unbiased ones with their intervals.

        Args:
            confidence: of each interval.
            bars: neighbouring bins are added up to as many bars, or nearly; default all bins.

        Raises:
            WrongTypeError, DomainError: an argument is out of range.
            EstimationError: it is not known how the shares vary.
        """
        miss, bins = 1 - check_confidence(confidence), self.shares.size
        many = bins if bars is None else as_integer(bars, "bars", low=1, high=bins)
        cuts = np.rint(np.linspace(0, bins, many + 1)).astype(np.int64)
        first, last, every = cuts[:-1, None], cuts[1:, None], np.arange(bins)
        spread = self._spreads(
            np.arange(many), lambda bar: (first[bar] <= every) & (every < last[bar])
        )
        raw = np.diff(self.cumulated[cuts])
        low, high = spread.interval(raw, miss)
        return Histogram(
            self.edges[cuts], np.diff(self._shown[cuts]), raw, low, high, float(confidence)
        )

    def to_json(self, confidence: float = 0.95, bars: int | None = None) -> dict[str, Any]:
        """Return histogram, median and deciles as JSON data."""
        deciles = [self.quantile(p, confidence) for p in DECILES]
        return {
            "n": self.estimate.n,
            "target": self.estimate.target,
            "confidence": float(confidence),
            "histogram": self.histogram(confidence, bars).to_json(),
            "median": deciles[4].to_json(),
            "deciles": [one.to_json() for one in deciles],
        }


def reaches(edges: Floats, cumulated: Floats, p: float, side: Literal["left", "right"]) -> float:
    """Return the least number (``"left"``) or the largest at which a distribution is p.

    Args:
        edges: (bins + 1,) where bins begin and end.
        cumulated: (bins + 1,) the shares below them, none below the one before, from 0 to 1.
        p: above 0 and below 1.
    """
    place = int(np.searchsorted(cumulated, p, side))
    below, above = cumulated[place - 1 : place + 1]
    first, last = edges[place - 1 : place + 1]
    return float(first + (p - below) / (above - below) * (last - first))


def monotone(values: Floats) -> Floats:
    """Return the nearest numbers from 0 to 1 of which none is below the one before.

    Neighbours that fall are replaced by their mean, again and again (pool adjacent violators). No
    such numbers, the true ones too, are farther from the result than from ``values``.

    Source: Ayer, Brunk, Ewing, Reid, Silverman 1955.

    Examples:
        >>> monotone(np.array([-0.1, 0.3, 0.2, 0.9])).tolist()
        [0.0, 0.25, 0.25, 0.9]
    """
    means: list[float] = []
    sizes: list[int] = []
    for value in values.tolist():
        mean, size = value, 1
        while means and means[-1] > mean:
            before = sizes.pop()
            mean = (means.pop() * before + mean * size) / (before + size)
            size += before
        means.append(mean)
        sizes.append(size)
    return np.repeat(means, sizes).clip(0, 1)


def _as_place(value: object, argument: str) -> float:
    place = as_number(value, argument)
    if math.isnan(place):
        raise DomainError(argument, "must be a number", "not NaN")
    return place
