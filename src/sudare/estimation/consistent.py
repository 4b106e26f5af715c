"""Tables of every two attributes from groups that each reported one pair, made to agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, reduce
from math import prod
from operator import add
from typing import ClassVar, NoReturn

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats
from sudare.errors import EstimationError
from sudare.estimation.caution import FEW
from sudare.estimation.ending import MethodResult
from sudare.estimation.estimate import Kind, Target
from sudare.estimation.shares import ShareLaw
from sudare.estimation.spread import Spread, interval

Axes = tuple[int, ...]
Precisions = Mapping[Axes, tuple[float, float]]
"""For each pair how precisely a report about it tells the margin of its first and second."""

_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class ConsistentPairs:
    """Tables of pairs whose margins agree, by weighted least squares.

    With x_g the unbiased table that the group of pair g = (i, j) reports, split into its mean, the
    deviations of its margins, and the rest::

        x_g(a, b) = t_g + r_g(a) / k_j + c_g(b) / k_i + e_g(a, b)

    the four are orthogonal, so that the nearest tables that add up to 1 and share their margins,
    each group weighted by its precision, have 1 / (k_i k_j), weighted means of r and c over all
    groups that report the attribute, and their own e_g. All are linear: variances add up, group by
    group. The weights follow from the design, not from what was reported.

    Args:
        sizes: number of categories of each attribute.
        laws: of each pair its group's, for the population; without pairs nobody reported.
        precisions: of the margins.
        people: respondents of all groups together.
        target: whose shares; for the respondents x (1 - x) / n is taken off every variance.

    Source: after Zhang et al. 2018 (CALM), section 4.3, whose average is unweighted.
    """

    sizes: Axes
    laws: Mapping[Axes, ShareLaw]
    precisions: Precisions
    people: int
    target: Target

    def table(self, axes: Axes) -> PairsLaw:
        """Return how the table of a pair varies, or one attribute alone, with its shares.

        Raises:
            EstimationError: nobody reported what it takes.
        """
        if len(axes) == 2 and axes not in self.laws:
            raise EstimationError("counts", f"must hold a report about {axes}", "collect more")
        for axis in axes:
            if not self.parts(axis):
                raise EstimationError("counts", f"must hold one about {axis}", "collect more")
        return PairsLaw(self, axes, self.shares(axes))

    @cached_property
    def _parts(self) -> dict[int, dict[Axes, float]]:
        out: dict[int, dict[Axes, float]] = {axis: {} for axis in range(len(self.sizes))}
        for pair in self.laws:
            for axis, precision in zip(pair, self.precisions[pair], strict=True):
                out[axis][pair] = precision
        return {
            axis: {pair: own / sum(each.values()) for pair, own in each.items()}
            for axis, each in out.items()
        }

    def parts(self, axis: int) -> dict[Axes, float]:
        """Return the weight of each group in the margin of an attribute."""
        return self._parts[axis]

    def weights(self, axes: Axes, own: Floats) -> dict[Axes, Floats]:
        """Return, for a weighted sum over a table, the weights of each group's own shares."""
        groups: set[Axes] = {axes} if len(axes) == 2 else set()
        groups |= {pair for axis in axes for pair in self.parts(axis)}
        return {pair: self.weights_of(pair, axes, own) for pair in sorted(groups)}

    def weights_of(self, pair: Axes, axes: Axes, own: Floats) -> Floats:
        """Return those of one group."""
        out = _centred(_centred(own, 0), 1) if pair == axes else np.zeros(self.shape(pair))
        for place, axis in enumerate(axes):
            if axis in pair:
                margin = own
                if len(axes) == 2:
                    margin = own.sum(axis=1 - place) / self.sizes[axes[1 - place]]
                told = self.parts(axis)[pair] * _centred(margin, 0)
                out += told[:, None] if axis == pair[0] else told
        return out

    def shape(self, axes: Axes) -> tuple[int, ...]:
        """Return the shape of a table."""
        return tuple(self.sizes[axis] for axis in axes)

    @cached_property
    def _deviations(self) -> dict[int, Floats]:
        """Of each attribute the deviations of its consistent margin from even shares."""
        found = {axis: np.zeros(size) for axis, size in enumerate(self.sizes)}
        for axis, out in found.items():
            for pair, share in self.parts(axis).items():
                table = self.laws[pair].shares.reshape(self.shape(pair))
                out += share * _centred(table.sum(axis=1 - pair.index(axis)), 0)
        return found

    def shares(self, axes: Axes) -> Floats:
        """Return the consistent table of a pair, or of one attribute alone."""
        if len(axes) == 1:
            return 1 / self.sizes[axes[0]] + self._deviations[axes[0]]
        (i, j), (rows, columns) = axes, self.shape(axes)
        rest = _centred(_centred(self.laws[axes].shares.reshape(rows, columns), 0), 1)
        margins = self._deviations[i][:, None] / columns + self._deviations[j] / rows
        out: Floats = 1 / (rows * columns) + margins + rest
        return out

    @cached_property
    def _margins(self) -> dict[tuple[int, Axes], Spread]:
        """How the deviation of each category of an attribute varies that a group tells."""
        found = {}
        for axis in range(len(self.sizes)):
            for pair in self.parts(axis):
                each = [
                    self.laws[pair].spread(self.weights_of(pair, (axis,), one).ravel())
                    for one in np.eye(self.sizes[axis])
                ]
                found[axis, pair] = Spread.stack(each, (self.sizes[axis],))
        return found

    @cached_property
    def margin_covariances(self) -> dict[tuple[int, Axes], Floats]:
        """Of each attribute the covariances of the deviations that a group tells."""
        found = {}
        for axis, size in enumerate(self.sizes):
            for pair, told in self.parts(axis).items():
                places = np.indices(self.shape(pair))[pair.index(axis)].ravel()
                own = self.laws[pair].covariance().grouped(places, size).dense()
                found[axis, pair] = told**2 * _centred(_centred(own, 0), 1)
        return found

    def spreads(self, axes: Axes) -> Spread:
        """Return how each cell of a table varies."""
        if len(axes) == 1:
            return reduce(add, (self._margins[axes[0], pair] for pair in self.parts(axes[0])))
        shape = self.shape(axes)
        cells = np.eye(prod(shape)).reshape(-1, *shape)
        own = [self.laws[axes].spread(self.weights_of(axes, axes, one).ravel()) for one in cells]
        total = Spread.stack(own, shape)
        for place, axis in enumerate(axes):
            size = self.sizes[axes[1 - place]]
            for pair in self.parts(axis):
                if pair != axes:
                    margin = self._margins[axis, pair].scaled(1 / size)
                    total = total + _shaped(margin, (-1, 1) if place == 0 else (1, -1))
        return total


@dataclass(frozen=True, eq=False)
class PairsLaw:
    """The law of one table among consistent ones.

    Attributes:
        source: all of them.
        axes: a pair, or one attribute.
        shares: unbiased.
    """

    exclusive: ClassVar[bool] = True
    source: ConsistentPairs
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
        raise EstimationError("estimates", "of sampled pairs cannot be combined", "add counts")

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
        total = sum(laws[pair].variance(own.ravel()) for pair, own in each.items())
        return total - self._sampled(weights)

    @cached_property
    def _each(self) -> Spread:
        total = self.source.spreads(self.axes)
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
            laws[pair].spread(own.ravel()) for pair, own in each.items() if np.ptp(own) > _NOTHING
        ]
        if not some:  # of all cells alike: 1, whatever was reported
            return Spread(0.0, 0.0, *ends, 0.0, 0.0, 0.0)
        total = reduce(add, some)
        now = max(0.0, float(total.now) - self._sampled(weights))
        return self._within(replace(total, now=now), *ends)

    @property
    def few(self) -> Booleans:
        """Cells that fewer than 30 reports are expected to support."""
        expected = np.zeros(self.shares.shape)
        for pair, law in self.source.laws.items():
            if pair == self.axes or (len(self.axes) == 1 and self.axes[0] in pair):
                table = law.expected_support.reshape(self.source.shape(pair))
                rest = tuple(place for place, axis in enumerate(pair) if axis not in self.axes)
                expected += table.sum(axis=rest)
        out: Booleans = expected < FEW
        return out

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)``: normal, or by a score test."""
        return interval(self, miss, kind, simultaneous)


def _centred(values: Floats, axis: int) -> Floats:
    out: Floats = values - values.mean(axis=axis, keepdims=True)
    return out


def _shaped(spread: Spread, shape: tuple[int, ...]) -> Spread:
    each: Iterator[npt.NDArray[np.float64]] = (
        np.asarray(getattr(spread, one.name)) for one in fields(spread)
    )
    return Spread(*(one.reshape(shape) if one.ndim else one for one in each))
