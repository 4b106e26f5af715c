"""The source's account of PrivKV: its ε, its worked example, and the pull of means to 0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.arrays import Floats
from sudare.estimation import Counts
from sudare.mechanisms import PrivKV
from sudare.mechanisms.keyvalue.base import states_of
from sudare.studies.book import Facts, Label
from sudare.studies.key_value.palette import STYLES
from sudare.studies.key_value.populations import D, N, Population, synthetic
from sudare.studies.key_value.rules import TOLD, quotient
from sudare.studies.key_value.schemes import HALF, estimates, supports
from sudare.studies.palette import INK, legend_below
from sudare.studies.parts import Setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

EPSILON = 4.0
RARE = (0.05, -0.90)
"""Frequency and mean of the rare key that is looked at."""
TABLE = (0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0)
METHODS = ("PrivKV", "EM")


@dataclass(frozen=True, slots=True)
class Means:
    """Means estimated key by key at ε = 4.

    Attributes:
        population: who was asked.
        found: method to (trials, d) estimates.
    """

    population: Population
    found: dict[str, Floats]


def rare() -> Population:
    """Return a population all of whose keys are as rare as the one looked at."""
    f, m = RARE
    return Population("rare", N, np.full(D, f), np.full(D, m))


def run(setting: Setting) -> list[Means]:
    """Estimate the means of the synthetic populations, then those of the rare keys."""
    out = []
    for population in setting.progress((*synthetic(), rare()), 4, "means"):
        mechanism, n = HALF.make(population.d, EPSILON, 1), population.n
        rng = setting.rng(f"means/{population.label}")
        drawn = supports(mechanism, population, n, setting.repetitions, rng)
        found = {m: estimates(HALF, mechanism, drawn, n, m)[1] for m in METHODS}
        out.append(Means(population, found))
    return out


def pull(epsilon: float, f: float) -> float:
    """Return λ, what PrivKV makes of a mean of 1: ``p1 f / (p1 f + q1 (1 - f))``."""
    p = 1 / (1 + math.exp(-epsilon / 2))
    return p * f / (p * f + (1 - p) * (1 - f))


def example(epsilon: float) -> tuple[float, float]:
    """Return n̂1 and m̂ of the source's worked example, 50 and 51 reports, by its formulas."""
    p = 1 / (1 + math.exp(-epsilon / 2))
    first = (101 * (p - 1) + 50) / (2 * p - 1)
    return first, (2 * first - 101) / 101


def one_holder() -> tuple[float, int]:
    """Return the MLE's mean in the example at ε = 4, and the number of people that one expects.

    Of those who do not hold the key q1 = 1 / (1 + e^2) name it: 100 are left of so many more.
    """
    rest = round(100 * math.exp(EPSILON / 2))
    counts = Counts(np.array([[50, 51, rest], [0, 0, 0]]), 101 + rest)
    return float(PrivKV(2, EPSILON, "half").estimate(counts, "mle").mean[0]), 101 + rest


def compute(found: Sequence[Means]) -> Facts:
    """Return what the source says of PrivKV, beside what it does."""
    spent, tight = ([PrivKV(2, e, split).epsilon for e in TABLE] for split in ("half", "tight"))
    values = np.linspace(-1, 1, 21)
    signs = states_of(np.ones(21), values) @ [1, -1, 0]
    *shown, rarest = found
    trials = rarest.found["PrivKV"].mean(axis=1)
    lonely, people = one_holder()
    first, means = zip(*(example(epsilon) for epsilon in (1.0, 4.0)), strict=True)
    return Facts(
        {
            **TOLD,
            "unbiased": (signs - values).tolist(),
            "spent": list(zip(TABLE, spent, strict=True)),
            "parts": [b / a for a, b in zip(TABLE, spent, strict=True)],
            "first": first,
            "means": means,
            "lonely": lonely,
            "people": people,
            "epsilon": EPSILON,
            "f": RARE[0],
            "m": RARE[1],
            "n": N,
            "law": pull(EPSILON, RARE[0]) * RARE[1],
            "average": {method: float(rarest.found[method].mean()) for method in METHODS},
            "pulled": quotient(trials, np.ones(trials.size)),
            "methods": METHODS,
        },
        tables={
            "epsilon": list(zip(TABLE, spent, tight, strict=True)),
            "means": [
                (one.population.label, k, float(f), float(m), *(float(x[k]) for x in means))
                for one in shown
                for means in ([one.found[method].mean(axis=0) for method in METHODS],)
                for k, (f, m) in enumerate(
                    zip(one.population.frequency, one.population.mean, strict=True)
                )
            ],
        },
        figures={"means": partial(_draw, shown)},
    )


def _draw(found: Sequence[Means], canvas: Canvas, label: Label) -> None:
    for axes, one in zip(canvas.subplots(1, len(found), sharey=True), found, strict=True):
        k = np.arange(one.population.d)
        axes.plot(k, one.population.mean, color=INK, linewidth=1.2, label=label("true"))
        for method in METHODS:
            colour, mark = STYLES[method]
            means = one.found[method]
            low, high = np.quantile(means, (0.1, 0.9), axis=0)
            axes.vlines(k, low, high, color=colour, linewidth=0.8, alpha=0.45)
            style: dict[str, Any] = {"linestyle": "", "markersize": 3, "label": label(method)}
            axes.plot(k, means.mean(axis=0), color=colour, marker=mark, **style)
        axes.set_title(label(one.population.key))
        axes.set_xlabel("key")
    canvas.axes[0].set_ylabel(label("mean"))
    legend_below(canvas, 3)
