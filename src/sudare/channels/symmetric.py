"""``a I + b J``: one probability for staying, one for each move."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sudare.channels.base import Action, Channel, Matrix, Vector
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

    def _weights(self, action: Action) -> tuple[float, float]:
        """Return ``(s, t)`` of the action ``s x + t sum(x)``."""
        a, b = float(self.own - self.other), float(self.other)
        if action == "solve":
            return 1 / a, -b / a
        if action == "solve_squared":
            return (1 - 2 * b) / a**2, b * b / a**2
        return a, b

    def act(self, action: Action, cells: Vector, axis: int) -> Vector:
        """Return the action along one axis; ``cells`` is overwritten."""
        stays, moves = self._weights(action)
        total = cells.sum(axis=axis, keepdims=True)
        total *= moves
        cells *= stays
        cells += total
        return cells

    def apply(self, x: Vector) -> Vector:
        """Return ``a x + b sum(x)``."""
        return self.act("apply", self._fits(x, 1).astype(np.float64), 0)

    def adjoint(self, y: Vector) -> Vector:
        """Return the same as :meth:`apply`: the matrix is symmetric."""
        return self.apply(y)

    def solve(self, y: Vector) -> Vector:
        """Return ``(y - b sum(y)) / a``."""
        return self.act("solve", self._fits(y, 0).astype(np.float64), 0)

    def solve_squared(self, y: Vector) -> Vector:
        """Return ``((1 - 2b) y + b^2 sum(y)) / a^2``."""
        return self.act("solve_squared", self._fits(y, 0).astype(np.float64), 0)

    def dense(self) -> Matrix:
        """Return the matrix."""
        self._refuse_large()
        out = np.full((self.k, self.k), float(self.other))
        np.fill_diagonal(out, float(self.own))
        return out
