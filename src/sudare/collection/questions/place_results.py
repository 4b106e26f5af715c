"""What is published of a place question's counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.channels import Numeric
from sudare.estimation import Counts, Estimate, project
from sudare.estimation.caution import FEW_REPORTS
from sudare.estimation.channel_law import ChannelLaw
from sudare.estimation.em import stop_early
from sudare.estimation.estimate import Target
from sudare.mechanisms.place import GridExponential

LEAST_FOR_EM = 100
NO_INVERSE = "no-inverse"
"""The reports cannot tell the cells apart: shares have no unbiased estimate."""

_FIGURES = ("share", "stderr", "low", "high", "map")
_WORST = 1e10  # condition number beyond which an inverse is noise


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


class PlaceResults:
    """Estimates on the land of a map.

    Args:
        mechanism: of the question.
        land: (cells,) where people can be.
    """

    def __init__(self, mechanism: GridExponential, land: npt.NDArray[np.bool_]) -> None:
        self.mechanism = mechanism
        self.land = np.flatnonzero(land)

    @cached_property
    def _channel(self) -> Numeric:
        """The law from cells of the land to cells that are reported."""
        reported = np.flatnonzero(self.mechanism.weights)
        return Numeric(self.mechanism.matrix()[np.ix_(reported, self.land)])

    @cached_property
    def _invertible(self) -> bool:
        law = self._channel.matrix
        return law.shape[0] == law.shape[1] and bool(np.linalg.cond(law) < _WORST)

    def figures(self, counts: Counts, target: Target, confidence: float) -> Figures:
        """Return the unbiased shares with their errors, and the map's."""
        if counts.n == 0:
            return Figures([dict.fromkeys(_FIGURES)] * self.land.size, "none", [])
        support = counts.support[self.mechanism.weights > 0]
        columns: list[npt.NDArray[np.float64]] = []
        shares, warnings = None, []
        if self._invertible:
            law = ChannelLaw(self._channel, support, counts.n, target)
            estimate = Estimate(
                shares=law.shares,
                stderr=law.stderr,
                n=counts.n,
                epsilon=float(self.mechanism.nominal_epsilon),
                covers=self.mechanism.covers,
                method="unbiased",
                target=target,
                _law=law,
            )
            shares = estimate.shares
            columns = [shares, estimate.stderr, *estimate.interval(confidence, kind="normal")]
        else:
            columns = [np.full(self.land.size, np.nan)] * 4
            warnings.append({"code": NO_INVERSE, "cells": []})
        drawn, method = self._map(support, counts.n, shares)
        expected = counts.n * self._channel.apply(drawn)
        few = [int(cell) for cell in self.land[expected < 30]] if expected.size == self.land.size else []
        if few:
            warnings.append({"code": FEW_REPORTS, "cells": few})
        rows = [
            {
                name: None if np.isnan(one) else float(one)
                for name, one in zip(_FIGURES, row, strict=True)
            }
            for row in zip(*columns, drawn, strict=True)
        ]
        return Figures(rows, method, warnings)

    def _map(
        self, support: npt.NDArray[np.int64], n: int, shares: npt.NDArray[np.float64] | None
    ) -> tuple[npt.NDArray[np.float64], str]:
        """Return shares that are none below 0 and sum to 1, and the method's name."""
        even = np.full(self.land.size, 1 / self.land.size)
        if n >= LEAST_FOR_EM:
            fit = stop_early(self._channel, support, lambda _: even)
            return fit.shares, f"em, {fit.rule}"
        return (even, "even") if shares is None else (project(shares), "projected")
