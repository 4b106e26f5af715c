"""Frequency oracles: one value of k from each respondent, the shares of the k values out.

Each is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from sudare.lazy import attach

if TYPE_CHECKING:
    from sudare.mechanisms.frequency.base import FrequencyOracle as FrequencyOracle
    from sudare.mechanisms.frequency.dyadic import DyadicUnary as DyadicUnary
    from sudare.mechanisms.frequency.grr import GRR as GRR
    from sudare.mechanisms.frequency.hadamard import HadamardResponse as HadamardResponse
    from sudare.mechanisms.frequency.linear_hashing import LinearHashing as LinearHashing
    from sudare.mechanisms.frequency.local_hashing import OLH as OLH
    from sudare.mechanisms.frequency.negative import NegativeSurvey as NegativeSurvey
    from sudare.mechanisms.frequency.projective import ProjectiveGeometry as ProjectiveGeometry
    from sudare.mechanisms.frequency.subset import SubsetSelection as SubsetSelection
    from sudare.mechanisms.frequency.summation import SHE as SHE
    from sudare.mechanisms.frequency.thresholding import THE as THE
    from sudare.mechanisms.frequency.unary import OUE as OUE, SUE as SUE

_HOMES = {
    "base": ("FrequencyOracle",),
    "dyadic": ("DyadicUnary",),
    "grr": ("GRR",),
    "hadamard": ("HadamardResponse",),
    "linear_hashing": ("LinearHashing",),
    "local_hashing": ("OLH",),
    "negative": ("NegativeSurvey",),
    "projective": ("ProjectiveGeometry",),
    "subset": ("SubsetSelection",),
    "summation": ("SHE",),
    "thresholding": ("THE",),
    "unary": ("OUE", "SUE"),
}

__all__, __getattr__, __dir__ = attach(__name__, _HOMES)
