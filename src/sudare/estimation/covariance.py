"""The covariances of many shares in few numbers: a diagonal and a matrix of low rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats


@dataclass(frozen=True, eq=False)
class Covariance:
    """``diag(diagonal) + vectors inner vectors^T``.

    Attributes:
        diagonal: (k,).
        vectors: (k, r).
        inner: (r, r), symmetric.

    Examples:
        >>> multinomial = Covariance.of_one(np.array([0.5, 0.3, 0.2]))
        >>> multinomial.dense().round(2).tolist()
        [[0.25, -0.15, -0.1], [-0.15, 0.21, -0.06], [-0.1, -0.06, 0.16]]
        >>> multinomial.grouped(np.array([0, 0, 1]), 2).dense().round(2).tolist()
        [[0.16, -0.16], [-0.16, 0.16]]
    """

    diagonal: Floats
    vectors: Floats
    inner: Floats

    @classmethod
    def of_one(cls, shares: Floats) -> Covariance:
        """Return that of which one of k categories a person has: ``diag(x) - x x^T``."""
        return cls(shares, shares[:, None], np.array([[-1.0]]))

    def __add__(self, other: Covariance) -> Covariance:
        mine, theirs = len(self.inner), len(other.inner)
        inner = np.zeros((mine + theirs, mine + theirs))
        inner[:mine, :mine], inner[mine:, mine:] = self.inner, other.inner
        vectors = np.concatenate([self.vectors, other.vectors], axis=1)
        return Covariance(self.diagonal + other.diagonal, vectors, inner)

    def scaled(self, factor: float) -> Covariance:
        """Return ``factor`` times it."""
        return Covariance(self.diagonal * factor, self.vectors, self.inner * factor)

    def grouped(self, places: npt.NDArray[np.intp], size: int) -> Covariance:
        """Return that of the sums of the shares at each place.

        Args:
            places: (k,) the group of each share, below ``size``; -1 for one in none.
            size: number of groups.
        """
        kept = places >= 0
        diagonal = np.bincount(places[kept], self.diagonal[kept], size).astype(np.float64)
        vectors = np.zeros((size, self.vectors.shape[1]))
        np.add.at(vectors, places[kept], self.vectors[kept])
        return Covariance(diagonal, vectors, self.inner)

    def margin(self, shape: tuple[int, ...], kept: tuple[int, ...]) -> Covariance:
        """Return that of the table of some axes, of shares that are a table of this shape."""
        others = tuple(axis for axis in range(len(shape)) if axis not in kept)
        diagonal = self.diagonal.reshape(shape).sum(axis=others).ravel()
        vectors = self.vectors.reshape(*shape, len(self.inner)).sum(axis=others)
        return Covariance(diagonal, vectors.reshape(diagonal.size, -1), self.inner)

    def dense(self) -> Floats:
        """Return the (k, k) matrix."""
        out: Floats = np.diag(self.diagonal) + self.vectors @ self.inner @ self.vectors.T
        return out
