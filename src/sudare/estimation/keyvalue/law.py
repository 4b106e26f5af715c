"""How the frequency and the mean of each key vary that come from three counts of its reports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sudare.estimation.confidence import two_sided
from sudare.estimation.keyvalue.triangle import invert, maximise

Floats = npt.NDArray[np.float64]


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

    def covariance(self, first: Floats, second: Floats) -> Floats:
        """Return the covariance of two weighted sums of the states' shares, for each key.

        Args:
            first, second: (3,) or (d, 3) weights of the states.
        """
        inverse = np.linalg.inv(self.channel)
        a, b = first @ inverse, second @ inverse  # weights of the reports
        reports = self.plausible @ self.channel.T
        with np.errstate(invalid="ignore", divide="ignore"):
            noise = _covariance(a, b, reports) / self.total
            sampled = _covariance(first, second, self.plausible) / self.total
        out: Floats = noise - self.known * sampled
        return out

    @cached_property
    def stderr_frequency(self) -> Floats:
        """(d,) standard error of the frequency."""
        out: Floats = self.padding * np.sqrt(self.covariance(HOLDS, HOLDS).clip(0))
        return out

    def stderr_mean(self, mean: Floats, share: Floats) -> Floats:
        """Return the standard error of the ratio ``mean`` of SIGN to HOLDS (delta method).

        Args:
            mean: (d,) the estimated means.
            share: (d,) the estimated shares of the states that hold the key.
        """
        weights = SIGN - mean[:, None] * HOLDS
        with np.errstate(invalid="ignore", divide="ignore"):
            out: Floats = np.sqrt(self.covariance(weights, weights).clip(0)) / np.abs(share)
        return out

    def interval_frequency(self, confidence: float) -> tuple[Floats, Floats]:
        """Return Wilson's interval of the reports that name the key, as a frequency in [0, 1]."""
        z2 = two_sided(1 - confidence) ** 2
        own, other = (float(self.channel[:2, i].sum()) for i in (0, 2))
        with np.errstate(invalid="ignore", divide="ignore"):
            named = self.counts[:, :2].sum(axis=1) / self.total
            room = z2 / self.total
        middle = (named + room / 2) / (1 + room)
        half = np.sqrt(room * named * (1 - named) + room**2 / 4) / (1 + room)
        low, high = (
            np.clip(self.padding * (middle + side * half - other) / (own - other), 0, 1)
            for side in (-1, 1)
        )
        return _not_empty(low, high, self.stderr_frequency, 0.0, 1.0)

    def interval_mean(self, confidence: float) -> tuple[Floats, Floats]:
        """Return Fieller's interval of the mean, within [-1, 1].

        It holds every m for which ``(θ+ - θ-) - m (θ+ + θ-)``, a sum whose standard error is
        known, is not further from 0 than it may be: all of [-1, 1] where the frequency itself
        cannot be told from 0.
        """
        z2 = two_sided(1 - confidence) ** 2
        u, s = self.raw @ SIGN, self.raw @ HOLDS
        lead = s**2 - z2 * self.covariance(HOLDS, HOLDS)
        middle = u * s - z2 * self.covariance(SIGN, HOLDS)
        last = u**2 - z2 * self.covariance(SIGN, SIGN)
        square = middle**2 - lead * last
        open_ended = ~(lead > 0) | ~(s > 0)
        root = np.sqrt(square.clip(0))
        with np.errstate(invalid="ignore", divide="ignore"):
            low, high = (middle - root) / lead, (middle + root) / lead
        low = np.where(open_ended, -1.0, low.clip(-1, 1))
        high = np.where(open_ended, 1.0, high.clip(-1, 1))
        return _not_empty(low, high, self.stderr_mean(np.sign(u), s), -1.0, 1.0)


HOLDS = np.array([1.0, 1.0, 0.0])
"""Weights of the states: who holds the key."""

SIGN = np.array([1.0, -1.0, 0.0])
"""Weights of the states: the value's sign, where the key is held."""


def _covariance(first: Floats, second: Floats, shares: Floats) -> Floats:
    """Return the covariance of two weighted counts, a report, of a multinomial."""
    a, b = np.broadcast_to(first, shares.shape), np.broadcast_to(second, shares.shape)
    out: Floats = (a * b * shares).sum(axis=1) - (a * shares).sum(axis=1) * (b * shares).sum(axis=1)
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
