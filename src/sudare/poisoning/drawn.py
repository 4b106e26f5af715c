"""The manipulation band where a report is about one drawn group of attributes, or level of bins.

An estimate is a sum over groups, ``Σ_h v_h``, each part linear in the shares of the reports of its
own group. A share b_h of fakes among these, with parts e_h of their own, leaves of it
``(v_h - b_h e_h) / (1 - b_h)``. Where the collector draws the groups b_h is β for all; where
devices do, fakes choose: the change is convex in how many of them are in a group, so that the worst
is all of them in one, ``b_h = β n / n_h``, and anything at all where that is 1 or more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sudare.arrays import Floats
from sudare.estimation import Counts
from sudare.estimation.consistent import Axes, ConsistentPairs
from sudare.mechanisms import (
    FrequencyOracle,
    HierarchicalHistogram,
    MarginalRR,
    SampledPairs,
)
from sudare.poisoning.ends import Ends, linear_estimate
from sudare.poisoning.sums import extremes


@dataclass(frozen=True, eq=False)
class DrawnEstimate:
    """Estimates as sums of the parts of several groups of reports.

    Attributes:
        value: (cells,) the estimates.
        parts: (cells, groups) what each group has added.
        least, most: (cells, groups) the least and the most that a report of the group can add.
        people: (cells, groups) how many reports each group has.
        n: of all groups together.
        drawn: the collector has drawn the group of each report.
    """

    start: ClassVar[float] = 0.0
    stop: ClassVar[float] = 1.0
    value: Floats
    parts: Floats
    least: Floats
    most: Floats
    people: Floats
    n: int
    drawn: bool = False

    def band(self, beta: float) -> Ends:
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
        return Ends(*ends, float(moved.max(initial=0.0)))


@linear_estimate.register(MarginalRR)
def _of_attributes(mechanism: MarginalRR, counts: Counts) -> DrawnEstimate | None:
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
    return DrawnEstimate(value, value[:, None], least, most, group, counts.n)


@linear_estimate.register(SampledPairs)
def _of_pairs(mechanism: SampledPairs, counts: Counts) -> DrawnEstimate | None:
    source = mechanism.consistent(counts)
    oracles = dict(zip(mechanism.pairs, mechanism.parts, strict=True))
    if len(source.laws) < len(oracles):
        return None
    margins = {axis: dict(_of_margin(source, oracles, axis)) for axis in range(len(source.sizes))}
    tables = [_of_table(source, oracles, margins, pair) for pair in mechanism.pairs]
    groups = tables[0].shape[2]
    tables += [_of_one(list(told.values()), groups, counts.n) for told in margins.values()]
    axes = [*mechanism.pairs, *((axis,) for axis in margins)]
    value = np.concatenate([source.shares(one).ravel() for one in axes])
    parts, least, most, people = (np.concatenate(one) for one in zip(*tables, strict=True))
    return DrawnEstimate(value, parts, least, most, people, counts.n)


@linear_estimate.register(HierarchicalHistogram)
def _of_levels(mechanism: HierarchicalHistogram, counts: Counts) -> DrawnEstimate | None:
    """Of the share of people below each inner edge."""
    if mechanism.split(counts.support)[-1][0] == 0:  # none about the bins
        return None
    source = mechanism.consistent(counts)
    below = np.tri(mechanism.bins - 1, mechanism.bins)
    told = [
        (level.n, weights @ level.shares, [extremes(mechanism.parts[i], own) for own in weights])
        for i, level, weights, _ in source.told(below)
    ]
    parts = np.stack([part for _, part, _ in told], axis=1)
    least, most = np.moveaxis(np.array([ends for *_, ends in told]), 0, 1).transpose(2, 0, 1)
    people = np.broadcast_to(np.array([n for n, *_ in told], dtype=np.float64), parts.shape)
    return DrawnEstimate(below @ source.shares, parts, least, most, people, counts.n)


def _of_margin(
    source: ConsistentPairs, oracles: dict[Axes, FrequencyOracle], axis: int
) -> Iterator[tuple[Axes, Floats]]:
    """Yield what each group tells of a margin: (categories, 4) part, least, most, people."""
    for pair in source.parts(axis):
        weights = [source.weights_of(pair, (axis,), one) for one in np.eye(source.sizes[axis])]
        yield pair, _told(source, oracles[pair], pair, weights)


def _of_one(told: list[Floats], groups: int, n: int) -> Floats:
    """Return (4, categories, groups) of a margin; a group beyond those that tell it adds 0."""
    nothing = np.broadcast_to([0.0, 0.0, 0.0, n], told[0].shape)
    return np.moveaxis(np.stack([*told, *[nothing] * (groups - len(told))], axis=1), 2, 0)


def _of_table(
    source: ConsistentPairs,
    oracles: dict[Axes, FrequencyOracle],
    margins: dict[int, dict[Axes, Floats]],
    pair: Axes,
) -> Floats:
    """Return (4, cells, groups) of a pair's table: its own group first."""
    rows, columns = shape = source.shape(pair)
    cells = np.eye(rows * columns).reshape(-1, *shape)
    own = _told(source, oracles[pair], pair, [source.weights_of(pair, pair, one) for one in cells])
    groups = [own]
    for place, axis in enumerate(pair):
        at = np.indices(shape)[place].ravel()
        scale = np.array([1 / shape[1 - place]] * 3 + [1.0])
        groups += [told[at] * scale for other, told in margins[axis].items() if other != pair]
    return np.moveaxis(np.stack(groups, axis=1), 2, 0)


def _told(
    source: ConsistentPairs, oracle: FrequencyOracle, pair: Axes, weights: list[Floats]
) -> Floats:
    """Return part, least, most and people of weighted sums over a group's shares."""
    law = source.laws[pair]
    out = [(*extremes(oracle, own.ravel()), law.n) for own in weights]
    parts = [float(own.ravel() @ law.shares) for own in weights]
    return np.column_stack([parts, np.array(out, dtype=np.float64)])
