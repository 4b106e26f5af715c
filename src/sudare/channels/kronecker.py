"""Independent components: the Kronecker product of their channels, applied axis by axis."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from sudare.channels.base import Action, Channel, Matrix, Vector
from sudare.errors import DomainError
from sudare.exact import floor_float

SLAB_BYTES = 1 << 20
"""Of the cells that are worked on at a time, where there are twice as many or more."""


@dataclass(frozen=True, slots=True)
class Kronecker(Channel):
    """``M_1 (x) M_2 (x) ...`` over row-major cells (the last component fastest).

    Costs ``O(cells * components)`` an apply; the dense matrix is never formed.

    Examples:
        >>> from fractions import Fraction as F
        >>> from sudare.channels import Symmetric
        >>> pair = Kronecker((Symmetric(2, F(3, 4), F(1, 4)), Symmetric(3, F(1, 2), F(1, 4))))
        >>> pair.shape
        (6, 6)
    """

    parts: tuple[Channel, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise DomainError("parts", "must hold at least one channel")

    @property
    def shape(self) -> tuple[int, int]:
        """Products of the parts' shapes."""
        return prod(p.shape[0] for p in self.parts), prod(p.shape[1] for p in self.parts)

    @property
    def epsilon(self) -> float:
        """Sum of the parts' ε: what the whole submission spends."""
        epsilons = [part.epsilon for part in self.parts]
        if math.inf in epsilons:
            return math.inf
        return floor_float(sum((Fraction(epsilon) for epsilon in epsilons), start=Fraction(0)))

    def apply(self, x: Vector) -> Vector:
        """Return ``M x``, shaped like the outputs where ``x`` is shaped like the inputs."""
        return self._each(x, 1, "apply")

    def adjoint(self, y: Vector) -> Vector:
        """Return ``M.T y``."""
        return self._each(y, 0, "adjoint")

    def solve(self, y: Vector) -> Vector:
        """Return the inverse, a Kronecker product too, applied to ``y``."""
        return self._each(y, 0, "solve")

    def solve_squared(self, y: Vector) -> Vector:
        """Return the squared inverse, a Kronecker product too, applied to ``y``."""
        return self._each(y, 0, "solve_squared")

    def solve_adjoint(self, w: Vector) -> Vector:
        """Return the inverse of the transpose applied to ``w``: the parts are symmetric."""
        return self.solve(w)

    def solve_cubed(self, y: Vector) -> Vector:
        """Return the inverse's cubed entries, a Kronecker product too, applied to ``y``."""
        return self._each(y, 0, "solve_cubed")

    @property
    def ends_squared(self) -> tuple[float, float]:
        """n times the variance of a cell's unbiased share where all respondents are there, and the
        largest where none is: the same for every cell, since the parts treat all values alike."""
        ends = [part.noise(np.eye(part.shape[1], 1)[:, 0]) for part in self.parts]
        own = prod(float(end[0]) for end in ends)
        swapped = (float(own / end[0] * end[1]) for end in ends)  # in one part alone
        most = prod(float(end[:2].max()) for end in ends)
        return own - 1, most if any(end[1] >= end[0] for end in ends) else max(swapped)

    def noise(self, x: Vector) -> Vector:
        """Return ``(M^-1 o M^-1) M``, a Kronecker product too, applied to ``x``."""
        return self._each(x, 1, "noise")

    def dense(self) -> Matrix:
        """Return ``numpy.kron`` of the parts."""
        self._refuse_large()
        out: Matrix = np.ones((1, 1))
        for part in self.parts:
            out = np.asarray(np.kron(out, part.dense()), dtype=np.float64)
        return out

    def _each(self, x: Vector, side: int, action: Action) -> Vector:
        sizes = tuple(part.shape[side] for part in self.parts)
        flat = x.ndim == 1
        if x.size != prod(sizes) or not (flat or x.shape == sizes):
            raise DomainError("vector", f"must be flat or of the shape {sizes}", got=x.shape)
        cells = self._acted(np.ascontiguousarray(x.reshape(sizes), dtype=np.float64), side, action)
        return cells.reshape(-1) if flat else cells

    def _acted(self, x: Vector, side: int, action: Action) -> Vector:
        """Return the action on contiguous cells: on slabs of a large table that lie in the cache,
        along all axes but the first."""
        scale = prod(part.lacks(action) for part in self.parts)
        axes = range(len(self.parts))
        if x.nbytes <= 2 * SLAB_BYTES or len(axes) == 1:
            # the last first: its sums are written out, where adding them would be slow. Of two
            # axes neither matters: their order decides the last digits, at which searches end
            cells = self._along(axes if len(axes) == 2 else axes[::-1], x, action)
            cells *= scale
            return cells
        out = np.empty((len(x), *(part.shape[1 - side] for part in self.parts[1:])))
        rows = max(1, SLAB_BYTES * len(x) // x.nbytes)
        for start in range(0, len(x), rows):
            slab = self._along(axes[:0:-1], x[start : start + rows], action)
            np.multiply(slab, scale, out=out[start : start + rows])
        return self.parts[0].act(action, out, 0, spare=True)

    def _along(self, axes: Iterable[int], x: Vector, action: Action) -> Vector:
        """Return the action along some axes, one after the other, but for what it lacks."""
        cells = x
        for axis in axes:
            cells = self.parts[axis].act(action, cells, axis, spare=cells is not x)
        return cells
