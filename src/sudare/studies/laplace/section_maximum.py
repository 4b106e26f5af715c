"""The maximum: Laplace noise drowns it; a quantile by the exponential mechanism does not."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from functools import partial

import numpy as np

from sudare.arrays import Integers
from sudare.exact.noise import discrete_laplace
from sudare.studies.laplace import exam
from sudare.studies.laplace.exam import DELTA, EPSILON, HIGH, LOW, RIGHT, WIDTH, N
from sudare.studies.laplace.quantiles import Quantile
from sudare.studies.laplace.setting import Grids
from sudare.studies.palette import BLUE, GOLD, GREEN, RED, Axes, Canvas, points
from sudare.studies.study_text import Facts, Label, Row, Word

SHARE = Fraction(99, 100)
SIZES = (100, 1_000, 10_000, N)
SHOWN = {1_000: (GOLD, "^"), 10_000: (GREEN, "s"), N: (BLUE, "o")}
Errors = Mapping[int, tuple[Integers, Integers]]
"""Number of people to errors of the quantile, as answered and by permute-and-flip."""
WIDE = 1_000
"""Another declared upper bound, ten times the real one."""


def enumerated(top: int, n: int = 3) -> int:
    """Return the largest change of the maximum of n scores 0..top by replacing one."""
    return max(
        abs(max(new, *rest) - max(old, *rest))
        for old, new, *rest in itertools.product(range(top + 1), repeat=n + 1)
    )


def quantile_errors(scores: Integers, n: int, setting: Grids) -> tuple[Integers, Integers]:
    """Return errors of the 99 % quantile of n scores, each asked at most 1,000 times.

    As ``Dataset.quantile`` answers, and by permute-and-flip.
    """
    trials = min(setting.repetitions, setting.quantiles)
    quantile = Quantile.of(scores[:n], SHARE, HIGH)
    held = exam.as_dataset(scores[:n], setting, f"quantile/{n}")
    drawn = [held.quantile("score", SHARE, epsilon=EPSILON).value for _ in range(trials)]
    rng = setting.rng(f"quantile/permute/{n}")
    flipped = quantile.draws(EPSILON, trials, rng, permute=True)
    return np.array(drawn, dtype=np.int64) - quantile.truth, flipped - quantile.truth


def compute(scores: Integers, setting: Grids) -> Facts:
    """Return errors of the maximum with Laplace noise, and of a high quantile."""
    noisy = discrete_laplace(setting.repetitions, RIGHT, setting.rng("maximum"))
    sizes = setting.progress(SIZES, len(SIZES), "quantiles")
    found = {n: quantile_errors(scores, n, setting) for n in sizes}
    quantile = Quantile.of(scores, SHARE, HIGH)
    return Facts.of(
        small=enumerated(1),
        large=enumerated(10) * WIDTH // 10,
        width=WIDTH,
        bound=exam.laplace_bound(RIGHT),
        outside=exam.beyond(WIDTH, RIGHT),
        error=quantile.bound(quantile.law(float(EPSILON)), DELTA),
        trials=found[N][0].size,
        tables={"maximum": _rows(scores, found, noisy)},
        figures={"maximum": partial(_draw, scores, noisy, found)},
    )


def _rows(scores: Integers, found: Errors, noisy: Integers) -> list[Row]:
    """Return errors by mechanism, people and declared bounds."""
    cases = [("quantile", HIGH, n, SHARE) for n in SIZES]
    cases += [("quantile", WIDE, N, SHARE), ("rank-n", WIDE, N, Fraction(1))]
    rows: list[Row] = []
    for name, top, n, share in cases:
        quantile = Quantile.of(scores[:n], share, top)
        law = quantile.law(float(EPSILON))
        drawn = [float(np.abs(e).mean()) for e in found[n]] if top == HIGH else [None, None]
        head = (Word(name, {"top": top}), n)
        rows.append((*head, quantile.bound(law, DELTA), quantile.error(law), *drawn))
    q = float(np.exp(-1 / float(RIGHT)))
    for top, scale in ((HIGH, 1.0), (WIDE, HIGH / WIDE)):
        expected = 2 * q**scale / (1 - q ** (2 * scale))
        drawn_mean = float(np.abs(noisy).mean()) if top == HIGH else None
        head = (Word("laplace", {"top": top}), N)
        rows.append((*head, exam.laplace_bound(top / EPSILON), expected, drawn_mean, None))
    return rows


def _draw(scores: Integers, noisy: Integers, found: Errors, canvas: Canvas, label: Label) -> None:
    left, right = canvas.subplots(1, 2)
    left.hist(noisy, bins=80, range=(-6000, 6000), color=RED, alpha=0.6)
    left.axvspan(LOW - HIGH, 0, color=BLUE, alpha=0.7, label=label("range"))
    for n, (colour, mark) in SHOWN.items():
        _quantile(right, Quantile.of(scores[:n], SHARE, HIGH), found[n][0], n, colour, mark)
    right.set(xlim=(-20, 4), yscale="log", ylim=(3e-4, 1.5))
    for axes, title, side in ((left, "noisy", "answers"), (right, "exponential", "share")):
        axes.set(title=label(title), xlabel=label("off"), ylabel=label(side))
        axes.legend(loc="best")


def _quantile(
    axes: Axes, quantile: Quantile, drawn: Integers, n: int, colour: str, mark: str
) -> None:
    errors = np.arange(HIGH + 1) - quantile.truth
    shares = np.bincount(drawn + quantile.truth, minlength=HIGH + 1) / drawn.size
    axes.plot(errors, quantile.law(float(EPSILON)), color=colour, linewidth=1.2)
    points(axes, errors, shares, colour, mark, f"n = {n:,}", size=4)
