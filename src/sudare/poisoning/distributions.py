"""The manipulation band of the mean and of the quantiles of a number, from that of its bins.

The mean is a sum of the shares of bins. A quantile is where the nearest rising distribution reaches
p; of two distributions of which one is nowhere above the other the nearest rising ones are as well,
and so are the places where they reach p. Whatever the fakes did, the share below each edge lies in
its band: the quantile lies between those of the upper and of the lower ends of all bands.
"""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from sudare.estimation import Counts
from sudare.estimation.distribution import DECILES, monotone, reaches
from sudare.mechanisms import Binned, HierarchicalHistogram, Mechanism, SquareWave
from sudare.poisoning.band_limits import Banded, BandLimits, sums_of_reports
from sudare.poisoning.false_alarms import DIGITS
from sudare.poisoning.sampled_groups import sums_of_bins

_FAR = 1e6
"""Beyond all shares: stands for an end without bounds."""


@singledispatch
def mean_of_bins(mechanism: Mechanism, counts: Counts) -> Banded | None:
    """Return the mean of the middles of the bins; None where no report is about them.

    Its band stops where a mean of numbers does, at the ends of the range, as the mean and its
    interval do.
    """
    return None


@mean_of_bins.register(HierarchicalHistogram)
def _of_levels(mechanism: HierarchicalHistogram, counts: Counts) -> Banded | None:
    centres = mechanism.centres
    return sums_of_bins(mechanism, counts, centres[None], *mechanism.edges[[0, -1]].tolist())


@mean_of_bins.register(SquareWave)
def _of_a_wave(mechanism: SquareWave, counts: Counts) -> Banded | None:
    centres = mechanism.centres
    rows = centres[None] @ mechanism.channel.inverse
    return sums_of_reports(rows, counts, *mechanism.edges[[0, -1]].tolist())


@singledispatch
def deciles_within(mechanism: Mechanism, below: BandLimits) -> list[dict[str, float]] | None:
    """Return between which numbers each decile lies; None where no report is about bins.

    Args:
        mechanism: what was collected by.
        below: bands of the share below each inner edge.
    """
    return None


@deciles_within.register
def _(mechanism: Binned, below: BandLimits) -> list[dict[str, float]]:
    edges = mechanism.edges
    # Not the cut ends: the estimate is made rising before it is cut, and these would cross it.
    sides = (end.clip(-_FAR, _FAR) for end in reversed(below.uncut))
    first, last = (np.concatenate([[0.0], monotone(side), [1.0]]) for side in sides)
    return [
        {
            "p": p,
            "low": round(reaches(edges, first, p, "left"), DIGITS),
            "high": round(reaches(edges, last, p, "right"), DIGITS),
        }
        for p in DECILES
    ]
