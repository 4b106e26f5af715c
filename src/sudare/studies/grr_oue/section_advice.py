"""Section 4.1 of the source: its conclusion, the cases it leaves open, and our advice."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from sudare.mechanisms import GRR, OUE
from sudare.studies.book import Facts, Label, Row, Word
from sudare.studies.grr_oue.maps import REPAIRS, SHAPES, Cell, draw_map, explore
from sudare.studies.grr_oue.palette import COLOURS
from sudare.studies.grr_oue.setting import Grids
from sudare.studies.grr_oue.theory import (
    exact_crossing,
    grr_noise,
    oue_noise,
    rule_of_thumb,
    shifted_crossing,
)
from sudare.studies.palette import INK, Canvas

CASES = ((5, 14), (5, 50_000), (43, 14), (43, 50_000))
CASE_EPSILONS = (0.5, 1.0, 2.0, 4.0)
CROSSINGS = (2, 4, 5, 6, 8, 10, 20, 43, 59, 100, 200, 500, 1000)


def compute(setting: Grids) -> Facts:
    """Compare the mechanisms over k, n and ε."""
    cells = explore(setting)
    ratios = {(k, n): [oue / grr for grr, oue in _errors(k, n)] for k, n in CASES}
    return Facts(
        {
            "few": [oue_noise(5, e / 10) / grr_noise(5, e / 10) for e in range(1, 81)],
            "many": [oue_noise(43, e / 10) / grr_noise(43, e / 10) for e in range(1, 29)],
            "moved": max(
                abs(a / b - 1)
                for k in (5, 43)
                for a, b in zip(ratios[k, 14], ratios[k, 50_000], strict=True)
            ),
        },
        tables={
            "cases": _cases(cells),
            "crossing": [
                (k, *(Word("never") if e is None else f"{e:.3f}" for e in crossings))
                for k in CROSSINGS
                for crossings in [(exact_crossing(k), rule_of_thumb(k), shifted_crossing(k))]
            ],
            "map": [
                (
                    Word(cell.shape),
                    cell.n,
                    cell.k,
                    cell.epsilon,
                    *(mse for repair in REPAIRS for mse in (cell.grr[repair], cell.oue[repair])),
                )
                for cell in cells
            ],
        },
        figures={
            "crossing": _draw_crossing,
            **{
                f"map-{shape}": partial(draw_map, [c for c in cells if c.shape == shape], setting)
                for shape in SHAPES
            },
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
    exact, rule = ([f(k) or 0.0 for k in sizes] for f in (exact_crossing, rule_of_thumb))
    at_43 = exact_crossing(43) or 0.0
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
    axes.set_xscale("log")
    ticks = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlim(2, 1000)
    axes.set_ylim(0, 7)
    axes.set_xlabel(label("categories"))
    axes.set_ylabel("ε")
    axes.legend(loc="upper left")
