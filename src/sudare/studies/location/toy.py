"""The source's map, and what its mechanism and its algorithm make of it at every ε."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.location import BoundaryReport, ReducedWeights, boundary_report, reduce_weights
from sudare.mechanisms import Grid, GridExponential
from sudare.studies.parts import Setting

GRID = Grid(15, 15, cell_height=115.6, cell_width=141.5)
"""15 × 15 cells of the 1/8 mesh at Tokyo."""
ROW, COLUMN = np.divmod(np.arange(GRID.cells), GRID.columns)
EPSILONS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09)
MAIN = 0.02
"""The ε that the source's numbers are of."""
CORNER = 0
CORNERS = (0, 14, 210, 224)
TOLD = ("epsilon", "kept_max", "kept_min", "posterior_max", "posterior_min", "f1", "sql")
"""What tables tell of a map, beside SQL of the corner."""
SHARED: dict[str, Any] = {"epsilon": MAIN, "epsilons": EPSILONS, "cells": GRID.cells}
"""Facts that every section's words may name."""


@dataclass(frozen=True, eq=False)
class Point:
    """GridE at one ε, and what Algorithm 1 makes of it: f1, no constraint, weights from 1."""

    epsilon: float
    before: BoundaryReport
    after: BoundaryReport
    found: ReducedWeights


def points(setting: Setting) -> dict[float, Point]:
    """Compute all ε of the figures."""
    return {
        e: _point(e) for e in setting.progress(EPSILONS, len(EPSILONS), "figures 1 and 2, each ε")
    }


def _point(epsilon: float) -> Point:
    found = reduce_weights(GRID, epsilon, step=0.1, mode="observed")
    plain = GridExponential(GRID, epsilon)
    weighted = GridExponential(GRID, epsilon, weights=found.weights)
    return Point(epsilon, boundary_report(plain), boundary_report(weighted), found)


def ring() -> npt.NDArray[np.intp]:
    """Return for each cell how many cells lie between it and the edge."""
    sides = (ROW, COLUMN, GRID.rows - 1 - ROW, GRID.columns - 1 - COLUMN)
    out: npt.NDArray[np.intp] = np.minimum.reduce(sides)
    return out


def kept_gap(report: BoundaryReport) -> float:
    """Return the largest less the least P(O=r|A=r)."""
    return report.kept_max - report.kept_min


def row(epsilon: float, report: BoundaryReport) -> tuple[float, ...]:
    """Return what a table tells of a map."""
    told = (float(getattr(report, name)) for name in TOLD)
    return epsilon, *told, float(report.sql_cell[CORNER])
