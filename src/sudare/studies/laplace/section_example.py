"""The source's script as it stands: its mean, scale, bound and check of 100,000 trials."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.studies.laplace.exam import DELTA, EPSILON, HIGH, LOW, N, standard_error
from sudare.studies.laplace.palette import histogram
from sudare.studies.palette import GREY, Canvas
from sudare.studies.parts import Setting
from sudare.studies.repetitions import Trials
from sudare.studies.study_text import Facts, Label

PRINTED_MEAN, PRINTED_ANSWER, PRINTED_SHARE = 50.08518, 50.08508, 0.95073
SCALE = 1 / (N * float(EPSILON))
BOUND = SCALE * math.log(1 / DELTA)


def compute(scores: Integers, setting: Setting) -> Facts:
    """Answer the mean query in floats, as the source does, as often as there are repetitions."""
    trials, mean = setting.repetitions, float(scores.mean())
    noise = setting.rng("source").generator().laplace(0.0, SCALE, trials)
    errors = (mean + noise) - mean
    return Facts.of(
        mean=mean,
        middle=(LOW + HIGH) / 2,
        spread=math.sqrt(((HIGH - LOW + 1) ** 2 - 1) / 12 / N),
        printed_mean=PRINTED_MEAN,
        printed_answer=PRINTED_ANSWER,
        printed_share=PRINTED_SHARE,
        off=abs(PRINTED_ANSWER - PRINTED_MEAN),
        scale=SCALE,
        bound=BOUND,
        tail=math.exp(-BOUND / SCALE),
        share=float((np.abs(errors) < BOUND).mean()),
        level=1 - DELTA,
        room=3 * standard_error(1 - DELTA, trials),
        trials=Trials(trials),
        figures={"source-errors": partial(_draw, errors)},
    )


def _draw(errors: Floats, canvas: Canvas, label: Label) -> None:
    axes = canvas.subplots()
    x = np.linspace(-6 * SCALE, 6 * SCALE, 601)
    law = (x, np.exp(-np.abs(x) / SCALE) / (2 * SCALE))
    histogram(axes, label, errors, law, BOUND, GREY)
    axes.set_title(label("title"))
    axes.legend(loc="best")
