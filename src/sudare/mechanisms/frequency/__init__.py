"""Frequency oracles: one value of k from each respondent, the shares of the k values out."""

from sudare.mechanisms.frequency.base import FrequencyOracle
from sudare.mechanisms.frequency.dyadic import DyadicUnary
from sudare.mechanisms.frequency.grr import GRR
from sudare.mechanisms.frequency.negative import NegativeSurvey
from sudare.mechanisms.frequency.unary import OUE, SUE

__all__ = ["GRR", "OUE", "SUE", "DyadicUnary", "FrequencyOracle", "NegativeSurvey"]
