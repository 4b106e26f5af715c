"""The source's account of PrivKV: its ε, its worked example, and the pull of means to 0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.estimation import Counts
from sudare.mechanisms import PrivKV
from sudare.mechanisms.keyvalue.base import states_of
from sudare.studies.key_value.curves import STYLES
from sudare.studies.key_value.populations import D, N, Population, synthetic
from sudare.studies.key_value.rules import TOLD, quotient
from sudare.studies.key_value.schemes import HALF, estimates, supports
from sudare.studies.palette import INK, Canvas, legend_below
from sudare.studies.parts import Setting
from sudare.studies.study_text import Facts, Label

EPSILON = 4.0
RARE = (0.05, -0.90)
"""Frequency and mean of the rare key that is looked at."""
TABLE = (0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0)
METHODS = ("PrivKV", "EM")


def rare() -> Population:
    """Return a population all of whose keys are as rare as the one looked at."""
    f, m = RARE
    return Population("rare", N, np.full(D, f), np.full(D, m))


def means(setting: Setting) -> list[tuple[Population, dict[str, Floats]]]:
    """Return (trials, d) means of each method at ε = 4: of synthetic data, then of rare keys."""
    out = []
    for population in setting.progress((*synthetic(), rare()), 4, "means"):
        mechanism, n = HALF.make(population.d, EPSILON, 1), population.n
        rng = setting.rng(f"means/{population.label}")
        drawn = supports(mechanism, population, n, setting.repetitions, rng)
        found = {m: estimates(HALF, mechanism, drawn, n, m)[1] for m in METHODS}
        out.append((population, found))
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


def compute(setting: Setting) -> Facts:
    """Return what the source says of PrivKV, beside what it does."""
    spent, tight = ([PrivKV(2, e, split).epsilon for e in TABLE] for split in ("half", "tight"))
    values = np.linspace(-1, 1, 21)
    signs = states_of(np.ones(21), values) @ [1, -1, 0]
    *shown, (_, rarest) = means(setting)
    trials = rarest["PrivKV"].mean(axis=1)
    lonely, people = one_holder()
    first, second = zip(*(example(epsilon) for epsilon in (1.0, 4.0)), strict=True)
    return Facts.of(
        **TOLD,
        unbiased=(signs - values).tolist(),
        spent=list(zip(TABLE, spent, strict=True)),
        spent_at_1=spent[TABLE.index(1.0)],
        parts=[b / a for a, b in zip(TABLE, spent, strict=True)],
        first=first,
        second=second,
        lonely=lonely,
        people=people,
        epsilon=EPSILON,
        f=RARE[0],
        m=RARE[1],
        n=N,
        law=pull(EPSILON, RARE[0]) * RARE[1],
        average={method: float(rarest[method].mean()) for method in METHODS},
        pulled=quotient(trials, np.ones(trials.size)),
        methods=METHODS,
        tables={
            "epsilon": list(zip(TABLE, spent, tight, strict=True)),
            "means": [row for one in shown for row in _rows(*one)],
        },
        figures={"means": partial(_draw, shown)},
    )


def _rows(population: Population, found: dict[str, Floats]) -> list[tuple[str | float, ...]]:
    averages = (found[method].mean(axis=0) for method in METHODS)
    keys = zip(population.frequency, population.mean, *averages, strict=True)
    return [(population.label, k, *map(float, numbers)) for k, numbers in enumerate(keys)]


def _draw(
    shown: Sequence[tuple[Population, dict[str, Floats]]], canvas: Canvas, label: Label
) -> None:
    panels = canvas.subplots(1, len(shown), sharey=True)
    for axes, (population, found) in zip(panels, shown, strict=True):
        k = np.arange(population.d)
        axes.plot(k, population.mean, color=INK, linewidth=1.2, label=label("true"))
        for method in METHODS:
            colour, mark = STYLES[method]
            low, high = np.quantile(found[method], (0.1, 0.9), axis=0)
            axes.vlines(k, low, high, color=colour, linewidth=0.8, alpha=0.45)
            style: dict[str, Any] = {"linestyle": "", "markersize": 3, "label": label(method)}
            axes.plot(k, found[method].mean(axis=0), color=colour, marker=mark, **style)
        axes.set(title=label(population.key), xlabel="key")
    canvas.axes[0].set_ylabel(label("mean"))
    legend_below(canvas, 3)
