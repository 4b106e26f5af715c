"""How often a regression's 95 % intervals hold the truth, and its errors beside the real ones.

``python tests/models/model_coverage.py`` goes through all scenarios at length and prints the table
of ``docs/models.md``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import sudare as sd
from sudare.models import Fit, linear, logistic

SLOPE = 0.8
CONTROLS = 200
"""In how many surveys reports are taken for answers."""

Pair = tuple[Callable[[], Fit], Callable[[], Fit]]


@dataclass(frozen=True)
class Scenario:
    """Surveys that are drawn again and again.

    Attributes:
        truth: the coefficients.
        fits: of so many surveys the fit to come, and the one that takes reports for answers.
        surveys: how many the test draws, and how many the table.
    """

    truth: tuple[float, ...]
    fits: Callable[[int, int], list[Pair]]
    surveys: tuple[int, int]


def log_odds(rng: np.random.Generator, eta: np.ndarray) -> np.ndarray:
    return (rng.random(eta.shape) < 1 / (1 + np.exp(-eta))).astype(np.int64)


def randomised(m: Any, values: np.ndarray, seed: int) -> np.ndarray:
    reports = m.perturb(values.ravel(), rng=sd.Entropy.seeded(b"coverage %d" % seed))
    return reports.reshape(*values.shape, *reports.shape[1:])


def outcome(surveys: int, seed: int) -> list[Pair]:
    rng, m = np.random.default_rng(seed), sd.GRR(2, 1.5)
    age, group = rng.normal(size=(surveys, 1000)), rng.integers(0, 2, (surveys, 1000))
    reports = randomised(m, log_odds(rng, -0.5 + SLOPE * age + 0.5 * group), seed)
    x = np.stack((age, group), axis=2)
    return [
        (partial(logistic, r, m, c), partial(logistic, r, None, c))
        for r, c in zip(reports, x, strict=True)
    ]


def covariate(surveys: int, seed: int) -> list[Pair]:
    rng, m = np.random.default_rng(seed), sd.GRR(2, 2.0)
    age = rng.normal(size=(surveys, 1000))
    habit = log_odds(rng, 0.7 * age)
    ill = log_odds(rng, -0.5 + 0.4 * age + SLOPE * habit)
    reports = randomised(m, habit, seed)
    return [
        (
            partial(logistic, y, None, {"age": a}, randomised={"habit": (r, m)}),
            partial(logistic, y, None, {"age": a, "habit": r}),
        )
        for y, a, r in zip(ill, age, reports, strict=True)
    ]


def both(surveys: int, seed: int) -> list[Pair]:
    rng, m = np.random.default_rng(seed), sd.GRR(2, 2.0)
    age = rng.normal(size=(surveys, 3000))
    habit = log_odds(rng, 0.7 * age)
    ill = log_odds(rng, -0.5 + 0.4 * age + SLOPE * habit)
    reports, of_ill = randomised(m, habit, seed), randomised(m, ill, seed + 1)
    return [
        (
            partial(logistic, y, m, {"age": a}, randomised={"habit": (r, m)}),
            partial(logistic, y, None, {"age": a, "habit": r}),
        )
        for y, a, r in zip(of_ill, age, reports, strict=True)
    ]


def number(surveys: int, seed: int) -> list[Pair]:
    rng, m = np.random.default_rng(seed), sd.Piecewise(1.0, low=0, high=10)
    rooms = rng.integers(0, 5, (surveys, 500)).astype(float)
    rent = 1 + SLOPE * rooms + rng.uniform(-0.5, 0.5, rooms.shape) * (1 + rooms)
    reports = randomised(m, rent, seed)
    cells = np.linspace(0, 10, m.program.outputs)  # taken for the numbers that were held
    return [
        (partial(linear, r, m, {"rooms": c}), partial(linear, cells[r], None, {"rooms": c}))
        for r, c in zip(reports, rooms, strict=True)
    ]


def scores(surveys: int, seed: int) -> list[Pair]:
    rng, m = np.random.default_rng(seed), sd.GRR(4, 2.0)
    share = rng.random((surveys, 500))
    reports = randomised(m, rng.binomial(3, 0.2 + SLOPE / 3 * share), seed)
    return [
        (
            partial(linear, r, m, {"x": c}, scores=[0, 1, 2, 3]),
            partial(linear, r.astype(float), None, {"x": c}),
        )
        for r, c in zip(reports, share, strict=True)
    ]


def mixture(surveys: int, seed: int) -> list[Pair]:
    rng, m = np.random.default_rng(seed), sd.GRR(3, 2.0)
    age = rng.normal(size=(surveys, 1000))
    habit = log_odds(rng, 0.7 * age) + log_odds(rng, -0.5 * age)
    y = 1 + 0.4 * age + SLOPE * (habit == 1) + 1.5 * (habit == 2) + rng.normal(size=age.shape)
    reports = randomised(m, habit, seed)
    return [
        (
            partial(linear, own, None, {"age": a}, randomised={"habit": (r, m)}),
            partial(linear, own, None, {"age": a, "1": r == 1, "2": r == 2}),
        )
        for own, a, r in zip(y, age, reports, strict=True)
    ]


SCENARIOS = {
    "logistic, outcome by GRR": Scenario((-0.5, SLOPE, 0.5), outcome, (600, 20_000)),
    "logistic, a covariate by GRR": Scenario((-0.5, 0.4, SLOPE), covariate, (200, 6_000)),
    "logistic, both by GRR": Scenario((-0.5, 0.4, SLOPE), both, (40, 4_000)),
    "linear, outcome by Piecewise": Scenario((1, SLOPE), number, (800, 10_000)),
    "linear, outcome by GRR with scores": Scenario((0.6, SLOPE), scores, (800, 10_000)),
    "linear, a covariate by GRR": Scenario((1, 0.4, SLOPE, 1.5), mixture, (120, 3_000)),
}


@dataclass(frozen=True)
class Held:
    """What came of it, coefficient by coefficient.

    Attributes:
        rate: how often the interval held the truth.
        ratio: stated errors over the real ones.
        naive: how often the interval of the reports as they came held the slope.
    """

    rate: np.ndarray
    ratio: np.ndarray
    naive: float


def held(scenario: Scenario, surveys: int, seed: int = 5) -> Held:
    fits = scenario.fits(surveys, seed)
    own = [fit() for fit, _ in fits]
    found = np.array([fit.coefficients for fit in own])
    stated = np.array([fit.stderr for fit in own])
    within = np.abs(found - scenario.truth) <= 1.959964 * stated
    slope = scenario.truth.index(SLOPE)
    naive = [
        abs(fit.coefficients[slope] - SLOPE) <= 1.959964 * fit.stderr[slope]
        for fit in (other() for _, other in fits[:CONTROLS])
    ]
    ratio = np.sqrt((stated**2).mean(axis=0)) / found.std(axis=0)
    return Held(within.mean(axis=0), ratio, float(np.mean(naive)))


if __name__ == "__main__":
    heads = "model", "surveys", "coverage of each coefficient, %", "stated error / real one"
    print("|", " | ".join((*heads, "coverage of the slope by reports as they came, %")), "|")
    print("|---" * (len(heads) + 1) + "|")
    for name, scenario in SCENARIOS.items():
        if len(sys.argv) > 1 and sys.argv[1] not in name:
            continue
        surveys = scenario.surveys[1]
        found = held(scenario, surveys)
        rates = ", ".join(f"{100 * rate:.1f}" for rate in found.rate)
        ratios = ", ".join(f"{ratio:.3f}" for ratio in found.ratio)
        print(f"| {name} | {surveys} | {rates} | {ratios} | {100 * found.naive:.1f} |", flush=True)
