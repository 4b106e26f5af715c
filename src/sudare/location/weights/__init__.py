"""Weights of cells that make a map protect more evenly."""

from sudare.location.weights.reduce import ReducedWeights, reduce_weights

__all__ = ["ReducedWeights", "reduce_weights"]
