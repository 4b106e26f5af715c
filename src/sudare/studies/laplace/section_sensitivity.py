"""What the source's sensitivity really gives: the ratio of two neighbours, and two attacks."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from sudare.arrays import Integers
from sudare.exact import uniform
from sudare.exact.noise import discrete_laplace
from sudare.studies.laplace import exam
from sudare.studies.laplace.exam import EPSILON, HIGH, LOW, RIGHT, STATED, WIDTH, N
from sudare.studies.palette import BLUE, RED, Canvas
from sudare.studies.parts import Setting
from sudare.studies.study_text import Facts, Label

NEAR = (0, 5, 10, 20, 30)
SCALES = {"stated": STATED, "right": RIGHT}


def spent(scale: Fraction, change: int) -> Fraction:
    """Return the largest log-ratio ``(|y - S'| - |y - S|) / scale`` over all answers y.

    The sums differ by ``change``; beyond either of them the difference stays as it is there.
    """
    answers = range(-1, change + 2)
    return max(Fraction(abs(abs(y - change) - abs(y))) / scale for y in answers)


def expected_told(scale: Fraction, width: int = WIDTH) -> float:
    """Return the probability of telling a score of 0 from one of 100, by the midpoint."""
    half = width // 2
    return 1 - (exam.beyond(half, scale) + exam.beyond(half - 1, scale)) / 4


def attacked(scale: Fraction, name: str, setting: Setting) -> tuple[float, list[float], float]:
    """Let an attacker who knows all scores but one guess it from each answer.

    Returns the share of right guesses between 0 and 100, those of guesses within ``NEAR`` points of
    a score of 0..100, and what averaging all answers leaves of the sum, in points.
    """
    trials, rng = setting.repetitions, setting.rng(f"attack/{name}")
    secret = HIGH * uniform(trials, 2, rng).astype(np.int64)
    answer = secret + discrete_laplace(trials, scale, rng)
    told = float(((answer > HIGH // 2) == (secret > 0)).mean())
    secret = uniform(trials, HIGH + 1, rng).astype(np.int64)
    noise = discrete_laplace(trials, scale, rng)
    near = [_near(secret, secret + noise, d) for d in NEAR]
    return told, near, abs(float(noise.mean()))


def _near(secret: Integers, answer: Integers, d: int) -> float:
    """Return the share of guesses within d points; the likeliest 2 d + 1 scores are guessed."""
    return float((np.abs(np.clip(answer, LOW + d, HIGH - d) - secret) <= d).mean())


def compute(scores: Integers, setting: Setting) -> Facts:
    """Return what one score does to the mean, and what an answer tells of it."""
    change = int(max(scores.max() - LOW, HIGH - scores.min()))
    found = {name: attacked(scale, name, setting) for name, scale in SCALES.items()}
    left = {name: one[2] for name, one in found.items()}
    rows = [
        (d, found["stated"][1][i], found["right"][1][i], (2 * d + 1) / (WIDTH + 1))
        for i, d in enumerate(NEAR)
    ]
    return Facts.of(
        n=N,
        change=change,
        scaled=float(STATED * EPSILON),
        epsilon=float(EPSILON),
        **{name: float(spent(scale, change)) for name, scale in SCALES.items()},
        told={name: one[0] for name, one in found.items()},
        expected=expected_told(STATED),
        ceiling=1 / (1 + math.exp(-float(EPSILON))),
        left=left,
        kept=left["stated"] / (float(STATED) * math.sqrt(2)),
        trials=setting.repetitions,
        tables={"attack": rows},
        figures={"neighbours": _draw},
    )


def _draw(canvas: Canvas, label: Label) -> None:
    panels = zip(canvas.subplots(1, 2), SCALES.items(), (100, 4000), strict=True)
    for axes, (name, scale), reach in panels:
        x = np.arange(-reach, WIDTH + reach + 1)
        for secret, colour, dash in ((LOW, BLUE, "-"), (HIGH, RED, "--")):
            law = exam.laplace_law(x - secret, scale)
            said = label("score", secret=secret)
            axes.plot(x, law, color=colour, linestyle=dash, linewidth=1.4, label=said)
        axes.set(title=label(name), ylim=(0, 1.25 * law.max()), yticks=[], xlabel=label("others"))
        axes.legend(loc="upper center", ncols=2, fontsize=8.5)
    canvas.supylabel(label("probability"), fontsize=9.5)
