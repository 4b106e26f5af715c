"""``a I + b J``: one probability for staying, one for each move."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sudare.channels.base import Channel, Matrix, Vector
from sudare.errors import DomainError
from sudare.exact import floor_float, log_bounds


@dataclass(frozen=True, slots=True)
class Symmetric(Channel):
    """The ``k`` by ``k`` channel with ``own`` on the diagonal and ``other`` elsewhere.

    With ``a = own - other``, ``b = other`` and ``a + k b = 1``::

        M = a I + b J,   M^-1 = (I - b J) / a,   M^-1 o M^-1 = ((1 - 2b) I + b^2 J) / a^2

    Examples:
        >>> Symmetric(3, Fraction(1, 2), Fraction(1, 4)).dense().sum(axis=0).tolist()
        [1.0, 1.0, 1.0]
    """

    k: int
    own: Fraction
    other: Fraction

    def __post_init__(self) -> None:
        if self.k < 2 or self.own < 0 or self.other < 0:
            raise DomainError("channel", "must have k >= 2 and probabilities >= 0")
        if self.own + (self.k - 1) * self.other != 1:
            raise DomainError("channel", "must satisfy own + (k - 1) other = 1")

    @property
    def shape(self) -> tuple[int, int]:
        """``(k, k)``."""
        return self.k, self.k

    @property
    def epsilon(self) -> float:
        """``|ln(own / other)|``, rounded down; infinite where one of them is 0."""
        if not self.own or not self.other:
            return float("inf")
        ratio = max(self.own / self.other, self.other / self.own)
        return floor_float(log_bounds(ratio)[0])

    @property
    def _a(self) -> float:
        return float(self.own - self.other)

    @property
    def _b(self) -> float:
        return float(self.other)

    def apply(self, x: Vector) -> Vector:
        """Return ``a x + b sum(x)``."""
        self._fits(x, 1)
        return np.asarray(self._a * x + self._b * x.sum(axis=0))

    def adjoint(self, y: Vector) -> Vector:
        """Return the same as :meth:`apply`: the matrix is symmetric."""
        return self.apply(y)

    def solve(self, y: Vector) -> Vector:
        """Return ``(y - b sum(y)) / a``."""
        self._fits(y, 0)
        return np.asarray((y - self._b * y.sum(axis=0)) / self._a)

    def solve_squared(self, y: Vector) -> Vector:
        """Return ``((1 - 2b) y + b^2 sum(y)) / a^2``."""
        self._fits(y, 0)
        b = self._b
        return np.asarray(((1 - 2 * b) * y + b * b * y.sum(axis=0)) / self._a**2)

    def dense(self) -> Matrix:
        """Return the matrix."""
        self._refuse_large()
        out = np.full((self.k, self.k), float(self.other))
        np.fill_diagonal(out, float(self.own))
        return out
