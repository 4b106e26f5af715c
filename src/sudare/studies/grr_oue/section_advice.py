"""Section 4.1 of the source: its conclusion, the cases it leaves open, and our advice."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from sudare.mechanisms import GRR, OUE
from sudare.studies.grr_oue import theory
from sudare.studies.grr_oue.maps import REPAIRS, SHAPES, Cell, draw_map, explore
from sudare.studies.grr_oue.palette import COLOURS
from sudare.studies.grr_oue.setting import Grids
from sudare.studies.palette import INK, Canvas, log_ticks
from sudare.studies.study_text import Facts, Label, Row, Word

CASES = ((5, 14), (5, 50_000), (43, 14), (43, 50_000))
CASE_EPSILONS = (0.5, 1.0, 2.0, 4.0)
SIZES = (2, 4, 5, 6, 8, 10, 20, 43, 59, 100, 200, 500, 1000)

CROSSINGS = (theory.exact_crossing, theory.rule_of_thumb, theory.shifted_crossing)


def compute(setting: Grids) -> Facts:
    """Compare the mechanisms over k, n and ε."""
    cells = explore(setting)
    ratios = {(k, n): [oue / grr for grr, oue in _errors(k, n)] for k, n in CASES}
    return Facts.of(
        few=[theory.excess(5, e / 10) for e in range(1, 81)],
        many=[theory.excess(43, e / 10) for e in range(1, 29)],
        moved=max(
            abs(a / b - 1)
            for k in (5, 43)
            for a, b in zip(ratios[k, 14], ratios[k, 50_000], strict=True)
        ),
        tables={
            "cases": _cases(cells),
            "crossing": [
                (k, *(Word("never") if (e := at(k)) is None else f"{e:.3f}" for at in CROSSINGS))
                for k in SIZES
            ],
            "map": [(Word(one.shape), one.n, one.k, one.epsilon, *one.errors) for one in cells],
        },
        figures={
            "crossing": _draw_crossing,
            **{f"map-{shape}": partial(draw_map, cells, shape, setting) for shape in SHAPES},
        },
    )


def _errors(k: int, n: int) -> list[tuple[float, float]]:
    """Return the expected errors of GRR and OUE at each ε of the cases."""
    grr, oue = (
        [kind(k, e).expected_mse(n, target="respondents") for e in CASE_EPSILONS]
        for kind in (GRR, OUE)
    )
    return list(zip(grr, oue, strict=True))


def _cases(cells: list[Cell]) -> list[Row]:
    by = {(c.k, c.n, c.epsilon): c for c in cells if c.shape == "steep"}
    return [
        (
            k,
            n,
            epsilon,
            100 / k,
            100 * math.sqrt(grr),
            100 * math.sqrt(oue),
            _winner(oue / grr),
            *(_winner(by[k, n, epsilon].ratio(repair)) for repair in REPAIRS),
        )
        for k, n in CASES
        for epsilon, (grr, oue) in zip(CASE_EPSILONS, _errors(k, n), strict=True)
    ]


def _winner(ratio: float) -> Word:
    if 0.97 < ratio < 1.03:
        return Word("as-good", {"ratio": ratio})
    return Word("better", {"name": "OUE" if ratio < 1 else "GRR", "ratio": ratio})


def _draw_crossing(canvas: Canvas, label: Label) -> None:
    axes = canvas.subplots()
    sizes = [5, *np.unique(np.geomspace(6, 1000, 120).astype(int)).tolist()]
    exact, rule = ([at(k) or 0.0 for k in sizes] for at in CROSSINGS[:2])
    at_43 = theory.exact_crossing(43) or 0.0
    axes.fill_between(sizes, exact, 7, color=COLOURS["GRR"], alpha=0.13, lw=0)
    axes.fill_between([2, 5], 0, 7, color=COLOURS["GRR"], alpha=0.13, lw=0)
    axes.fill_between(sizes, 0, exact, color=COLOURS["OUE"], alpha=0.13, lw=0)
    axes.plot(sizes, exact, color=INK, linewidth=1.6, label=label("exact"))
    axes.plot(sizes, rule, ":", color=INK, linewidth=1.4, label=label("thumb"))
    axes.plot([43], [at_43], "o", color=INK, markersize=5)
    place: dict[str, Any] = {"xytext": (8, -12), "textcoords": "offset points", "fontsize": 9}
    axes.annotate(f"k = 43: {at_43:.3f}", (43, at_43), **place)
    axes.text(6, 5, label("grr-smaller"), color="#8f2a17")
    axes.text(110, 1.2, label("oue-smaller"), color="#1f4268")
    log_ticks(axes, (2, 5, 10, 20, 50, 100, 200, 500, 1000))
    axes.set(xlim=(2, 1000), ylim=(0, 7), xlabel=label("categories"), ylabel="ε")
    axes.legend(loc="upper left")
