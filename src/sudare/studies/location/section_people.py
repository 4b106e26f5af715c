"""Where people are, from the reports of many: the source's third future work."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.estimation.simplex import largest_remainders
from sudare.mechanisms import GridExponential
from sudare.studies.location.pictures import draw_maps
from sudare.studies.location.toy import COLUMN, GRID, MAIN, ROW, SHARED
from sudare.studies.parts import Setting
from sudare.studies.study_text import Facts, Word

N = 100_000
LEVEL = 0.95
METHODS = ("raw", "unbiased", "projected", "mle", "em", "smoothed")
DRAWN = ("raw", "unbiased", "em", "smoothed")


@dataclass(frozen=True, eq=False)
class Counted:
    """One population, estimated in all trials.

    Attributes:
        truth: (cells,) people.
        error: mean L1 distance of shares, by method.
        expected: what the law of the estimate says of the inversion's.
        coverage: mean part of the cells that the inversion's intervals cover, its standard error.
        first: shares of the first trial, by method.
    """

    truth: Integers
    error: Mapping[str, float]
    expected: float
    coverage: tuple[float, float]
    first: Mapping[str, Floats]


def compute(setting: Setting) -> Facts:
    """Simulate and estimate."""
    found = {name: counted(name, shares, setting) for name, shares in populations(setting).items()}
    hills = found["hills"]
    maps = [(Word("truth"), hills.truth / N), *((Word(m), hills.first[m]) for m in DRAWN)]
    ends = (0, float(1.15 * hills.truth.max() / N))
    return Facts.of(
        **SHARED,
        n=N,
        level=LEVEL,
        methods=METHODS,
        hills=hills.error,
        tables={
            "people": [
                (Word(name), *one.error.values(), one.expected, *one.coverage)
                for name, one in found.items()
            ]
        },
        figures={"people": partial(draw_maps, GRID, maps, ends=ends, shrink=0.6)},
    )


def populations(setting: Setting) -> dict[str, Floats]:
    """Return shares of the source's map: even, a hill, two hills, and one without neighbourhood."""
    y, x = ROW / 7 - 1, COLUMN / 7 - 1

    def hill(right: float, down: float, wide: float) -> Floats:
        out: Floats = np.exp(-((x - right) ** 2 + (y - down) ** 2) / (2 * wide**2))
        return out

    return {
        "even": np.ones(GRID.cells),
        "hill": hill(0.2, -0.1, 0.45),
        "hills": hill(0.4, -0.3, 0.35) + 0.6 * hill(-0.5, 0.4, 0.25) + 0.15,
        "rough": setting.rng("rough").generator().gamma(0.5, size=GRID.cells),
    }


def counted(label: str, shares: Floats, setting: Setting) -> Counted:
    """Estimate one population in all trials."""
    mechanism = GridExponential(GRID, MAIN)
    truth = as_people(shares)
    real = truth / N
    rng = setting.rng(f"people/{label}")
    errors: dict[str, list[float]] = {method: [] for method in METHODS}
    first: dict[str, Floats] = {}
    covered = []
    trials = range(setting.repetitions)
    for _ in setting.progress(trials, len(trials), f"people, {label}"):
        counts = mechanism.simulate(truth, rng=rng)
        estimates = {m: mechanism.estimate(counts, m, "respondents") for m in METHODS[1:]}
        low, high = estimates["unbiased"].interval(LEVEL)
        covered.append(float(((low <= real) & (real <= high)).mean()))
        found = {"raw": counts.support / N} | {m: one.shares for m, one in estimates.items()}
        for method, each in found.items():
            errors[method].append(float(np.abs(each - real).sum()))
        first = first or found
    scatter = float(np.std(covered, ddof=1)) / math.sqrt(len(covered))
    return Counted(
        truth,
        {method: float(np.mean(each)) for method, each in errors.items()},
        expected_error(mechanism.matrix(), truth),
        (float(np.mean(covered)), scatter),
        first,
    )


def as_people(shares: Floats) -> Integers:
    """Return N people with these shares."""
    return largest_remainders(N * shares / shares.sum(), N)


def expected_error(law: Floats, truth: Integers) -> float:
    """Return the expected L1 distance of the inversion: of normal errors, from the exact law."""
    inverse = np.linalg.inv(law)
    noise = (inverse**2 @ law) @ truth - ((inverse @ law) ** 2) @ truth
    return float(np.sqrt(2 / np.pi * np.maximum(noise, 0)).sum() / N)
