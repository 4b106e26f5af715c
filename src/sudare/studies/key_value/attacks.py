"""What the three attacks gain: simulated, and the exact limit, with and without index control."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sudare import poisoning
from sudare.exact import Entropy
from sudare.mechanisms import PCKVGRR, PCKVUE, PrivKV, PrivKVM
from sudare.mechanisms.keyvalue import KeyValue
from sudare.studies.key_value.populations import Population
from sudare.studies.parts import Setting
from sudare.studies.words import Text, Words

Varied = Literal["beta", "epsilon", "targets"]

ATTACKS: dict[str, Callable[[list[int]], poisoning.Attack]] = {
    "M2GA": poisoning.M2GA,
    "RMA": poisoning.RMA,
    "RKVA": poisoning.RKVA,
}
PEOPLE = 100_000
"""All people, the fake ones among them."""
TRIALS = 50
"""Trials of the source."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an attack is tried: share of fakes, ε, number of targets."""

    beta: float = 0.05
    epsilon: float = 1.0
    targets: int = 1


BASE = Place()
SWEEPS: dict[Varied, tuple[float, ...]] = {
    "beta": (0.01, 0.05, 0.1, 0.2),
    "epsilon": (0.5, 1.0, 2.0, 4.0),
    "targets": (1, 2, 5, 10),
}


@dataclass(frozen=True, slots=True)
class Victim:
    """What is attacked: a mechanism, its estimator, and who draws the key."""

    mechanism: str
    method: str
    controlled: bool
    name: Words


VICTIMS = {
    "PrivKV": Victim("PrivKV", "privkv", False, "PrivKV"),
    "MLE": Victim("PrivKV", "mle", False, Text("EM (MLE)", "EM（最尤推定）")),
    "PrivKVM": Victim("PrivKVM", "privkv", False, "PrivKVM, c = 2"),
    "PCKV-UE": Victim("PCKV-UE", "unbiased", False, "PCKV-UE"),
    "PCKV-GRR": Victim("PCKV-GRR", "unbiased", False, "PCKV-GRR"),
    "PrivKV drawn": Victim(
        "PrivKV", "privkv", True, Text("PrivKV, key drawn for them", "PrivKV（key はサーバが抽選）")
    ),
    "MLE drawn": Victim(
        "PrivKV", "mle", True, Text("EM, key drawn for them", "EM（key はサーバが抽選）")
    ),
}


@dataclass(frozen=True, slots=True)
class Gained:
    """Gains of one attack on one victim at one place, estimates brought into their ranges.

    Attributes:
        simulated: G_f and G_m, means over the trials.
        errors: their standard errors.
        limit: the same for many people, computed.
    """

    attack: str
    victim: str
    place: Place
    simulated: tuple[float, float]
    errors: tuple[float, float]
    limit: tuple[float, float]


def make(name: str, population: Population, epsilon: float) -> KeyValue:
    """Return a mechanism for a population."""
    if name == "PrivKV":
        return PrivKV(population.d, epsilon, "half")
    if name == "PrivKVM":
        return PrivKVM(population.d, epsilon, 2)
    pckv = PCKVUE if name == "PCKV-UE" else PCKVGRR
    return pckv(population.d, epsilon, population.padding)


def places() -> list[Place]:
    """Return every place: one parameter moved, the others as at the base."""
    moved = [BASE]
    for varied, values in SWEEPS.items():
        moved += [at(varied, value) for value in values]
    return list(dict.fromkeys(moved))


def at(varied: Varied, value: float) -> Place:
    """Return the base with one parameter moved."""
    if varied == "targets":
        return Place(targets=int(value))
    return Place(beta=value) if varied == "beta" else Place(epsilon=value)


def gained(
    attack: str, victim: str, place: Place, population: Population, trials: int, rng: Entropy
) -> Gained:
    """Return simulated and computed gains for the rarest keys as targets."""
    kind = VICTIMS[victim]
    mechanism = make(kind.mechanism, population, place.epsilon)
    targets = np.argsort(population.frequency, kind="stable")[: place.targets]
    fakes = ATTACKS[attack](targets.tolist())
    f, m = population.frequency, population.mean
    limit = poisoning.gain(
        mechanism,
        fakes,
        place.beta,
        f,
        m,
        method=kind.method,
        clipped=True,
        index_control=kind.controlled,
    )
    found = poisoning.simulate_gain(
        mechanism,
        fakes,
        place.beta,
        f,
        m,
        n=PEOPLE,
        trials=trials,
        method=kind.method,
        clipped=True,
        index_control=kind.controlled,
        rng=rng,
    )
    return Gained(attack, victim, place, _both(found), _errors(found), _both(limit))


def _both(found: poisoning.Gain) -> tuple[float, float]:
    return found.total_frequency, found.total_mean or 0.0


def _errors(found: poisoning.Gain) -> tuple[float, float]:
    return found.stderr_total_frequency or 0.0, found.stderr_total_mean or 0.0


def run(population: Population, setting: Setting) -> list[Gained]:
    """Try every attack on every victim at every place."""
    jobs = [(a, v, place) for a in ATTACKS for v in VICTIMS for place in places()]
    trials = min(TRIALS, setting.repetitions)
    return [
        gained(a, v, place, population, trials, setting.rng(f"attack/{a}/{v}/{place}"))
        for a, v, place in setting.progress(jobs, len(jobs), "attacks")
    ]
