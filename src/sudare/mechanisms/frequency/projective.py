"""Projective geometry response: a point, more often on the plane of the category than beside it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sudare import samplers
from sudare.arrays import Floats
from sudare.errors import OutOfReachError
from sudare.estimation import Counts
from sudare.estimation.support import Places, SupportLaw
from sudare.exact import exp_bounds, log_bounds
from sudare.exact.projective import Geometry, is_field, sums_at_points, sums_on_planes
from sudare.mechanisms.bulk import in_parts
from sudare.mechanisms.frequency.base import TOLERANCE
from sudare.mechanisms.frequency.numbered import Numbered
from sudare.mechanisms.registry import register
from sudare.mechanisms.reports import as_indices

_MOST_VECTORS = 1 << 28
_PRODUCTS = 8  # steps of one of the sums on all planes, in which a product of two vectors is made
_MOST_CELLS = 1 << 20
"""Cells of the table of planes and points that is written out, for few categories."""


@dataclass(frozen=True)
class PlaneLaw(SupportLaw):
    """The law of points that support the categories on whose planes they lie.

    A report is one of ``points`` numbers. On the plane of the value each has the probability
    ``own``, beside it ``other``. Two planes have ``on_two`` points in common; they lie on a third
    one where its vector is a sum of multiples of theirs, else ``on_three`` of them do.
    """

    k: int
    geometry: Geometry
    own: Fraction
    other: Fraction

    @classmethod
    def of(cls, program: samplers.Hyperplane) -> PlaneLaw:
        """Return the law of a program."""
        g = program.geometry
        p = Fraction(program.own, 1 << program.width)
        own, other = p / g.on_plane, (1 - p) / g.q ** (g.t - 1)
        q = own * g.on_two + other * (g.on_plane - g.on_two)
        return cls(p, q, program.k, g, own, other)

    def pair_probability(self, i: Places, j: Places, value: Places) -> Floats:
        """As every law: by how many points of two planes lie on the value's."""
        g = self.geometry
        on_three = g.first(g.t - 3)
        shared = np.where(g.in_span(i, j, value), g.on_two, on_three)
        own, other = float(self.own), float(self.other)
        return np.asarray(own * shared + other * (g.on_two - shared))

    def noise(self, weights: Floats, shares: Floats) -> float:
        """As every law, from the sums W of the weights that each point supports::

        Σ_r (W_r - q Σ_i w_i)² P(r) / (p - q)²  -  Σ_v x_v w_v²
        """
        q, own, other = (float(one) for one in (self.q, self.own, self.other))
        sums, on = (self._at_points(one) for one in (weights, shares))
        square = float((sums - q * weights.sum()) ** 2 @ (other + (own - other) * on))
        return square / float(self.p - self.q) ** 2 - float(shares @ weights**2)

    def _at_points(self, values: Floats) -> Floats:
        """Return, for each point, the sum of the values of the planes that it lies on."""
        if self.k * self.geometry.points <= _MOST_CELLS:
            return np.asarray(values @ table(self.geometry, self.k))
        padded = np.zeros(self.geometry.points)
        padded[: self.k] = values
        return sums_at_points(self.geometry, padded)


@register
class ProjectiveGeometry(Numbered):
    """Report a point of a projective geometry: with p on the plane of the category, else beside it.

    ::

        points (q^t - 1) / (q - 1) >= k,   m = (q^(t-1) - 1) / (q - 1) of them on a plane
        p = e^ε m / (e^ε m + q^(t-1)),   two planes share m' = (q^(t-2) - 1) / (q - 1) points
        probability of supporting another category  p m' / m + (1 - p) / q

    A point on the plane of the category is e^ε times as likely as one beside it. q is the prime, or
    4, of the least error, near e^ε + 1; t is the least that has a plane for each category.

    Guarantee: ε-local differential privacy of one answer (any two values are neighbours).
    Reports: (n,) numbers of points, of the smallest unsigned dtype. Source: Feldman, Nelson,
    Nguyen, Talwar 2022, sections 3 and 4.

    Integers: ``own = floor(2^w p)`` from a lower bound on e^ε; a word decides between plane and
    rest, whose points are equally likely (the program ``hyperplane``).

    Raises:
        OutOfReachError: more than 2**20 categories.

    Examples:
        >>> import sudare as sd
        >>> m = sd.ProjectiveGeometry(k=1000, epsilon=1.0)
        >>> m.program.q, m.program.t, m.program.outputs, m.report_bytes
        (4, 6, 1365, 2)
        >>> m.expected_mse(1000) / sd.SubsetSelection(1000, 1.0).expected_mse(1000) < 1.01
        True
    """

    name: ClassVar[str] = "ProjectiveGeometry"
    max_k: ClassVar[int] = 1 << 20
    __slots__ = ()
    program: samplers.Hyperplane

    @classmethod
    def _compile(cls, k: int, epsilon: Fraction) -> samplers.Hyperplane:
        gamma = exp_bounds(epsilon)[0]  # a rational below e^ε: never too little noise
        g = best_geometry(k, float(gamma))
        plane, rest = g.on_plane, g.q ** (g.t - 1)
        for width in (32, 64):
            own = int(gamma * plane * (1 << width) // (gamma * plane + rest))
            if not plane << width < own * g.points < g.points << width:
                continue
            program = samplers.Hyperplane(k=k, q=g.q, t=g.t, width=width, own=own)
            if epsilon - log_bounds(program.ratio)[0] <= TOLERANCE:
                return program
        raise OutOfReachError("epsilon", f"is out of reach at k = {k}", got=float(epsilon))

    @property
    def law(self) -> PlaneLaw:
        """Probabilities of supporting the true category and each other one, and what together."""
        return PlaneLaw.of(self.program)

    @in_parts
    def aggregate(self, reports: npt.ArrayLike) -> Counts:
        """Count the reports that support each category; reports: (n,) whole numbers.

        On all planes at once, or report by report where that is less work.
        """
        array, g = as_indices(reports, self.program.outputs), self.program.geometry
        if _PRODUCTS * array.size * self.k > g.q**g.t:
            return super().aggregate(array)
        support = g.on(np.arange(self.k), array.astype(np.int64)).sum(axis=1, dtype=np.int64)
        return self._counts(support, array.size)

    def _support(self, tally: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        g = self.program.geometry
        if self.k * g.points <= _MOST_CELLS and tally.sum() <= 1 << 53:  # floats hold them exactly
            return (table(g, self.k) @ tally).astype(np.int64)
        return sums_on_planes(g, tally)[: self.k]

    def _simulate(
        self, truth: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Draw who is sent to their own plane; all others are sent anywhere.

        A point of the plane is more likely than others: that much of the law is the plane alone,
        and the rest is even. Of categories of many people the points are a multinomial.
        """
        g, law, program = self.program.geometry, self.law, self.program
        own = generator.binomial(truth, float((law.own - law.other) * g.on_plane))
        even = np.full(g.points, 1 / g.points)
        tally = generator.multinomial(int((truth - own).sum()), even)
        many = own >= g.on_plane
        numbers = np.arange(g.on_plane)
        values = np.flatnonzero(many)
        step = max(1, _MOST_CELLS // g.on_plane)
        for start in range(0, values.size, step):
            some = values[start : start + step]
            drawn = generator.multinomial(own[some], np.full(g.on_plane, 1 / g.on_plane))
            points = _on_planes(program, np.repeat(some, g.on_plane), np.tile(numbers, some.size))
            tally += np.bincount(points, drawn.reshape(-1), g.points).astype(np.int64)
        alone = np.repeat(np.arange(self.k), np.where(many, 0, own))
        points = _on_planes(program, alone, generator.integers(g.on_plane, size=alone.size))
        return self._support(tally + np.bincount(points, minlength=g.points))


def _on_planes(
    program: samplers.Hyperplane, values: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the points of these numbers on these planes."""
    return program.points_of(values, np.ones(values.size, dtype=np.bool_), numbers)


def best_geometry(k: int, gamma: float) -> Geometry:
    """Return the geometry of the least expected squared error that has k planes.

    Of errors equal to five digits the one of the fewest points.
    """

    def place(g: Geometry) -> tuple[float, int]:
        p = gamma * g.on_plane / (gamma * g.on_plane + g.q ** (g.t - 1))
        q = p * g.on_two / g.on_plane + (1 - p) / g.q
        error = (p * (1 - p) + (k - 1) * q * (1 - q)) / (p - q) ** 2
        return float(f"{error:.5g}"), g.points

    return min(_geometries(k), key=place)


@lru_cache(64)
def _geometries(k: int) -> tuple[Geometry, ...]:
    """Return those of each field with the fewest coordinates, as far as they are decoded soon."""
    out, most = [], min(_MOST_VECTORS, max(1 << 20, k << 11))
    for q in filter(is_field, range(2, int(most ** (1 / 3)) + 1)):
        g = next(g for t in range(3, 30) if (g := Geometry(q, t)).points >= k)
        if q**g.t <= most:
            out.append(g)
    return tuple(out)


@lru_cache(4)
def table(geometry: Geometry, k: int) -> Floats:
    """Return 1 where a point lies on one of the first k planes, [plane, point]. Read only."""
    out = geometry.on(np.arange(k), np.arange(geometry.points)).astype(np.float64)
    out.setflags(write=False)
    return out
