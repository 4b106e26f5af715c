"""How an unbiased number varies, and the interval that follows, of skewed laws and few reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.estimation.confidence import cell_miss, two_sided
from sudare.estimation.crossing import reach

_FAR = 1e100
_POWERS = np.array([2, 3, 1, 1, 2, 2, 2, 1])
"""Of a factor of a number, by which its addends change."""


@dataclass(frozen=True, eq=False)
class Spread:
    """The variance of a number at the estimate, and how it changes towards either end.

    If a part w of the people were at an end where the number is d larger, its variance would be::

        V(w) = (1 - w) now + w there + w (1 - w) d² asked

    All are numbers, or arrays of one for each number.

    Attributes:
        now: the variance at the estimate.
        third: the third central moment there.
        bottom, top: the least and the largest value of the true number.
        at_bottom, at_top: the variance if everybody were there.
        asked: 1 / how many people were asked for the population; 0 for the respondents.
        step: between two values that the number can take; 0 where they lie close together.
    """

    now: Any
    third: Any
    bottom: Any
    top: Any
    at_bottom: Any
    at_top: Any
    asked: Any
    step: Any = 0.0

    @classmethod
    def normal(cls, variance: Any) -> Spread:
        """Return the spread of a normal number without ends."""
        return cls(variance, 0.0, -_FAR, _FAR, variance, variance, 0.0)

    @classmethod
    def stack(cls, each: Sequence[Spread], shape: tuple[int, ...]) -> Spread:
        """Return the spread of an array of numbers from that of each of them."""
        names = [field.name for field in fields(cls)]
        rows = np.array([[getattr(one, name) for name in names] for one in each])
        return cls(*(column.reshape(shape) for column in rows.T))

    @classmethod
    def join(cls, each: Sequence[Spread]) -> Spread:
        """Return the spread of all numbers of some arrays, one after the other."""
        names = [field.name for field in fields(cls)]
        shapes = [np.shape(one.now) for one in each]
        columns = [
            [
                np.broadcast_to(getattr(one, name), shape)
                for one, shape in zip(each, shapes, strict=True)
            ]
            for name in names
        ]
        return cls(*map(np.concatenate, columns))

    @property
    def addends(self) -> Floats:
        """What adds up where independent numbers do, (8, ...); the last is the step."""
        span = self.top - self.bottom
        each = self.now, self.third, self.bottom, self.top, self.at_bottom, self.at_top
        return np.stack(np.broadcast_arrays(*each, self.asked * span**2, self.step))

    @classmethod
    def of_addends(cls, rows: Floats, *, alone: bool) -> Spread:
        """Return the spread of numbers from the sums of the addends of their parts.

        Args:
            rows: (8, ...).
            alone: they are of one part: there are steps.
        """
        now, third, bottom, top, at_bottom, at_top, asked, step = rows
        asked = asked / (top - bottom) ** 2
        return cls(now, third, bottom, top, at_bottom, at_top, asked, step if alone else 0.0)

    def interval(self, value: Any, miss: float) -> tuple[Any, Any]:
        """Return ``(low, high)``: every number x that a score test does not reject.

        ::

            (value - x)² <= z² V(w),   x = value + w d

        in each direction with the end there as the place where the others are: of all truths
        with that number it is the one of the largest variance (Wilson's interval where a report
        is one of two numbers). The value is moved out by half a step, and on the side where the
        law is steeper by ``(z² - 1) third / (6 now)`` (Cornish and Fisher 1938), if that is more.

        Args:
            value: the number estimated.
            miss: chance that the interval misses.
        """
        z2 = two_sided(miss) ** 2
        with np.errstate(invalid="ignore", divide="ignore"):
            steep = np.nan_to_num(np.divide(self.third, self.now), posinf=0, neginf=0)
        shift, half = max(z2 - 1, 0) / 6 * steep, self.step / 2
        first, last = value - np.maximum(shift, half), value - np.minimum(shift, -half)
        low = first - _reach(first - self.bottom, self.now, self.at_bottom, self.asked, z2)
        high = last + _reach(self.top - last, self.now, self.at_top, self.asked, z2)
        return (low, high) if np.ndim(low) else (float(low), float(high))

    def scaled(self, factor: float) -> Spread:
        """Return the spread of ``factor`` times the number."""
        square = factor * factor
        ends = [(self.bottom * factor, self.at_bottom * square)]
        ends.insert(1 if factor >= 0 else 0, (self.top * factor, self.at_top * square))
        (bottom, at_bottom), (top, at_top) = ends
        third = self.third * factor * square
        step = self.step * abs(factor)
        return Spread(self.now * square, third, bottom, top, at_bottom, at_top, self.asked, step)

    def __add__(self, other: Spread) -> Spread:
        """Return the spread of the sum of two numbers that do not depend on each other.

        Its values lie close together.
        """
        mine, theirs = self.top - self.bottom, other.top - other.bottom
        return Spread(
            now=self.now + other.now,
            third=self.third + other.third,
            bottom=self.bottom + other.bottom,
            top=self.top + other.top,
            at_bottom=self.at_bottom + other.at_bottom,
            at_top=self.at_top + other.at_top,
            asked=(self.asked * mine**2 + other.asked * theirs**2) / (mine + theirs) ** 2,
        )


def scaled_addends(rows: Floats, factor: float) -> Floats:
    """Return the addends of ``factor`` times the numbers, a factor above 0."""
    out: Floats = rows * (factor**_POWERS).reshape(-1, *[1] * (rows.ndim - 1))
    return out


def _reach(d: Any, now: Any, there: Any, asked: Any, z2: float) -> Floats:
    """Return the largest x <= d with ``x² <= z² V(x / d)``; more where d is hardly anything.

    Where V grows faster than x² / z² all x are such.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        lead = 1 + z2 * asked
        half = z2 * (asked * d + (there - now) / d) / 2
        root = (half + np.sqrt(half * half + lead * z2 * now)) / lead
        root = np.where(lead > 0, root, np.inf)
    plain = np.sqrt(z2 * np.where(d > 0, now, np.maximum(now, there)))
    return np.asarray(np.where((d > 0) & (root <= d), root, np.maximum(d, plain)))


@dataclass(frozen=True, eq=False)
class Ratio:
    """The interval of a mean over those who answered, a ratio of two estimates.

    Attributes:
        spread: of a weighted sum of the shares.
        shares: estimated.
        about: scores less their centre; 0 where there is none.
        missing: where there is none.
        centre: of the scores.
        ends: the least and the largest score, less the centre.
    """

    spread: Callable[[Floats], Spread]
    shares: Floats
    about: Floats
    missing: npt.NDArray[np.bool_]
    centre: float
    ends: tuple[float, float]

    def interval(self, value: float, miss: float) -> tuple[float, float]:
        """Return every mean m between the ends that its test does not reject (Fieller).

        ::

            Σ (s_i - c) x_i + (m - c) Σ x_missing = m - c
        """
        if not self.missing.any():
            low, high = self._test(0.0, miss)
            return self.centre + low, self.centre + high

        def kept(means: Floats) -> Floats:
            tests = [(mean, *self._test(mean, miss)) for mean in means.tolist()]
            return np.array([min(mean - low, high - mean) for mean, low, high in tests])

        start = min(max(value - self.centre, self.ends[0]), self.ends[1])
        low, high = reach(kept, np.full(2, start), np.array(self.ends))
        return self.centre + float(low), self.centre + float(high)

    def _test(self, mean: float, miss: float) -> tuple[float, float]:
        weights = np.where(self.missing, mean, self.about)
        low, high = self.spread(weights).interval(float((weights * self.shares).sum()), miss)
        return low, high


def spreads(law: Any, weights: Floats) -> Spread:
    """Return how weighted sums of shares vary, one for each row, where a law tells it of one sum.

    Args:
        law: has ``spread``, and maybe a ``spreads`` of its own.
        weights: (sums, cells).
    """
    if hasattr(law, "spreads"):
        own: Spread = law.spreads(weights)
        return own
    return Spread.stack([law.spread(row) for row in weights], weights.shape[:1])


class Spreading(Protocol):
    """Shares of which it is known how they vary."""

    @property
    def shares(self) -> Floats:
        """The unbiased shares."""
        ...

    @property
    def stderr(self) -> Floats:
        """Standard error of each share."""
        ...

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how a weighted sum varies, or each share."""
        ...


def interval(law: Spreading, miss: float, kind: str, simultaneous: bool) -> tuple[Floats, Floats]:
    """Return ``(low, high)`` of all shares: normal, or by their score tests.

    All at once the wider of both at each end: so far out in its tails a score test of few reports
    stops too early on the side where no share can be.
    """
    if simultaneous:
        miss = cell_miss(miss, law.shares.size)
    half = two_sided(miss) * law.stderr
    normal = law.shares - half, law.shares + half
    if kind == "normal":
        return normal
    low, high = law.spread().interval(law.shares, miss)
    if simultaneous:
        return np.minimum(low, normal[0]), np.maximum(high, normal[1])
    return low, high
