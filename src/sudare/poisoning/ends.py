"""The manipulation band of every estimate of a question: within which ends fakes can have moved it.

A share β of fakes leaves of the reports' shares P the honest part ``(P - β z) / (1 - β)``, z the
fakes' own. An estimate that is linear in them, ``w P``, of the honest ones therefore lies between
``(w P - β max w) / (1 - β)`` and ``(w P - β min w) / (1 - β)``.
"""

from __future__ import annotations

from functools import singledispatch
from typing import NamedTuple

import numpy as np

from sudare.arrays import Floats
from sudare.channels import Channel, Kronecker
from sudare.estimation import Counts
from sudare.mechanisms import FrequencyOracle, Joint, Mechanism, Number, Place, SetUnary
from sudare.mechanisms.number.mean import MeanOfNumber
from sudare.mechanisms.place.base import MOST_DENSE
from sudare.poisoning.band import inverted


class Ends(NamedTuple):
    """Estimates, and between which ends those of the honest reports alone lie.

    Attributes:
        value, low, high: flat; shares are kept in [0, 1], means in the question's range.
    """

    value: Floats
    low: Floats
    high: Floats

    @property
    def moved(self) -> float:
        """The largest distance of an end from the estimate of all reports."""
        return float(np.maximum(self.value - self.low, self.high - self.value).max(initial=0.0))


@singledispatch
def band_ends(mechanism: Mechanism, counts: Counts, beta: float) -> Ends | None:
    """Return the band at a share β of fakes among at least one report; None where there is none."""
    return None


@band_ends.register(FrequencyOracle)
@band_ends.register(SetUnary)
def _of_supports(mechanism: FrequencyOracle | SetUnary, counts: Counts, beta: float) -> Ends:
    p, q = (float(x) for x in mechanism.support_probabilities)
    named = counts.support / counts.n
    value = inverted(named, 0.0, p, q)[0]
    ends = sorted(inverted(named, beta, p, q), key=np.sum)  # where p < q, they change sides
    return _kept(value, ends[0], ends[1], 0.0, 1.0)


@band_ends.register(Joint)
@band_ends.register(Place)
def _by_inversion(mechanism: Joint | Place, counts: Counts, beta: float) -> Ends | None:
    if isinstance(mechanism, Place) and mechanism.cells > MOST_DENSE:
        return None
    value = mechanism.channel.solve(counts.support.ravel() / counts.n)
    return _linear(value, *_weight_ends(mechanism.channel), beta, 0.0, 1.0)


@band_ends.register(Number)
def _of_a_number(mechanism: Number, counts: Counts, beta: float) -> Ends | None:
    if not isinstance(mechanism, MeanOfNumber):
        return None
    numbers = mechanism.numbers
    value = np.array([numbers @ counts.support / counts.n])
    least, most = numbers.min(keepdims=True), numbers.max(keepdims=True)
    return _linear(value, least, most, beta, mechanism.low, mechanism.high)


def _linear(
    value: Floats, least: Floats, most: Floats, beta: float, start: float, stop: float
) -> Ends:
    low, high = ((value - beta * end) / (1 - beta) for end in (most, least))
    return _kept(value, low, high, start, stop)


def _kept(value: Floats, low: Floats, high: Floats, start: float, stop: float) -> Ends:
    return Ends(*(side.clip(start, stop) for side in (value, low, high)))


def _weight_ends(channel: Channel) -> tuple[Floats, Floats]:
    """Return the least and largest entry of each row of the inverse, flat."""
    if not isinstance(channel, Kronecker):
        rows = channel.solve(np.eye(channel.shape[0]))
        return rows.min(axis=1), rows.max(axis=1)
    least, most = np.ones(1), np.ones(1)
    for part in channel.parts:
        small, large = _weight_ends(part)
        corners = [np.outer(a, b).ravel() for a in (least, most) for b in (small, large)]
        least, most = np.min(corners, axis=0), np.max(corners, axis=0)
    return least, most
