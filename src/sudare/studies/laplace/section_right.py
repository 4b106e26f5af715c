"""The right sensitivity: 100/n, exact whole-number noise on the sum, its bound and its check."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np

from sudare.arrays import Integers
from sudare.exact.noise import discrete_laplace
from sudare.ledger import Cost
from sudare.release.noise import Noise
from sudare.release.protection import NeighbourRelation
from sudare.studies.laplace import exam
from sudare.studies.laplace.exam import DELTA, EPSILON, HIGH, LOW, RIGHT, WIDTH, N
from sudare.studies.laplace.palette import histogram
from sudare.studies.laplace.setting import Grids
from sudare.studies.palette import BLUE, Canvas
from sudare.studies.repetitions import StandardError, Trials
from sudare.studies.study_text import Facts, Label

EPSILONS = tuple(Fraction(e) for e in ("0.01", "0.03", "0.1", "0.3", "1", "3", "10"))


def compute(scores: Integers, setting: Grids) -> Facts:
    """Ask the mean, at most 10,000 times; draw the same noise as often as there are repetitions."""
    held, total = exam.as_dataset(scores, setting, "right/asked"), int(scores.sum())
    count = min(setting.repetitions, setting.means)
    answers = [held.mean("score", epsilon=EPSILON) for _ in range(count)]
    asked = np.array([round(answer.value * N) - total for answer in answers], dtype=np.int64)
    noise = Noise.of(Cost.of(epsilon=EPSILON), NeighbourRelation("replace-one").of_sum(LOW, HIGH))
    errors = discrete_laplace(setting.repetitions, noise.scale, setting.rng("right"))
    bound = round(answers[0].bound(1 - DELTA) * N)
    spread = float(scores.std(ddof=1)) / math.sqrt(N)
    bounds = [exam.laplace_bound(WIDTH / e) for e in EPSILONS]
    rows = [
        (float(e), b, b / N, spread, math.hypot(spread, math.sqrt(2) * float(WIDTH / e) / N))
        for e, b in zip(EPSILONS, bounds, strict=True)
    ]
    return Facts.of(
        n=N,
        bound=bound,
        formula=float(RIGHT) * math.log(1 / DELTA),
        level=1 - DELTA,
        share=float((np.abs(errors) <= bound).mean()),
        error=StandardError(exam.standard_error(1 - DELTA, errors.size)),
        trials=errors.size,
        share_asked=float((np.abs(asked) <= bound).mean()),
        asked=Trials(asked.size),
        room=3 * exam.standard_error(1 - DELTA, asked.size),
        bounds=bounds,
        sampling=1.96 * spread,
        tables={"accuracy": rows},
        figures={"right-errors": partial(_draw, errors, bound)},
    )


def _draw(errors: Integers, bound: int, canvas: Canvas, label: Label) -> None:
    axes = canvas.subplots()
    reach = int(6 * RIGHT)
    steps = np.arange(-reach, reach + 1)
    law = (steps / N, exam.laplace_law(steps, RIGHT) * N)
    histogram(axes, label, errors / N, law, bound / N, BLUE)
    axes.set_title(label("title"))
    axes.legend(loc="best")
