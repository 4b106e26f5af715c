"""The source's first two questions: is EM more accurate, and at which ε?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sudare.studies.key_value import curves
from sudare.studies.key_value.accuracy import Points, everywhere
from sudare.studies.key_value.curves import AT, STYLES, between, draw, values
from sudare.studies.key_value.populations import N, synthetic, worst
from sudare.studies.key_value.rules import TOLD, Estimate
from sudare.studies.key_value.schemes import FEW
from sudare.studies.key_value.setting import Grids
from sudare.studies.palette import Canvas, curve, legend_below
from sudare.studies.study_text import Facts, Label

COMPARED = ("PrivKV", "PrivKVM c=2", "PrivKVM c=3", "EM 1e-4", "EM")
"""What the source compares."""
ROUNDS = ("PrivKVM c=2", "PrivKVM c=3")
BY_PEOPLE = ("PrivKV", "PrivKVM c=2", "EM 1e-4", "EM", "MLE tight", "PCKV-GRR")
CONTROL = (0.5, 1.0, 2.0, 4.0)
LARGE = 2.0
"""The ε from which synthetic data speak for EM."""


def run(setting: Grids) -> tuple[Points, Points, Points]:
    """Simulate Gaussian, power law and linear; other numbers of people; and the control."""
    populations, control = synthetic(), [(worst(), N)]
    return (
        everywhere([(p, N) for p in populations], setting.epsilons, setting, "synthetic data"),
        everywhere([(populations[0], n) for n in setting.people], AT, setting, "numbers of people"),
        everywhere(control, CONTROL, setting, "control", ("PrivKV", "MLE")),
    )


def compute(points: Points, people: Points, control: Points) -> Facts:
    """Return what the source compares: synthetic data, numbers of people, all means 0."""
    lost = control.over("MLE", "PrivKV")
    return Facts.of(
        **TOLD,
        few=FEW,
        at=AT,
        **_means(points),
        **_frequencies(points),
        **_by_epsilon(points),
        **_sizes(people),
        control=[(e, ratio.value) for e, (ratio,) in lost.items()],
        control_span=between(flat(lost)),
        **_answers(points),
        tables={
            "control": [
                (e, *(control.error(worst(), e, m, "mean") for m in ("PrivKV", "MLE")), ratio.value)
                for e, (ratio,) in lost.items()
            ],
            "accuracy": curves.every_point(points),
            "people": curves.every_point(people),
        },
        figures={
            "mse-mean": partial(draw, points, COMPARED, "mean"),
            "mse-frequency": partial(draw, points, COMPARED, "clipped"),
            "people": partial(_draw_people, people),
        },
    )


def flat(ratios: Mapping[float, Sequence[Estimate]]) -> list[Estimate]:
    """Return the ratios of all ε."""
    return [ratio for each in ratios.values() for ratio in each]


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
    raw, clipped = (flat(points.over("EM", "PrivKV", what)) for what in ("frequency", "clipped"))
    spans = {"raw_span": between(raw), "clipped_span": between(clipped)}
    return {"raw": raw, "clipped": clipped, **spans}


def _by_epsilon(points: Points) -> dict[str, Any]:
    """Return means of EM, converged and stopped early, and of PrivKVM, over PrivKV's."""
    whole, half, *rounds = (points.over(method, "PrivKV") for method in ("EM", "EM 1e-4", *ROUNDS))
    best = {
        e: [min(both, key=lambda ratio: ratio.value) for both in zip(*each, strict=True)]
        for e, each in ((e, [one[e] for one in rounds]) for e in points.epsilons)
    }
    first = points.epsilons[0]
    return {
        "whole": curves.by_epsilon(whole),
        "half": curves.by_epsilon(half),
        "whole_sides": curves.both_sides(whole),
        "every": flat(whole),
        "early": half[first][0].value,
        "late": whole[first][0].value,
        "best": curves.by_epsilon(best),
        "best_sides": curves.both_sides(best),
        "rounds": flat(best),
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
        "size_ratios": flat(by),
    }


def _answers(points: Points) -> dict[str, Any]:
    """Return what the findings tell of synthetic data."""
    large = {
        method: [one for e, each in points.over("EM", method).items() if e >= LARGE for one in each]
        for method in ("PrivKV", "PrivKVM c=2")
    }
    whole = points.over("EM", "PrivKV")
    return {
        "large": LARGE,
        "large_spans": [between(each) for each in large.values()],
        "spans": [(e, between(whole[e])) for e in (0.5, 1.0, max(whole))],
        "smallest": min(whole),
    }


def _draw_people(people: Points, canvas: Canvas, label: Label) -> None:
    (population,) = people.populations
    for axes, epsilon in zip(canvas.subplots(1, len(AT)), AT, strict=True):
        for method in BY_PEOPLE:
            found = [people.of(population, epsilon, method, n) for n in people.sizes]
            errors = [float(point.mean.mean()) for point in found]
            curve(axes, people.sizes, errors, *STYLES[method], label(method))
        axes.set(xscale="log", yscale="log", title=f"ε = {epsilon:g}")
        axes.set(xlabel=label("people"), ylabel=label("mse-mean"))
    legend_below(canvas, 3)
