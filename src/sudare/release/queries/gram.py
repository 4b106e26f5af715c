"""``Gram``: the noisy sums of products of several columns, which tell how they go together.

All sums are one vector with one price; how far neighbours move it, in the sum of sizes and in that
of squares, is proved in ``docs/proofs/regression.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sudare.arrays import Floats, Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.exact.entropy import Entropy
from sudare.ledger import Cost
from sudare.release.grid import Scale, product_sum, whole_sum
from sudare.release.noise import Noise
from sudare.release.numbers import Numbers
from sudare.release.private_data import PrivateData
from sudare.release.protection import NeighbourRelation

MOST_COLUMNS = 16


@dataclass(frozen=True, slots=True)
class Centred:
    """Columns with bounds, around the middles of these.

    ::

        u_0 = 1,    u_j = 2 x_j - first_j - last_j    in [-w_j, w_j],  w_j = last_j - first_j

    Attributes:
        names: of the columns.
        scales: their bounds and grids.
        n: number of rows, where it is public.
        missing: what becomes of rows without one of the numbers.
    """

    names: tuple[str, ...]
    scales: tuple[Scale, ...]
    n: int | None
    missing: str

    @classmethod
    def of(cls, held: PrivateData, column: Any, others: Any) -> Centred:
        """Return checked columns; their values are not looked at.

        Raises:
            WrongTypeError, DomainError: a column that is not there or has no bounds, or twice.
        """
        given = [others] if isinstance(others, str) else others
        if not isinstance(given, list | tuple) or not 0 < len(given) < MOST_COLUMNS:
            rule = f"must be a list of 1 to {MOST_COLUMNS - 1} columns"
            raise WrongTypeError("others", rule, "with bounds")
        return cls.of_all(held, [column, *given])

    @classmethod
    def of_all(cls, held: PrivateData, given: Sequence[Any]) -> Centred:
        """Return checked columns, one or several."""
        numbers = [held.numbers(name) for name in given]
        names = tuple(one.head.name for one in numbers)
        if len(set(names)) < len(names):
            raise DomainError("others", "must not have a column twice", "leave it out")
        n = held.rows if all(one.size_is_public for one in numbers) else None
        return cls(names, tuple(one.scale for one in numbers), n, held.missing)

    @property
    def widths(self) -> tuple[int, ...]:
        """How far each u reaches: 1 of u_0."""
        return (1, *(one.last - one.first for one in self.scales))

    @property
    def halves(self) -> Floats:
        """What 1 of ``u_j / w_j`` is in the unit of each column: half its range."""
        return np.array([float((one.last - one.first) * one.step / 2) for one in self.scales])

    @property
    def middles(self) -> Floats:
        """Where each u is 0, in the unit of each column."""
        return np.array([float((one.last + one.first) * one.step / 2) for one in self.scales])

    @property
    def steps(self) -> tuple[Fraction, ...]:
        """What 1 of each u is, in its column's unit: 1 of u_0."""
        return (Fraction(1), *(one.step / 2 for one in self.scales))

    def rows(self, part: PrivateData) -> list[Integers]:
        """Return each u of the rows that have all numbers."""
        numbers = [part.numbers(name) for name in self.names]
        there = np.logical_and.reduce([~one.column.missing for one in numbers])
        return [one if there.all() else one[there] for one in self.centred(numbers)]

    def centred(self, numbers: Sequence[Numbers]) -> list[Integers]:
        """Return each u of all rows."""
        pairs = zip(numbers, self.scales, strict=True)
        return [2 * one.steps - (scale.first + scale.last) for one, scale in pairs]

    def products(self, held: PrivateData) -> list[int]:
        """Return ``Σ u_i u_j`` of each of the :func:`pairs`, exactly."""

        def summed(part: PrivateData) -> Any:
            u = self.rows(part)
            sums = [u[0].size, *map(whole_sum, u)]
            sums += [product_sum(u[i - 1], u[j - 1]) for i, j in pairs(len(u)) if i]
            return np.array(sums, dtype=object)

        return [int(one) for one in held.total(summed, *self.names)]

    def query(self, held: PrivateData, kind: str) -> dict[str, Any]:
        """Return what stands in the ledger of a query about them."""
        first, *others = self.told(held)
        return {"query": kind, **first, "missing": self.missing, "others": others}

    def told(self, held: PrivateData) -> list[dict[str, Any]]:
        """Return what stands in the ledger about each of them."""
        about = [held.numbers(name).query("") for name in self.names]
        return [{name: one[name] for name in ("column", "bounds", "grid")} for one in about]

    def notes(self, held: PrivateData) -> tuple[str, ...]:
        """Return what a reader should know."""
        out = ["values are clamped to the bounds"]
        if self.missing == "drop":
            out.append("rows that lack one of the numbers are left out")
        for name in self.names:
            out += [f"{name}: {note}" for note in held.numbers(name).notes]
        if self.n is None:
            out.append("the number of rows is private: it comes along with noise, at no further")
            out[-1] += " cost"
        return tuple(out)


def pairs(columns: int) -> list[tuple[int, int]]:
    """Return the places (i, j), i <= j, of the products of u_0 and so many columns."""
    return [(i, j) for i in range(columns + 1) for j in range(i, columns + 1)]


def moved(protection: NeighbourRelation, columns: int, *, public: bool) -> Fraction:
    """Return how far neighbours move the sums of ``u_i u_j / (w_i w_j)``, in all: L1.

    ::

        n public     k (k + 2)² / (2 (k + 1))
        n private    m (k + 1) (k + 2) / 2,    under either relation

    Proof: ``docs/proofs/regression.md``, 2.
    """
    k = columns
    if public:
        return Fraction(k * (k + 2) ** 2, 2 * (k + 1))
    return Fraction(protection.rows * (k + 1) * (k + 2), 2)


def moved_squared(protection: NeighbourRelation, columns: int) -> int:
    """Return the same as a sum of squares.

    ::

        add-remove     m² (k + 1) (k + 2) / 2
        replace-one    m² (k + 1)²

    Proof: ``docs/proofs/regression.md``, 3.
    """
    k, m = columns, protection.rows
    if protection.neighbours == "add-remove":
        return m * m * (k + 1) * (k + 2) // 2
    return m * m * (k + 1) ** 2


@dataclass(frozen=True, slots=True)
class Gram:
    """Noisy sums ``Σ u_i u_j`` of the rows; that of u_0 alone is n, drawn where n is private.

    Each has noise of the scale ``w_i w_j S / ε``, S from :func:`moved`, or of the variance
    ``(w_i w_j)² S₂ / (2 ρ)``, S₂ from :func:`moved_squared`.

    Attributes:
        widths: of each u.
        n: number of rows, where it is public.
        noises: of each sum that is drawn.
    """

    widths: tuple[int, ...]
    n: int | None
    noises: tuple[Noise, ...]

    @classmethod
    def of(
        cls, cost: Cost, protection: NeighbourRelation, widths: Sequence[int], n: int | None
    ) -> Gram:
        """Return the sums that the price buys."""
        k, public = len(widths) - 1, n is not None
        one = moved(protection, k, public=public)
        square = moved_squared(protection, k)
        wide = [widths[i] * widths[j] for i, j in pairs(k)][public:]
        noises = (Noise.of(cost, one * each, square * each**2) for each in wide)
        return cls(tuple(widths), n, tuple(noises))

    @property
    def drawn_pairs(self) -> list[tuple[int, int]]:
        """The places of the sums that are drawn."""
        return pairs(len(self.widths) - 1)[self.n is not None :]

    def drawn(self, sums: Sequence[int], rng: Entropy) -> list[int]:
        """Return the sums of all pairs with their noise."""
        numbers = zip(self.noises, sums[self.n is not None :], strict=True)
        return [noise.noised(one, rng) for noise, one in numbers]

    def laws(self, names: Sequence[str], steps: Sequence[Fraction]) -> tuple[dict[str, Any], ...]:
        """Return the laws of the noise as JSON data."""
        out = []
        for (i, j), noise in zip(self.drawn_pairs, self.noises, strict=True):
            both = [names[one - 1] for one in (i, j) if one]
            of = f"sum of {' times '.join(both)} around the middle" if both else "count"
            out.append(noise.law(of, steps[i] * steps[j]))
        return tuple(out)

    def sums(self, answer: Sequence[int]) -> Floats:
        """Return the noisy sums of ``u_i u_j / (w_i w_j)`` as a symmetric matrix."""
        out = np.zeros((len(self.widths), len(self.widths)))
        out[0, 0] = self.n or 0
        for (i, j), one in zip(self.drawn_pairs, answer, strict=True):
            out[i, j] = out[j, i] = float(Fraction(one, self.widths[i] * self.widths[j]))
        return out

    def reach(self, miss: float) -> tuple[float, float]:
        """Return how far each such sum is off at most, and n, each with probability 1 - miss."""
        wide = [self.widths[i] * self.widths[j] for i, j in self.drawn_pairs]
        each = [n.reach(miss) / one for n, one in zip(self.noises, wide, strict=True)]
        return max(each), 0.0 if self.n is not None else each[0]

    @property
    def stderr(self) -> float:
        """Standard deviation of the noise of each such sum."""
        wide = [self.widths[i] * self.widths[j] for i, j in self.drawn_pairs]
        return max(n.stderr / one for n, one in zip(self.noises, wide, strict=True))

    def means(self, answer: Sequence[int], miss: float) -> tuple[Floats, Floats]:
        """Return the means of ``u_i u_j / (w_i w_j)``, and how far each is off at most.

        Each with probability ``1 - miss`` for each number that is drawn; where less than a row is
        left 0, and all that is possible. Proof: ``docs/proofs/regression.md``, 4.
        """
        sums, size = self.sums(answer), len(self.widths)
        low = np.eye(size) - 1.0
        rows = sums[0, 0]
        if rows < 1:
            found, off = np.zeros((size, size)), np.ones((size, size))
        else:
            found = np.clip(sums / rows, low, 1)
            far, count = self.reach(miss)
            off = (far + np.minimum(1, np.abs(found) + (far + count) / rows) * count) / rows
            off = np.minimum(off, np.maximum(found - low, 1 - found))
        found[0, 0], off[0, 0] = 1, 0
        return found, off

    def covariances(self, answer: Sequence[int], miss: float) -> tuple[Floats, Floats]:
        """Return the covariances of ``u_j / w_j``, and how far each is off at most.

        ::

            mean of u_i u_j - mean of u_i * mean of u_j

        With probability 1 - miss for each of the numbers that are drawn; 2 of them decide a
        variance and 3 a covariance, n aside. Proof: ``docs/proofs/regression.md``, 4.
        """
        found, off = self.means(answer, miss)
        mean, far = np.abs(found[0, 1:]), off[0, 1:]
        size = mean.size
        low = np.eye(size) - 1.0
        out = np.clip(found[1:, 1:] - np.outer(found[0, 1:], found[0, 1:]), low, 1)
        wide = off[1:, 1:] + np.outer(mean, far) + np.outer(far, mean) + np.outer(far, far)
        return out, np.minimum(wide, np.maximum(out - low, 1 - out))

    def widest(self, n: int, miss: float) -> Floats:
        """Return how far covariances of n rows are off at most: where means are at bounds."""
        each = sum(self.reach(miss)) / n
        return np.minimum(3 * each + each**2, 2.0 - np.eye(len(self.widths) - 1))

    def planned(self, n: int) -> list[int]:
        """Return sums of n rows whose columns are independent, even between the bounds."""
        wide = [(i, j, self.widths[i] * self.widths[j]) for i, j in self.drawn_pairs]
        return [0 if i != j else n if i == 0 else round(Fraction(n * w, 3)) for i, j, w in wide]
