"""Poisoned reports: attacks and what they gain, alarms, bands of what fakes can have done."""

from sudare.poisoning.alarms import alarms
from sudare.poisoning.attack import Attack
from sudare.poisoning.averaging import averaging
from sudare.poisoning.band import manipulation_band, targeted_share
from sudare.poisoning.bits import bit_counts
from sudare.poisoning.changes import changes
from sudare.poisoning.choice import MGA, RIA, RPA
from sudare.poisoning.gains import Gain, Simulation, gain, simulate_gain
from sudare.poisoning.keyvalue import M2GA, RKVA, RMA
from sudare.poisoning.numbered import NumberedSurface as NumberedSurface
from sudare.poisoning.picked import BinsSurface as BinsSurface
from sudare.poisoning.recovery import recover
from sudare.poisoning.subsets import SubsetSurface as SubsetSurface

__all__ = [
    "M2GA",
    "MGA",
    "RIA",
    "RKVA",
    "RMA",
    "RPA",
    "Attack",
    "Gain",
    "Simulation",
    "alarms",
    "averaging",
    "bit_counts",
    "changes",
    "gain",
    "manipulation_band",
    "recover",
    "simulate_gain",
    "targeted_share",
]
