"""Why floats are not enough: answers that only one of two neighbours can give.

A uniform number of so many bits goes through the inverse of the distribution function, as
``VGAM::rlaplace`` does it: there are only as many noises as uniform numbers, and which floats
``truth + noise`` can be depends on the truth (Mironov 2012).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.arrays import Booleans, Floats, Integers
from sudare.exact.noise import discrete_laplace
from sudare.studies.laplace.exam import EPSILON, HIGH, LOW, RIGHT, N
from sudare.studies.laplace.setting import Grids
from sudare.studies.parts import Setting
from sudare.studies.study_text import Facts, Word

CASES = {"mean": "mean, 32 bits", "count": "count, 53 bits"}
_AROUND = 8


def noise(words: Integers, bits: int, scale: float) -> Floats:
    """Return Laplace noise from uniform numbers ``words / 2^bits``, words not 0.

    Examples:
        >>> noise(np.array([1, 2, 3]), 2, 1.0).round(4).tolist()
        [-0.6931, -0.0, 0.6931]
    """
    u = words * 2.0**-bits
    with np.errstate(divide="ignore"):
        logs = np.log(2.0) + np.where(u < 0.5, np.log(u), np.log1p(-u))
    out: Floats = -np.sign(u - 0.5) * scale * logs
    return out


def possible(answers: Floats, truth: float, bits: int, scale: float) -> Booleans:
    """Tell for each answer whether the truth and some noise add up to it, bit for bit.

    The uniform numbers around the one that the answer comes from are tried.

    Examples:
        >>> given = 50.0 + noise(np.arange(1, 1 << 10), 10, 1.0)
        >>> bool(possible(given, 50.0, 10, 1.0).all())
        True
    """
    away = (answers - truth) / scale
    u = np.where(away < 0, 0.5 * np.exp(np.minimum(away, 0)), 1 - 0.5 * np.exp(-np.abs(away)))
    guess = np.rint(u * 2.0**bits).astype(np.int64)
    found = np.zeros(answers.size, dtype=np.bool_)
    for step in range(-_AROUND, _AROUND + 1):
        words = np.clip(guess + step, 1, (1 << bits) - 1)
        found |= truth + noise(words, bits, scale) == answers
    return found


def given(
    case: str, truth: float, bits: int, scale: float, trials: int, setting: Setting
) -> Floats:
    """Return answers with noise in floats."""
    generator = setting.rng(f"floats/{CASES[case]}").generator()
    return truth + noise(generator.integers(1, 1 << bits, trials), bits, scale)


def compute(scores: Integers, setting: Grids) -> Facts:
    """Answer with floats and with whole numbers, under one data set and held against a neighbour.

    That the data set itself can give its answers is a check of the test.
    """
    trials = min(setting.repetitions, setting.floats)
    total = int(scores.sum())
    other = total - int(scores[0]) + (HIGH if 2 * scores[0] < LOW + HIGH else LOW)
    truths = {"mean": (total / N, other / N, 32, float(RIGHT) / N), "count": (0.0, 1.0, 53, 10.0)}
    rows: list[tuple[Word | float | None, ...]] = []
    facts: dict[str, Any] = {}
    for case, (truth, neighbour, bits, scale) in truths.items():
        answers = given(case, truth, bits, scale, trials, setting)
        there = possible(answers, neighbour, bits, scale)
        shares = [float((~one).mean()) for one in (there, possible(answers, truth, bits, scale))]
        rows.append((Word(case), bits, *shares))
        if case == "mean":
            answer = float(answers[np.argmin(there)])
            facts = {"share": shares[0], "answer": answer, "truth": truth, "neighbour": neighbour}
    steps = discrete_laplace(trials, RIGHT, setting.rng("floats/discrete"))
    away = int(np.abs(np.abs(steps - (other - total)) - np.abs(steps)).max())
    ratio = float(away / RIGHT)
    return Facts.of(
        **facts,
        ratio=ratio,
        epsilon=float(EPSILON),
        trials=trials,
        tables={"floats": [*rows, (Word("sum"), None, 0.0, 0.0)]},
    )
