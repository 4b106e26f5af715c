"""Weights for skewed samples: what is public about the respondents, against the population.

Weights are made of labels in clear (region, age group) and never of answers. They change what an
estimate is about and its error bar; no ε is spent.
"""

from sudare.weights.calibration import poststratify, rake
from sudare.weights.sample import Weights, design

__all__ = ["Weights", "design", "poststratify", "rake"]
