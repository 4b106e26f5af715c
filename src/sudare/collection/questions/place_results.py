"""What is published of a place question's counts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats
from sudare.channels import Numeric
from sudare.errors import DomainError, EstimationError
from sudare.estimation import Counts, Estimate
from sudare.estimation.caution import FEW, FEW_REPORTS
from sudare.estimation.channel_law import ChannelLaw
from sudare.estimation.combining import combine
from sudare.estimation.conditional import ConditionalShare, among_asked
from sudare.estimation.em import em
from sudare.estimation.estimate import Target
from sudare.estimation.simplex import project
from sudare.exact.entropy import Entropy
from sudare.mechanisms import Levels
from sudare.mechanisms.place import Place
from sudare.mechanisms.values import as_shares

NO_INVERSE = "no-inverse"
"""The reports cannot tell the cells apart: shares have no unbiased estimate worth the name."""

_FIGURES = ("share", "stderr", "low", "high", "map")
_FEW_FOR_EM = 200
_MORE_MAPS = (50, 200, 800)
_WORST = 100.0  # a standard error of so many times everybody tells nothing


@dataclass(frozen=True)
class Figures:
    """What is known of each cell of the land.

    Attributes:
        rows: for each cell share, stderr, low, high and map; nulls where not known.
        map_method: how the figures of the map were estimated.
        warnings: codes, with the cells concerned.
        areas: the same of each named area.
    """

    rows: list[dict[str, float | None]]
    map_method: str
    warnings: list[dict[str, Any]]
    areas: list[dict[str, float | None]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class OnLand:
    """A mechanism among cells where people can be: what its unbiased shares vary by.

    Attributes:
        mechanism: of the question.
        land: (cells,) where people can be.
    """

    mechanism: Place
    land: Booleans

    def expected_mse(
        self, n: int, shares: npt.ArrayLike | None = None, target: Target = "population"
    ) -> float:
        """Return the mean over the land of the variance of a share, for equal shares or these.

        Raises:
            DomainError: cells of the land that are never reported: there are no unbiased shares.
        """
        if not self.mechanism.reported[self.land].all():
            raise DomainError("weights", "must let every cell of the land be reported")
        even = self.land / self.land.sum()
        assumed = even if shares is None else as_shares(shares, self.land.size)
        channel = Numeric(self.mechanism.matrix(), self.land)
        support = np.zeros(self.land.size, dtype=np.int64)
        law = ChannelLaw(channel, support, n, target, assumed=assumed)
        return float((law.stderr[self.land] ** 2).mean())


def place_figures(
    mechanism: Place,
    land: Booleans,
    counts: Counts,
    target: Target,
    confidence: float,
    asked: ConditionalShare | None = None,
    areas: Floats | None = None,
) -> Figures:
    """Return the unbiased shares of the land's cells with their errors, and those of the map.

    The share of an area is ``Σ w_r x_r`` over its cells, its error of their exact covariance:
    errors of neighbouring cells make up for one another.

    Args:
        mechanism: of the question.
        land: (cells,) where people can be.
        counts: of the reports.
        target: whose shares.
        confidence: of the intervals.
        asked: the share of those asked, where others have drawn one of the land's cells: the
            unbiased shares are then among those, and the map is what is left of that of all
            reports without the drawn ones, the nearest map that is none below 0.
        areas: (areas, cells) weights of the cells in each area, 0 to 1; None for no areas.
    """
    cells = np.flatnonzero(land)
    if counts.n == 0:
        return _figures(land, None, confidence, areas)
    found = _found(mechanism, land, counts, target)
    if asked is not None:
        unbiased, shares = found.unbiased, found.shares
        if unbiased is not None:
            unbiased = among_asked(unbiased, asked, land / land.sum())
        others = 1 - min(asked.share.value, 1.0)
        left = (shares[cells] - others / cells.size) / (1 - others)
        shares = np.zeros(land.size)
        shares[cells] = project(left)
        found = replace(found, unbiased=unbiased, shares=shares)
    return _figures(land, found, confidence, areas)


def level_figures(
    mechanism: Levels,
    land: Booleans,
    counts: Counts,
    target: Target,
    confidence: float,
    areas: Floats | None = None,
) -> Figures:
    """Return the same of people who picked one of several mechanisms, however they picked.

    ::

        x = Σ_i (n_i / n) x_i        unbiased, and so the map, of the n_i reports of each level

    Args:
        mechanism: of all levels.
        land, counts, target, confidence, areas: as :func:`place_figures`.
    """
    each = zip(mechanism.parts, mechanism.levels(counts), strict=True)
    own: list[tuple[Any, Counts]] = [(part, some) for part, some in each if some.n]
    if not own:
        return _figures(land, None, confidence, areas)
    found = [_found(part, land, some, target) for part, some in own]
    known = [one.unbiased for one in found if one.unbiased is not None]
    whole = _CellEstimates(
        combine(known, chosen=True) if len(known) == len(found) else None,
        np.average([one.shares for one in found], axis=0, weights=[some.n for _, some in own]),
        "levels",
        np.all([one.few for one in found], axis=0),
    )
    return _figures(land, whole, confidence, areas)


@dataclass(frozen=True, eq=False)
class _CellEstimates:
    """What reports say of the cells.

    Attributes:
        unbiased: shares, where there are any worth the name.
        shares: of the map.
        method: how those of the map were estimated.
        few: (cells,) of which few reports are expected.
    """

    unbiased: Estimate | None
    shares: Floats
    method: str
    few: Booleans


def _found(mechanism: Place, land: Booleans, counts: Counts, target: Target) -> _CellEstimates:
    drawn = mechanism.estimate(counts, _method(mechanism, land, counts), target, mask=land)
    shares, method = drawn.shares, drawn.method
    unbiased = _unbiased(mechanism, land, counts, target)
    if unbiased is not None:
        shares, method = _believable(mechanism, land, counts, unbiased, shares, method)
    few = land & (counts.n * mechanism.channel.apply(shares) < FEW)
    return _CellEstimates(unbiased, shares, method, few)


def _figures(
    land: Booleans, found: _CellEstimates | None, confidence: float, areas: Floats | None
) -> Figures:
    """Return what is found as rows of the land's cells; nulls where there are no reports."""
    cells = np.flatnonzero(land)
    if found is None:
        none: list[dict[str, float | None]] = [dict.fromkeys(_FIGURES)]
        return Figures(none * cells.size, "none", [], none * (0 if areas is None else len(areas)))
    unbiased, shares = found.unbiased, found.shares
    columns = [np.full(land.size, np.nan)] * 4
    warnings: list[dict[str, Any]] = [{"code": NO_INVERSE, "cells": []}]
    if unbiased is not None:
        columns, warnings = [unbiased.shares, unbiased.stderr, *unbiased.interval(confidence)], []
    if found.few.any():
        warnings.append({"code": FEW_REPORTS, "cells": np.flatnonzero(found.few).tolist()})
    rows = [
        {name: None if np.isnan(one) else one for name, one in zip(_FIGURES, row, strict=True)}
        for row in zip(*(column[cells].tolist() for column in (*columns, shares)), strict=True)
    ]
    return Figures(rows, found.method, warnings, _sums(areas, unbiased, shares, confidence))


def _sums(
    areas: Floats | None, unbiased: Estimate | None, shares: Floats, confidence: float
) -> list[dict[str, float | None]]:
    """Return each area's figures: nulls beside the map's where shares are not known."""
    if areas is None:
        return []
    out: list[dict[str, float | None]] = [
        dict.fromkeys(_FIGURES) | {"map": float(one @ shares)} for one in areas
    ]
    if unbiased is not None:
        from sudare.shapes.sums import area_sums

        for row, sum_ in zip(out, area_sums(unbiased, areas), strict=True):
            low, high = sum_.interval(confidence)
            row |= {"share": sum_.value, "stderr": sum_.stderr, "low": low, "high": high}
    return out


def _method(mechanism: Place, land: Booleans, counts: Counts) -> str:
    """Return which map predicts reports that were left out better: ``"em"`` or ``"smoothed"``.

    Along roads nothing is smoothed: EM maps, of few reports the likeliest shares.

    Smoothing is right where neighbouring cells are alike, and wrong where people crowd in one cell.
    One report in ten is left out by a fixed stream; of few reports the map is smoothed.
    """
    if mechanism.grid is None:  # along roads
        return "em" if counts.n >= _FEW_FOR_EM else "mle"
    if counts.n < _FEW_FOR_EM:
        return "smoothed"
    generator = Entropy.seeded(b"sudare: reports left out of a map").generator()
    left_out = generator.binomial(counts.support, 0.1)
    fitted = Counts(counts.support - left_out, counts.n - int(left_out.sum()), counts.mechanism)
    seen = left_out > 0

    def prediction(method: str) -> float:
        shares = mechanism.estimate(fitted, method, mask=land).shares
        return float(left_out[seen] @ np.log(mechanism.channel.apply(shares)[seen]))

    return max(("smoothed", "em"), key=prediction)


def _unbiased(mechanism: Place, land: Booleans, counts: Counts, target: Target) -> Estimate | None:
    """Return the unbiased shares; None where there are none worth the name."""
    try:
        estimate = mechanism.estimate(counts, target=target, mask=land)
    except EstimationError:  # fewer cells are reported than people can be in
        return None
    return estimate if estimate.stderr[land].max() <= _WORST else None


def _believable(
    mechanism: Place,
    land: Booleans,
    counts: Counts,
    unbiased: Estimate,
    shares: Floats,
    method: str,
) -> tuple[Floats, str]:
    """Return a map that no interval contradicts: few EM maps flatten peaks.

    Where a cell of the map lies outside its interval, of 99 % for all at once, more EM maps are
    taken, until none does.
    """
    low, high = unbiased.interval(0.99, simultaneous=True, kind="normal")
    even = land / land.sum()
    for maps in _MORE_MAPS:
        if ((shares >= low) & (shares <= high)).all():
            break
        fit = em(mechanism.channel, counts.support, even, maps=maps)
        shares, method = fit.shares, f"em, {fit.rule}"
    return shares, method
