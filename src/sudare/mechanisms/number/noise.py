"""How the mean of the respondents' own numbers varies: by the law of the devices alone.

At a large ε hardly a report differs from its number, and one that does lies anywhere: of few of
them the sum is nothing like normal. Its law is therefore worked out, not its variance alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.channels import Channel
from sudare.estimation.confidence import two_sided
from sudare.estimation.em import em
from sudare.estimation.student import quantile

EVENLY = 1 / 6
"""Mean of f (1 - f), the variance of rounding to nodes, where f is even in [0, 1]."""
MOST = 1 / 4
"""The largest f (1 - f)."""

_ENOUGH = 5
"""Other reports about a node from which on they tell heaps of one value from even ones."""

_POINTS = 1 << 10
_BLOCK = 64
_NOTHING = 1e-12
_DEVIATIONS = 7
"""Standard deviations from 0 to the ends of the grid."""
_SMEAR = 1.5
"""Points by which the law is smeared, so that its waves of the grid's own length vanish."""
_LEAST = 1e-8
"""Chances of tails below which the normal law goes on: the sums do not tell such from 0."""
_MAPS = 30
"""Of expectation and maximisation, from even shares on: the law hardly hangs on them."""


def rounding(reports: Integers) -> float:
    """Return the mean variance of rounding numbers to nodes, where each report names its node.

    ::

        f (1 - f) = mean over the reports of ½ Σ over both sides of
                    next / (own + next + 2 (the next but one, and the other side's next))

    with the numbers of other reports at these nodes: right for heaps, each of one value, and 1/6
    for numbers that lie evenly between nodes, as is taken where fewer than five others are near.
    No report tells how numbers lie between nodes: half a heap at each of two neighbours, or one
    heap half way.

    Args:
        reports: (nodes,) how many name each.

    Examples:
        >>> heap, pair, even = np.eye(5)[2] * 90, np.array([0, 60, 30, 0, 0]), np.full(99, 50)
        >>> [round(rounding(one), 2) for one in (heap, pair, even)]
        [0.0, 0.22, 0.17]
    """
    c = np.pad(reports.astype(np.float64), 2)
    own, total = np.maximum(c[2:-2] - 1, 0), 0.0
    for way in (1, -1):
        beside, beyond, other = (np.roll(c, -way * far)[2:-2] for far in (1, 2, -1))
        near = own + beside + beyond + other
        part = beside / np.maximum(own + beside + 2 * (beyond + other), 1)
        total += float(c[2:-2] @ np.where(near < _ENOUGH, EVENLY, part)) / 2
    return total / float(c.sum())


@dataclass(frozen=True, eq=False)
class Noise:
    """The interval of the mean of n respondents' numbers, by the law of the sum of their noise.

    Attributes:
        channel: from nodes to reports.
        scores: (reports,) what each stands for, in nodes.
        nodes: (nodes,) likewise.
        support: (reports,) counts.
        variance: of one respondent's noise without rounding, in nodes.
        unit: a node's length.
        low, high: ends of the range.
    """

    channel: Channel
    scores: Floats
    nodes: Floats
    support: Integers
    variance: float
    unit: float
    low: float
    high: float

    def interval(self, value: float, miss: float) -> tuple[float, float]:
        """Return the means from which the noise does not lead to ``value`` or beyond too seldom.

        ::

            φ(t) = Σ_i h_i Σ_j P(j | i) e^(i t (score_j - i)),    P(noise) from φ^n by Fourier

        with h the likeliest shares of the nodes. Numbers may lie at nodes or half way between them:
        of both laws the limit that is further out; and the limit is not drawn in where h has less
        noise than ``variance``. As h is estimated, it is as much wider as Student's law is.
        """
        n = int(self.support.sum())
        law, nodes = self.channel.dense(), self.nodes.size
        shares = em(self.channel, self.support, np.full(nodes, 1 / nodes), maps=_MAPS).shares
        far = self.scores[:, None] - self.nodes
        own = float(((law * far**2).sum(axis=0)) @ shares)
        wide = max(1.0, float(np.sqrt(self.variance / own))) if own > 0 else 1.0
        scale = max(_DEVIATIONS * float(np.sqrt(n * (own + MOST))), 2.5 * float(np.abs(far).max()))
        step = 2 * scale / _POINTS
        t = np.pi / scale * np.arange(_POINTS // 2 + 1)
        noise = np.zeros(t.size, np.complex128)
        for start in range(0, t.size, _BLOCK):
            some = slice(start, start + _BLOCK)
            sent, held = (np.exp(1j * np.outer(t[some], one)) for one in (self.scores, self.nodes))
            noise[some] = (((sent.conj() @ law) * held) @ shares) ** n
            if np.abs(noise[some]).max() < _NOTHING:
                break
        noise *= np.exp(-((_SMEAR * step * t) ** 2) / 2)
        tail = max(miss / 2, _LEAST)
        reach = np.zeros(2)
        for rounded in (1.0, np.cos(t / 2) ** n):
            chances = np.fft.fftshift(np.fft.irfft(noise * rounded, _POINTS))
            for side, one in enumerate((chances, chances[::-1])):
                # a point more: reversed, the grid begins at its end
                beyond = np.cumsum(one[::-1])[::-1] > tail
                last = int(np.flatnonzero(beyond).max(initial=0)) + side
                reach[side] = max(reach[side], (last - _POINTS // 2 + 2 * _SMEAR) * step)
        reach *= wide * self.unit / n
        if (normal := two_sided(2 * tail)) > 0:  # else both are 0, and as 1 to 1
            reach *= quantile(miss, max(n - 1, 1)) / normal
        low, high = value - float(reach[0]), value + float(reach[1])
        return (
            low if high < self.low else max(low, self.low),
            high if low > self.high else min(high, self.high),
        )
