"""How weighted shares vary: randomisation, sampling and weighting together."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.estimation.covariance import Covariance
from sudare.estimation.crossing import crossing
from sudare.estimation.simplex import project
from sudare.estimation.spread import Spread
from sudare.estimation.student import Studentised, StudentLaw, onto, quantile
from sudare.estimation.support import MOST_DENSE, SupportLaw

_TINY = 1e-300
_NOBODY = 1e-6
"""Share of others below which it does not matter what is taken for them."""
_EVEN = 1e-9
"""Skewness below which the correction for it is nothing but the rounding of floats."""
_ENDS = np.array([1.0, 0.0])


@dataclass(frozen=True)
class Question:
    """Of what a report says of a category: ``E[y²]`` and ``E[y³]``, by who sent it.

    Attributes:
        own: of those who hold the category.
        other: of all others.
        whole: of the sum over all categories.
        law: of the mechanism.
    """

    own: Floats
    other: Floats
    whole: Floats
    law: SupportLaw

    @classmethod
    def of(cls, law: SupportLaw, k: int) -> Question:
        """Return the moments by the law of a mechanism of k categories."""
        ones, first = np.ones(k), np.eye(k)[0]
        noise = [*law.cells(_ENDS), law.noise(ones, first)]
        third = [*law.third_of_cells(_ENDS, False), float(law.third(ones, first, False))]
        mean = (1, 0, 1)
        each = ((n + x, t + 3 * n * x + x) for n, t, x in zip(noise, third, mean, strict=True))
        at_own, at_other, at_whole = map(np.array, each)
        return cls(at_own, at_other, at_whole, law)

    def of_sum(self, weights: Floats) -> Floats:
        """Return ``E[y]``, ``E[y²]`` and ``E[y³]`` of ``y = Σ_c weights_c y_c``, by the category
        that is held: (3, k)."""
        held, x = np.eye(weights.size), weights
        noise = self.law.spreads(weights, held)
        third = np.array([float(self.law.third(weights, person, False)) for person in held])
        return np.stack([x, noise + x**2, third + 3 * noise * x + x**3])


@dataclass(frozen=True, eq=False)
class Groups:
    """Respondents of one cell of the margins and of about one weight, v = w / Σ w.

    Attributes:
        first, second, third: (groups,) sums of v, of v² / (1 - leverage) and of v³.
        way: (groups,) the mean v, the largest 1.
    """

    first: Floats
    second: Floats
    third: Floats
    way: Floats


@dataclass(frozen=True, eq=False)
class Tested(Studentised):
    """The spread of shares whose variance is known at every share that is tested.

    Attributes:
        groups: of the respondents.
        fits: (groups, ...) estimated shares of each group.
        own, other: (2, ...) ``E[y²]`` and ``E[y³]`` where the share is 1 and 0.
        between: (2, groups, ...) the same at the fits; None: on the line from one to the other.
    """

    groups: Groups = field(kw_only=True)
    fits: Floats = field(kw_only=True)
    own: Floats = field(kw_only=True)
    other: Floats = field(kw_only=True)
    between: Floats | None = field(default=None, kw_only=True)

    @classmethod
    def of_number(cls, law: WeightedLaw, moments: Floats) -> Tested:
        """Return the spread of the mean of numbers in [0, 1], of which other means are those of
        people who moved to an end.

        A part of each group, as large as the data say, is taken to be at the ends, the others all
        at their mean: the noise is the mechanism's, however few of its rare reports are there.

        Args:
            law: of the one mean.
            moments: (2, nodes) ``E[y²]`` and ``E[y³]`` at equally spaced numbers from 0 to 1.
        """
        plain, groups, fits = law.spread(np.ones(1)), law.groups, law.fits[:, 0]
        at, own, other = fits.clip(0, 1), moments[:, -1], moments[:, 0]
        places = np.linspace(0, 1, moments.shape[1])
        alike = np.stack([np.interp(at, places, one) for one in moments])
        apart = at * own[:, None] + (1 - at) * other[:, None]
        least, most = (float(groups.second @ (one[0] - at**2)) for one in (alike, apart))
        room = most - least
        part = min(max((plain.now - least) / room, 0.0), 1.0) if room > _TINY else 0.0
        between = (1 - part) * alike + part * apart
        return cls(**vars(plain), groups=groups, fits=fits, own=own, other=other, between=between)

    def _raw(self, at: Floats) -> Floats:
        """Return ``E[y²]`` and ``E[y³]`` where the groups have these shares."""
        own, other = self.own[:, None], self.other[:, None]
        if self.between is None:
            return np.asarray(at * own + (1 - at) * other)
        fits, up = self.fits.clip(0, 1), at > self.fits
        far = np.where(up, 1 - fits, fits)
        part = np.divide(np.abs(at - fits), far, out=np.zeros(at.shape), where=far > 0)
        return np.asarray(part * np.where(up, own, other) + (1 - part) * self.between)

    def interval(self, value: Any, miss: float) -> tuple[Any, Any]:
        """Return every share x that a score test does not reject.

        ::

            x_g = fit_g + λ v_g, in [0, 1],     x = Σ_g x_g Σ_{r in g} v_r
            V(x) = Σ_g Σ_{r in g} v_r² Var(y | x_g) / (1 - h_r) + what the data have beyond V(fit)
            u + third(x) (u² - 1) / (6 V(x)^1.5) = (value - x) / √V(x),     |u| <= t

        Where x is another number than the estimate, the strata whose respondents weigh most are
        those that differ most: λ v_g maximises the likelihood of normal y_r. So neither the
        variance nor the skewness of the test hangs on the estimate.

        Source: Laud 2017 (scores of strata, corrected for skewness).
        """
        x, t = np.asarray(value, np.float64), quantile(miss, self.freedom)
        column = (slice(None), *[None] * x.ndim)
        first, second, third, way = (
            getattr(self.groups, name)[column] for name in ("first", "second", "third", "way")
        )
        far = (1 + np.abs(self.fits)).max(axis=0) / self.groups.way.min()

        def moments(parts: Floats) -> tuple[Floats, Floats, Floats]:
            at = np.clip(self.fits + (2 * parts - 1) * far * way, 0, 1)
            square, cube = self._raw(at)
            return (
                (first * at).sum(axis=0),
                (second * (square - at * at)).sum(axis=0),
                (third * (cube - 3 * at * square + 2 * at**3)).sum(axis=0),
            )

        middle = np.full(x.shape, 0.5)
        seen = moments(middle)[1]
        beyond = np.maximum(np.asarray(self.now) - seen, 0)

        def falls(parts: Floats, level: float) -> Floats:
            at, variance, third = moments(parts)
            variance = np.maximum(variance + beyond, _TINY)
            skew = third / variance**1.5 / 6
            skew = np.where(np.abs(skew) < _EVEN, _EVEN, skew)
            root = 1 + 4 * skew * (skew + (x - at) / np.sqrt(variance))
            score: Floats = (np.sqrt(np.maximum(root, 0)) - 1) / (2 * skew)
            return score - level

        error = np.sqrt(np.maximum(seen + beyond, _TINY))
        slope = -2 * far * float(self.groups.first @ self.groups.way) / error
        low, high = (
            moments(crossing(partial(falls, level=level), middle + level / slope, slope))[0]
            for level in (t, -t)
        )
        room = [np.sqrt(moments(np.full(x.shape, end))[1] + beyond) for end in (0.0, 1.0)]
        plausible = x.clip(0, 1)
        low = np.minimum(low, np.minimum(plausible, 1 - room[1])).clip(0)
        high = np.maximum(high, np.maximum(plausible, room[0])).clip(max=1)
        return (low, high) if x.ndim else (float(low), float(high))


@dataclass(frozen=True, eq=False)
class Range:
    """The interval of a number in [low, low + span] by that of its part of the way."""

    part: Tested
    low: float
    span: float

    def interval(self, value: float, miss: float) -> tuple[float, float]:
        """Return ``(low, high)``; ``miss`` is 1 less the confidence."""
        ends = self.part.interval((value - self.low) / self.span, miss)
        return self.low + self.span * ends[0], self.low + self.span * ends[1]


@dataclass(frozen=True, eq=False)
class TestedSum(Studentised):
    """The spread of a weighted sum of shares: a number in [low, low + span], of which other values
    are those of people who moved to a category of the largest weight, or of the least."""

    scaled_part: Range = field(kw_only=True)

    @classmethod
    def by(cls, plain: Studentised, law: WeightedLaw, weights: Floats, raw: Floats) -> TestedSum:
        """Return the spread by what a report says of the sum.

        Each group is taken to hold the shares nearest to its estimated ones, and so many of it to
        have moved to an end that its sum is as estimated: what few reports show by chance to vary
        little is the mechanism's noise all the same.

        Args:
            plain: of what the reports show.
            law: of the shares.
            weights: of the sum, (cells,).
            raw: (3, cells) ``E[y]``, ``E[y²]`` and ``E[y³]`` by the category that is held.
        """
        low, span = float(weights.min()), float(np.ptp(weights))
        part, (first, second, cube) = (weights - low) / span, raw
        moments = np.stack(
            [
                (second - 2 * low * first + low**2) / span**2,
                (cube - 3 * low * second + 3 * low**2 * first - low**3) / span**3,
            ]
        )
        top, bottom = (moments[:, part == end].max(axis=1) for end in (1.0, 0.0))
        fits, held = (law.fits @ weights - low) / span, project(law.fits)
        at, near = fits.clip(0, 1), held @ part
        up = at > near
        room = np.where(up, 1 - near, near)
        moved = np.divide(np.abs(at - near), room, out=np.zeros(at.shape), where=room > _TINY)
        ends = np.where(up, top[:, None], bottom[:, None])
        between = moved * ends + (1 - moved) * (moments @ held.T)
        inside = Studentised.of(plain.now / span**2, plain.third / span**3, law.freedom)
        tested = Tested(
            **vars(inside), groups=law.groups, fits=fits, own=top, other=bottom, between=between
        )
        return cls(**vars(plain), scaled_part=Range(tested, low, span))

    def interval(self, value: Any, miss: float) -> tuple[Any, Any]:
        """Return every sum that a score test does not reject: :meth:`Tested.interval`; an error
        beyond what is possible where even the last possible sum is not rejected, as a ratio's
        test asks by how much it holds."""
        part, error = self.scaled_part, math.sqrt(max(float(self.now), 0.0))
        low, high = part.part.interval((value - part.low) / part.span, miss)
        ends = part.low + part.span * low, part.low + part.span * high
        return ends[0] - error * (low <= 0), ends[1] + error * (high >= 1)


@dataclass(frozen=True, eq=False)
class WeightedLaw(StudentLaw):
    """How weighted shares vary, by what each unit that was drawn adds to them.

    Attributes:
        units: (units, cells) what is left of each in the weighted shares, cells in row-major order:
            their squares and products add up to the covariances.
        groups: of the respondents.
        fits: (groups, cells) estimated shares of each group.
        questions: whose products the cells are; none where the law of a report is not known.
        sizes: categories of each.
        kept: which of them the shares are about; over the others they were summed.
    """

    units: Floats
    groups: Groups
    fits: Floats
    questions: tuple[Question, ...] = ()
    sizes: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        out: Floats = np.sqrt(np.einsum("ij,ij->j", self.units, self.units))
        return out.reshape(self.shares.shape)

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i shares_i``."""
        each = self.units @ weights.reshape(-1)
        return float(each @ each)

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how a weighted sum varies; without weights how each share does."""
        each = self.units if weights is None else self.units @ weights.reshape(-1)
        shape = self.shares.shape if weights is None else ()
        now, third = ((each**power).sum(axis=0).reshape(shape) for power in (2, 3))
        plain = Studentised.of(now, third, self.freedom)
        cells = np.arange(self.shares.size)
        if weights is not None:
            flat = weights.reshape(-1)
            cells = np.flatnonzero(flat)
            if cells.size != 1 or flat[cells[0]] != 1:
                raw = self._moments_of(flat) if np.ptp(flat) > 0 else None
                return plain if raw is None else TestedSum.by(plain, self, flat, raw)
        if not self.questions:
            return plain
        own, other = (one[:, cells].reshape(2, *shape) for one in self._moments)
        fits = self.fits[:, cells].reshape(-1, *shape)
        return Tested(**vars(plain), groups=self.groups, fits=fits, own=own, other=other)

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """``E[y²]`` and ``E[y³]`` of those in each cell, and of the others at plausible shares."""
        shape = tuple(self.sizes[axis] for axis in self.kept)
        x = project(self.shares.reshape(-1))
        left = prod(one.whole for i, one in enumerate(self.questions) if i not in self.kept)
        own = np.ones((2, x.size)) * np.reshape(left, (-1, 1))
        both = np.stack([x.reshape(shape)] * 2) * np.reshape(left, (-1, *[1] * len(shape)))
        for place, axis in enumerate(self.kept, start=1):
            one, column = self.questions[axis], (slice(None), *[None] * len(shape))
            whole = both.sum(axis=place, keepdims=True)
            both = one.other[column] * whole + (one.own - one.other)[column] * both
            own = own * one.own[:, None]
        others = both.reshape(2, -1) - x * own
        return own, np.divide(others, 1 - x, out=own.copy(), where=x < 1 - _NOBODY)

    def _moments_of(self, weights: Floats) -> Floats | None:
        """Return ``E[y]``, ``E[y²]`` and ``E[y³]`` of ``y = Σ weights_c y_c`` by the cell that is
        held, (3, cells).

        Of one question, and of the cells of a table where the weights are a product of those of its
        attributes, or of two cells. None of other sums, and of more cells than ``MOST_DENSE``.
        """
        shape = tuple(self.sizes[axis] for axis in self.kept)
        terms = _products(weights.reshape(shape)) if shape else ()
        if not terms or weights.size > MOST_DENSE:
            return None
        out = np.zeros((3, *shape))
        for power in (1, 2, 3):
            for some in product(terms, repeat=power):
                each = (
                    _mixed(self.questions[axis], [term[place] for term in some])
                    for place, axis in enumerate(self.kept)
                )
                out[power - 1] += reduce(np.multiply.outer, each)
        left = prod(one.whole for i, one in enumerate(self.questions) if i not in self.kept)
        out[1:] *= np.reshape(left, (-1, *[1] * len(shape)))
        return out.reshape(3, -1)

    def covariance(self) -> Covariance:
        """Return the covariances of all shares."""
        size = self.shares.size
        return Covariance(np.zeros(size), np.eye(size), self.units.T @ self.units)

    def summed(self, places: npt.NDArray[np.intp], shares: Floats) -> WeightedLaw:
        """Return the law of sums of the shares: ``places`` says to which each belongs."""
        to = onto(places, shares.size)
        law = replace(self, shares=shares, units=self.units @ to, fits=self.fits @ to)
        steps = [0] * len(self.sizes)
        if self.kept == tuple(range(len(self.sizes))):
            at = places.reshape(self.sizes)
            steps = [
                int(np.ptp(at, axis=i).max()) // max(k - 1, 1) for i, k in enumerate(self.sizes)
            ]
        kept = tuple(sorted(np.flatnonzero(steps).tolist(), key=lambda axis: -steps[axis]))
        each = np.indices(self.sizes).reshape(len(self.sizes), -1)
        if shares.size != prod(self.sizes[i] for i in kept) or (steps @ each != places).any():
            return replace(law, questions=(), sizes=(), kept=())  # sums of another kind
        return replace(law, kept=kept)


def _products(weights: Floats) -> list[list[Floats]]:
    """Return the weights of a table as a sum of products, a vector an attribute: of one product, or
    of two cells; else none."""
    top = np.unravel_index(int(np.abs(weights).argmax()), weights.shape)
    peak = float(weights[top])
    lines: list[Floats] = []
    for axis in range(weights.ndim):
        line: Any = [*top]
        line[axis] = slice(None)
        lines.append(weights[tuple(line)] / (peak if axis else 1.0))
    whole = reduce(np.multiply.outer, lines)
    if np.allclose(whole, weights, rtol=0, atol=1e-12 * abs(peak)):
        return [lines]
    cells = [tuple(cell) for cell in np.argwhere(weights).tolist()]
    if len(cells) > 2:
        return []
    return [
        [
            np.eye(k)[at] * (1.0 if axis else float(weights[cell]))
            for axis, (k, at) in enumerate(zip(weights.shape, cell, strict=True))
        ]
        for cell in cells
    ]


def _mixed(question: Question, sums: list[Floats]) -> Floats:
    """Return the mean product of up to three weighted sums, by the category that is held: from the
    powers of what they add up to and differ by (polarisation)."""
    power = len(sums) - 1
    if all(vector is sums[0] for vector in sums):
        return np.asarray(question.of_sum(sums[0])[power])
    a, b, *rest = sums
    if not rest:
        return np.asarray((question.of_sum(a + b)[1] - question.of_sum(a - b)[1]) / 4)
    c = rest[0]
    signed = (a + b + c, a + b - c, a - b + c, b + c - a)
    first, *others = (question.of_sum(vector)[2] for vector in signed)
    return np.asarray((first - sum(others)) / 24)
