"""How the frequency and the mean of each key vary that come from three counts of its reports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sudare.arrays import Floats
from sudare.estimation import score
from sudare.estimation.confidence import two_sided
from sudare.estimation.crossing import reach
from sudare.estimation.keyvalue.triangle import invert, maximise


@dataclass(frozen=True, eq=False)
class StateLaw:
    """The law of ``θ̂ = M⁻¹ c / N`` for each key: of its frequency, and of its mean by a ratio.

    Variances are those of a multinomial at the plausible shares, the most likely ones.

    Args:
        counts: (d, 3) reports <1,+1>, <1,-1>, <0,0> of each key.
        channel: (3, 3), ``M[report, state]``.
        padding: a frequency is so many times the share of the states that hold the key.
        known: (d,) part of the sampling variance that is none, because the respondents who
            reported about a key are so large a part of all that are asked for.
    """

    counts: Floats
    channel: Floats
    padding: int
    known: Floats

    @cached_property
    def total(self) -> Floats:
        """(d,) reports about each key."""
        out: Floats = self.counts.sum(axis=1)
        return out

    @cached_property
    def raw(self) -> Floats:
        """(d, 3) shares of the states by inversion; NaN without a report."""
        return invert(self.counts, self.channel)

    @cached_property
    def plausible(self) -> Floats:
        """(d, 3) shares of largest likelihood."""
        return maximise(self.counts, self.channel)

    def variance(self, weights: Floats, states: Floats, known: Floats | float = 0.0) -> Floats:
        """Return the variance of the weighted sum of each key's θ̂, where these are the shares.

        Args:
            weights: (3,) or (d, 3), of the states.
            states: (d, 3) shares.
            known: part of the sampling variance of the states that is none.
        """
        reported = weights @ np.linalg.inv(self.channel)  # weights of the reports
        with np.errstate(invalid="ignore", divide="ignore"):
            noise = _variance(reported, states @ self.channel.T) / self.total
            sampled = _variance(weights, states) / self.total
        out: Floats = (noise - known * sampled).clip(0)
        return out

    @cached_property
    def stderr_frequency(self) -> Floats:
        """(d,) standard error of the frequency."""
        out: Floats = self.padding * np.sqrt(self.variance(HOLDS, self.plausible, self.known))
        return out

    def stderr_mean(self, mean: Floats, share: Floats) -> Floats:
        """Return the standard error of the ratio ``mean`` of SIGN to HOLDS (delta method).

        For the respondents too: that a value inside (-1, 1) is rounded to a sign at random is
        noise, of which the reports do not tell how much there is.

        Args:
            mean: (d,) the estimated means.
            share: (d,) the estimated shares of the states that hold the key.
        """
        weights = SIGN - mean[:, None] * HOLDS
        with np.errstate(invalid="ignore", divide="ignore"):
            out: Floats = np.sqrt(self.variance(weights, self.plausible)) / np.abs(share)
        return out

    def interval_frequency(self, confidence: float) -> tuple[Floats, Floats]:
        """Return the frequencies at which neither tail of the reports that name the key is rare.

        For the respondents it is shortened by as much as the standard error at its ends: not at
        all at 0 and 1, where nothing varies among them.
        """
        miss, named = 1 - confidence, self.counts[:, :2].sum(axis=1).astype(np.int64)
        rates = [float(self.channel[:2, i].sum()) for i in (0, 2)]
        total = self.total.astype(np.int64)
        some = total > 0
        ends = np.zeros((2, total.size))
        ends[1] = 1.0
        ends[:, some] = score.limits(
            named[some], total[some], rates[0], rates[1], miss, sampled=True
        )
        if self.known.any():
            f = np.nan_to_num(self.plausible @ HOLDS).clip(0, 1)
            chance = rates[1] + (rates[0] - rates[1]) * ends
            whole = chance * (1 - chance) / (rates[0] - rates[1]) ** 2
            part = np.sqrt((1 - self.known * ends * (1 - ends) / whole).clip(0))
            ends = f + (ends - f) * np.where(some, part, 1.0)
        low, high = (self.padding * ends).clip(0, 1)
        return low, high

    def interval_mean(self, confidence: float) -> tuple[Floats, Floats]:
        """Return every mean in [-1, 1] that a score test does not reject.

        ``(θ̂+ - θ̂-) - m (θ̂+ + θ̂-)`` has the expectation 0 at the true m; it may not be further from
        0 than ``z`` of its standard errors *at m*, moved in by half a step or for its skewness as
        in :class:`~sudare.estimation.spread.Spread`. That is Fieller's interval with Wilson's
        variance: all of [-1, 1] where the frequency itself cannot be told from 0.
        """
        z2 = two_sided(1 - confidence) ** 2
        u, s = self.raw @ SIGN, self.raw @ HOLDS
        f = s.clip(0, 1)

        def kept(m: Floats) -> Floats:
            states = np.stack([f * (1 + m) / 2, f * (1 - m) / 2, 1 - f], axis=1)
            weights = SIGN - m[:, None] * HOLDS
            scores, law = weights @ np.linalg.inv(self.channel), states @ self.channel.T
            third = (scores**3 * law).sum(axis=1)  # their mean is 0
            square = (scores**2 * law).sum(axis=1)
            shift = np.sign(u - m * s) * max(z2 - 1, 0) / 6 * third / square
            step = np.abs(scores[:, :2] - scores[:, 2:]).min(axis=1) / 2
            far = np.abs(u - m * s) - np.maximum(shift, step) / self.total
            out: Floats = np.sqrt(z2 * square / self.total) - far.clip(0)
            return out

        with np.errstate(invalid="ignore", divide="ignore"):
            best = np.where(s > 0, u / s, np.nan).clip(-1, 1)
            low, high = (reach(kept, best, np.full(u.shape, end)) for end in (-1.0, 1.0))
        return _not_empty(low, high, self.stderr_mean(np.sign(u), s), -1.0, 1.0)


HOLDS = np.array([1.0, 1.0, 0.0])
"""Weights of the states: who holds the key."""

SIGN = np.array([1.0, -1.0, 0.0])
"""Weights of the states: the value's sign, where the key is held."""


def _variance(weights: Floats, shares: Floats) -> Floats:
    """Return the variance of a weighted count, a report, of a multinomial."""
    out: Floats = (weights**2 * shares).sum(axis=1) - (weights * shares).sum(axis=1) ** 2
    return out


def _not_empty(
    low: Floats, high: Floats, least: Floats, bottom: float, top: float
) -> tuple[Floats, Floats]:
    """Leave at least one standard error of an interval that was cut to a point at the border.

    An estimate far beyond the border is no proof that the truth lies exactly on it. Without a
    report everything is left.
    """
    room = np.nan_to_num(least, nan=top - bottom)
    high = np.where(high <= bottom, np.minimum(bottom + room, top), high)
    low = np.where(low >= top, np.maximum(top - room, bottom), low)
    return np.where(np.isnan(low), bottom, low), np.where(np.isnan(high), top, high)
