"""Sums over all cells of a function of the distance: a convolution, dense or by FFT."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.mechanisms.place.grid import Grid

Floats = npt.NDArray[np.float64]

DENSE_CELLS = 625
"""Most cells for which the matrix is faster than the FFT."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """``(k x)_o = Σ_r exp(-ε d(r, o) / 2) x_r`` on a grid.

    Args:
        grid: the cells.
        epsilon: ε in 1/m.
    """

    grid: Grid
    epsilon: float

    @cached_property
    def offsets(self) -> Floats:
        """(2 rows - 1, 2 columns - 1) values by rows and columns apart."""
        out: Floats = np.exp(-self.epsilon / 2 * self.grid.offsets)
        return out

    @cached_property
    def dense(self) -> Floats:
        """The (cells, cells) matrix, for at most 5,000 cells."""
        out: Floats = np.exp(-self.epsilon / 2 * self.grid.distances())
        return out

    @cached_property
    def _plan(self) -> tuple[tuple[int, int], Any]:
        from scipy import fft

        rows, columns = self.grid.shape
        size = (fft.next_fast_len(3 * rows - 2, True), fft.next_fast_len(3 * columns - 2, True))
        return size, fft.rfft2(self.offsets, size)

    def apply(self, x: Floats) -> Floats:
        """Return ``k x`` for (cells,) or (cells, m) numbers."""
        if self.grid.cells <= DENSE_CELLS:
            return self.dense @ x
        return self.apply_fft(x)

    def apply_fft(self, x: Floats) -> Floats:
        """Return ``k x`` by FFT."""
        from scipy import fft

        rows, columns = self.grid.shape
        size, spectrum = self._plan
        maps = x.T.reshape(*x.T.shape[:-1], rows, columns)
        whole = fft.irfft2(fft.rfft2(maps, size) * spectrum, size)
        part = whole[..., rows - 1 : 2 * rows - 1, columns - 1 : 2 * columns - 1]
        out: Floats = part.reshape(*x.T.shape).T
        return out
