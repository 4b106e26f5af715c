"""Tables of some attributes from groups that each reported a few of them, made to agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import combinations
from math import prod
from operator import add
from typing import Any, ClassVar, NoReturn

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats
from sudare.errors import EstimationError
from sudare.estimation.caution import FEW
from sudare.estimation.conclude import MethodResult
from sudare.estimation.covariance import Covariance
from sudare.estimation.estimate import Kind, Target
from sudare.estimation.shares import ShareLaw
from sudare.estimation.spread import Spread, interval, scaled_addends

Axes = tuple[int, ...]
Precisions = Mapping[Axes, Mapping[Axes, float]]
"""Of each group how precisely a report about it tells the effect of some of its attributes."""

_NOTHING = 1e-12


def subsets(axes: Axes) -> Iterator[Axes]:
    """Yield some attributes and all smaller sets of them but the empty one, the largest first."""
    for size in range(len(axes), 0, -1):
        yield from combinations(axes, size)


@dataclass(frozen=True, eq=False)
class ConsistentTables:
    """Tables whose margins agree, by weighted least squares.

    The unbiased table x_g that a group reports of its attributes g is a sum of orthogonal parts, an
    effect for each set S of them, spread evenly over the others::

        x_g = Σ_{S ⊆ g} e_gS / Π_{i ∈ g, i ∉ S} k_i,   e_gS its margin of S, centred along each i

    so that the nearest tables that add up to 1 and share their margins, each group weighted by its
    precision, have 1 for the empty set, and for each other one the weighted mean of e_gS over all
    groups that report it. All are linear: variances add up, group by group. The weights follow from
    the design, not from what was reported.

    Args:
        sizes: number of categories of each attribute.
        laws: of each group, for the population; without groups that nobody reported.
        precisions: of the effects.
        people: respondents of all groups together.
        target: whose shares; for the respondents x (1 - x) / n is taken off every variance.

    Source: after Zhang et al. 2018 (CALM), section 4.3, whose average is unweighted.
    """

    sizes: Axes
    laws: Mapping[Axes, ShareLaw]
    precisions: Precisions
    people: int
    target: Target
    _told: dict[Axes, Floats] = field(default_factory=dict, init=False, repr=False)
    _cells: dict[Any, Floats] = field(default_factory=dict, init=False, repr=False)
    _own: dict[Axes, Covariance] = field(default_factory=dict, init=False, repr=False)

    def table(self, axes: Axes) -> TableLaw:
        """Return how the table of some attributes varies, with its shares.

        Raises:
            EstimationError: nobody reported what it takes.
        """
        for some in subsets(axes):
            if not self.parts(some):
                what = some if len(some) > 1 else some[0]
                raise EstimationError("counts", f"must hold a report about {what}", "collect more")
        return TableLaw(self, axes, self.shares(axes))

    @cached_property
    def _parts(self) -> dict[Axes, dict[Axes, float]]:
        out: dict[Axes, dict[Axes, float]] = {}
        for group in self.laws:
            for some, precision in self.precisions[group].items():
                out.setdefault(some, {})[group] = precision
        totals = {some: sum(each.values()) for some, each in out.items()}
        return {
            some: {group: own / totals[some] for group, own in each.items()}
            for some, each in out.items()
        }

    def parts(self, some: Axes) -> dict[Axes, float]:
        """Return the weight of each group in the effect of some attributes."""
        return self._parts.get(some, {})

    def weights(self, axes: Axes, own: Floats) -> dict[Axes, Floats]:
        """Return, for a weighted sum over a table, the weights of each group's own shares."""
        groups = {group for axis in axes for group in self.parts((axis,))}
        return {group: self.weights_of(group, axes, own) for group in sorted(groups)}

    def weights_of(self, group: Axes, axes: Axes, own: Floats) -> Floats:
        """Return those of one group; ``own`` may hold several sums, on axes before the table's."""
        out = np.zeros((*own.shape[: own.ndim - len(axes)], *self.shape(group)))
        for some in subsets(tuple(axis for axis in axes if axis in group)):
            rest = tuple(i - len(axes) for i, axis in enumerate(axes) if axis not in some)
            effect = _centred(own.mean(axis=rest) if rest else own, len(some))
            out += self.parts(some)[group] * _along(effect, some, group)
        return out

    def shape(self, axes: Axes) -> tuple[int, ...]:
        """Return the shape of a table."""
        return tuple(self.sizes[axis] for axis in axes)

    @cached_property
    def _effects(self) -> dict[Axes, Floats]:
        found = {}
        for some, each in self._parts.items():
            out = np.zeros(self.shape(some))
            for group, share in each.items():
                table = self.laws[group].shares.reshape(self.shape(group))
                out += share * _centred(_margin(table, group, some), len(some))
            found[some] = out
        return found

    def shares(self, axes: Axes) -> Floats:
        """Return the consistent table of some attributes."""
        out = np.full(self.shape(axes), 1 / prod(self.shape(axes)))
        for some in reversed(list(subsets(axes))):
            effect = self._effects[some]
            out += _along(effect, some, axes) / (out.size // effect.size)
        return out

    def told(self, some: Axes) -> Floats:
        """Return how the cells of a table vary by what each group tells that reports all of it.

        As (groups, numbers that add up, ...), in the order of :meth:`parts`.
        """
        if some not in self._told:
            rows = [
                self.laws[group].spreads(self.cells(group, some)).addends
                for group in self.parts(some)
            ]
            self._told[some] = np.array(rows).reshape(len(rows), -1, *self.shape(some))
        return self._told[some]

    def cells(self, group: Axes, some: Axes) -> Floats:
        """Return the weights of a group's own shares in each cell of the table of some, in rows.

        Groups of the same sizes that count as much have the same ones.
        """
        told = tuple(self.parts(one)[group] for one in subsets(some))
        key = self.shape(group), tuple(group.index(axis) for axis in some), told
        if key not in self._cells:
            every = np.eye(prod(self.shape(some))).reshape(-1, *self.shape(some))
            self._cells[key] = self.weights_of(group, some, every).reshape(len(every), -1)
        return self._cells[key]

    def spread(self, axes: Axes) -> Spread:
        """Return how each cell of a table varies.

        What a group tells that reports some of its attributes is spread evenly over the others.
        """
        shape, total, groups = self.shape(axes), np.zeros(()), 0
        for some in subsets(axes):
            rest = set(axes) - set(some)
            own = self.told(some)[[rest.isdisjoint(group) for group in self.parts(some)]]
            groups += len(own)
            factor = prod(self.shape(some)) / prod(shape)
            total = total + _along(scaled_addends(own.sum(axis=0), factor), some, axes)
        return Spread.of_addends(np.broadcast_to(total, (len(total), *shape)), alone=groups == 1)

    @cached_property
    def margin_covariances(self) -> dict[int, dict[Axes, Floats]]:
        """Of each attribute the covariances of the deviations that each group tells."""
        found: dict[int, dict[Axes, Floats]] = {}
        for (axis, *more), each in self._parts.items():
            if not more:
                found[axis] = {
                    group: told**2 * _centred(self.covariance(group, (axis,)).dense(), 2)
                    for group, told in each.items()
                }
        return found

    def covariance(self, group: Axes, axes: Axes) -> Covariance:
        """Return the covariances of the table of some attributes that a group alone tells."""
        if group not in self._own:
            self._own[group] = self.laws[group].covariance()
        kept = tuple(group.index(axis) for axis in axes)
        return self._own[group].margin(self.shape(group), kept)


@dataclass(frozen=True, eq=False)
class TableLaw:
    """The law of one table among consistent ones.

    Attributes:
        source: all of them.
        axes: attributes that some group reports, or fewer.
        shares: unbiased.
    """

    exclusive: ClassVar[bool] = True
    source: ConsistentTables
    axes: Axes
    shares: Floats

    @property
    def result(self) -> MethodResult:
        """The shares, and how they vary, for an estimate."""
        return MethodResult(self.shares, self.few, self)

    def at(self, shares: Floats) -> NoReturn:
        """Refuse: the other groups' shares are not known.

        Raises:
            EstimationError: always.
        """
        raise EstimationError("estimates", "of sampled tables cannot be combined", "add counts")

    @property
    def _plausible(self) -> Floats:
        x = np.clip(self.shares, 0, 1)
        return x / max(float(x.sum()), _NOTHING)

    def _sampled(self, weights: Floats) -> float:
        """Return what the respondents' own shares do not vary by."""
        if self.source.target == "population":
            return 0.0
        x, w = self._plausible, weights
        return (float((w * w * x).sum()) - float((w * x).sum()) ** 2) / self.source.people

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``."""
        each, laws = self.source.weights(self.axes, weights), self.source.laws
        total = sum(laws[group].variance(own.ravel()) for group, own in each.items())
        return total - self._sampled(weights)

    @cached_property
    def _each(self) -> Spread:
        total = self.source.spread(self.axes)
        now = np.asarray(total.now)
        if self.source.target == "respondents":
            x = self._plausible
            now = now - x * (1 - x) / self.source.people
        return self._within(replace(total, now=np.maximum(now, 0)), 0.0, 1.0)

    def _within(self, total: Spread, bottom: float, top: float) -> Spread:
        """Return the spread of a number that lies between these ends."""
        asked = total.asked
        if self.source.target == "respondents":
            asked = np.maximum(asked - 1 / self.source.people, 0.0)
        return replace(total, bottom=bottom, top=top, asked=asked)

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        out: Floats = np.sqrt(self._each.now)
        return out

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how ``Σ weights_i shares_i`` varies; without weights how each share does."""
        if weights is None:
            return self._each
        each, laws = self.source.weights(self.axes, weights), self.source.laws
        ends = float(weights.min()), float(weights.max())
        some = [
            laws[group].spread(own.ravel()) for group, own in each.items() if np.ptp(own) > _NOTHING
        ]
        if not some:  # of all cells alike: 1, whatever was reported
            return Spread(0.0, 0.0, *ends, 0.0, 0.0, 0.0)
        total = reduce(add, some)
        now = max(0.0, float(total.now) - self._sampled(weights))
        return self._within(replace(total, now=now), *ends)

    @property
    def few(self) -> Booleans:
        """Cells that fewer than 30 reports are expected to support."""
        source, expected = self.source, np.zeros(self.shares.shape)
        for group in source.parts(self.axes):
            table = source.laws[group].expected_support.reshape(source.shape(group))
            expected += _margin(table, group, self.axes)
        out: Booleans = expected < FEW
        return out

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)``: normal, or by a score test."""
        return interval(self, miss, kind, simultaneous)


def _centred(values: Floats, along: int) -> Floats:
    """Return values whose mean along each of the last axes is 0."""
    for axis in range(-along, 0):
        values = values - values.mean(axis=axis, keepdims=True)
    return values


def _along(values: npt.NDArray[Any], some: Axes, axes: Axes) -> npt.NDArray[Any]:
    """Return the table of some attributes, on its last axes, as one of more that does not depend on
    the others."""
    sizes = iter(values.shape[values.ndim - len(some) :])
    shape = [next(sizes) if axis in some else 1 for axis in axes]
    return values.reshape(*values.shape[: values.ndim - len(some)], *shape)


def _margin(table: Floats, axes: Axes, some: Axes) -> Floats:
    """Return the table of some of its attributes."""
    rest = tuple(place for place, axis in enumerate(axes) if axis not in some)
    out: Floats = table.sum(axis=rest)
    return out
