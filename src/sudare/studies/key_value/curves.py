"""Figures and tables of errors against ε, for synthetic and for real data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sudare.studies.key_value.accuracy import Points
from sudare.studies.key_value.rules import Estimate
from sudare.studies.palette import (
    BLUE,
    GOLD,
    GREEN,
    GREY,
    INK,
    PURPLE,
    RED,
    Canvas,
    curve,
    legend_below,
)
from sudare.studies.study_text import Label, Row, Word

AT = (1.0, 4.0)
"""ε of the tables in the report."""

STYLES = {
    "PrivKV": (RED, "o"),
    "PrivKVM c=2": (GOLD, "^"),
    "PrivKVM c=3": (GREY, "v"),
    "EM 1e-4": (GREEN, "D"),
    "EM": (BLUE, "s"),
    "MLE": (BLUE, "s"),
    "MLE tight": ("#4a7fb5", "p"),
    "Bayes tight": (INK, "*"),
    "StateRR": (GOLD, "^"),
    "PCKV-UE": (GREY, "v"),
    "PCKV-GRR": (PURPLE, "X"),
}
"""Colour and mark of each method."""


def draw(points: Points, methods: Sequence[str], what: str, canvas: Canvas, label: Label) -> None:
    """Draw errors, ``"mean"`` or ``"clipped"`` (of frequencies), against ε."""
    panels = canvas.subplots(1, len(points.populations), sharey=True, squeeze=False)[0]
    for axes, population in zip(panels, points.populations, strict=True):
        for method in methods:
            errors = [points.error(population, e, method, what) for e in points.epsilons]
            curve(axes, points.epsilons, errors, *STYLES[method], label(method))
        axes.set(yscale="log", title=label(population.key, n=population.n), xlabel="ε")
    panels[0].set_ylabel(label(f"mse-{what}"))
    legend_below(canvas, 5 if len(methods) < 6 else 4)


def rows(points: Points, methods: Sequence[str]) -> list[Row]:
    """Return the errors at the ε of the tables."""
    columns = [(what, e) for what in ("mean", "clipped") for e in AT]
    return [
        (
            Word(p.key, {"n": p.n}),
            Word(method),
            *(points.error(p, e, method, what) for what, e in columns),
        )
        for p in points.populations
        for method in methods
    ]


def every_point(points: Points) -> list[Row]:
    """Return all points, for a file alone."""
    return [
        (
            p.population,
            p.n,
            p.epsilon,
            Word(p.method),
            p.mean.size,
            *(float(x.mean()) for x in (p.mean, p.mean[:10], p.rare, p.frequency, p.clipped)),
        )
        for p in points.all
    ]


def values(ratios: Iterable[Estimate]) -> list[float]:
    """Return ratios without their standard errors."""
    return [ratio.value for ratio in ratios]


def between(ratios: Iterable[Estimate]) -> str:
    """Return the least and the largest ratio."""
    found = values(ratios)
    return f"{min(found):.2f}–{max(found):.2f}"


def by_epsilon(ratios: Mapping[float, Sequence[Estimate]]) -> str:
    """Return the least and the largest ratio at each ε."""
    return "; ".join(f"{e:g}: {between(each)}" for e, each in ratios.items())


def both_sides(ratios: Mapping[float, Sequence[Estimate]]) -> dict[str, str]:
    """Return at which ε ratios of errors are clearly below 1, all, or above 1, any of them."""
    return {
        "better": scale(e for e, each in ratios.items() if all(ratio.below(1) for ratio in each)),
        "worse": scale(e for e, each in ratios.items() if any(ratio.above(1) for ratio in each)),
    }


def scale(epsilons: Iterable[float]) -> str:
    """Return the ε, or a dash for none."""
    return ", ".join(f"{e:g}" for e in epsilons) or "–"
