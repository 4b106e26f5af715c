"""Places on a map: what a report tells at the map's edge, and weights that even it out."""

from sudare.location.regions import count_in
from sudare.location.report import BoundaryReport, boundary_report
from sudare.location.weights import (
    CappedLaw,
    EqualisedWeights,
    OptimisedWeights,
    ReducedWeights,
    cap_posterior,
    equalise_weights,
    optimise_weights,
    reduce_weights,
)

__all__ = [
    "BoundaryReport",
    "CappedLaw",
    "EqualisedWeights",
    "OptimisedWeights",
    "ReducedWeights",
    "boundary_report",
    "cap_posterior",
    "count_in",
    "equalise_weights",
    "optimise_weights",
    "reduce_weights",
]
