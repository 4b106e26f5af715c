"""Why floats are not enough: answers that only one of two neighbours can give."""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.exact.noise import discrete_laplace
from sudare.studies.book import Facts, Word
from sudare.studies.laplace.exam import EPSILON, HIGH, LOW, RIGHT, N
from sudare.studies.laplace.floats import noise, possible
from sudare.studies.laplace.setting import Grids
from sudare.studies.parts import Setting

CASES = {"mean": "mean, 32 bits", "count": "count, 53 bits"}


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
