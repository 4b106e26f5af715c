"""Weights of cells that make a map protect more evenly."""

from sudare.location.weights.equalise import EqualisedWeights, equalise_weights
from sudare.location.weights.reduce import ReducedWeights, reduce_weights

__all__ = ["EqualisedWeights", "ReducedWeights", "equalise_weights", "reduce_weights"]
