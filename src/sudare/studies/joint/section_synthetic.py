"""Section 7.2 of the source, first part: synthetic data and Nursery, figures 4 and 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import hypot, prod
from typing import Any

import numpy as np

from sudare.arrays import Integers
from sudare.estimation.em import maximise
from sudare.mechanisms import JointRR
from sudare.studies.joint import methods, populations
from sudare.studies.joint.methods import METHODS, STYLES
from sudare.studies.joint.setting import Grids
from sudare.studies.joint.theory import CLOSED, expected
from sudare.studies.palette import INK, Axes, Canvas
from sudare.studies.repetitions import StandardError
from sudare.studies.study_text import Facts, Label

N, F = 1_000, 10
ATTRIBUTES = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class Point:
    """One method at one γ on one data set.

    Attributes:
        closed: expected MSE for these respondents; None where there is no closed form.
        simulated: mean MSE of the repetitions.
        scatter: relative standard error of that mean.
        guess: MSE of saying that all cells are equal, without asking anybody.
    """

    data: str
    sizes: tuple[int, ...]
    method: str
    gamma: int
    closed: float | None
    simulated: float
    scatter: StandardError
    repetitions: int
    guess: float


Points = Mapping[tuple[str, int, str, int], Point]


def measure(data: str, truth: Integers, gammas: Sequence[int], setting: Grids) -> list[Point]:
    """Simulate all methods at each γ."""
    sizes, n = truth.shape, int(truth.sum())
    guess = float(((truth / n - 1 / truth.size) ** 2).mean())
    jobs = [(method, gamma) for method in METHODS for gamma in gammas]
    points = []
    for method, gamma in setting.progress(jobs, len(jobs), f"{data}, D = {len(sizes)}"):
        rng = setting.rng(f"mse/{data}/{sizes}/{method}/{gamma}")
        often = methods.repetitions_for(method, truth.size, setting.repetitions)
        found = methods.errors(method, truth, gamma, often, rng, setting.maps)
        closed = expected(method, sizes, gamma, n, "respondents") if method in CLOSED else None
        mean, error = float(found.mean()), methods.scatter(found)
        points.append(Point(data, sizes, method, gamma, closed, mean, error, often, guess))
    return points


def converged(truth: Integers, gamma: int, setting: Grids) -> float:
    """Return the MSE of one reconstruction iterated until the likelihood is at its maximum."""
    m = JointRR(truth.shape, gamma=gamma)
    rng = setting.rng(f"converged/{truth.shape}/{gamma}")
    support = m.simulate(truth, rng=rng).support
    fit = maximise(m.channel, support, np.full(truth.shape, 1 / truth.size), gap=1.0)
    return float(((fit.shares - truth / truth.sum()) ** 2).mean())


def compute(setting: Grids) -> Facts:
    """Simulate the synthetic data and Nursery."""
    synthetic: list[Point] = []
    finished: list[float] = []
    ends = (setting.gammas[0], setting.gammas[-1])
    for d in ATTRIBUTES:
        for name in populations.NAMES:
            truth = populations.draw(name, (F,) * d, N, setting.rng(f"people/{name}/{d}"))
            synthetic += measure(name, truth, setting.gammas, setting)
            if name == "normal":
                finished += [converged(truth, gamma, setting) for gamma in ends]
    nursery = measure("Nursery", populations.nursery(), setting.gammas[1:], setting)
    by = {(p.data, len(p.sizes), p.method, p.gamma): p for p in synthetic}
    four, others = by["normal", 4, "Joint RR", 10], _others(by)
    both = [*synthetic, *nursery]
    simulated = [(p.simulated, p.closed, p.scatter) for p in both if p.closed is not None]
    return Facts.of(
        N=N,
        F=F,
        maps=setting.maps,
        below=_below([p for p in synthetic if p.data == "normal"]),
        steps=_steps(by, setting),
        nursery_below=_below(nursery),
        **_compared(by, ends, finished),
        others=others,
        apart=max(abs(a / b - 1) for a, b, _ in others),
        simulated=simulated,
        off=max(abs(a / b - 1) for a, b, _ in simulated),
        four=four.simulated,
        guess=four.guess,
        nursery=prod(populations.NURSERY),
        fewest=min(p.simulated for p in nursery if p.method == "Joint RR"),
        tables={"fig4": _rows(synthetic), "fig6": _rows(nursery)},
        figures={
            "fig4": partial(_draw_synthetic, synthetic),
            "fig6": partial(_draw_nursery, nursery),
        },
    )


def _compared(by: Points, ends: tuple[int, int], finished: Sequence[float]) -> dict[str, Any]:
    """Return Iterative over joint RR at the least γ and at the largest, and the converged ones."""
    at = [(d, g) for d in ATTRIBUTES for g in ends]
    joint = [by["normal", d, "Joint RR", g].simulated for d, g in at]
    ratios = [
        by["normal", d, "Iterative", g].simulated / b for (d, g), b in zip(at, joint, strict=True)
    ]
    last = [a / b for a, b in zip(finished, joint, strict=True)]
    return {"ratios": ratios, "least": ratios[::2], "largest": ratios[1::2], "last": last}


def _steps(by: Points, setting: Grids) -> list[tuple[float, float, StandardError]]:
    """Return the errors of the RR methods and of Iterative from each γ to the next."""
    return [
        (a.simulated, b.simulated, StandardError(hypot(a.scatter, b.scatter)))
        for d in ATTRIBUTES
        for method in ("Single-RR", "Iterative", "Joint RR")
        for a, b in pairwise([by["normal", d, method, g] for g in setting.gammas])
    ]


def _below(points: Sequence[Point]) -> float:
    """Return the part of the numbers of attributes and γ at which both are below all three."""
    good, bad = ("Iterative", "Joint RR"), ("Single-NS", "Multi-NS", "Single-RR")
    by = {(len(p.sizes), p.gamma, p.method): p.simulated for p in points}
    places = {(d, gamma) for d, gamma, _ in by}
    return sum(
        max(by[*place, one] for one in good) < min(by[*place, one] for one in bad)
        for place in places
    ) / len(places)


def _others(by: Points) -> list[tuple[float, float, float]]:
    """Return joint RR's error on other data, on the normal, and how both scatter."""
    return [
        (
            other.simulated,
            normal.simulated,
            StandardError(hypot(other.scatter, normal.scatter)),
        )
        for (data, d, method, g), other in by.items()
        if data != "normal" and method == "Joint RR"
        for normal in [by["normal", d, method, g]]
    ]


def _rows(points: Sequence[Point]) -> list[tuple[str | float | None, ...]]:
    return [
        (p.data, len(p.sizes), p.method, p.gamma, p.closed, p.simulated, p.repetitions, p.guess)
        for p in points
    ]


def _lines(axes: Axes, points: Sequence[Point]) -> None:
    for method, (colour, mark) in STYLES.items():
        mine = [p for p in points if p.method == method]
        gammas, simulated = [p.gamma for p in mine], [p.simulated for p in mine]
        style: dict[str, Any] = {"color": colour, "marker": mark, "markersize": 4.5}
        dash = "" if method in CLOSED else "--"
        axes.plot(gammas, simulated, dash, label=method, **style)
        if method in CLOSED:
            axes.plot(gammas, [p.closed or 0.0 for p in mine], color=colour, linewidth=1.1)
    axes.set(yscale="log", xlabel="γ")


def _draw_synthetic(points: Sequence[Point], canvas: Canvas, label: Label) -> None:
    for axes, d in zip(canvas.subplots(1, len(ATTRIBUTES)), ATTRIBUTES, strict=True):
        mine = [p for p in points if p.data == "normal" and len(p.sizes) == d]
        _lines(axes, mine)
        axes.axhline(mine[0].guess, color=INK, linestyle=":", linewidth=1.1, label=label("equal"))
        axes.set_title(f"D = {d}")
        if d == ATTRIBUTES[0]:
            axes.set_ylabel("MSE")
    canvas.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=6)


def _draw_nursery(points: Sequence[Point], canvas: Canvas, label: Label) -> None:
    axes = canvas.subplots()
    _lines(axes, points)
    axes.set_ylabel("MSE")
    canvas.legend(*axes.get_legend_handles_labels(), loc="outside right center")
