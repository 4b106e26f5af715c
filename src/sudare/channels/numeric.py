"""A channel whose probabilities are known as floats alone, too small or too many for rationals."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sudare.channels.base import Channel, Matrix, Vector
from sudare.errors import DomainError

_MOST_PAIRS = 1024


@dataclass(frozen=True, eq=False)
class Numeric(Channel):
    """A column-stochastic matrix of floats, for estimation: guarantees need exact numbers.

    Args:
        matrix: ``[report, value]``.
        inside: (values,) booleans: only these values occur; None for all.

    Examples:
        >>> coin = Numeric(np.array([[0.75, 0.25], [0.25, 0.75]]))
        >>> coin.solve(np.array([0.5, 0.5])).round(9).tolist()
        [0.5, 0.5]
    """

    matrix: Matrix
    inside: npt.NDArray[np.bool_] | None = None
    _inverses: list[Matrix] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or not np.allclose(self.matrix.sum(axis=0), 1, atol=1e-9):
            raise DomainError("matrix", "must have columns that sum to 1")

    @property
    def shape(self) -> tuple[int, int]:
        """``(outputs, inputs)``."""
        return self.matrix.shape[0], self.matrix.shape[1]

    @property
    def epsilon(self) -> float:
        """``ln`` of the largest ratio within a row, to double precision."""
        rows = self.matrix[(self.matrix > 0).any(axis=1)]
        with np.errstate(divide="ignore"):
            return float(np.log(rows.max(axis=1) / rows.min(axis=1)).max())

    @property
    def inverse(self) -> Matrix:
        """The inverse; of more reports than values the least-squares one, reports weighted by
        ``1 / (M u)``, u equal shares of the values: the shares add up to those of the reports."""
        if not self._inverses:
            inside = np.ones(self.shape[1], np.bool_) if self.inside is None else self.inside
            part = self.matrix[:, inside]
            expected = part.mean(axis=1)
            root = np.sqrt(np.divide(1, expected, out=np.zeros_like(expected), where=expected > 0))
            out = np.zeros(self.shape[::-1])
            out[inside] = _inverted(root[:, None] * part) * root
            self._inverses.append(out)
        return self._inverses[0]

    def apply(self, x: Vector) -> Vector:
        """Return ``M x``."""
        return np.asarray(np.tensordot(self.matrix, self._fits(x, 1), 1))

    def adjoint(self, y: Vector) -> Vector:
        """Return ``M.T y``."""
        return np.asarray(np.tensordot(self.matrix.T, self._fits(y, 0), 1))

    def solve(self, y: Vector) -> Vector:
        """Return ``M^+ y``."""
        return np.asarray(np.tensordot(self.inverse, self._fits(y, 0), 1))

    def solve_squared(self, y: Vector) -> Vector:
        """Return ``(M^+ o M^+) y``."""
        return np.asarray(np.tensordot(self.inverse**2, self._fits(y, 0), 1))

    def solve_adjoint(self, w: Vector) -> Vector:
        """Return ``M^+.T w``: the numbers of the reports whose mean is a weighted sum of shares."""
        return np.asarray(np.tensordot(self.inverse.T, self._fits(w, 1), 1))

    def solve_cubed(self, y: Vector) -> Vector:
        """Return ``(M^+ o M^+ o M^+) y``."""
        return np.asarray(np.tensordot(self.inverse**3, self._fits(y, 0), 1))

    @property
    def ends_squared(self) -> tuple[Vector, Vector]:
        """n times the variance of each unbiased share where all respondents have that value, and
        the largest where none has (beyond 1,024 values as where all have it)."""
        square = self.inverse**2
        if self.shape[1] > _MOST_PAIRS:
            own = np.einsum("ij,ji->i", square, self.matrix) - 1
            return own, own + 1
        pairs = square @ self.matrix
        own = np.diag(pairs) - 1
        np.fill_diagonal(pairs, 0)
        return own, np.asarray(pairs.max(axis=1))

    def dense(self) -> Matrix:
        """Return the matrix."""
        return self.matrix


def _inverted(matrix: Matrix) -> Matrix:
    """Return the pseudo-inverse; of as many possible reports as values by elimination, which is a
    hundred times faster, unless what it leaves of the identity is off by more than 1e-9."""
    possible = matrix.any(axis=1)
    square = matrix[possible]
    if square.shape[0] == square.shape[1]:
        try:
            inverse = np.linalg.inv(square)
        except np.linalg.LinAlgError:
            return np.asarray(np.linalg.pinv(matrix), dtype=np.float64)
        if np.abs(inverse @ square - np.eye(square.shape[0])).max() <= 1e-9:
            out = np.zeros(matrix.shape[::-1])
            out[:, possible] = inverse
            return out
    return np.asarray(np.linalg.pinv(matrix), dtype=np.float64)
