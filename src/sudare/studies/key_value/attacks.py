"""What the three attacks gain: simulated, and the exact limit, with and without index control."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.exact import Entropy
from sudare.mechanisms import PCKVGRR, PCKVUE, PrivKV, PrivKVM
from sudare.mechanisms.keyvalue import KeyValue
from sudare.poisoning import M2GA, RKVA, RMA, Attack, gain as limit_of, simulate_gain
from sudare.studies.key_value.populations import Population
from sudare.studies.key_value.setting import Grids

ATTACKS: dict[str, Callable[[list[int]], Attack]] = {"M2GA": M2GA, "RMA": RMA, "RKVA": RKVA}
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


@dataclass(frozen=True, slots=True)
class Victim:
    """What is attacked: a mechanism of d keys at an ε, its estimator, and who draws the key."""

    make: Callable[[int, float, int], KeyValue]
    method: str
    style: str
    controlled: bool = False


def half(d: int, epsilon: float, padding: int = 1) -> KeyValue:
    """Return PrivKV as the source has it."""
    return PrivKV(d, epsilon, "half")


VICTIMS = {
    "PrivKV": Victim(half, "privkv", "PrivKV"),
    "MLE": Victim(half, "mle", "MLE"),
    "PrivKVM": Victim(lambda d, epsilon, _: PrivKVM(d, epsilon, 2), "privkv", "PrivKVM c=2"),
    "PCKV-UE": Victim(PCKVUE, "unbiased", "PCKV-UE"),
    "PCKV-GRR": Victim(PCKVGRR, "unbiased", "PCKV-GRR"),
    "PrivKV drawn": Victim(half, "privkv", "PrivKV", True),
    "MLE drawn": Victim(half, "mle", "MLE", True),
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


def places(sweeps: Mapping[str, tuple[Any, ...]]) -> list[Place]:
    """Return every place: one parameter moved, the others as at the base."""
    moved = [at(varied, value) for varied, values in sweeps.items() for value in values]
    return list(dict.fromkeys([BASE, *moved]))


def at(varied: str, value: Any) -> Place:
    """Return the base with one parameter moved."""
    return replace(BASE, **{varied: value})


def gain(
    mechanism: KeyValue,
    fakes: Attack,
    beta: float,
    f: Floats | float,
    m: Floats | float,
    trials: int,
    rng: Entropy,
    **options: Any,
) -> tuple[tuple[float, float], ...]:
    """Return limit, simulated gains and standard errors, each of frequency and mean."""
    limit = limit_of(mechanism, fakes, beta, f, m, **options)
    found = simulate_gain(mechanism, fakes, beta, f, m, n=PEOPLE, trials=trials, rng=rng, **options)
    return (
        *((one.total_frequency, one.total_mean or 0.0) for one in (limit, found)),
        (found.stderr_total_frequency or 0.0, found.stderr_total_mean or 0.0),
    )


def run(population: Population, setting: Grids) -> list[Gained]:
    """Try every attack on every victim at every place, the rarest keys its targets."""
    jobs = list(product(ATTACKS, VICTIMS, places(setting.sweeps)))
    rarest = np.argsort(population.frequency, kind="stable")
    trials = min(TRIALS, setting.repetitions)
    out = []
    for a, v, place in setting.progress(jobs, len(jobs), "attacks"):
        victim = VICTIMS[v]
        limit, simulated, errors = gain(
            victim.make(population.d, place.epsilon, population.padding),
            ATTACKS[a](rarest[: place.targets].tolist()),
            place.beta,
            population.frequency,
            population.mean,
            trials,
            setting.rng(f"attack/{a}/{v}/{place}"),
            method=victim.method,
            clipped=True,
            index_control=victim.controlled,
        )
        out.append(Gained(a, v, place, simulated, errors, limit))
    return out
