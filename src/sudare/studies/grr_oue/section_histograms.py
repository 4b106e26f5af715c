"""Sections 3.3 and 3.4 of the source: the histograms of GRR and OUE at ε = ln 20."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass
from functools import partial
from typing import Any

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.data import trousers
from sudare.mechanisms import FrequencyOracle
from sudare.studies.grr_oue.palette import COLOURS
from sudare.studies.grr_oue.small import SKEWS
from sudare.studies.palette import INK, PALE, Axes, Canvas
from sudare.studies.parts import Setting
from sudare.studies.study_text import Facts, Label

EPSILON = round(math.log(20), 6)
TEAS = ("oi-ocha", "iyemon", "ayataka", "nama-cha", "meidai-cha")
PLACES = {
    "GRR": {"number": "3.3", "drawn": ("3.3", "3.4"), "experiment": 1},
    "OUE": {"number": "3.4", "drawn": ("3.5", "3.6"), "experiment": 2},
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run: true counts, counts in the reports, estimates with 95 % intervals."""

    truth: Integers
    reported: Integers
    estimated: Floats
    low: Floats
    high: Floats


def randomise(mechanism: FrequencyOracle, truth: tuple[int, ...], setting: Setting) -> Outcome:
    """Let every respondent randomise on its own, tally the reports, estimate the counts."""
    people = np.repeat(np.arange(len(truth)), truth)
    rng = setting.rng(f"histogram/{mechanism.name}/{truth}")
    counts = mechanism.aggregate(mechanism.perturb(people, rng=rng))
    estimate = mechanism.estimate(counts, target="respondents")
    low, high = estimate.interval(0.95)
    n = estimate.n
    return Outcome(np.array(truth), counts.support, estimate.counts, n * low, n * high)


def compute(kind: type[FrequencyOracle], setting: Setting) -> Facts:
    """Run one mechanism once on each histogram."""
    table = trousers()
    small, large = kind(len(TEAS), EPSILON), kind(len(table.counts), EPSILON)
    teas = {skew: randomise(small, truth, setting) for skew, truth in SKEWS.items()}
    models = randomise(large, table.counts, setting)
    columns = (column.tolist() for column in astuple(models))
    lower = kind.name.lower()
    return Facts.of(
        **PLACES[kind.name],
        name=kind.name,
        lower=lower,
        n=table.n,
        expected=table.n * math.sqrt(large.expected_mse(table.n, target="respondents")),
        got=math.sqrt(float(np.mean((models.estimated - models.truth) ** 2))),
        inside=int(((models.low <= models.truth) & (models.truth <= models.high)).sum()),
        tables={f"{lower}-dataset2": list(zip(table.categories, *columns, strict=True))},
        figures={
            f"{lower}-dataset1": partial(_draw_teas, teas, COLOURS[kind.name]),
            f"{lower}-dataset2": partial(_draw_models, models, COLOURS[kind.name]),
        },
    )


def _bars(axes: Axes, outcome: Outcome, label: Label, colour: str) -> None:
    place = np.arange(outcome.truth.size)
    ring: dict[str, Any] = {"markersize": 4.5, "markerfacecolor": "none"}
    axes.bar(place, outcome.truth, 0.8, color=PALE, label=label("true"))
    axes.plot(place, outcome.reported, "o", **ring, color=INK, label=label("reported"))
    middle, half = (outcome.low + outcome.high) / 2, (outcome.high - outcome.low) / 2
    # a count below 0 may lie outside its interval
    axes.errorbar(place, middle, half, fmt="none", elinewidth=1.1, capsize=2, ecolor=colour)
    axes.plot(place, outcome.estimated, "o", markersize=3.4, color=colour, label=label("estimate"))
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.grid(visible=False, axis="x")


def _draw_teas(outcomes: dict[str, Outcome], colour: str, canvas: Canvas, label: Label) -> None:
    grid = canvas.subplots(2, 2, sharex=True, sharey=True)
    for axes, (skew, outcome) in zip(grid.flat, outcomes.items(), strict=True):
        _bars(axes, outcome, label, colour)
        axes.set_title(label(skew))
        axes.set_xticks(range(len(TEAS)), [label(tea) for tea in TEAS], rotation=25, ha="right")
    for axes in grid[:, 0]:
        axes.set_ylabel(label("answers"))
    _legend(canvas, grid[0, 0])


def _draw_models(outcome: Outcome, colour: str, canvas: Canvas, label: Label) -> None:
    axes = canvas.subplots()
    _bars(axes, outcome, label, colour)
    axes.set_xticks(range(outcome.truth.size), trousers().categories, rotation=90)
    axes.set(xlim=(-0.7, outcome.truth.size - 0.3), xlabel=label("model"), ylabel=label("answers"))
    axes.yaxis.set_major_formatter("{x:,.0f}")
    _legend(canvas, axes)


def _legend(canvas: Canvas, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    order = np.argsort([not hasattr(handle, "patches") for handle in handles], kind="stable")
    shown = [handles[i] for i in order], [labels[i] for i in order]
    canvas.legend(*shown, loc="outside upper left", ncols=len(labels))
