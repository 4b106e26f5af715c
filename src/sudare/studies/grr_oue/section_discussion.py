"""Section 3.6 of the source: what it makes of experiment 3."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise, product
from typing import Any

import numpy as np

from sudare.data import trousers
from sudare.mechanisms import GRR, OUE
from sudare.studies.grr_oue import small, theory
from sudare.studies.grr_oue.palette import DASHES, REPAIR_COLOURS
from sudare.studies.grr_oue.repairs import REPAIRS
from sudare.studies.grr_oue.section_experiment import TICKS, Point
from sudare.studies.grr_oue.setting import Grids
from sudare.studies.palette import INK, Canvas, log_ticks
from sudare.studies.study_text import Facts, Label, Word

NOISE_EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
ENDS = (0.1, 5.0)
CAPTIONS = {"3.7": "Dataset1", "3.8": "Dataset2"}
"""What the captions of the source's figures in its section 3.5 say."""


def simulated_crossing(points: list[Point]) -> tuple[float, float] | None:
    """Return the two neighbouring ε between which the simulated errors change places."""
    by = {(p.mechanism, p.epsilon): p.simulated for p in points}
    wins = [(e, by["OUE", e] < by["GRR", e]) for e in sorted({p.epsilon for p in points})]
    return next(((low, high) for (low, a), (high, b) in pairwise(wins) if a and not b), None)


def compute(large: list[Point], setting: Grids) -> Facts:
    """Return exact errors and crossings; ``large``: the points of experiment 3 on Dataset2."""
    for epsilon in setting.progress(setting.exact, len(setting.exact), "exact errors, n = 14"):
        small.exact_errors(epsilon)

    def repaired(epsilon: float, skew: str) -> list[float]:
        return [small.oue_over_grr(epsilon, repair, skew) for repair in REPAIRS]

    chances = {e: small.chance_of_oue(e, "mild", 100) for e in NOISE_EPSILONS}
    return Facts.of(
        **_large(large),
        **_tiny(setting),
        chances=chances,
        captions=CAPTIONS,
        repairs=list(REPAIRS),
        tables={
            "repairs-dataset1": [
                (Word(skew), e, *repaired(e, skew))
                for skew, e in product(small.SKEWS, setting.exact)
            ],
            "chance-dataset1": [(e, 100 * p, *repaired(e, "mild")) for e, p in chances.items()],
        },
        figures={"repairs-dataset1": partial(_draw_repairs, setting.exact)},
    )


def _large(points: list[Point]) -> dict[str, Any]:
    """What is asked of Dataset2."""
    n = trousers().n
    grr, oue = (kind(43, math.log(20)).expected_mse(n, target="respondents") for kind in (GRR, OUE))
    steps = [
        later / earlier
        for noise, k in product((theory.grr_noise, theory.oue_noise), (5, 43))
        for earlier, later in pairwise(noise(k, i / 10) for i in range(1, 81))
    ]
    return {
        "steps": steps,
        "crossing": theory.exact_crossing(43),
        "simulated": simulated_crossing(points),
        "thumb": theory.rule_of_thumb(43),
        "at_thumb": theory.excess(43, math.log(41 / 3)),
        "rms": n * math.sqrt(oue),
        "mean_count": n / 43,
        "oue_over_grr": oue / grr,
    }


def _tiny(setting: Grids) -> dict[str, Any]:
    """What is asked of Dataset1: 14 answers, five categories."""
    wins = {r: [small.last_win(r, skew, setting.exact) for skew in small.SKEWS] for r in REPAIRS}
    repaired = product(("shift", "clip", "normalise", "project"), small.SKEWS)
    unbiased = [small.oue_over_grr(e, "raw", s) for e in setting.exact for s in small.SKEWS]
    sizes = [
        OUE(5, e).expected_mse(n, target="respondents")
        / GRR(5, e).expected_mse(n, target="respondents")
        / small.oue_over_grr(e, "raw", "mild")
        for e, n in product(setting.exact[:2], (14, 1_000, 50_000))
    ]
    skews = [
        small.oue_over_grr(e, "raw", s) / small.oue_over_grr(e, "raw", "mild")
        for e, s in product(setting.exact, small.SKEWS)
    ]
    return {
        "ends": ENDS,
        "gaps": [theory.excess(5, e) for e in ENDS],
        "ratios": [theory.excess(5, i / 10) for i in range(1, 81)],
        "unbiased": unbiased,
        "shifted": theory.shifted_crossing(5),
        **{repair: _span(wins[repair]) for repair in ("clip", "normalise", "project")},
        "at_one": min(small.oue_over_grr(1.0, repair, skew) for repair, skew in repaired),
        "moved": max(abs(x - 1) for x in (*sizes, *skews)),
    }


def _span(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    low, high = f"{min(known):.2f}", f"{max(known):.2f}"
    return low if low == high else f"{low}–{high}"


def _draw_repairs(epsilons: tuple[float, ...], canvas: Canvas, label: Label) -> None:
    axes = canvas.subplots()
    for repair, colour in REPAIR_COLOURS.items():
        ratio = {s: [small.oue_over_grr(e, repair, s) for e in epsilons] for s in small.SKEWS}
        low, high = (end(list(ratio.values()), axis=0) for end in (np.min, np.max))
        axes.fill_between(epsilons, low, high, color=colour, alpha=0.18, lw=0)
        style: dict[str, Any] = {"color": colour, "linestyle": DASHES[repair], "linewidth": 1.6}
        axes.plot(epsilons, ratio["mild"], **style, label=label(repair))
    axes.axhline(1, color=INK, linewidth=0.9)
    log_ticks(axes, TICKS)
    axes.set(xlim=(0.05, 2), ylim=(0.8, 2.0), xlabel="ε", ylabel=label("mse-ratio"))
    axes.legend(loc="upper left")
