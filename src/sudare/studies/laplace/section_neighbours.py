"""Replace-one against add-remove: what the two neighbouring relations cost the mean."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.exact.noise import discrete_laplace
from sudare.studies.laplace.exam import DELTA, EPSILON, HIGH, LOW, RIGHT, WIDTH, N, laplace_bound
from sudare.studies.parts import Setting
from sudare.studies.study_text import Facts, Word

TINY = 4
"""Scores 0..TINY of the enumerated data sets."""
SIZES = (2, 3, 4)
FOR_COUNT = Fraction(1, 10)
"""Share of ε that the secret count takes."""
FOR_SUM = EPSILON * (1 - FOR_COUNT)


def changes(n: int, top: int = TINY, low: int = 0) -> tuple[Fraction, Fraction]:
    """Return the largest change of the mean by replacing one of n scores, and by removing one.

    By enumeration of all data sets of n scores low..top.
    """
    replaced = removed = Fraction(0)
    for data in itertools.product(range(low, top + 1), repeat=n):
        mean = Fraction(sum(data), n)
        removed = max(removed, abs(mean - Fraction(sum(data[1:]), n - 1)))
        for new in range(low, top + 1):
            replaced = max(replaced, abs(Fraction(new - data[0], n)))
    return replaced, removed


def answers(total: int, setting: Setting) -> dict[str, Floats]:
    """Return the errors of means answered in three ways, as often as there are repetitions.

    ``replaced``: n public, sensitivity 100. ``removed``: n secret, sum with sensitivity 100 and a
    count. ``centred``: the same, scores counted from 50, sensitivity 50.
    """
    trials, mean = setting.repetitions, total / N
    rng = setting.rng("neighbours")
    counts = N + discrete_laplace(trials, 1 / (EPSILON * FOR_COUNT), rng)
    plain = total + discrete_laplace(trials, HIGH / FOR_SUM, rng)
    middle = (LOW + HIGH) // 2
    around = total - middle * N + discrete_laplace(trials, WIDTH // 2 / FOR_SUM, rng)
    return {
        "replaced": discrete_laplace(trials, RIGHT, rng) / N,
        "removed": plain / counts - mean,
        "centred": middle + around / counts - mean,
    }


def half_width(errors: Floats) -> float:
    """Return what 95 % of the errors stay within."""
    return float(np.quantile(np.abs(errors), 1 - DELTA))


def compute(scores: Integers, setting: Setting) -> Facts:
    """Return the sensitivities, enumerated, and errors at ε = 0.1 under both relations."""
    told = {n: changes(n) for n in SIZES}
    replaced = [told[n][0] / TINY for n in SIZES]
    found = answers(int(scores.sum()), setting)
    widths = {"replaced": WIDTH, "removed": HIGH, "centred": WIDTH // 2}
    scales = {name: width / FOR_SUM for name, width in widths.items()} | {"replaced": RIGHT}
    rows = [
        (Word(name), width, float(WIDTH / scale), half_width(found[name]), laplace_bound(scale) / N)
        for (name, width), scale in zip(widths.items(), scales.values(), strict=True)
    ]
    return Facts.of(
        listed=", ".join(f"{float(x):.2f}" for x in replaced),
        sizes=", ".join(map(str, SIZES)),
        exact=all(x * n == 1 for x, n in zip(replaced, SIZES, strict=True)),
        removed=float(max(told[n][1] for n in SIZES) / TINY),
        largest=SIZES[-1],
        trials=setting.repetitions,
        tables={"neighbours": rows},
    )
