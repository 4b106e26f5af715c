"""The manipulation band of every estimate of a question: within which ends fakes can have moved it.

A share β of fakes leaves of the reports' shares P the honest part ``(P - β z) / (1 - β)``, z the
fakes' own. An estimate that is linear in them, ``w P``, of the honest ones therefore lies between
``(w P - β max w) / (1 - β)`` and ``(w P - β min w) / (1 - β)``.
"""

from __future__ import annotations

from functools import singledispatch
from typing import NamedTuple, Protocol

import numpy as np

from sudare.arrays import Floats
from sudare.channels import Channel, Kronecker
from sudare.estimation import Counts
from sudare.mechanisms import FrequencyOracle, Joint, Mechanism, Place, SetUnary
from sudare.mechanisms.number.mean import MeanOfNumber
from sudare.mechanisms.number.square_wave import SquareWave

_MOST_INVERTED = 2000


class BandLimits(NamedTuple):
    """Between which ends the estimates of the honest reports alone lie, flat.

    Attributes:
        low, high: the ends, within what the truth lies between.
        moved: the largest distance of an end from the estimate of all reports, of both as they are.
        uncut: the ends as they are.
    """

    low: Floats
    high: Floats
    moved: float
    uncut: tuple[Floats, Floats]


class Banded(Protocol):
    """Estimates that fakes can have moved so far and no further."""

    def band(self, beta: float) -> BandLimits:
        """Return the band at a share β of fakes among all reports."""
        ...


class LinearEstimate(NamedTuple):
    """Estimates ``w P`` of reports with the shares P.

    Attributes:
        value: the estimates, flat.
        least, most: the extremes of each one's weights, or of all.
        start, stop: what the truth lies between.
    """

    value: Floats
    least: Floats
    most: Floats
    start: float = 0.0
    stop: float = 1.0

    def band(self, beta: float) -> BandLimits:
        """Return the band at a share β of fakes, within ``start`` and ``stop``."""
        low, high = ((self.value - beta * side) / (1 - beta) for side in (self.most, self.least))
        moved = np.maximum(self.value - low, high - self.value).max(initial=0.0)
        cut = low.clip(self.start, self.stop), high.clip(self.start, self.stop)
        return BandLimits(*cut, float(moved), (low, high))


@singledispatch
def linear_estimate(mechanism: Mechanism, counts: Counts) -> Banded | None:
    """Return the estimate of at least one report; None where none is linear, or too large."""
    return None


@linear_estimate.register(FrequencyOracle)
@linear_estimate.register(SetUnary)
def _of_supports(mechanism: FrequencyOracle | SetUnary, counts: Counts) -> LinearEstimate:
    p, q = (float(x) for x in mechanism.support_probabilities)
    weights = np.sort([-q / (p - q), (1 - q) / (p - q)])
    return LinearEstimate((counts.support / counts.n - q) / (p - q), weights[:1], weights[1:])


@linear_estimate.register(Place)
def _of_a_map(mechanism: Place, counts: Counts) -> LinearEstimate | None:
    return None if mechanism.cells > _MOST_INVERTED else _by_inversion(mechanism, counts)


@linear_estimate.register(Joint)
def _by_inversion(mechanism: Joint | Place, counts: Counts) -> LinearEstimate:
    value = mechanism.channel.solve(counts.support.ravel() / counts.n)
    return LinearEstimate(value, *weight_ends(mechanism.channel))


@linear_estimate.register(SquareWave)
def _of_a_wave(mechanism: SquareWave, counts: Counts) -> LinearEstimate:
    """The share below each inner edge."""
    return sums_of_reports(np.cumsum(mechanism.channel.inverse, axis=0)[:-1], counts)


@linear_estimate.register(MeanOfNumber)
def _of_a_number(mechanism: MeanOfNumber, counts: Counts) -> LinearEstimate:
    numbers = np.sort(mechanism.numbers)
    value = np.atleast_1d(mechanism.numbers @ counts.support / counts.n)
    return LinearEstimate(value, numbers[:1], numbers[-1:], mechanism.low, mechanism.high)


def sums_of_reports(
    rows: Floats, counts: Counts, start: float = 0.0, stop: float = 1.0
) -> LinearEstimate:
    """Return the sums of reports that are numbers, by rows of their weights."""
    value = rows @ counts.support / counts.n
    return LinearEstimate(value, rows.min(axis=1), rows.max(axis=1), start, stop)


def weight_ends(channel: Channel) -> tuple[Floats, Floats]:
    """Return the least and largest entry of each row of the inverse, flat."""
    if not isinstance(channel, Kronecker):
        rows = channel.solve(np.eye(channel.shape[0]))
        return rows.min(axis=1), rows.max(axis=1)
    least, most = np.ones(1), np.ones(1)
    for part in channel.parts:
        small, large = weight_ends(part)
        corners = [np.outer(a, b).ravel() for a in (least, most) for b in (small, large)]
        least, most = np.min(corners, axis=0), np.max(corners, axis=0)
    return least, most
