"""Weights of cells that make a map protect more evenly."""

from sudare.location.weights.cap import CappedLaw as CappedLaw
from sudare.location.weights.cap import cap_posterior as cap_posterior
from sudare.location.weights.equalise import EqualisedWeights as EqualisedWeights
from sudare.location.weights.equalise import equalise_weights as equalise_weights
from sudare.location.weights.optimise import OptimisedWeights as OptimisedWeights
from sudare.location.weights.optimise import optimise_weights as optimise_weights
from sudare.location.weights.reduce import ReducedWeights as ReducedWeights
from sudare.location.weights.reduce import reduce_weights as reduce_weights
