"""A channel on a grid whose probabilities hang on the way from cell to cell: sums by FFT."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sudare.channels.base import Channel, Matrix, Vector
from sudare.errors import DomainError

Spectrum = npt.NDArray[np.complex128]


class Torus:
    """Sums over a grid of a function of the way from cell to cell, by FFT.

    Args:
        kernel: (2 rows - 1, 2 columns - 1) values by rows and columns apart, even in both.
    """

    def __init__(self, kernel: Matrix) -> None:
        from scipy import fft

        self._fft = fft
        self._grid = ((kernel.shape[0] + 1) // 2, (kernel.shape[1] + 1) // 2)
        rows, columns = self._grid
        # so large that no sum meets itself
        self._size = (
            fft.next_fast_len(kernel.shape[0], True),
            fft.next_fast_len(kernel.shape[1], True),
        )
        torus = np.zeros(self._size)
        torus[: kernel.shape[0], : kernel.shape[1]] = kernel
        torus = np.roll(torus, (1 - rows, 1 - columns), axis=(0, 1))
        self._spectrum = fft.rfft2(torus).real.copy()  # the kernel is even: a real spectrum

    def sums(self, x: Vector) -> Vector:
        """Return ``Σ_r kernel[o - r] x_r`` for (cells,) or (cells, m) numbers."""
        return self.back(self.times(self.forward(x)))

    def forward(self, x: Vector) -> Spectrum:
        """Return the spectrum of (cells,) or (cells, m) numbers, the same for all kernels."""
        maps = x.T.reshape(*x.T.shape[:-1], *self._grid)
        # row by row, so that rows that hold nothing but zeros are not transformed
        half = self._fft.rfft(maps, self._size[1])
        out: Spectrum = self._fft.fft(half, self._size[0], axis=-2, overwrite_x=True)
        return out

    def times(self, spectrum: Spectrum) -> Spectrum:
        """Return the spectrum of the sums over numbers of this spectrum."""
        return spectrum * self._spectrum

    def back(self, spectrum: Spectrum) -> Vector:
        """Return the numbers of a spectrum, which is overwritten."""
        rows, columns = self._grid
        half = self._fft.ifft(spectrum, axis=-2, overwrite_x=True)[..., :rows, :]
        whole = self._fft.irfft(half, self._size[1])[..., :columns]
        out: Vector = whole.reshape(*whole.shape[:-2], rows * columns).T
        return out


@dataclass(frozen=True, eq=False)
class Convolution(Channel):
    """``M[o, r] = weights[o] kernel[o - r] scale[r]`` for cells of a grid, row by row.

    Args:
        kernel: (2 rows - 1, 2 columns - 1) floats by rows and columns apart, even in both.
        weights: (cells,) of the reported cells.
        scale: (cells,) that makes each column sum to 1.

    Examples:
        >>> pair = Convolution(np.array([[1.0, 2.0, 1.0]]), np.ones(2), np.full(2, 1 / 3))
        >>> pair.apply(np.array([1.0, 0.0])).round(3).tolist()
        [0.667, 0.333]
    """

    kernel: Matrix
    weights: Vector
    scale: Vector

    @property
    def shape(self) -> tuple[int, int]:
        """``(cells, cells)``."""
        return self.weights.size, self.weights.size

    @property
    def epsilon(self) -> float:
        """Not computed: the mechanism knows it from its integers."""
        raise DomainError("channel", "has too many cells for this", "ask the mechanism's epsilon")

    @cached_property
    def _torus(self) -> Torus:
        return Torus(self.kernel)

    def sums(self, x: Vector) -> Vector:
        """Return ``Σ_r kernel[o - r] x_r`` for each cell o; none below 0."""
        out: Vector = np.maximum(self._torus.sums(x), 0.0)
        return out

    def apply(self, x: Vector) -> Vector:
        """Return ``M x``."""
        return self.weights * self.sums(self.scale * self._fits(x, 1))

    def adjoint(self, y: Vector) -> Vector:
        """Return ``M.T y``."""
        return self.scale * self.sums(self.weights * self._fits(y, 0))

    def solve(self, y: Vector) -> Vector:
        """Refuse: of so many cells the inverse is not at hand."""
        raise DomainError("channel", "has too many cells to be inverted", "use EM")

    def solve_squared(self, y: Vector) -> Vector:
        """Refuse: of so many cells the inverse is not at hand."""
        return self.solve(y)

    def dense(self) -> Matrix:
        """Return the matrix."""
        self._refuse_large()
        return np.stack([self.apply(one) for one in np.eye(self.weights.size)], axis=1)
