"""From integer counts to estimates with standard errors, intervals and the ε they cost."""

from sudare.estimation.caution import Caution
from sudare.estimation.counts import Counts
from sudare.estimation.estimate import Estimate
from sudare.estimation.quantity import Quantity
from sudare.estimation.resampling import bootstrap
from sudare.estimation.simplex import clip_and_normalise, project
from sudare.estimation.sparse import SparseCounts
from sudare.estimation.tally import histogram, packed_sums

Difference = Quantity
"""The name of a quantity that :meth:`Estimate.difference` returns."""

__all__ = [
    "Caution",
    "Counts",
    "Difference",
    "Estimate",
    "Quantity",
    "SparseCounts",
    "bootstrap",
    "clip_and_normalise",
    "histogram",
    "packed_sums",
    "project",
]
