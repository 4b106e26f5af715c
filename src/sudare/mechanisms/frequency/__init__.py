"""Frequency oracles: one value of k from each respondent, the shares of the k values out."""

from sudare.mechanisms.frequency.base import FrequencyOracle as FrequencyOracle
from sudare.mechanisms.frequency.dyadic import DyadicUnary as DyadicUnary
from sudare.mechanisms.frequency.grr import GRR as GRR
from sudare.mechanisms.frequency.hadamard import HadamardResponse as HadamardResponse
from sudare.mechanisms.frequency.local_hashing import OLH as OLH
from sudare.mechanisms.frequency.negative import NegativeSurvey as NegativeSurvey
from sudare.mechanisms.frequency.projective import ProjectiveGeometry as ProjectiveGeometry
from sudare.mechanisms.frequency.subset import SubsetSelection as SubsetSelection
from sudare.mechanisms.frequency.thresholding import THE as THE
from sudare.mechanisms.frequency.unary import OUE as OUE, SUE as SUE
