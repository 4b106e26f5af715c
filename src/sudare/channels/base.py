"""The contract of a channel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError

Action = Literal["apply", "adjoint", "solve", "solve_squared", "solve_cubed", "noise"]
Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]

DENSE_LIMIT = 1 << 24
"""Most cells that :meth:`Channel.dense` writes out (128 MiB)."""


class Channel(ABC):
    """A column-stochastic matrix ``M``: ``M[report, value]`` is a conditional probability.

    Operations act on axis 0 and take any further axes along.
    """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """``(outputs, inputs)``."""

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """``ln`` of the largest ratio of two entries of a row, rounded down."""

    @abstractmethod
    def apply(self, x: Vector) -> Vector:
        """Return ``M x``: the expected report shares of the value shares ``x``."""

    @abstractmethod
    def adjoint(self, y: Vector) -> Vector:
        """Return ``M.T y``."""

    @abstractmethod
    def solve(self, y: Vector) -> Vector:
        """Return ``M^-1 y``: the unbiased estimate of the value shares."""

    @abstractmethod
    def solve_squared(self, y: Vector) -> Vector:
        """Return ``(M^-1 o M^-1) y``, the elementwise square of the inverse applied to ``y``."""

    def noise(self, x: Vector) -> Vector:
        """Return ``(M^-1 o M^-1) M x``: n times the second moment of each unbiased share at x."""
        return self.solve_squared(self.apply(x))

    @abstractmethod
    def dense(self) -> Matrix:
        """Return the matrix ``(outputs, inputs)``, float64; each column sums to 1."""

    def act(self, action: Action, cells: Vector, axis: int, *, spare: bool = False) -> Vector:
        """Return an action along one axis of ``cells``, but for the factor that it :meth:`lacks`.

        ``spare`` cells may be overwritten.
        """
        moved = np.moveaxis(cells, axis, 0)
        acted = np.moveaxis(getattr(self, action)(moved), 0, axis)
        return np.ascontiguousarray(acted)

    def lacks(self, action: Action) -> float:
        """Return the factor by which :meth:`act` is too small: of several axes they are multiplied
        in at once."""
        return 1.0

    def _fits(self, x: Vector, side: int) -> Vector:
        """Return ``x`` after checking that its axis 0 has the channel's inputs or outputs."""
        size = self.shape[side]
        if x.shape[:1] != (size,):
            raise DomainError("vector", f"must have {size} entries on axis 0", got=x.shape)
        return x

    def _refuse_large(self) -> None:
        outputs, inputs = self.shape
        if outputs * inputs > DENSE_LIMIT:
            raise DomainError(
                "channel",
                f"must have at most {DENSE_LIMIT} cells to be written out",
                "use apply, adjoint and solve, which need no dense matrix",
                got=self.shape,
            )
