"""Privacy losses and how they add up: laws on a grid that are never below the true ones.

A mechanism's *privacy loss* is ``ℓ = ln P(y) / Q(y)``, and ``δ(ε) = E_P max(0, 1 - exp(ε - ℓ))``.
Where a loss does not lie on the grid its probability is divided between the two points beside it so
that P and Q keep theirs: that makes δ larger, never less, and hardly moves it (Doroshenko et al.
2022). All terms are >= 0, sums are plain convolutions; what floats may lose is added at the end.
Proofs: ``docs/proofs/composition.md``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats

CELLS = 200
"""Points of the grid for each standard deviation of the whole loss."""

FINE = 16
"""Points for each ε of a choice."""

MOST_CHOICES = 1_000
"""Of one ε that are followed step by step; more are bounded one by one."""

_ROUNDING = 1e-8
"""Part of δ that floats may lose: sums of 10⁵ terms, some hundred times."""

_SHIFT = 1e-9
"""What floats may lose of a loss; and discrete Gaussian noise, taken for continuous noise."""


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """A law of privacy loss: ``P(ℓ = (first + i) step) = mass[i]``, ``P(ℓ = ∞) = beyond``.

    Attributes:
        step: of the grid.
        first: number of the first point.
        mass: (m,) >= 0.
        beyond: >= 0.
    """

    step: float
    first: int
    mass: Floats
    beyond: float = 0.0

    @property
    def points(self) -> Floats:
        """(m,) the losses."""
        return (np.arange(self.first, self.first + self.mass.size) * self.step).astype(np.float64)

    def plus(self, other: Losses, tiny: float) -> Losses:
        """Return the law of the sum of two losses on grids of one step."""
        mass = np.convolve(self.mass, other.mass)
        joined = Losses(self.step, self.first + other.first, mass, self.beyond + other.beyond)
        return joined.cut(tiny)

    def times(self, n: int, tiny: float, step: float) -> Losses:
        """Return the law of the sum of n such losses, on a grid that grows up to ``step``."""
        out: Losses | None = None
        power = self
        while True:
            if n & 1:
                out = power if out is None else out.onto(power.step).plus(power, tiny)
            n >>= 1
            if not n:
                return self if out is None else out
            power = power.plus(power, tiny)
            if power.mass.size > 4096 and power.step < step:
                power = power.onto(2 * power.step)

    def onto(self, step: float) -> Losses:
        """Return the law on another grid: never less."""
        if step == self.step:
            return self
        at = self.points
        below = np.floor(at / step)
        part = np.clip(at - below * step, 0.0, step)
        low = below.astype(np.int64)
        first = int(low.min())
        upper = self.mass * np.expm1(-part) / math.expm1(-step)
        lower = self.mass * np.exp(-part) * np.expm1(part - step) / math.expm1(-step)
        size = int(low.max()) - first + 2
        mass = np.bincount(low - first, lower, size) + np.bincount(low + 1 - first, upper, size)
        return Losses(step, first, mass.astype(np.float64), self.beyond)

    def cut(self, tiny: float) -> Losses:
        """Return the law with tails below ``tiny`` moved up: those above to infinity."""
        above = int(np.searchsorted(np.cumsum(self.mass[::-1]), tiny, side="right"))
        below = int(np.searchsorted(np.cumsum(self.mass), tiny, side="right"))
        if above + below >= self.mass.size:
            return self
        mass = self.mass[below : self.mass.size - above].copy()
        mass[0] += self.mass[:below].sum()
        beyond = self.beyond + float(self.mass[self.mass.size - above :].sum())
        return replace(self, first=self.first + below, mass=mass, beyond=beyond)


def pure(epsilon: float) -> Losses:
    """Return the largest loss of pure ε: randomised response, ε or -ε.

    Examples:
        >>> pure(1.0).points.tolist(), pure(1.0).mass.round(3).tolist()
        ([-1.0, 0.0, 1.0], [0.269, 0.0, 0.731])
    """
    likely = 1 / (1 + math.exp(-epsilon))
    return Losses(epsilon, -1, np.array([math.exp(-epsilon) * likely, 0.0, likely]))


def gaussian(variance: float, step: float, tiny: float) -> Losses:
    """Return the loss of Gaussian noise: normal, of this variance and half of it as its mean."""
    root, mean = math.sqrt(variance), variance / 2
    reach = root * math.sqrt(2 * math.log(1 / tiny))
    first = math.floor((mean - reach) / step)
    points = Losses(step, first, np.zeros(math.ceil((mean + reach) / step) + 1 - first)).points
    beneath, above = _tails((points - mean) / root)  # under P
    within = np.where(points[:-1] > mean, above[:-1] - above[1:], beneath[1:] - beneath[:-1])
    under, over = _tails((points + mean) / root)  # under Q
    other = np.where(points[:-1] > -mean, over[:-1] - over[1:], under[1:] - under[:-1])
    weighted = np.exp(points[:-1])
    smaller = np.minimum(above, beneath)[:-1] + weighted * np.minimum(over, under)[:-1]
    slip = 1e-14 * (smaller + within)  # what the differences of tails may have lost
    upper = (np.maximum(within - weighted * other, 0.0) + slip) / -math.expm1(-step)
    upper = np.minimum(upper, within)
    mass = np.zeros(points.size)
    mass[:-1] += within - upper
    mass[1:] += upper
    mass[0] += beneath[0]
    return Losses(step, first, mass, float(above[-1]))


def _tails(z: Floats) -> tuple[Floats, Floats]:
    """Return the normal probabilities below and above z."""
    root = math.sqrt(0.5)
    return (
        np.array([math.erfc(-one * root) / 2 for one in z.tolist()]),
        np.array([math.erfc(one * root) / 2 for one in z.tolist()]),
    )


def choice(epsilon: float) -> Losses:
    """Return a loss that bounds each choice of ε, whatever else is asked.

    ``δ(x) = (1 - exp((x - ε) / 2))² / (1 - exp(-ε))``, the most over all losses with a range of ε.
    """
    cells, step = 2 * FINE, epsilon / FINE
    weight = np.exp((np.arange(cells) * step - 2 * epsilon) / 2) / -math.expm1(-epsilon)
    mass = np.zeros(cells + 1)
    mass[1:] += weight * 4 * math.sinh(step / 4) ** 2 / -math.expm1(-step)
    mass[:-1] += weight * math.expm1(step / 2) ** 2 / math.expm1(step)
    return Losses(step, -FINE, mass)


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """δ of some answers at the points of a grid; between them a line in ``exp(ε)``, above it.

    Attributes:
        step, first: of the grid.
        values: (m,) δ at ``(first + i) step``.
        tiny: below the grid δ is at most ``1 - exp(ε) + tiny``.
    """

    step: float
    first: int
    values: Floats
    tiny: float

    def __call__(self, at: Floats) -> Floats:
        """Return δ there, rounded up."""
        place = np.clip(np.floor(at / self.step) - self.first, 0, self.values.size - 2)
        low = place.astype(np.int64)
        part = np.clip(at - (self.first + low) * self.step, 0.0, self.step)
        share = np.expm1(part) / math.expm1(self.step)
        found: Floats = self.values[low] * (1 - share) + self.values[low + 1] * share
        below = at < self.first * self.step
        found[below] = _gained(at[below]) + self.tiny
        return found


def choices(epsilon: float, n: int, tiny: float) -> Profile:
    """Return δ of n choices of ε, each with the worst loss after those before it.

    ::

        δ_n(x) = max over t of  p_t δ_(n-1)(x - t) + (1 - p_t) δ_(n-1)(x - t + ε)

    A loss with a range of ε is worst where it takes the ends t and t - ε alone. Between two t of
    the grid the sum is a concave function of ``exp(t)``, bounded by its second derivative. Beyond
    ``reach`` δ is tiny, and below ``-reach`` it is tiny with P and Q exchanged.

    Source: Dong, Durfee, Rogers 2020.
    """
    step, rho = epsilon / FINE, n * epsilon**2 / 8
    reach = min(n * epsilon, rho + 2 * math.sqrt(rho * math.log(1 / tiny)))
    last = math.ceil(reach / step) + 1
    points = Losses(step, -last, np.zeros(2 * last + 1)).points
    beneath = _gained((np.arange(-FINE - 1, 0) - last) * step) + tiny
    size, values = points.size, _gained(points)
    base = -math.expm1(-epsilon)
    shifts = np.arange(FINE + 1) * step
    likely = -np.expm1(shifts - epsilon) / base
    unlikely = math.exp(-epsilon) * np.expm1(shifts) / base
    widths = math.expm1(step) ** 2 / (4 * base) * np.exp(-shifts)
    for _ in range(n):
        wide = np.concatenate([beneath, values, np.full(FINE, values[-1])])
        rises = np.diff(wide) / math.expm1(step)  # of a cell, by exp of its lower end
        best = np.zeros(size)
        before = best
        for j in range(FINE + 1):
            at = FINE + 1 - j
            now = likely[j] * wide[at : at + size]
            now = now + unlikely[j] * wide[at + FINE : at + FINE + size]
            if j:  # t between the one before and this: cells that end at x - t and x - t + ε
                bend = rises[at + FINE : at + FINE + size] * math.exp(-epsilon)
                bend = (bend - rises[at : at + size]) * math.exp(shifts[j])
                between = np.maximum(before, now) + np.maximum(bend, 0.0) * widths[j - 1]
                best = np.maximum(best, between)
            before = now
        values = np.minimum(best, 1.0)
    return Profile(step, -last, values, tiny)


@dataclass(frozen=True, slots=True, eq=False)
class Composition:
    """Answers in any order, each asked after seeing those before it.

    Attributes:
        losses: of all but the choices that are followed step by step.
        chosen: δ of these, if there are any.
    """

    losses: Losses
    chosen: Profile | None

    @classmethod
    def of(
        cls,
        pures: Sequence[tuple[float, int]],
        choosing: Sequence[tuple[float, int]],
        normal: float,
        tiny: float,
    ) -> Composition:
        """Return the composition of answers.

        Args:
            pures: ε and number of answers of pure ε.
            choosing: ε and number of choices by the exponential mechanism.
            normal: variance of the loss of all Gaussian noise together.
            tiny: what may be added to δ some hundred times.
        """
        by_part = sorted(choosing, key=lambda one: one[0] ** 2 * one[1])
        chosen = None
        if by_part and by_part[-1][1] <= MOST_CHOICES:
            chosen = choices(*by_part.pop(), tiny)
        spread = sum(n * e**2 for e, n in [*pures, *choosing]) + normal
        step = math.sqrt(spread) / CELLS
        parts = [pure(e).times(n, tiny, step) for e, n in pures]
        parts += [choice(e).times(n, tiny, step) for e, n in by_part]
        parts += [gaussian(normal, step, tiny)] if normal else []
        whole = Losses(step, 0, np.ones(1))
        for part in parts:
            whole = whole.plus(part.onto(step), tiny)
        return cls(whole, chosen)

    def delta(self, epsilon: float) -> float:
        """Return δ at ε, rounded up."""
        left = np.asarray(epsilon - _SHIFT - self.losses.points, dtype=np.float64)
        given = _gained(left) if self.chosen is None else self.chosen(left)
        whole = float(self.losses.mass @ given) + self.losses.beyond
        return whole * (1 + _ROUNDING) + 1e-290

    def epsilon(self, delta: float) -> float:
        """Return the least ε found with at most this δ; infinite where there is none."""
        low, high = 0.0, 1.0
        while self.delta(high) > delta:
            low, high = high, 2 * high
            if high > 1e4:
                return math.inf
        while high - low > 1e-9 * max(1.0, high):
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(middle) > delta else (low, middle)
        return high


def _gained(left: npt.NDArray[np.floating[Any]]) -> Floats:
    """Return ``max(0, 1 - exp(left))``."""
    gained: Floats = np.maximum(0.0, -np.expm1(np.minimum(left, 0.0)))
    return gained
