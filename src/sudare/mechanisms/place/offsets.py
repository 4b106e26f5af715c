"""Mechanisms on a grid whose law is a function of the distance, times a weight of each cell."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property

import numpy as np

from sudare.arrays import Booleans, Floats
from sudare.channels import Channel, Convolution
from sudare.errors import DomainError
from sudare.frozen import set_fields
from sudare.mechanisms.place.base import MOST_DENSE, Place
from sudare.mechanisms.place.grid import Grid
from sudare.mechanisms.place.rates import compile_offsets, log_of
from sudare.mechanisms.values import as_category
from sudare.samplers.offset import WEIGHT_BITS, Offset

_LEAST = 1e-250
_ROUNDED = 1 + 1e-11
_SURE = 1e-3
_MOST_PAIRED = 1000
_NOT_FAR = 400.0
_FARTHEST = 600.0


class Offsets(Place):
    """``P(o | r) = w_o exp(-c d(r, o)) / Σ_o' w_o' exp(-c d(r, o'))`` on a grid."""

    __slots__ = ("_whole", "rate", "weights")
    grid: Grid
    _whole: tuple[int, ...]
    rate: Fraction
    """c, per metre."""
    weights: Floats
    """(cells,) the weights that are sampled, the largest 1."""
    program: Offset

    def _settle(self, rate: Fraction) -> None:
        """Take this rate; the guarantee is checked where no theorem gives it."""
        own = np.array(self._whole, dtype=np.float64) / (1 << WEIGHT_BITS)
        own.flags.writeable = False
        program = compile_offsets(self.grid, rate, self._whole)
        set_fields(self, rate=rate, weights=own, program=program)

    # -- the guarantee -----------------------------------------------------------------------

    @cached_property
    def epsilon(self) -> float:
        """As :attr:`Place.epsilon`; an upper bound for cells that are never reported on maps of
        more than 1,000 cells."""
        most = steepest(self.grid, float(self.rate), self._log_alpha, self.reported)
        return float(most) * _ROUNDED

    # -- the law -----------------------------------------------------------------------------

    @property
    def reported(self) -> Booleans:
        """(cells,) which cells can be reported."""
        out: Booleans = self.weights > 0
        return out

    def distances(self) -> Floats:
        """Return the (cells, cells) distances in metres, for at most 5,000 cells."""
        return self.grid.distances()

    @cached_property
    def _log_kernel(self) -> Floats:
        """(2 rows - 1, 2 columns - 1) logarithms of the kernel, by rows and columns apart."""
        rows, columns = self.grid.shape
        top = log_of(self.program.kernel[0])
        corner = np.array([log_of(k) - top for k in self.program.kernel]).reshape(rows, columns)
        right = np.concatenate([corner[:, :0:-1], corner], axis=1)
        return np.concatenate([right[:0:-1], right])

    @cached_property
    def _kernel(self) -> Floats:
        out: Floats = np.exp(self._log_kernel)
        return out

    @cached_property
    def _log_alpha(self) -> Floats:
        """(cells,) logarithms of ``1 / Σ_o w_o k(d(r, o))``."""
        return log_alpha(self.grid, self._log_kernel, self.weights)

    def _log_rows(self, cell: int) -> Floats:
        out: Floats = window(self.grid, self._log_kernel, cell)
        return out

    def log_matrix(self) -> Floats:
        """As :meth:`Place.log_matrix`; -inf for cells of weight 0."""
        if self.cells > MOST_DENSE:
            raise DomainError(
                "grid", f"must have at most {MOST_DENSE:,} cells", "use law_of or channel"
            )
        with np.errstate(divide="ignore"):
            own = np.log(self.weights)
        columns = [self._log_rows(r) for r in range(self.cells)]
        out: Floats = np.stack(columns, axis=1) + own[:, None] + self._log_alpha
        return out

    def law_of(self, cell: int) -> Floats:
        """Return the (cells,) probabilities of the reports of one true cell."""
        r = as_category(cell, self.cells)
        out: Floats
        if self._log_alpha[r] < _NOT_FAR:  # nothing has underflown
            out = self.weights * window(self.grid, self._kernel, r) * np.exp(self._log_alpha[r])
        else:
            with np.errstate(divide="ignore"):
                own = np.log(self.weights)  # beside huge numbers, 0 must not become a factor
            out = np.exp(own + self._log_rows(r) + self._log_alpha[r])
        return out

    @cached_property
    def channel(self) -> Channel:
        """The law as floats, for estimation; by FFT for more than 5,000 cells."""
        if self.cells <= MOST_DENSE:
            return super().channel
        # where nothing comes near, sums by FFT are 0, and the factor need only be finite
        scale = np.exp(np.minimum(self._log_alpha, _FARTHEST))
        return Convolution(self._kernel, self.weights, scale)


def log_alpha(grid: Grid, log_kernel: Floats, weights: Floats) -> Floats:
    """Return ``-ln Σ_o w_o k(d(r, o))`` for each cell, to 12 digits.

    An FFT knows sums to 1e-16 of the largest; the small ones of a large map, and all of a small
    one, are added up.
    """
    kernel = np.exp(log_kernel)
    one_by_one = np.arange(grid.cells)
    sums = np.zeros(grid.cells)
    if grid.cells > _MOST_PAIRED:
        sums = Convolution(kernel, weights, weights).sums(weights)
        one_by_one = np.flatnonzero(sums < _SURE * sums.max())
    for r in one_by_one.tolist():
        sums[r] = window(grid, kernel, r) @ weights
    far = np.flatnonzero(sums < _LEAST)  # nothing near is reported: the kernel has underflown
    with np.errstate(divide="ignore"):
        out: Floats = -np.log(sums)
        own = np.log(weights)
    for r in far.tolist():
        logs = window(grid, log_kernel, r) + own
        out[r] = -(logs.max() + math.log(np.exp(logs - logs.max()).sum()))
    return out


def window(grid: Grid, offsets: Floats, cell: int) -> Floats:
    """Return (cells,) values by the way from one cell, of values by rows and columns apart."""
    rows, columns = grid.shape
    i, j = divmod(cell, columns)
    part = offsets[rows - 1 - i : 2 * rows - 1 - i, columns - 1 - j : 2 * columns - 1 - j]
    out: Floats = part.reshape(-1)
    return out


def steepest(grid: Grid, rate: float, log_alpha: Floats, reported: Booleans) -> float:
    """Return the largest ``ln(P(o|r1) / P(o|r2)) / d(r1, r2)`` of ``α(r) w_o exp(-rate d)``.

    ``(ln α(r1) - ln α(r2) + rate (d(r2, o) - d(r1, o))) / d(r1, r2)``, and the difference of
    distances is at most d(r1, r2): reached at o = r1. Where r1 is never reported, the reports are
    tried one by one for each pair that could still be the largest (up to 1,000 cells).
    """
    if grid.cells > _MOST_PAIRED:
        return rate + steepest_slope(grid, log_alpha)
    most = 0.0
    for r in np.argsort(~reported, kind="stable").tolist():  # the reported ones first
        apart = window(grid, grid.offsets, r).copy()
        apart[r] = np.inf
        bound = (log_alpha[r] - log_alpha) / apart + rate
        bound[r] = 0.0
        if reported[r]:
            most = max(most, float(bound.max()))
            continue
        apart[r] = 0.0
        for other in np.flatnonzero(bound > most).tolist():
            further = (window(grid, grid.offsets, other) - apart)[reported].max()
            gap = log_alpha[r] - log_alpha[other] + rate * float(further)
            most = max(most, gap / float(apart[other]))
    return most


def steepest_slope(grid: Grid, values: Floats) -> float:
    """Return the largest ``|v(r1) - v(r2)| / d(r1, r2)``: near cells first, while it can grow."""
    rows, columns = grid.shape
    own = values.reshape(rows, columns)
    quadrant = grid.offsets[rows - 1 :, columns - 1 :].ravel()
    spread, most = float(values.max() - values.min()), 0.0
    for place in np.argsort(quadrant, kind="stable")[1:].tolist():
        metres = float(quadrant[place])
        if spread <= most * metres:
            break
        down, right = divmod(place, columns)
        for east in {right, -right}:
            here = own[: rows - down, max(0, -east) : columns - max(0, east)]
            there = own[down:, max(0, east) : columns + min(0, east)]
            most = max(most, float(np.abs(here - there).max()) / metres)
    return most
