"""From integer counts to estimates with standard errors, intervals and the ε they cost."""

from sudare.estimation.counts import Counts
from sudare.estimation.estimate import Difference, Estimate
from sudare.estimation.simplex import clip_and_normalise, project
from sudare.estimation.tally import histogram, packed_sums

__all__ = [
    "Counts",
    "Difference",
    "Estimate",
    "clip_and_normalise",
    "histogram",
    "packed_sums",
    "project",
]
