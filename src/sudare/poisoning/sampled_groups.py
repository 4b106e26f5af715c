"""The manipulation band where a report is about one drawn group of attributes, or level of bins.

An estimate is a sum over groups, ``Σ_h v_h``, each part linear in the shares of the reports of its
own group. A share b_h of fakes among these, with parts e_h of their own, leaves of it
``(v_h - b_h e_h) / (1 - b_h)``. Where the collector draws the groups b_h is β for all; where
devices do, fakes choose: the change is convex in how many of them are in a group, so that the worst
is all of them in one, ``b_h = β n / n_h``, and anything at all where that is 1 or more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from math import prod

import numpy as np

from sudare.arrays import Floats
from sudare.estimation import Counts
from sudare.estimation.consistent import Axes, ConsistentTables
from sudare.mechanisms import (
    FrequencyOracle,
    HierarchicalHistogram,
    MarginalRR,
    SampledTables,
)
from sudare.poisoning.band_limits import BandLimits, linear_estimate
from sudare.poisoning.sums import extremes


@dataclass(frozen=True, eq=False)
class SampledEstimate:
    """Estimates as sums of the parts of several groups of reports.

    Attributes:
        value: (cells,) the estimates.
        parts: (cells, groups) what each group has added.
        least, most: (cells, groups) the least and the most that a report of the group can add.
        people: (cells, groups) how many reports each group has.
        n: of all groups together.
        drawn: the collector has drawn the group of each report.
        start, stop: what the truth lies between.
    """

    value: Floats
    parts: Floats
    least: Floats
    most: Floats
    people: Floats
    n: int
    drawn: bool = False
    start: float = 0.0
    stop: float = 1.0

    def band(self, beta: float) -> BandLimits:
        """Return the band at a share β of fakes among all reports."""
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.full_like(self.people, beta) if self.drawn else beta * self.n / self.people
            odds = np.where(share < 1, share / (1 - share), np.inf)
            down, up = odds * (self.parts - self.most), odds * (self.parts - self.least)
        if self.drawn:
            low, high = self.value + down.sum(axis=1), self.value + up.sum(axis=1)
        else:
            low, high = self.value + down.min(axis=1), self.value + up.max(axis=1)
        ends = low.clip(self.start, self.stop), high.clip(self.start, self.stop)
        if np.isinf(low).any():  # a whole group may be fake: its figures can be anything
            moved = np.maximum(self.value - ends[0], ends[1] - self.value)
        else:
            moved = np.maximum(self.value - low, high - self.value)
        return BandLimits(*ends, float(moved.max(initial=0.0)), (low, high))


@linear_estimate.register(MarginalRR)
def _of_attributes(mechanism: MarginalRR, counts: Counts) -> SampledEstimate | None:
    if mechanism.strategy != "sample":
        return None
    support = np.split(counts.support, np.cumsum(mechanism.sizes)[:-1])
    people = np.array([part.sum() for part in support], dtype=np.float64)
    if people.min() == 0:
        return None
    values, ends = [], []
    for axis, part in enumerate(support):
        p, q = (float(x) for x in mechanism.support_probabilities(axis))
        values.append((part / people[axis] - q) / (p - q))
        ends.append((-q / (p - q), (1 - q) / (p - q), people[axis]))
    value, column = np.concatenate(values), np.repeat(np.array(ends), mechanism.sizes, axis=0)
    least, most, group = np.split(column, 3, axis=1)
    return SampledEstimate(value, value[:, None], least, most, group, counts.n)


@linear_estimate.register(SampledTables)
def _of_tables(mechanism: SampledTables, counts: Counts) -> SampledEstimate | None:
    """Of every two attributes, where two are drawn, and each alone."""
    source = mechanism.consistent(counts)
    if len(source.laws) < len(mechanism.groups):
        return None
    tables = [
        axes
        for order in range(min(mechanism.order, 2), 0, -1)
        for axes in combinations(range(len(source.sizes)), order)
    ]
    told = _GroupShares(source, dict(zip(mechanism.groups, mechanism.parts, strict=True)))
    each = [told.of_table(axes) for axes in tables]
    groups = max(one.shape[1] for one in each)
    value = np.concatenate([source.shares(axes).ravel() for axes in tables])
    columns = np.concatenate([_filled(one, groups, counts.n) for one in each])
    parts, least, most, people = np.moveaxis(columns, 2, 0)
    return SampledEstimate(value, parts, least, most, people, counts.n)


@linear_estimate.register(HierarchicalHistogram)
def _of_levels(mechanism: HierarchicalHistogram, counts: Counts) -> SampledEstimate | None:
    """Of the share of people below each inner edge."""
    return sums_of_bins(mechanism, counts, np.tri(mechanism.bins - 1, mechanism.bins))


def sums_of_bins(
    mechanism: HierarchicalHistogram,
    counts: Counts,
    weights: Floats,
    start: float = 0.0,
    stop: float = 1.0,
) -> SampledEstimate | None:
    """Return the sums of the shares of bins by rows of weights; None without a report of bins."""
    if mechanism.split(counts.support)[-1][0] == 0:
        return None
    source = mechanism.consistent(counts)
    told = [
        (level.n, rows @ level.shares, [extremes(mechanism.parts[i], own) for own in rows])
        for i, level, rows, _ in source.told(weights)
    ]
    parts = np.stack([part for _, part, _ in told], axis=1)
    least, most = np.moveaxis(np.array([ends for *_, ends in told]), 0, 1).transpose(2, 0, 1)
    people = np.broadcast_to(np.array([n for n, *_ in told], dtype=np.float64), parts.shape)
    value = weights @ source.shares
    return SampledEstimate(value, parts, least, most, people, counts.n, start=start, stop=stop)


@dataclass(frozen=True, eq=False)
class _GroupShares:
    """What each group tells of some table's cells: part, least, most, people."""

    source: ConsistentTables
    oracles: dict[Axes, FrequencyOracle]
    found: dict[tuple[Axes, Axes], Floats] = field(default_factory=dict)

    def of_table(self, axes: Axes) -> Floats:
        """Return (cells, groups, 4); a group that reports some of the attributes tells them."""
        shape, columns = self.source.shape(axes), []
        for group in self.source.laws:
            shared = tuple(axis for axis in axes if axis in group)
            if not shared:
                continue
            own = self.source.shape(shared)
            places = np.indices(shape)[[axes.index(axis) for axis in shared]]
            at = np.ravel_multi_index(list(places), own).ravel()
            scale = np.array([prod(own) / prod(shape)] * 3 + [1.0])
            columns.append(self._of_group(group, shared)[at] * scale)
        return np.stack(columns, axis=1)

    def _of_group(self, group: Axes, axes: Axes) -> Floats:
        if (group, axes) not in self.found:
            law, weights = self.source.laws[group], self.source.cells(group, axes)
            ends = [extremes(self.oracles[group], own) for own in weights]
            people = np.full(len(weights), float(law.n))
            self.found[group, axes] = np.column_stack([weights @ law.shares, ends, people])
        return self.found[group, axes]


def _filled(told: Floats, most: int, n: int) -> Floats:
    """Return (cells, most, 4): a group beyond those that tell a table adds 0."""
    cells, groups, _ = told.shape
    nothing = np.broadcast_to([0.0, 0.0, 0.0, n], (cells, most - groups, 4))
    return np.concatenate([told, nothing], axis=1)
