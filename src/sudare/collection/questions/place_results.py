"""What is published of a place question's counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import EstimationError
from sudare.estimation import Counts
from sudare.estimation.caution import FEW_REPORTS
from sudare.estimation.estimate import Target
from sudare.estimation.support import FEW
from sudare.mechanisms.place.offsets import Offsets

NO_INVERSE = "no-inverse"
"""The reports cannot tell the cells apart: shares have no unbiased estimate worth the name."""

_FIGURES = ("share", "stderr", "low", "high", "map")
_WORST = 100.0  # a standard error of so many times everybody tells nothing

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Figures:
    """What is known of each cell of the land.

    Attributes:
        rows: for each cell share, stderr, low, high and map; nulls where not known.
        map_method: how the figures of the map were estimated.
        warnings: codes, with the cells concerned.
    """

    rows: list[dict[str, float | None]]
    map_method: str
    warnings: list[dict[str, Any]]


def place_figures(
    mechanism: Offsets, land: Bools, counts: Counts, target: Target, confidence: float
) -> Figures:
    """Return the unbiased shares of the land's cells with their errors, and those of the map.

    Args:
        mechanism: of the question.
        land: (cells,) where people can be.
        counts: of the reports.
        target: whose shares.
        confidence: of the intervals.
    """
    cells = np.flatnonzero(land)
    if counts.n == 0:
        return Figures([dict.fromkeys(_FIGURES)] * cells.size, "none", [])
    drawn = mechanism.estimate(counts, "smoothed", target, mask=land)
    columns, warnings = _unbiased(mechanism, land, counts, target, confidence)
    expected = counts.n * mechanism.channel.apply(drawn.shares)
    few = cells[expected[cells] < FEW].tolist()
    if few:
        warnings.append({"code": FEW_REPORTS, "cells": few})
    rows = [
        {name: None if np.isnan(one) else one for name, one in zip(_FIGURES, row, strict=True)}
        for row in zip(
            *(column[cells].tolist() for column in (*columns, drawn.shares)), strict=True
        )
    ]
    return Figures(rows, drawn.method, warnings)


def _unbiased(
    mechanism: Offsets, land: Bools, counts: Counts, target: Target, confidence: float
) -> tuple[list[Floats], list[dict[str, Any]]]:
    """Return share, stderr, low and high of each cell; NaN, and a warning, where there are none."""
    try:
        estimate = mechanism.estimate(counts, target=target, mask=land)
        if estimate.stderr[land].max() <= _WORST:
            low, high = estimate.interval(confidence, kind="normal")
            return [estimate.shares, estimate.stderr, low, high], []
    except EstimationError:  # fewer cells are reported than people can be in
        pass
    unknown = np.full(land.size, np.nan)
    return [unknown] * 4, [{"code": NO_INVERSE, "cells": []}]
