"""Mechanisms: randomisers with known integer weights, and everything derived from them."""

from sudare.mechanisms.base import Mechanism
from sudare.mechanisms.frequency import GRR, OUE, SUE, DyadicUnary, FrequencyOracle
from sudare.mechanisms.joint import Joint, JointRR
from sudare.mechanisms.registry import from_json, names, register

__all__ = [
    "GRR",
    "OUE",
    "SUE",
    "DyadicUnary",
    "FrequencyOracle",
    "Joint",
    "JointRR",
    "Mechanism",
    "from_json",
    "names",
    "register",
]
