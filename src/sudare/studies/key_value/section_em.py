"""What EM computes: the maximum of the likelihood, and what a fourth state would do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from sudare.estimation.keyvalue.iterate import CERTIFICATE, em
from sudare.estimation.keyvalue.triangle import likelihood, maximise
from sudare.mechanisms.keyvalue.base import states_of
from sudare.studies.book import Facts, Label
from sudare.studies.key_value import four_states
from sudare.studies.key_value.populations import Population, synthetic
from sudare.studies.key_value.schemes import EARLY, HALF, Whole, estimates, supports
from sudare.studies.key_value.setting import Grids
from sudare.studies.palette import BLUE, INK, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

TRIALS = 40
"""Most trials."""
STARTS = 200
TRUE = (0.3, -0.6)
"""Frequency and mean of the key with known report shares."""
AT = 2.0


@dataclass(frozen=True, slots=True)
class Converged:
    """EM up to its certificate, beside the closed form.

    Attributes:
        steps: of the key that took longest, accelerated; then those of the early stop.
        lacks: largest log-likelihood a report that EM and PrivKV's estimates still lack.
        errors: mean-MSE of EM and of the closed form.
    """

    epsilon: float
    steps: tuple[int, int]
    lacks: tuple[float, float]
    errors: tuple[float, float]


def _drawn(population: Population, epsilon: float, name: str, setting: Grids) -> Whole:
    """Return counts of each trial, (trials, d, 3)."""
    mechanism, trials = HALF.make(population.d, epsilon, 1), min(TRIALS, setting.repetitions)
    return supports(mechanism, population, population.n, trials, setting.rng(name))


def _converge(population: Population, epsilon: float, setting: Grids) -> Converged:
    mechanism = HALF.make(population.d, epsilon, 1)
    drawn = _drawn(population, epsilon, f"em/{epsilon}", setting)
    counts, law = drawn.reshape(-1, 3).astype(np.float64), mechanism.channel.dense()
    found, steps = em(counts, law)
    best = maximise(counts, law)
    f, m = estimates(HALF, mechanism, drawn, population.n, "PrivKV")
    stated = states_of(f.clip(0, 1).ravel(), m.ravel())
    most, total = likelihood(counts, law, best), counts.sum(axis=1)
    first, second = (
        float(((most - likelihood(counts, law, states)) / total).max())
        for states in (found, stated)
    )
    truth = np.tile(population.mean, len(drawn))
    with np.errstate(invalid="ignore", divide="ignore"):  # a mean of no holder counts as 0
        means = [np.nan_to_num(four_states.mean(states), nan=0.0) for states in (found, best)]
    errors = tuple(float(((mean - truth) ** 2).mean()) for mean in means)
    early = em(counts, law, EARLY)[1]
    return Converged(epsilon, (steps, early), (first, second), (errors[0], errors[1]))


def _against(population: Population, epsilon: float, setting: Grids) -> float:
    """Return the mean-MSE of four-state EM from the uniform start in parts of PrivKV's."""
    drawn = _drawn(population, epsilon, f"four/{population.label}/{epsilon}", setting)
    counts = drawn.reshape(-1, 3)
    shares, start = counts / counts.sum(axis=1, keepdims=True), np.full(4, 0.25)
    states = four_states.fit(shares, four_states.channel(epsilon), start, setting.steps)
    mechanism = HALF.make(population.d, epsilon, 1)
    published = estimates(HALF, mechanism, drawn, population.n, "PrivKV")[1].ravel()
    truth = np.tile(population.mean, len(drawn))
    return float(
        ((four_states.mean(states) - truth) ** 2).mean() / ((published - truth) ** 2).mean()
    )


def _starts(setting: Grids) -> list[float]:
    """Return the means to which four-state EM comes, report shares being known exactly.

    From random starts; the last is that from the uniform start.
    """
    (f, m), law = TRUE, four_states.channel(AT)
    shares = law @ np.array([f * (1 + m) / 2, f * (1 - m) / 2, (1 - f) / 2, (1 - f) / 2])
    starts = setting.rng("starts").generator().dirichlet(np.ones(4), STARTS)
    starts = np.concatenate([starts, np.full((1, 4), 0.25)])
    states = four_states.fit(np.tile(shares, (STARTS + 1, 1)), law, starts, setting.long)
    return [float(mean) for mean in four_states.mean(states)]


def compute(setting: Grids) -> Facts:
    """Run EM with three states and with four: what it lacks of the maximum, and where it ends."""
    populations, epsilons = synthetic(), setting.converged
    converged = [
        _converge(populations[0], epsilon, setting)
        for epsilon in setting.progress(epsilons, len(epsilons), "EM")
    ]
    rows = [
        (epsilon, *(_against(population, epsilon, setting) for population in populations))
        for epsilon in setting.progress(epsilons, len(epsilons), "four states")
    ]
    ends = _starts(setting)
    gap, published = (max(each) for each in zip(*(one.lacks for one in converged), strict=True))
    return Facts(
        {
            "gap": gap,
            "published": published,
            "certificate": CERTIFICATE,
            "apart": max(abs(a / b - 1) for a, b in (one.errors for one in converged)),
            "largest": max(max(row[1:]) for row in rows),
            "trials": TRIALS,
            "early": EARLY,
            "at": AT,
            "truth": TRUE,
            "setting": setting,
            "starts": STARTS,
            "ends": (min(ends[:-1]), max(ends[:-1])),
            "middle": ends[-1],
            "populations": [population.key for population in populations],
        },
        tables={
            "em": [(one.epsilon, *one.steps, one.lacks[0], *one.errors) for one in converged],
            "four-states": rows,
        },
        figures={"starts": partial(_draw, ends)},
    )


def _draw(ends: list[float], canvas: Canvas, label: Label) -> None:
    axes = canvas.subplots()
    axes.hist(ends[:-1], bins=40, range=(-1, 1), color=BLUE, alpha=0.75)
    for value, colour, dash, name in (
        (TRUE[1], INK, "-", "true"),
        (ends[-1], RED, "--", "uniform"),
    ):
        told = f"{label(name)}: {value:.2f}"
        axes.axvline(value, color=colour, linewidth=1.2, linestyle=dash, label=told)
    axes.set_xlim(-1, 1)
    axes.set_xlabel(label("mean"))
    axes.set_ylabel(label("starts"))
    axes.legend()
