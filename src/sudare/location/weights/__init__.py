"""Weights of cells that make a map protect more evenly."""

from sudare.location.weights.cap import CappedLaw, cap_posterior
from sudare.location.weights.equalise import EqualisedWeights, equalise_weights
from sudare.location.weights.optimise import OptimisedWeights, optimise_weights
from sudare.location.weights.reduce import ReducedWeights, reduce_weights

__all__ = [
    "CappedLaw",
    "EqualisedWeights",
    "OptimisedWeights",
    "ReducedWeights",
    "cap_posterior",
    "equalise_weights",
    "optimise_weights",
    "reduce_weights",
]
