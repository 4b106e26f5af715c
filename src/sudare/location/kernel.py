"""Sums over all cells of a function of the distance: a convolution, dense or by FFT."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.channels.convolution import Torus
from sudare.mechanisms.place.grid import Grid
from sudare.mechanisms.place.offsets import window

Transformed = npt.NDArray[Any]

DENSE_CELLS = 625
"""Most cells for which the matrix is faster than the FFT."""

FAINT = 1e-6
"""Sums below this share of the largest are not left to the FFT."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """``(k x)_o = Σ_r k(d(r, o)) x_r`` on a grid: ``k(d) = exp(-ε d / 2)``.

    Args:
        grid: the cells.
        offsets: (2 rows - 1, 2 columns - 1) values by rows and columns apart.
    """

    grid: Grid
    offsets: Floats

    @classmethod
    def of(cls, grid: Grid, epsilon: float) -> Kernel:
        """Return the kernel of ε per metre."""
        return cls(grid, np.exp(-epsilon / 2 * grid.offsets))

    @cached_property
    def times_distance(self) -> Kernel:
        """``d k(d)``: the kernel of expected distances."""
        return Kernel(self.grid, self.offsets * self.grid.offsets)

    @cached_property
    def dense(self) -> Floats:
        """The (cells, cells) matrix."""
        return self.among(np.arange(self.grid.cells))

    def among(self, cells: npt.NDArray[np.intp]) -> Floats:
        """Return the matrix between some cells."""
        rows, columns = self.grid.shape
        row, column = np.divmod(cells, columns)
        down = np.subtract.outer(row, row) + rows - 1
        right = np.subtract.outer(column, column) + columns - 1
        out: Floats = self.offsets[down, right]
        return out

    def row(self, cell: int) -> Floats:
        """Return ``k(d(cell, o))`` for every cell o."""
        return window(self.grid, self.offsets, cell)

    @cached_property
    def _torus(self) -> Torus:
        return Torus(self.offsets)

    def apply(self, x: Floats) -> Floats:
        """Return ``k x`` for (cells,) or (cells, m) numbers."""
        if self.grid.cells <= DENSE_CELLS:
            return self.dense @ x
        return self.apply_fft(x)

    def sums(self, x: Floats) -> Floats:
        """Return ``k x`` for (cells,) numbers >= 0, each to 9 digits however small it is.

        An FFT knows sums to 1e-16 of the largest; far from all x they are added up one by one.
        """
        out = self.apply(x)
        if self.grid.cells > DENSE_CELLS:
            for cell in np.flatnonzero(out < FAINT * out.max()).tolist():
                out[cell] = self.row(cell) @ x
        return out

    def apply_fft(self, x: Floats) -> Floats:
        """Return ``k x`` by FFT."""
        return self._torus.sums(x)

    def forward(self, x: Floats) -> Transformed:
        """Return (cells,) numbers as :meth:`times` takes them: the same for all kernels of a grid,
        so that sums by several kernels share it.

        ::

            k x = back(times(forward(x)))
        """
        return x if self.grid.cells <= DENSE_CELLS else self._torus.forward(x)

    def times(self, x: Transformed) -> Transformed:
        """Return ``k x`` of transformed numbers, transformed. Linear."""
        return self.dense @ x if self.grid.cells <= DENSE_CELLS else self._torus.times(x)

    def back(self, x: Transformed) -> Floats:
        """Return the numbers that were transformed; ``x`` may be overwritten."""
        return x if self.grid.cells <= DENSE_CELLS else self._torus.back(x)
