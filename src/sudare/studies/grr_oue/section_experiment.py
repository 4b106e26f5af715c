"""Section 3.5 of the source: experiment 3, error against ε."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, product
from typing import Any

import numpy as np

from sudare.data import trousers
from sudare.mechanisms import GRR, OUE, SUE, FrequencyOracle
from sudare.studies.grr_oue import small
from sudare.studies.grr_oue.palette import COLOURS, MARKS
from sudare.studies.grr_oue.repairs import simulated_shares
from sudare.studies.grr_oue.setting import Grids
from sudare.studies.grr_oue.theory import exact_crossing, rule_of_thumb
from sudare.studies.palette import INK, Canvas, log_ticks
from sudare.studies.parts import Setting
from sudare.studies.study_text import Facts, Label

MECHANISMS: tuple[type[FrequencyOracle], ...] = (GRR, OUE, SUE)
TICKS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5)
"""Of ε on a logarithmic axis."""
_HOLLOW: dict[str, Any] = {"markerfacecolor": "none", "markersize": 5}


@dataclass(frozen=True, slots=True)
class Point:
    """One mechanism at one ε on one histogram: exact and simulated error of the shares."""

    data: str
    mechanism: str
    epsilon: float
    exact: float
    simulated: float
    stderr: float

    @property
    def ratio(self) -> float:
        """Simulated over exact error."""
        return self.simulated / self.exact


def measure(
    data: str, truth: Sequence[int], epsilons: Sequence[float], setting: Setting
) -> list[Point]:
    """Repeat perturbing and estimating by the exact law of the tally; compare the errors."""
    counts = np.array(truth)
    n, k = int(counts.sum()), counts.size
    jobs = list(product(MECHANISMS, epsilons))
    points = []
    for kind, epsilon in setting.progress(jobs, len(jobs), f"experiment 3, {data}"):
        mechanism = kind(k, epsilon)
        rng = setting.rng(f"experiment-3/{data}/{kind.name}/{epsilon}")
        estimated = simulated_shares(mechanism, counts, setting.repetitions, rng)
        errors = ((estimated - counts / n) ** 2).mean(axis=1)
        exact = mechanism.expected_mse(n, target="respondents")
        stderr = float(errors.std(ddof=1) / math.sqrt(errors.size))
        points.append(Point(data, kind.name, epsilon, exact, float(errors.mean()), stderr))
    return points


def run(setting: Grids) -> tuple[list[Point], list[Point]]:
    """Return the points of Dataset2, and those of Dataset1's stand-ins."""
    large = measure("Dataset2", trousers().counts, setting.large, setting)
    skews = small.SKEWS.items()
    tiny = (measure(f"Dataset1 {skew}", truth, setting.tiny, setting) for skew, truth in skews)
    return large, list(chain.from_iterable(tiny))


def compute(large: list[Point], tiny: list[Point], setting: Grids) -> Facts:
    """Return the points as tables and pictures."""
    by = {(p.mechanism, p.epsilon): p for p in large}
    names = [kind.name for kind in MECHANISMS]
    return Facts.of(
        often=setting.repetitions,
        worst=max(abs(p.ratio - 1) for p in large),
        tables={
            "mse-dataset2": [
                (
                    e,
                    *(getattr(by[name, e], what) for what in ("exact", "ratio") for name in names),
                    "GRR" if by["GRR", e].exact < by["OUE", e].exact else "OUE",
                )
                for e in setting.large
            ],
            "experiment-3": [
                (p.data, p.mechanism, p.epsilon, p.exact, p.simulated, p.stderr, p.ratio)
                for p in [*large, *tiny]
            ],
        },
        figures={
            "mse-dataset2": partial(_draw_large, large),
            "mse-dataset1": partial(_draw_tiny, tiny),
        },
    )


def _draw_large(points: list[Point], canvas: Canvas, label: Label) -> None:
    upper, lower = canvas.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    for name, colour in COLOURS.items():
        mine = [p for p in points if p.mechanism == name]
        epsilons = [p.epsilon for p in mine]
        style: dict[str, Any] = {"color": colour, "marker": MARKS[name], "markersize": 4.5}
        upper.plot(epsilons, [p.exact for p in mine], color=colour, linewidth=1.2)
        upper.plot(epsilons, [p.simulated for p in mine], linestyle="", label=name, **style)
        lower.plot(epsilons, [p.ratio for p in mine], linestyle="", **style)
    places = (rule_of_thumb(43), ":", "by-rule"), (exact_crossing(43), "--", "crossing")
    for place, dash, key in places:
        upper.axvline(place, color=INK, linestyle=dash, linewidth=1, label=label(key, at=place))
    upper.set(yscale="log", ylabel=label("mse"))
    upper.legend(loc="best")
    lower.axhspan(0.95, 1.05, color="#ece8de")
    lower.axhline(1, color=INK, linewidth=0.8)
    lower.set(ylim=(0.88, 1.12), xlabel="ε", ylabel=label("ratio"))


def _draw_tiny(points: list[Point], canvas: Canvas, label: Label) -> None:
    axes = canvas.subplots()
    for name, dash in (("GRR", "-"), ("OUE", "--")):
        exact = sorted({(p.epsilon, p.exact) for p in points if p.mechanism == name})
        style: dict[str, Any] = {"color": COLOURS[name], "linestyle": dash}
        axes.plot(*zip(*exact, strict=True), **style, label=label("exact", name=name))
    for skew, shape in zip(small.SKEWS, "os^D", strict=True):
        axes.plot([], [], shape, **_HOLLOW, color=INK, label=label(skew))
        for name in ("GRR", "OUE"):
            mine = [p for p in points if (p.data, p.mechanism) == (f"Dataset1 {skew}", name)]
            found = [p.epsilon for p in mine], [p.simulated for p in mine]
            axes.plot(*found, shape, **_HOLLOW, color=COLOURS[name])
    log_ticks(axes, TICKS)
    axes.set(xlim=(0.09, 5.6), yscale="log", xlabel="ε", ylabel=label("mse"))
    axes.legend(loc="best")
