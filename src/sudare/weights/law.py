"""How weighted shares vary: randomisation, sampling and weighting together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
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
from sudare.estimation.support import SupportLaw

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
    """

    own: Floats
    other: Floats
    whole: Floats

    @classmethod
    def of(cls, law: SupportLaw, k: int) -> Question:
        """Return the moments by the law of a mechanism of k categories."""
        ones, first = np.ones(k), np.eye(k)[0]
        noise = [*law.cells(_ENDS), law.noise(ones, first)]
        third = [*law.third_of_cells(_ENDS, False), float(law.third(ones, first, False))]
        mean = (1, 0, 1)
        each = ((n + x, t + 3 * n * x + x) for n, t, x in zip(noise, third, mean, strict=True))
        return cls(*map(np.array, each))


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
        cells, alone = np.arange(self.shares.size), True
        if weights is not None:
            cells = np.flatnonzero(weights.reshape(-1))
            alone = cells.size == 1 and bool(weights.reshape(-1)[cells[0]] == 1)
        if not self.questions or not alone:
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
