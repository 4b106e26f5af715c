"""Section 5.1 of the source: GridE is weaker at the edge of the map (figure 1)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sudare.mechanisms.place import mesh
from sudare.studies.location.pictures import draw_curves, draw_maps
from sudare.studies.location.toy import CORNERS, GRID, MAIN, SHARED, Point, kept_gap, ring, row
from sudare.studies.palette import BLUE, RED, Canvas
from sudare.studies.study_text import Facts, Label, Word

APART = 0.01
"""Gap of a probability from which cells are said to differ."""
NEAR = 0.1
"""Part of the gap within which a posterior is near the least one."""
STATION, TOKYO = 53394611323, 533946
"""Mesh codes: the cell of Tokyo station, and the 10 km around it."""


def compute(points: dict[float, Point]) -> Facts:
    """Return what GridE does at every ε."""
    reports = {e: point.before for e, point in points.items()}
    main = reports[MAIN]
    highest = [set(one.most_exposed) for one in reports.values()]
    kept = (np.flatnonzero(one.kept >= one.kept_max - 1e-9) for one in reports.values())
    highest += [set(cells.tolist()) for cells in kept]
    maps = [(Word("kept"), main.kept), (Word("posterior"), main.posterior)]
    corners = set(CORNERS)
    inner = ring() >= 1
    near = {
        e: float(np.mean(one.posterior[inner] - one.posterior_min <= NEAR * one.f1))
        for e, one in reports.items()
    }
    return Facts.of(
        **SHARED,
        **_mesh(),
        main=main,
        kept_gap=kept_gap(main),
        f1=main.f1,
        missing=[len(corners - found) for found in highest],
        besides=[len(found - corners) for found in highest],
        alike=sum(found == corners for found in highest),
        apart=APART,
        gaps=[min(kept_gap(one), one.f1) for one in reports.values()],
        largest_gap=max(max(kept_gap(one), one.f1) for one in reports.values()),
        near=list(near.values()),
        near_main=near[MAIN],
        near_part=NEAR,
        tables={"edge": [row(e, one) for e, one in reports.items()]},
        figures={
            "figure-1": partial(_draw_ends, points),
            "edge-map": partial(draw_maps, GRID, maps, ends=(0.2, 0.55)),
        },
    )


def _mesh() -> dict[str, Any]:
    """Return metres of the 1/8 mesh: at Tokyo station, and of all rows of cells around it."""
    south, _, north, _ = mesh.bounds(TOKYO)
    rows = [mesh.cell_metres(float(at)) for at in np.linspace(south, north, 80, endpoint=False)]
    return {
        "station": mesh.cell_metres(mesh.bounds(STATION)[0]),
        "heights": [height for height, _ in rows],
        "widths": [width for _, width in rows],
    }


def _draw_ends(points: dict[float, Point], canvas: Canvas, label: Label) -> None:
    left, right = canvas.subplots(1, 2, sharey=True)
    reports = [one.before for one in points.values()]
    kept = [(one.kept_max, one.kept_min) for one in reports]
    posterior = [(one.posterior_max, one.posterior_min) for one in reports]
    for axes, title, ends in ((left, "kept", kept), (right, "posterior", posterior)):
        high, low = zip(*ends, strict=True)
        curves = (("largest", RED, "o", high), ("least", BLUE, "s", low))
        draw_curves(axes, title, curves, label)
    left.set_ylim(0, 1)
    left.legend(loc="lower right")
