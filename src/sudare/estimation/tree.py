"""Shares of bins from groups that each reported one level of a tree over them, made consistent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Floats
from sudare.estimation.caution import FEW
from sudare.estimation.estimate import Kind, Target
from sudare.estimation.simplex import clip_and_normalise
from sudare.estimation.spread import Spread, interval
from sudare.estimation.support import SupportLaw

T = TypeVar("T", np.int64, np.float64)


@dataclass(frozen=True, slots=True)
class BinTree:
    """A tree of which each node has ``branching`` neighbouring children, the last one maybe fewer.

    Attributes:
        bins: leaves.
        branching: children of a node, at least 2. As many as there are bins, or more: one level.

    Examples:
        >>> tree = BinTree(bins=10, branching=3)
        >>> tree.sizes
        (2, 4, 10)
        >>> [level.tolist() for level in tree.sums(np.ones(10))[:2]]
        [[9.0, 1.0], [3.0, 3.0, 3.0, 1.0]]
    """

    bins: int
    branching: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of nodes of each level, the bins last. The root, which holds all, is none."""
        out = [self.bins]
        while out[-1] > self.branching:
            out.append(-(-out[-1] // self.branching))
        return tuple(reversed(out))

    def nodes(self, bins: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the node of each bin in every level, levels on the last axis."""
        steps = self.branching ** np.arange(len(self.sizes), dtype=np.int64)
        out: npt.NDArray[np.int64] = bins[..., None] // steps[::-1]
        return out

    def sums(self, x: npt.NDArray[T]) -> list[npt.NDArray[T]]:
        """Return for each level what the bins under each node hold together; bins last."""
        out = [x]
        while out[-1].shape[-1] > self.branching:
            out.append(self._under(out[-1]))
        return out[::-1]

    def nearest(
        self, levels: Sequence[Floats], precisions: Sequence[float], total: float
    ) -> Floats:
        """Return the x of the least sum of squares among those that add up to ``total``.

        ::

            Σ_l precision_l |y_l - sums_l(x)|²

        Upwards each node's value from all that is under it, and its variance; downwards what a node
        has more than its children goes to them by their variances: in a few steps a node.

        Args:
            levels: y, nodes on the last axis.
            precisions: of the levels, >= 0; of the bins above 0.
            total: what is known of all together.
        """
        z, variance = levels[-1], np.full(self.bins, 1 / precisions[-1])
        found = [(z, variance)]
        for y, precision in zip(reversed(levels[:-1]), reversed(precisions[:-1]), strict=True):
            z, variance = self._under(z), self._under(variance)
            part = precision * variance / (1 + precision * variance)
            z, variance = z + part * (y - z), (1 - part) * variance
            found.append((z, variance))
        x = np.full((*z.shape[:-1], 1), total)
        for z, variance in reversed(found):
            part = variance / self._over(self._under(variance), variance.size)
            x = z + part * self._over(x - self._under(z), variance.size)
        return x

    def _under(self, x: npt.NDArray[T]) -> npt.NDArray[T]:
        out: npt.NDArray[T] = np.add.reduceat(x, np.arange(0, x.shape[-1], self.branching), axis=-1)
        return out

    def _over(self, x: Floats, size: int) -> Floats:
        out: Floats = np.repeat(x, self.branching, axis=-1)[..., :size]
        return out


@dataclass(frozen=True, eq=False)
class Level:
    """What one group reported about the nodes of a level.

    Attributes:
        report: the law of one report, the same for all categories (a
            :class:`~sudare.estimation.support.PairLaw`).
        support: of each node.
        n: reports.
    """

    report: SupportLaw
    support: npt.NDArray[np.int64]
    n: int

    @cached_property
    def shares(self) -> Floats:
        """The unbiased shares; no matter where nobody reported."""
        p, q = float(self.report.p), float(self.report.q)
        return (self.support / max(self.n, 1) - q) / (p - q)

    @cached_property
    def rates(self) -> tuple[float, float]:
        """``(c, d)`` of one report's ``Var Σ w_i = c Σ w_i² + d Σ w_i² x_i``, where Σ w_i = 0."""
        apart, own, other = np.zeros((3, self.support.size))
        apart[:2], own[0], other[-1] = (1, -1), 1, 1
        near, far = (self.report.noise(apart, held) / 2 for held in (own, other))
        return far, 2 * (near - far)

    def variance(self, weights: Floats, shares: Floats) -> Floats:
        """Return the variance of one report's ``Σ w_i``, rows that add up to 0, at the shares."""
        common, own = self.rates
        out: Floats = (weights * weights) @ (common + (own + 1) * shares) - (weights @ shares) ** 2
        return out

    def variance_of_one(self, weights: Floats, nodes: npt.NDArray[np.int64]) -> Floats:
        """Return the same of each row where everybody is at one node."""
        common, own = self.rates
        held = np.take_along_axis(weights, nodes[..., None], axis=-1)[..., 0]
        out: Floats = common * (weights * weights).sum(axis=-1) + own * held * held
        return out

    @property
    def precision(self) -> float:
        """1 / variance of a deviation from even shares by one report."""
        common, own = self.rates
        return 1 / (common + (own + 1) / self.support.size)

    def third(self, weights: Floats, shares: Floats, sampled: bool) -> Floats:
        """Return about the third central moment of one report's sum: that of independent supports.

        As :meth:`SupportLaw.third`, for each row of the weights.
        """
        square = weights * weights
        out: Floats = (square * weights) @ self.report.third_of_cells(shares, False)
        if sampled:
            apart = weights - (weights @ shares)[..., None]
            own, other = self.report.cells(np.array([1.0, 0.0]))
            out = out + (apart * (apart * apart + 3 * (own - other) * square)) @ shares
        return out


@dataclass(frozen=True, eq=False)
class TreeLaw:
    """Shares of bins whose sums fit best, by least squares, what was reported about each level.

    With y_l the unbiased shares of the nodes of level l, each from another random group::

        x = argmin Σ_l precision_l |y_l - sums_l(x)|²   over the x that add up to 1

    At even shares no other linear unbiased estimate errs less; the precisions follow from the
    design, not from what was reported. Then ``Σ w_i x_i`` is a constant and ``Σ_l u_l y_l``, where
    ``u_l = precision_l sums_l(C w)`` adds up to 0, and its variance is that of the groups, added
    up. For the respondents, of whom each group is a random part, that of w among them is taken
    off.

    Args:
        tree: over the bins.
        levels: what was reported; about the bins at least once.
        people: respondents of all groups together.
        target: whose shares.
        assumed: take all at these shares instead.

    Source: Cormode, Kulkarni, Srivastava 2019, section 4.5, of levels that are alike; Hay, Rastogi,
    Miklau, Suciu 2010.
    """

    exclusive: ClassVar[bool] = True
    tree: BinTree
    levels: tuple[Level, ...]
    people: int
    target: Target
    assumed: Floats | None = None

    def at(self, shares: Floats) -> Self:
        """Return the law of as many reports if these were the true shares."""
        return replace(self, assumed=shares)

    @cached_property
    def _precisions(self) -> list[float]:
        return [level.precision if level.n else 0.0 for level in self.levels]

    @cached_property
    def shares(self) -> Floats:
        """The unbiased shares of the bins."""
        return self.tree.nearest([level.shares for level in self.levels], self._precisions, 1.0)

    @cached_property
    def _plausible(self) -> Floats:
        return clip_and_normalise(self.shares if self.assumed is None else self.assumed)

    def told(self, weights: Floats) -> Iterator[tuple[int, Level, Floats, Floats]]:
        """Yield each level that was reported, with u, of each row, and its plausible shares."""
        levels = [np.zeros((*weights.shape[:-1], size)) for size in self.tree.sizes]
        levels[-1] = weights / self._precisions[-1]
        inverse = self.tree.nearest(levels, self._precisions, 0.0)
        each = zip(
            self.levels, self.tree.sums(inverse), self.tree.sums(self._plausible), strict=True
        )
        for i, (level, sums, x) in enumerate(each):
            if level.n:
                yield i, level, self._precisions[i] * sums, x

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        out: Floats = np.sqrt(self._each.now)
        return out

    @cached_property
    def _each(self) -> Spread:
        return self.spreads(np.eye(self.tree.bins))

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``."""
        return float(self.variances(weights))

    def variances(self, weights: Floats) -> Floats:
        """Return the same for each row of the weights."""
        out = self._taken_off(weights)
        for _, level, u, x in self.told(weights):
            out = out + level.variance(u, x) / level.n
        return np.maximum(out, 0)

    def _taken_off(self, weights: Floats) -> Floats:
        if self.target == "population":
            return np.zeros(weights.shape[:-1])
        return -self.known(weights)

    def known(self, weights: Floats) -> Floats:
        """Return how each row's sum varies over samples of so many people."""
        return _variance(weights, self._plausible) / self.people

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how ``Σ weights_i shares_i`` varies; without weights how each share does."""
        return self._each if weights is None else self.spreads(weights)

    def spreads(self, weights: Floats) -> Spread:
        """Return the same for each row of the weights.

        The people by whom the truth differs are taken to be in the first bin of the least or the
        largest weight.
        """
        ends = [self.tree.nodes(side(weights, axis=-1)) for side in (np.argmin, np.argmax)]
        now, (third, asked, far) = self._taken_off(weights), np.zeros((3, *weights.shape[:-1]))
        there = np.zeros((2, *weights.shape[:-1]))
        drawn = self.target == "population" or len(self.levels) > 1
        for i, level, u, x in self.told(weights):
            n = level.n
            now = now + level.variance(u, x) / n
            third = third + level.third(u, x, drawn) / n**2
            span = np.ptp(u, axis=-1)
            asked, far = asked + span * span / n, far + span
            there = there + np.stack([level.variance_of_one(u, end[..., i]) for end in ends]) / n
        asked = np.divide(asked, far * far, out=np.zeros_like(asked), where=far > 0)
        if self.target == "respondents":
            asked = np.maximum(asked - 1 / self.people, 0)
        bottom, top = weights.min(axis=-1), weights.max(axis=-1)
        return Spread(np.maximum(now, 0), third, bottom, top, there[0], there[1], asked)

    @property
    def few(self) -> Booleans:
        """Bins that fewer than 30 reports about bins are expected to support."""
        last = self.levels[-1]
        p, q = float(last.report.p), float(last.report.q)
        out: Booleans = last.n * (q + (p - q) * self._plausible) < FEW
        return out

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)``: normal, or by a score test."""
        return interval(self, miss, kind, simultaneous)


def _variance(weights: Floats, shares: Floats) -> Floats:
    """Return the variance of ``weights`` over people of those shares, of each row."""
    out: Floats = (weights * weights) @ shares - (weights @ shares) ** 2
    return out
