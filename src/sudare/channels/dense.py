"""Any finite channel as a matrix, with its guarantee from exact rationals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from sudare.channels.base import Channel, Matrix, Vector
from sudare.errors import DomainError
from sudare.exact import floor_float, log_bounds
from sudare.frozen import set_fields


@dataclass(frozen=True, slots=True)
class Dense(Channel):
    """A channel written out; ``rows[report][value]`` are rationals whose columns sum to 1.

    With more reports than values the inverse is the least-squares one (unbiased too).

    Examples:
        >>> half = Fraction(1, 2)
        >>> Dense(((half, Fraction(1, 4)), (half, Fraction(3, 4)))).epsilon
        0.6931471805599453
    """

    rows: tuple[tuple[Fraction, ...], ...]
    _inverse: Matrix = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.rows or not self.rows[0] or len({len(row) for row in self.rows}) > 1:
            raise DomainError("channel", "must have rows of one length, at least 1")
        if any(
            not isinstance(cell, Fraction | int) or cell < 0 for row in self.rows for cell in row
        ):
            raise DomainError("channel", "must hold rational probabilities >= 0")
        if any(sum(column) != 1 for column in zip(*self.rows, strict=True)):
            raise DomainError("channel", "must have columns that sum to exactly 1")
        set_fields(self, _inverse=np.linalg.pinv(self.dense()))

    @classmethod
    def from_matrix(cls, rows: Sequence[Sequence[Fraction]]) -> Dense:
        """Build the channel from any nested sequence of rationals."""
        return cls(tuple(tuple(row) for row in rows))

    @property
    def shape(self) -> tuple[int, int]:
        """``(outputs, inputs)``."""
        return len(self.rows), len(self.rows[0])

    @property
    def epsilon(self) -> float:
        """Largest log-ratio within a row, rounded down; infinite where only one entry is 0."""
        largest = Fraction(1)
        for row in self.rows:
            low, high = min(row), max(row)
            if high and not low:
                return float("inf")
            if low:
                largest = max(largest, high / low)
        return floor_float(log_bounds(largest)[0])

    def apply(self, x: Vector) -> Vector:
        """Return ``M x``."""
        return np.asarray(np.tensordot(self.dense(), self._fits(x, 1), 1))

    def adjoint(self, y: Vector) -> Vector:
        """Return ``M.T y``."""
        return np.asarray(np.tensordot(self.dense().T, self._fits(y, 0), 1))

    def solve(self, y: Vector) -> Vector:
        """Return ``M^+ y``."""
        return np.asarray(np.tensordot(self._inverse, self._fits(y, 0), 1))

    def solve_squared(self, y: Vector) -> Vector:
        """Return ``(M^+ o M^+) y``."""
        return np.asarray(np.tensordot(self._inverse**2, self._fits(y, 0), 1))

    def dense(self) -> Matrix:
        """Return the matrix."""
        return np.array([[float(cell) for cell in row] for row in self.rows])
