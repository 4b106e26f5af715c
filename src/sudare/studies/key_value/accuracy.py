"""Mean squared errors of frequencies and means, over keys and trials."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sudare.arrays import Floats
from sudare.studies.key_value.populations import Population
from sudare.studies.key_value.rules import Estimate, quotient
from sudare.studies.key_value.schemes import CAPPED, FEW, METHODS, SCHEMES, estimates, supports
from sudare.studies.parts import Setting


@dataclass(frozen=True, slots=True)
class Point:
    """One method for one population of n people at one ε.

    Attributes:
        frequency: MSE of the frequencies in each trial, as they are estimated.
        clipped: the same, frequencies brought into [0, 1].
        mean: MSE of the means in each trial; a mean of no holder counts as 0.
        rare: the same of the rarest fifth of the keys.
    """

    population: str
    n: int
    epsilon: float
    method: str
    frequency: Floats
    clipped: Floats
    mean: Floats
    rare: Floats


class Points:
    """The points of an experiment on populations, found by what they are of."""

    def __init__(self, populations: Sequence[Population], points: Iterable[Point]) -> None:
        self.populations, self.all = tuple(populations), tuple(points)
        self.epsilons = tuple(dict.fromkeys(p.epsilon for p in self.all))
        self.sizes = tuple(dict.fromkeys(p.n for p in self.all))
        self._by = {(p.population, p.n, p.epsilon, p.method): p for p in self.all}

    def of(self, population: Population, epsilon: float, method: str, n: int = 0) -> Point:
        """Return one point; n is the population's own where none is given."""
        return self._by[population.label, n or population.n, epsilon, method]

    def error(self, population: Population, epsilon: float, method: str, what: str) -> float:
        """Return one MSE."""
        return float(getattr(self.of(population, epsilon, method), what).mean())

    def compared(
        self, p: Population, e: float, method: str, base: str, what: str = "mean", n: int = 0
    ) -> Estimate:
        """Return the MSE of a method in parts of another's, in the trials that both have."""
        both = (self.of(p, e, one, n) for one in (method, base))
        most = FEW if CAPPED.intersection((method, base)) else math.inf
        ours, theirs = (getattr(one, what) for one in both)
        return quotient(ours, theirs, most)

    def over(self, method: str, base: str, what: str = "mean") -> dict[float, list[Estimate]]:
        """Return the same of all populations, by ε."""
        every = self.populations
        return {e: [self.compared(p, e, method, base, what) for p in every] for e in self.epsilons}


def measure(
    population: Population, n: int, epsilon: float, setting: Setting, methods: Sequence[str]
) -> list[Point]:
    """Simulate every scheme and estimate by every method asked for."""
    points, truth = [], population.frequency
    rarest = np.argsort(truth, kind="stable")[: max(1, population.d // 5)]
    for scheme in SCHEMES:
        wanted = [method for method in scheme.methods if method in methods]
        if not wanted:
            continue
        mechanism = scheme.make(population.d, epsilon, population.padding)
        rng = setting.rng(f"{scheme.label}/{population.label}/{n}/{epsilon}")
        drawn = supports(mechanism, population, n, setting.repetitions, rng)
        for method in wanted:
            f, m = estimates(scheme, mechanism, drawn, n, method)
            of_f, of_clipped = (((x - truth) ** 2).mean(axis=1) for x in (f, f.clip(0, 1)))
            of_m = (m - population.mean) ** 2
            errors = of_f, of_clipped, of_m.mean(axis=1), of_m[:, rarest].mean(axis=1)
            points.append(Point(population.label, n, epsilon, method, *errors))
    return points


def everywhere(
    people: Sequence[tuple[Population, int]],
    epsilons: Sequence[float],
    setting: Setting,
    title: str,
    methods: Sequence[str] = METHODS,
) -> Points:
    """Return the points of populations of so many people at every ε."""
    jobs = [(population, n, epsilon) for population, n in people for epsilon in epsilons]
    points = [
        point
        for job in setting.progress(jobs, len(jobs), title)
        for point in measure(*job, setting, methods)
    ]
    return Points(tuple(dict.fromkeys(population for population, _ in people)), points)
