"""``TableEstimate``: shares of several attributes that were reported as one category."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError, EstimationError
from sudare.estimation.association import table_dependence
from sudare.estimation.caution import FEW, FEW_REPORTS, few_reports
from sudare.estimation.counts import check_axes
from sudare.estimation.covariance import Covariance
from sudare.estimation.dependence import Dependence
from sudare.estimation.estimate import Estimate, Kind, Law
from sudare.estimation.shares import ShareLaw
from sudare.estimation.spread import Spread, interval


@dataclass(frozen=True, eq=False)
class SumsLaw:
    """How sums of shares vary, from the law of the shares.

    Attributes:
        base: of the shares, (k,).
        places: (k,) which sum each share belongs to.
        shares: the sums, of any shape.
    """

    exclusive: ClassVar[bool] = True
    base: Law
    places: npt.NDArray[np.intp]
    shares: Floats

    def at(self, shares: Floats) -> SumsLaw:
        """Return the law if these were the true sums, each spread evenly over its shares."""
        many = np.bincount(self.places, minlength=self.shares.size)
        base = self.base.at((shares.ravel() / many)[self.places])
        return SumsLaw(base, self.places, shares)

    @cached_property
    def _each(self) -> Spread:
        """How each sum varies."""
        own = [self.base.spread(self._weights(i)) for i in range(self.shares.size)]
        return Spread.stack(own, self.shares.shape)

    def _weights(self, place: int) -> Floats:
        out: Floats = (self.places == place).astype(np.float64)
        return out

    @cached_property
    def stderr(self) -> Floats:
        """Standard error of each sum."""
        if self._alone:
            return self._sorted(self.base.stderr)
        out: Floats = np.sqrt(np.maximum(self._each.now, 0))
        return out

    @property
    def _alone(self) -> bool:
        """Whether each sum is one share."""
        return self.shares.size == self.places.size

    def _sorted(self, shares: Floats) -> Floats:
        out = np.empty(shares.size)
        out[self.places] = shares
        return out.reshape(self.shares.shape)

    def variance(self, weights: Floats) -> float:
        """Return the variance of ``Σ weights_i sums_i``."""
        return self.base.variance(weights.ravel()[self.places])

    def spread(self, weights: Floats | None = None) -> Spread:
        """Return how ``Σ weights_i sums_i`` varies; without weights how each sum does."""
        return self._each if weights is None else self.base.spread(weights.ravel()[self.places])

    def interval(self, miss: float, kind: Kind, simultaneous: bool) -> tuple[Floats, Floats]:
        """Return ``(low, high)``: those of the shares, or of their sums by a score test."""
        if self._alone:
            low, high = self.base.interval(miss, kind, simultaneous)
            return self._sorted(low), self._sorted(high)
        return interval(self, miss, kind, simultaneous)


@dataclass(frozen=True, eq=False, repr=False)
class TableEstimate(Estimate):
    """Estimated shares of all cells of several attributes, reported as one category each.

    Any part is the sum of cells: :meth:`marginal`.
    """

    _cells: Any = field(default=None, repr=False)
    _sizes: tuple[int, ...] = field(default=(), repr=False)
    _axes: tuple[int, ...] = field(default=(), repr=False)

    def marginal(self, axes: int | Sequence[int]) -> TableEstimate:
        """Return the estimate of some attributes alone, in the order named: one, or a sub-table.

        Args:
            axes: one attribute, or several.

        Raises:
            WrongTypeError, DomainError: not distinct attributes.

        Examples:
            >>> import sudare as sd
            >>> m = sd.SubsetSelection(6, 2.0)
            >>> counts = m.simulate([500, 300, 100, 900, 0, 200], rng=sd.Entropy.seeded(b"t"))
            >>> table = as_table(m.estimate(counts), [3, 2])
            >>> table.shares.shape, table.marginal(0).shares.shape
            ((3, 2), (3,))
            >>> bool(np.isclose(table.marginal(1).shares.sum(), table.shares.sum()))
            True
        """
        one = isinstance(axes, int | np.integer) and not isinstance(axes, bool)
        some: Any = [axes] if one else axes
        return _summed(self._cells, self._sizes, self._of(some))

    def _of(self, axes: Sequence[int]) -> tuple[int, ...]:
        """Return which of all attributes are meant."""
        return tuple(self._axes[i] for i in check_axes(axes, len(self._axes)))

    def dependence(self, axes: Sequence[int] = (0, 1)) -> Dependence:
        """Estimate how strongly two attributes depend on each other: Cramér's V, with an interval.

        Args:
            axes: the two attributes.

        Raises:
            WrongTypeError, DomainError: not two distinct attributes.
            EstimationError: the covariances of the cells are not known.

        Source: :func:`~sudare.estimation.association.table_dependence`.
        """
        kept = self._of(axes)
        if len(kept) != 2:
            raise DomainError("axes", "must be two attributes", got=len(kept))
        covariance, shape = self.covariance(axes), tuple(self._sizes[axis] for axis in kept)
        shares = _sums(_places(self._sizes, kept), self._cells.shares, shape)
        return table_dependence(shares, covariance)

    def covariance(self, axes: Sequence[int]) -> Covariance:
        """Return the covariances of the cells of some attributes' table, in row-major order.

        Raises:
            WrongTypeError, DomainError: not distinct attributes.
            EstimationError: they are not known.
        """
        kept = self._of(axes)
        law: Any = self._cells._law
        if not (isinstance(law, ShareLaw) or hasattr(law, "summed")):
            raise EstimationError("method", "must be unbiased", "estimate without a method")
        size = prod(self._sizes[axis] for axis in kept)
        whole: Covariance = law.covariance()
        return whole.grouped(_places(self._sizes, kept), size)


def as_table(estimate: Estimate, sizes: Sequence[int]) -> TableEstimate:
    """Return the estimate of k categories as one of a table with k cells.

    Args:
        estimate: of the categories, the cells of the table in row-major order: the last attribute
            fastest, as in ``numpy.ravel_multi_index``.
        sizes: number of categories of each attribute.

    Raises:
        DomainError: not as many cells.
    """
    shape = tuple(sizes)
    if estimate.shares.shape != (prod(shape),):
        rule = f"must have a product of {estimate.shares.size}, the categories of the estimate"
        raise DomainError("sizes", rule, got=shape)
    return _summed(estimate, shape, tuple(range(len(shape))))


def _places(sizes: tuple[int, ...], axes: tuple[int, ...]) -> npt.NDArray[np.intp]:
    """Return for each cell the cell of the sub-table to which it belongs."""
    at = np.unravel_index(np.arange(prod(sizes)), sizes)
    out: npt.NDArray[np.intp] = np.ravel_multi_index(
        [at[axis] for axis in axes], [sizes[axis] for axis in axes]
    ).astype(np.intp)
    return out


def _sums(places: npt.NDArray[np.intp], cells: Floats, shape: tuple[int, ...]) -> Floats:
    return np.bincount(places, cells, prod(shape)).astype(np.float64).reshape(shape)


def _summed(cells: Estimate, sizes: tuple[int, ...], axes: tuple[int, ...]) -> TableEstimate:
    places, shape = _places(sizes, axes), tuple(sizes[axis] for axis in axes)
    shares = _sums(places, cells.shares, shape)
    law = _law_of_sums(cells._law, places, shares)
    return TableEstimate(
        shares=shares,
        stderr=np.full(shape, math.nan) if law is None else law.stderr,
        n=cells.n,
        epsilon=cells.epsilon,
        covers=cells.covers,
        method=cells.method,
        target=cells.target,
        warnings=(*_few(cells, places, shape), *_others(cells)),
        _law=law,
        _cells=cells,
        _sizes=sizes,
        _axes=axes,
    )


def _law_of_sums(law: Any, places: npt.NDArray[np.intp], shares: Floats) -> Any:
    """Return the law of the sums, by that of the shares itself where it knows of sums."""
    if law is None or hasattr(law, "summed"):
        return law and law.summed(places, shares)
    return SumsLaw(law, places, shares)


def _few(cells: Estimate, places: npt.NDArray[np.intp], shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Return the caution about sums that fewer than 30 reports are expected to support."""
    if not isinstance(cells._law, ShareLaw):
        return ()
    expected = _sums(places, cells._law.expected_support, shape)
    few = np.flatnonzero(expected < FEW)
    return (few_reports(few, shape),) if few.size else ()


def _others(cells: Estimate) -> tuple[Any, ...]:
    return tuple(one for one in cells.warnings if one.code != FEW_REPORTS)
