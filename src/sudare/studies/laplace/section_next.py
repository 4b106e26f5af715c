"""The source's next steps: Gaussian and exponential mechanisms beside Laplace."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import partial

import numpy as np

from sudare.arrays import Integers
from sudare.exact.noise import discrete_gaussian, discrete_laplace
from sudare.studies.laplace import exam
from sudare.studies.laplace.exam import DELTA, EPSILON, HIGH, RIGHT, WIDTH, N
from sudare.studies.laplace.palette import edges, histogram
from sudare.studies.laplace.quantiles import Quantile, largest_ratio
from sudare.studies.laplace.section_maximum import SHARE
from sudare.studies.laplace.setting import Grids
from sudare.studies.palette import BLUE, GOLD, GREEN, GREY, INK, RED, Axes, Canvas, curve
from sudare.studies.study_text import Facts, Label, Row, Word

SMALL_DELTA = 1e-6
"""The δ of (ε, δ): far below 1/n, unlike the δ of the error bound."""
PEOPLE = 1_000
"""Whose quantiles are answered: enough errors to be seen."""
MEDIAN = Fraction(1, 2)
EPSILONS = tuple(Fraction(e) for e in ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"))
TOTAL = Fraction(1)
"""The ε shared by many answers."""
MANY = (1, 2, 5, 7, 8, 10, 20, 50, 100, 200, 500, 1000)
STYLE = {"laplace": (BLUE, "o"), "rho": (GOLD, "s"), "approximate": (RED, "^")}


def variance(rho: Fraction) -> Fraction:
    """Return the variance ``sensitivity^2 / (2 ρ)`` of Gaussian noise on the sum."""
    return WIDTH**2 / (2 * rho)


def rhos(epsilon: Fraction) -> dict[str, Fraction]:
    """Return the ρ of the two Gaussians: what Laplace costs in ρ, and what (ε, δ) allows."""
    return {"rho": epsilon**2 / 2, "approximate": exam.gaussian_rho(epsilon, SMALL_DELTA)}


def bounds(epsilon: Fraction) -> dict[str, int]:
    """Return the bounds at 95 % of the three mechanisms on the sum."""
    gaussian = {name: exam.gaussian_bound(variance(rho)) for name, rho in rhos(epsilon).items()}
    return {"laplace": exam.laplace_bound(WIDTH / epsilon), **gaussian}


def shared(answers: int) -> tuple[float, float]:
    """Return the bounds at 95 % of each of many answers that share ε = 1: Laplace, Gaussian.

    ε adds up for Laplace noise, ρ for Gaussian noise; in points of the sum.
    """
    rho = exam.gaussian_rho(TOTAL, SMALL_DELTA) / answers
    laplace = float(WIDTH * answers / TOTAL) * math.log(1 / DELTA)
    return laplace, 1.959964 * math.sqrt(variance(rho))


def first_better() -> int:
    """Return from how many answers on the Gaussian bound is the smaller one."""
    return next(k for k in range(1, 10_000) if shared(k)[1] < shared(k)[0])


def compute(scores: Integers, setting: Grids) -> Facts:
    """Draw each mechanism's errors as often as there are repetitions; ask at most 1,000 medians."""
    trials = setting.repetitions
    errors = {"laplace": discrete_laplace(trials, RIGHT, setting.rng("next/laplace"))}
    for name, rho in rhos(EPSILON).items():
        errors[name] = discrete_gaussian(trials, variance(rho), setting.rng(f"next/{name}"))
    small = scores[:PEOPLE]
    median = Quantile.of(small, MEDIAN, HIGH)
    held, count = exam.as_dataset(small, setting, "next/median"), min(trials, setting.quantiles)
    asked = [held.median("score", epsilon=EPSILON).value for _ in range(count)]
    medians = np.array(asked, dtype=np.int64) - median.truth
    once, from_here = bounds(EPSILON), first_better()
    rows = [_row(name, drawn, once[name]) for name, drawn in errors.items()]
    return Facts.of(
        total=float(TOTAL),
        from_here=from_here,
        behind=from_here - 1,
        once=once,
        real=exam.gaussian_epsilon(EPSILON**2 / 2, SMALL_DELTA),
        ratio=largest_ratio(Quantile.of(scores, SHARE, HIGH), float(EPSILON)),
        tables={"mechanisms": [*rows, _median_row(median, medians)]},
        figures={
            "errors": partial(_draw_errors, errors, median, medians),
            "accuracy": partial(_draw_accuracy, small),
            "answers": partial(_draw_answers, from_here),
        },
    )


def _row(name: str, errors: Integers, bound: int) -> Row:
    pure = name == "laplace"
    rho = rhos(EPSILON).get(name, EPSILON**2 / 2)
    deviation = math.sqrt(2) * float(RIGHT) if pure else math.sqrt(variance(rho))
    return (
        Word(name),
        float(EPSILON) if pure else None,
        float(rho),
        min(exam.gaussian_epsilon(rho, SMALL_DELTA), float(EPSILON) if pure else math.inf),
        deviation / N,
        float(errors.std()) / N,
        bound / N,
        float((np.abs(errors) <= bound).mean()),
    )


def _median_row(median: Quantile, drawn: Integers) -> Row:
    law = median.law(float(EPSILON))
    away, bound = np.arange(HIGH + 1) - median.truth, median.bound(law, DELTA)
    return (
        Word("exponential"),
        float(EPSILON),
        float(EPSILON**2 / 2),
        float(EPSILON),
        float(np.sqrt(law @ away**2)),
        float(np.sqrt((drawn**2).mean())),
        float(bound),
        float((np.abs(drawn) <= bound).mean()),
    )


def _draw_errors(
    errors: Mapping[str, Integers],
    median: Quantile,
    medians: Integers,
    canvas: Canvas,
    label: Label,
) -> None:
    panels, once = canvas.subplots(2, 2).ravel(), bounds(EPSILON)
    steps = np.arange(-20_000, 20_001)
    for axes, (name, drawn) in zip(panels[:3], errors.items(), strict=True):
        rho = rhos(EPSILON).get(name)
        law = exam.gaussian_law(steps, variance(rho)) if rho else exam.laplace_law(steps, RIGHT)
        seen = np.abs(steps) <= (20_000 if name == "approximate" else 9_000)
        shape = (steps[seen] / N, law[seen] * N)
        histogram(axes, label, drawn / N, shape, once[name] / N, STYLE[name][0])
        axes.set_title(label(name))
        axes.locator_params(axis="x", nbins=5)
    _draw_medians(median, medians, panels[3], label)
    panels[0].legend(loc="upper right", fontsize=8, handlelength=1.2)


def _draw_medians(median: Quantile, medians: Integers, axes: Axes, label: Label) -> None:
    law = median.law(float(EPSILON))
    away = np.arange(HIGH + 1) - median.truth
    drawn = np.bincount(medians + median.truth, minlength=HIGH + 1)
    seen = np.abs(away) <= 15
    axes.bar(away[seen], drawn[seen] / drawn.sum(), color=GREEN, alpha=0.35)
    axes.plot(away[seen], law[seen], color=GREEN, linewidth=1.4, marker=".", markersize=4)
    edges(axes, median.bound(law, DELTA))
    axes.set(yticks=[], title=label("median-exponential"), xlabel=label("off-median"))


def _draw_accuracy(small: Integers, canvas: Canvas, label: Label) -> None:
    left, right = canvas.subplots(1, 2)
    x = [float(e) for e in EPSILONS]
    each = [bounds(e) for e in EPSILONS]
    for name, (colour, mark) in STYLE.items():
        curve(left, x, [one[name] / N for one in each], colour, mark, label(name))
    shares = ("median", MEDIAN, GREEN, "o"), ("quantile", SHARE, GOLD, "s")
    for name, share, colour, mark in shares:
        quantile = Quantile.of(small, share, HIGH)
        errors = np.array([quantile.error(quantile.law(e)) for e in x])
        curve(right, x, np.maximum(errors, 1e-4), colour, mark, label(name))
    curve(right, x, [float(WIDTH / e) for e in EPSILONS], GREY, "v", label("sensitivity"))
    right.axhline(WIDTH, color=INK, linestyle="--", linewidth=0.9)
    for axes, title, side in ((left, "mean", "bound"), (right, "quantiles", "expected")):
        axes.set(title=label(title), xscale="log", yscale="log", xlabel="ε", ylabel=label(side))
        axes.legend(loc="best", fontsize=8.5)


def _draw_answers(from_here: int, canvas: Canvas, label: Label) -> None:
    axes = canvas.subplots()
    found = [shared(k) for k in MANY]
    for i, name in enumerate(("laplace", "approximate")):
        curve(axes, MANY, [one[i] / N for one in found], *STYLE[name], label(f"line-{name}"))
    axes.axvline(from_here, color=INK, linestyle="--", linewidth=0.9)
    axes.set(xscale="log", yscale="log", xlabel=label("answers"), ylabel=label("bound"))
    axes.legend(loc="best")
