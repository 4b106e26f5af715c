"""Weights of cells that make a map protect more evenly."""

from sudare.location.weights.cap import CappedLaw as CappedLaw, cap_posterior as cap_posterior
from sudare.location.weights.equalise import (
    EqualisedWeights as EqualisedWeights,
    equalise_weights as equalise_weights,
)
from sudare.location.weights.optimise import (
    OptimisedWeights as OptimisedWeights,
    optimise_weights as optimise_weights,
)
from sudare.location.weights.reduce import (
    ReducedWeights as ReducedWeights,
    reduce_weights as reduce_weights,
)
