"""``a I + b J``: one probability for staying, one for each move."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

import numpy as np

from sudare.channels.base import Action, Channel, Matrix, Vector
from sudare.errors import DomainError
from sudare.exact import floor_float, log_bounds
from sudare.frozen import set_fields

_FEW = 1 << 16


@dataclass(frozen=True, slots=True)
class Symmetric(Channel):
    """The ``k`` by ``k`` channel with ``own`` on the diagonal and ``other`` elsewhere.

    With ``a = own - other``, ``b = other`` and ``a + k b = 1``::

        M = a I + b J,   M^-1 = (I - b J) / a,   M^-1 o M^-1 = ((1 - 2b) I + b^2 J) / a^2
        (M^-1 o M^-1) M = (1 - 2b)/a I + b (1 - b)/a^2 J

    Examples:
        >>> Symmetric(3, Fraction(1, 2), Fraction(1, 4)).dense().sum(axis=0).tolist()
        [1.0, 1.0, 1.0]
    """

    k: int
    own: Fraction
    other: Fraction
    _ends: tuple[float, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.k < 2 or self.own < 0 or self.other < 0:
            raise DomainError("channel", "must have k >= 2 and probabilities >= 0")
        if self.own + (self.k - 1) * self.other != 1:
            raise DomainError("channel", "must satisfy own + (k - 1) other = 1")
        set_fields(self, _ends=(float(self.own - self.other), float(self.other)))

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
        a, b = self._ends
        if action == "solve":
            return 1 / a, -b / a
        if action == "solve_squared":
            return (1 - 2 * b) / a**2, b * b / a**2
        if action == "solve_cubed":
            return (1 - 3 * b + 3 * b * b) / a**3, -((b / a) ** 3)
        if action == "noise":
            return (1 - 2 * b) / a, b * (1 - b) / a**2
        return a, b

    def act(self, action: Action, cells: Vector, axis: int, *, spare: bool = False) -> Vector:
        """Return the action along one axis without its factor s."""
        stays, moves = self._weights(action)
        total = _sums(cells, axis)
        if stays == 0:
            total *= moves
            return total.repeat(self.k, axis)
        total *= moves / stays
        if not spare:  # written out first: the loops of a sum are short on the last axes
            wide = total.repeat(self.k, axis)
            wide += cells
            return wide
        cells += total
        return cells

    def lacks(self, action: Action) -> float:
        """Return s."""
        return self._weights(action)[0] or 1.0

    def apply(self, x: Vector) -> Vector:
        """Return ``a x + b sum(x)``."""
        return self._alone("apply", self._fits(x, 1))

    def adjoint(self, y: Vector) -> Vector:
        """Return the same as :meth:`apply`: the matrix is symmetric."""
        return self.apply(y)

    def solve(self, y: Vector) -> Vector:
        """Return ``(y - b sum(y)) / a``."""
        return self._alone("solve", self._fits(y, 0))

    def solve_squared(self, y: Vector) -> Vector:
        """Return ``((1 - 2b) y + b^2 sum(y)) / a^2``."""
        return self._alone("solve_squared", self._fits(y, 0))

    def noise(self, x: Vector) -> Vector:
        """Return ``(1 - 2b)/a x + b (1 - b)/a^2 sum(x)``."""
        return self._alone("noise", self._fits(x, 1))

    def _alone(self, action: Action, x: Vector) -> Vector:
        cells = self.act(action, np.ascontiguousarray(x, dtype=np.float64), 0)
        cells *= self.lacks(action)
        return cells

    def dense(self) -> Matrix:
        """Return the matrix."""
        self._refuse_large()
        out = np.full((self.k, self.k), float(self.other))
        np.fill_diagonal(out, float(self.own))
        return out


def _sums(cells: Vector, axis: int) -> Vector:
    """Sum along one axis, which stays with length 1; faster than ``sum`` for short inner axes.

    In products of few numbers: BLAS takes threads for more, which wait for each other and go on
    asking for work when there is none.
    """
    shape = cells.shape
    rows, size, inner = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
    view, ones = cells.reshape(rows, size, inner), np.ones(size)
    step, total = max(64, _FEW // size), np.empty((rows, inner))
    if inner == 1:
        lines, whole = view[:, :, 0], rows // step * step
        blocks = lines[:whole].reshape(-1, step, size)
        np.matmul(blocks, ones, out=total[:whole].reshape(-1, step))
        np.matmul(lines[whole:], ones, out=total[whole:, 0])
    else:
        for start in range(0, inner, step):
            stop = start + step
            np.matmul(ones, view[:, :, start:stop], out=total[:, start:stop])
    return total.reshape(*shape[:axis], 1, *shape[axis + 1 :])
