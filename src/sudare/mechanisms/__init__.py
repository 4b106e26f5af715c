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
from sudare.mechanisms.keyvalue import PCKVGRR, PCKVUE, KeyValue, PrivKV, PrivKVM, StateRR
from sudare.mechanisms.marginal import MarginalRR
from sudare.mechanisms.number import Duchi, Hybrid, Number, Piecewise, SquareWave
from sudare.mechanisms.place import (
    ElasticExponential,
    Grid,
    GridExponential,
    Place,
    PlaceChannel,
    PlaceLevels,
    PlanarLaplace,
    RoadExponential,
    TightGrid,
)
from sudare.mechanisms.registry import from_json, names, register
from sudare.mechanisms.sets import SetUnary

__all__ = [
    "GRR",
    "OUE",
    "PCKVGRR",
    "PCKVUE",
    "SUE",
    "Duchi",
    "DyadicUnary",
    "ElasticExponential",
    "FrequencyOracle",
    "Grid",
    "GridExponential",
    "Hybrid",
    "Joint",
    "JointNegativeSurvey",
    "JointRR",
    "KeyValue",
    "MarginalRR",
    "Mechanism",
    "NegativeSurvey",
    "Number",
    "Piecewise",
    "Place",
    "PlaceChannel",
    "PlaceLevels",
    "PlanarLaplace",
    "PrivKV",
    "PrivKVM",
    "RoadExponential",
    "SetUnary",
    "SquareWave",
    "StateRR",
    "TightGrid",
    "from_json",
    "names",
    "register",
]
