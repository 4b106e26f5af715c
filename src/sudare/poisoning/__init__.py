"""Poisoned reports: attacks and what they gain, alarms, bands of what fakes can have done."""

from sudare.poisoning.attack import Attack
from sudare.poisoning.choice import MGA, RIA, RPA
from sudare.poisoning.gains import Gain, Simulation, gain, simulate_gain
from sudare.poisoning.keyvalue import M2GA, RKVA, RMA

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
    "gain",
    "simulate_gain",
]
