"""Places on a map: what a report tells at the map's edge, and weights that even it out."""

from sudare.location.report import BoundaryReport, boundary_report
from sudare.location.weights import (
    EqualisedWeights,
    ReducedWeights,
    equalise_weights,
    reduce_weights,
)

__all__ = ["BoundaryReport", "ReducedWeights", "boundary_report", "reduce_weights"]
