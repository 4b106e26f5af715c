"""Sections 5.2 and 5.3 of the source: Algorithm 1 and what it does (figures 2 and 3)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from sudare.location import boundary_report
from sudare.location.weights.reduce import CONVENTIONS
from sudare.mechanisms import GridExponential
from sudare.studies.location import toy
from sudare.studies.location.pictures import draw_curves, draw_maps
from sudare.studies.location.printed import reduce_unstopped
from sudare.studies.location.toy import CORNER, CORNERS, EPSILONS, GRID, MAIN, SHARED, Point
from sudare.studies.palette import BLUE, GOLD, GREEN, RED, Canvas
from sudare.studies.study_text import Facts, Label, Word

SHOWN = (0.02, 0.03)
"""ε of figure 3."""
MOST_TOLD = 100.0
"""Ratios beyond that are told as that."""

Points = Mapping[float, Point]


def compute(points: Points) -> Facts:
    """Return what Algorithm 1 makes of GridE at every ε."""
    main = points[MAIN]
    after = [(Word("kept"), main.after.kept), (Word("posterior"), main.after.posterior)]
    weights = [(Word("at", {"at": e}), points[e].found.weights) for e in SHOWN]
    return Facts.of(
        **SHARED,
        **_lowered(main),
        **_posteriors(points),
        **_losses(points),
        conventions=CONVENTIONS,
        before=main.before,
        after=main.after,
        evaluations=[one.found.evaluations for one in points.values()],
        computed=[one.found.computed for one in points.values()],
        main_evaluations=main.found.evaluations,
        tables={
            "algorithm-1": [
                (*toy.row(e, one.after), one.found.evaluations, one.found.accepted)
                for e, one in points.items()
            ]
        },
        figures={
            "figure-2": partial(_draw_both, list(points.values())),
            "figure-3": partial(draw_maps, GRID, weights, cmap="viridis", bar="weight"),
            "after-map": partial(draw_maps, GRID, after),
        },
    )


def _lowered(main: Point) -> dict[str, Any]:
    """Return the printed loop's end, and what lowering a corner's own weight does."""
    weights = np.ones(GRID.cells)
    weights[CORNER] = 0.9
    lowered = boundary_report(GridExponential(GRID, MAIN, weights=weights))
    unstopped = reduce_unstopped(MAIN)
    return {
        "unstopped": unstopped,
        "least_weight": unstopped.weight,
        "corner_before": float(main.before.posterior[CORNER]),
        "corner_after": float(lowered.posterior[CORNER]),
    }


def _posteriors(points: Points) -> dict[str, Any]:
    main, every = points[MAIN], points.values()
    gains = {e: one.before.f1 - one.after.f1 for e, one in points.items()}
    moved = {e: one.after.posterior_min - one.before.posterior_min for e, one in points.items()}
    return {
        "f1": main.after.f1,
        "gains": list(gains.values()),
        "improved": sorted(sorted(gains, key=gains.__getitem__)[-2:]),
        "falls": [one.after.posterior_max < one.before.posterior_max for one in every],
        "moved": list(moved.values()),
        "moved_main": moved[MAIN],
        "gaps": (toy.kept_gap(main.before), toy.kept_gap(main.after)),
        "wider": [toy.kept_gap(one.after) > toy.kept_gap(one.before) for one in every],
        "kept_before": main.before.kept_max,
        "kept_after": main.after.kept_max,
        "guessed": (float(main.before.kept[CORNER]), float(main.after.kept[CORNER])),
    }


def _losses(points: Points) -> dict[str, Any]:
    main, every = points[MAIN], points.values()
    outer = toy.ring() <= 1
    fallen = [1 - points[e].found.weights for e in EPSILONS[1:]]
    ratios = [float(one[outer].mean() / max(1e-9, one[~outer].mean())) for one in fallen]
    corner = [(float(p.before.sql_cell[CORNER]), float(p.after.sql_cell[CORNER])) for p in every]
    expected = float(main.before.sql_cell[CORNER])
    grown = {e: 100 * (one.after.sql / one.before.sql - 1) for e, one in points.items()}
    return {
        "expected": expected,
        "weighed": expected / GRID.cells,
        "cell_ratio": 1 / GRID.cells,
        "grown": list(grown.values()),
        "grown_main": grown[MAIN],
        "parts": [100 * float((one.found.weights < 1).mean()) for one in every],
        "unreported": int((main.found.weights == 0).sum()),
        "corners": [float(one.found.weights[list(CORNERS)].max()) for one in every],
        "nearer": corner[EPSILONS.index(MAIN)],
        "worse": [b > a for a, b in corner],
        "ratios": [min(ratio, MOST_TOLD) for ratio in ratios],
    }


def _draw_both(every: list[Point], canvas: Canvas, label: Label) -> None:
    left, right = canvas.subplots(1, 2)
    posteriors = (
        ("largest-before", BLUE, "o", [p.before.posterior_max for p in every]),
        ("largest-after", GREEN, "s", [p.after.posterior_max for p in every]),
        ("least-before", GOLD, "^", [p.before.posterior_min for p in every]),
        ("least-after", RED, "v", [p.after.posterior_min for p in every]),
    )
    losses = (
        ("map-before", GOLD, "^", [p.before.sql for p in every]),
        ("map-after", BLUE, "o", [p.after.sql for p in every]),
        ("corner-before", RED, "v", [float(p.before.sql_cell[CORNER]) for p in every]),
        ("corner-after", GREEN, "s", [float(p.after.sql_cell[CORNER]) for p in every]),
    )
    draw_curves(left, "posterior", posteriors, label)
    draw_curves(right, "sql-metres", losses, label)
    left.set_ylim(0, 1)
    for axes in (left, right):
        axes.legend(loc="best")
