"""Mechanisms: randomisers with known integer weights, and everything derived from them."""

from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.frequency import (
    GRR,
    OUE,
    SUE,
    DyadicUnary,
    FrequencyOracle,
    NegativeSurvey,
)
from sudare.mechanisms.joint import Joint, JointNegativeSurvey, JointRR
from sudare.mechanisms.marginal import MarginalRR
from sudare.mechanisms.registry import from_json, names, register
from sudare.mechanisms.sets import SetUnary

__all__ = [
    "GRR",
    "OUE",
    "SUE",
    "DyadicUnary",
    "FrequencyOracle",
    "Joint",
    "JointNegativeSurvey",
    "JointRR",
    "MarginalRR",
    "Mechanism",
    "NegativeSurvey",
    "SetUnary",
    "from_json",
    "names",
    "register",
]
