"""The source's first two questions: is EM more accurate, and at which ε?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from sudare.studies.book import Facts, Label
from sudare.studies.key_value.accuracy import Points, measure
from sudare.studies.key_value.curves import (
    AT,
    between,
    both_sides,
    by_epsilon,
    draw,
    every_point,
    values,
)
from sudare.studies.key_value.palette import line
from sudare.studies.key_value.populations import N, synthetic, worst
from sudare.studies.key_value.rules import TOLD
from sudare.studies.key_value.schemes import FEW
from sudare.studies.key_value.setting import Grids
from sudare.studies.palette import legend_below

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

COMPARED = ("PrivKV", "PrivKVM c=2", "PrivKVM c=3", "EM 1e-4", "EM")
"""What the source compares."""
ROUNDS = ("PrivKVM c=2", "PrivKVM c=3")
BY_PEOPLE = ("PrivKV", "PrivKVM c=2", "EM 1e-4", "EM", "MLE tight", "PCKV-GRR")
CONTROL = (0.5, 1.0, 2.0, 4.0)
LARGE = 2.0
"""The ε from which synthetic data speak for EM."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Synthetic data.

    Attributes:
        points: Gaussian, power law, linear; n = 1e5 at all ε.
        people: the Gaussian with other numbers of people.
        control: all means 0, PrivKV and MLE.
    """

    points: Points
    people: Points
    control: Points


def run(setting: Grids) -> Outcome:
    """Simulate everything."""
    populations = synthetic()
    jobs = [(population, epsilon) for population in populations for epsilon in setting.epsilons]
    points = [
        point
        for population, epsilon in setting.progress(jobs, len(jobs), "synthetic data")
        for point in measure(population, N, epsilon, setting)
    ]
    sizes = [(n, epsilon) for n in setting.people for epsilon in AT]
    people = [
        point
        for n, epsilon in setting.progress(sizes, len(sizes), "numbers of people")
        for point in measure(populations[0], n, epsilon, setting)
    ]
    control = [
        point
        for epsilon in CONTROL
        for point in measure(worst(), N, epsilon, setting, ("PrivKV", "MLE"))
    ]
    return Outcome(
        Points(populations, points), Points(populations[:1], people), Points([worst()], control)
    )


def compute(found: Outcome) -> Facts:
    """Return what the source compares."""
    points = found.points
    control = [(e, ratio.value) for e, (ratio,) in found.control.over("MLE", "PrivKV").items()]
    return Facts(
        {
            **TOLD,
            "few": FEW,
            "at": AT,
            **_means(points),
            **_frequencies(points),
            **_by_epsilon(points),
            **_sizes(found.people),
            "control": control,
            **_answers(found),
        },
        tables={
            "control": [
                (e, *(found.control.error(worst(), e, m, "mean") for m in ("PrivKV", "MLE")), r)
                for e, r in control
            ],
            "accuracy": every_point(points),
            "people": every_point(found.people),
        },
        figures={
            "mse-mean": partial(draw, points, COMPARED, "mean"),
            "mse-frequency": partial(draw, points, COMPARED, "clipped"),
            "people": partial(_draw_people, found.people),
        },
    )


def _means(points: Points) -> dict[str, Any]:
    """Return EM's errors of means, of all keys and of rare ones, at ε = 4."""
    bases = ("PrivKV", *ROUNDS)
    ratios = [[points.over("EM", base, what)[4.0] for base in bases] for what in ("mean", "rare")]
    told = [
        [max(values(each)) for each in zip(*some, strict=True)]
        for each in ratios
        for some in (each[:1], each[1:])
    ]
    return {"told": told, "four": [one for each in ratios for some in each for one in some]}


def _frequencies(points: Points) -> dict[str, Any]:
    over = {what: points.over("EM", "PrivKV", what) for what in ("frequency", "clipped")}
    raw, clipped = ([one for each in found.values() for one in each] for found in over.values())
    return {
        "raw": raw,
        "clipped": clipped,
        "raw_span": between(raw),
        "clipped_span": between(clipped),
    }


def _by_epsilon(points: Points) -> dict[str, Any]:
    """Return means of EM, converged and stopped early, and of PrivKVM, over PrivKV's."""
    whole, half, *rounds = (points.over(method, "PrivKV") for method in ("EM", "EM 1e-4", *ROUNDS))
    best = {
        e: [min(both, key=lambda ratio: ratio.value) for both in zip(*each, strict=True)]
        for e, each in ((e, [one[e] for one in rounds]) for e in points.epsilons)
    }
    first = points.epsilons[0]
    return {
        "whole": by_epsilon(whole),
        "half": by_epsilon(half),
        "whole_sides": both_sides(whole),
        "every": [one for each in whole.values() for one in each],
        "early": half[first][0].value,
        "late": whole[first][0].value,
        "best": by_epsilon(best),
        "best_sides": both_sides(best),
        "rounds": [one for each in best.values() for one in each],
    }


def _sizes(people: Points) -> dict[str, Any]:
    """Return EM's errors of means over PrivKV's, by ε and number of people."""
    (population,) = people.populations
    by = {
        e: [people.compared(population, e, "EM", "PrivKV", n=n) for n in people.sizes] for e in AT
    }
    return {
        "sizes": people.sizes,
        "by_size": [(e, values(each)) for e, each in by.items()],
        "size_ratios": [one for each in by.values() for one in each],
    }


def _answers(found: Outcome) -> dict[str, Any]:
    """Return what the findings tell of synthetic data."""
    points = found.points
    large = {
        method: [one for e, each in points.over("EM", method).items() if e >= LARGE for one in each]
        for method in ("PrivKV", "PrivKVM c=2")
    }
    whole = points.over("EM", "PrivKV")
    (control,) = zip(*found.control.over("MLE", "PrivKV").values(), strict=True)
    return {
        "large": LARGE,
        "large_spans": [between(each) for each in large.values()],
        "spans": [(e, between(whole[e])) for e in (0.5, 1.0, max(whole))],
        "smallest": min(whole),
        "control_span": between(control),
    }


def _draw_people(people: Points, canvas: Canvas, label: Label) -> None:
    (population,) = people.populations
    for axes, epsilon in zip(canvas.subplots(1, len(AT)), AT, strict=True):
        for method in BY_PEOPLE:
            found = [people.of(population, epsilon, method, n) for n in people.sizes]
            line(axes, label, method, people.sizes, [float(point.mean.mean()) for point in found])
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(f"ε = {epsilon:g}")
        axes.set_xlabel(label("people"))
        axes.set_ylabel(label("mse-mean"))
    legend_below(canvas, 3)
