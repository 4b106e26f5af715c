"""What EM computes: the maximum of the likelihood, and what a fourth state would do."""

from __future__ import annotations

from functools import partial

import numpy as np

from sudare.arrays import Integers
from sudare.estimation.keyvalue.iterate import CERTIFICATE, em
from sudare.estimation.keyvalue.triangle import likelihood, maximise
from sudare.mechanisms.keyvalue.base import states_of
from sudare.studies.key_value import four_states
from sudare.studies.key_value.populations import Population, synthetic
from sudare.studies.key_value.schemes import EARLY, HALF, estimates, supports
from sudare.studies.key_value.setting import Grids
from sudare.studies.palette import BLUE, INK, RED, Canvas
from sudare.studies.study_text import Facts, Label

TRIALS = 40
"""Most trials."""
STARTS = 200
TRUE = (0.3, -0.6)
"""Frequency and mean of the key with known report shares."""
AT = 2.0


def _drawn(population: Population, epsilon: float, name: str, setting: Grids) -> Integers:
    """Return counts of each trial, (trials, d, 3)."""
    mechanism, trials = HALF.make(population.d, epsilon, 1), min(TRIALS, setting.repetitions)
    return supports(mechanism, population, population.n, trials, setting.rng(name))


def _converge(population: Population, epsilon: float, setting: Grids) -> tuple[float, ...]:
    """Return what EM up to its certificate does, beside the closed form.

    Steps of the key that took longest, accelerated, and those of the early stop; the largest
    log-likelihood a report that EM still lacks; mean-MSE of EM and of the closed form; and what
    PrivKV's estimates, brought into their ranges, lack.
    """
    mechanism = HALF.make(population.d, epsilon, 1)
    drawn = _drawn(population, epsilon, f"em/{epsilon}", setting)
    counts, law = drawn.reshape(-1, 3).astype(np.float64), mechanism.channel.dense()
    found, steps = em(counts, law)
    best = maximise(counts, law)
    f, m = estimates(HALF, mechanism, drawn, population.n, "PrivKV")
    stated = states_of(f.clip(0, 1).ravel(), m.ravel())
    most, total = likelihood(counts, law, best), counts.sum(axis=1)
    gap, published = (
        float(((most - likelihood(counts, law, states)) / total).max())
        for states in (found, stated)
    )
    truth = np.tile(population.mean, len(drawn))
    with np.errstate(invalid="ignore", divide="ignore"):  # a mean of no holder counts as 0
        means = [np.nan_to_num(four_states.mean(states), nan=0.0) for states in (found, best)]
    errors = (float(((mean - truth) ** 2).mean()) for mean in means)
    return steps, em(counts, law, EARLY["EM 1e-4"])[1], gap, *errors, published


def _against(population: Population, epsilon: float, setting: Grids) -> float:
    """Return the mean-MSE of four-state EM from the uniform start in parts of PrivKV's."""
    drawn = _drawn(population, epsilon, f"four/{population.label}/{epsilon}", setting)
    counts = drawn.reshape(-1, 3)
    shares, start = counts / counts.sum(axis=1, keepdims=True), np.full(4, 0.25)
    states = four_states.fit(shares, four_states.channel(epsilon), start, setting.steps)
    mechanism = HALF.make(population.d, epsilon, 1)
    published = estimates(HALF, mechanism, drawn, population.n, "PrivKV")[1].ravel()
    truth = np.tile(population.mean, len(drawn))
    ours, theirs = (((x - truth) ** 2).mean() for x in (four_states.mean(states), published))
    return float(ours / theirs)


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
    first, second = (setting.progress(epsilons, len(epsilons), t) for t in ("EM", "four states"))
    converged = [(e, *_converge(populations[0], e, setting)) for e in first]
    rows = [(e, *(_against(one, e, setting) for one in populations)) for e in second]
    ends = _starts(setting)
    return Facts.of(
        gap=max(row[3] for row in converged),
        published=max(row[-1] for row in converged),
        certificate=CERTIFICATE,
        apart=max(abs(row[4] / row[5] - 1) for row in converged),
        largest=max(max(row[1:]) for row in rows),
        trials=TRIALS,
        early=EARLY["EM 1e-4"],
        at=AT,
        truth=TRUE,
        setting=setting,
        starts=STARTS,
        ends=(min(ends[:-1]), max(ends[:-1])),
        middle=ends[-1],
        populations=[population.key for population in populations],
        tables={"em": [row[:-1] for row in converged], "four-states": rows},
        figures={"starts": partial(_draw, ends)},
    )


def _draw(ends: list[float], canvas: Canvas, label: Label) -> None:
    axes = canvas.subplots()
    axes.hist(ends[:-1], bins=40, range=(-1, 1), color=BLUE, alpha=0.75)
    lines = (TRUE[1], INK, "-", "true"), (ends[-1], RED, "--", "uniform")
    for value, colour, dash, name in lines:
        told = f"{label(name)}: {value:.2f}"
        axes.axvline(value, color=colour, linewidth=1.2, linestyle=dash, label=told)
    axes.set(xlim=(-1, 1), xlabel=label("mean"), ylabel=label("starts"))
    axes.legend(loc="best")
