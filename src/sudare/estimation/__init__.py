"""From integer counts to estimates with standard errors, intervals and the ε they cost."""

from typing import TYPE_CHECKING

from sudare.lazy import attach

if TYPE_CHECKING:
    from sudare.estimation.caution import Caution as Caution
    from sudare.estimation.conditional import (
        ConditionalShare as ConditionalShare,
        among_asked as among_asked,
    )
    from sudare.estimation.counts import Counts as Counts
    from sudare.estimation.distribution import Distribution as Distribution
    from sudare.estimation.estimate import Estimate as Estimate
    from sudare.estimation.number import NumberEstimate as NumberEstimate
    from sudare.estimation.quantity import Difference as Difference, Quantity as Quantity
    from sudare.estimation.resampling import bootstrap as bootstrap
    from sudare.estimation.simplex import (
        clip_and_normalise as clip_and_normalise,
        project as project,
    )
    from sudare.estimation.sparse import SparseCounts as SparseCounts
    from sudare.estimation.table import TableEstimate as TableEstimate, as_table as as_table
    from sudare.estimation.tally import histogram as histogram, packed_sums as packed_sums

_HOMES = {
    "conditional": ("ConditionalShare", "among_asked"),
    "caution": ("Caution",),
    "counts": ("Counts",),
    "distribution": ("Distribution",),
    "estimate": ("Estimate",),
    "number": ("NumberEstimate",),
    "quantity": ("Difference", "Quantity"),
    "resampling": ("bootstrap",),
    "simplex": ("clip_and_normalise", "project"),
    "sparse": ("SparseCounts",),
    "table": ("TableEstimate", "as_table"),
    "tally": ("histogram", "packed_sums"),
}

__all__, __getattr__, __dir__ = attach(__name__, _HOMES, renamed={"Asked": "ConditionalShare"})
