"""Lower bounds of f1 that refuse moves of Algorithm 1 without judging the whole map."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.location.state import MapState

Cells = npt.NDArray[np.intp]

_WATCHED = 24
_MOST_ROWS = 32
_NEAR = 0.9  # groups that hold more of some sum are judged one by one
_KEPT = 1 << 24  # numbers in sums that are kept: 128 MiB


class MoveFilter:
    """Refuses moves that cannot lower f1, which is at least the difference of any two posteriors.

    First those of the map's two extreme cells, h below, are bounded for all moves at once. Weights
    that fall by f lower ``S = k w`` by ``L = k f``, and every ``L_j / S_j`` is at most
    ``X = min(max f_c / w_c, Σ f_c / S_c)``, the second because ``S_j >= S_c k(d(c, j))``. So with
    ``z = k(u α k_h)`` the sum ``(k u)_h`` rises by at least ``f z`` and at most ``f z / (1 - X)``,
    and the posterior has bounds for as many products as the group has cells. Moves that pass are
    judged by these cells exactly, and by cells that turned out extreme before.

    Args:
        first: the map to start from.
        margin: a gain below this is rounding.
    """

    def __init__(self, first: MapState, margin: float) -> None:
        self._kernel = first.kernel
        self._limit = first.limit
        self._prior = first.prior
        self._margin = margin
        size = first.weights.size
        self._room = max(64, _KEPT // size)
        self._kept: dict[bytes, Floats] = {}
        self._watched = np.full(_WATCHED, -1, dtype=np.intp)
        self._rows = np.zeros((_WATCHED, size))
        self._next = self._filled = 0
        self._sums: Floats = np.zeros(size)
        self._ends: Floats = np.zeros((2, size))
        self._two: Cells = np.zeros(2, dtype=np.intp)

    def refused(
        self, state: MapState, lower: Floats, cells: Cells, starts: Cells, best: float
    ) -> npt.NDArray[np.bool_]:
        """Return which groups certainly cannot lower f1.

        Args:
            state: the map before the move.
            lower: (cells,) weights that a group would have.
            cells: the groups' cells, one group after the other.
            starts: where in ``cells`` each group starts.
            best: f1 of the map.
        """
        self._look(state)
        high, low = self._two.tolist()
        weights = state.weights[cells]
        fall = weights - lower[cells]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.maximum.reduceat(np.where(fall > 0, fall / weights, 0), starts)
        share = np.minimum(share, np.add.reduceat(fall * state.alpha[cells], starts))
        near = share < _NEAR
        share[~near] = 0.0
        both: Floats = state.people * state.alpha * self._ends
        rises = self._kernel.apply(both.T).T
        bounds: list[Floats] = []
        for cell, row, rise in zip((high, low), self._ends, rises, strict=True):
            gained = np.add.reduceat(fall * rise[cells], starts)
            lost = np.add.reduceat(fall * row[cells], starts)
            most = gained if bounds else gained / (1 - share)
            whole = state.people[cell] / state.all_posteriors[cell] + most
            kept = np.where(near, 1 - lost * state.alpha[cell], 1.0)
            bounds.append(state.people[cell] / kept / whole)
        out: npt.NDArray[np.bool_] = near & (bounds[0] - bounds[1] > best - self._margin)
        if not self._limit:
            gone = ((cells == high) | (cells == low)) & (lower[cells] == 0)
            out &= ~np.logical_or.reduceat(gone, starts)
        return out

    def refuses(self, state: MapState, weights: Floats, group: Cells, best: float) -> bool:
        """Tell whether weights that differ in this group cannot lower f1, beyond all rounding.

        Of the map that :meth:`refused` was last asked about.
        """
        sums = self._sums - self._lost(state.weights[group] - weights[group], group)
        people = 1 / sums
        if self._prior is not None:
            people *= self._prior
        bound = best - self._margin
        high, low = people[self._two] / (self._ends @ people)
        if high - low > bound and (self._limit or weights[self._two].all()):
            return bool(sums.min() > 0)
        if sums.min() <= 0:
            return False
        cells, rows = self._watched[: self._filled], self._rows[: self._filled]
        posterior = people[cells] / (rows @ people)
        counted = self._counted(weights, cells)
        most = np.where(counted, posterior, -np.inf).max(initial=-np.inf)
        return bool(most - np.where(counted, posterior, np.inf).min(initial=np.inf) > bound)

    def learn(self, judged: MapState) -> None:
        """Look from now on at the extreme cells of a map that was judged in vain."""
        for cell in _extremes(judged):
            if cell not in self._watched:
                self._watched[self._next] = cell
                self._rows[self._next] = self._kernel.row(cell)
                self._next = (self._next + 1) % _WATCHED
                self._filled = min(self._filled + 1, _WATCHED)

    def _look(self, state: MapState) -> None:
        """Note what every move from this map needs: k w, and the rows of the extreme cells."""
        self._sums = 1 / state.alpha
        self._two = np.array(_extremes(state))
        self._ends = np.stack([self._kernel.row(cell) for cell in self._two.tolist()])

    def _counted(self, weights: Floats, cells: Cells) -> npt.NDArray[np.bool_]:
        counted = np.ones(cells.size, dtype=np.bool_)
        if not self._limit:
            counted &= weights[cells] > 0
        return counted if self._prior is None else counted & (self._prior[cells] > 0)

    def _lost(self, fall: Floats, group: Cells) -> Floats:
        """Return what ``k w`` loses: a few rows of the kernel, or a sum by FFT."""
        if not fall.all():
            group, fall = group[fall > 0], fall[fall > 0]
        if fall.size > _MOST_ROWS:
            whole = np.zeros(self._sums.size)
            whole[group] = fall
            return self._kernel.apply(whole)
        if (fall == fall[0]).all():
            out: Floats = self._rows_of(group) * fall[0]
            return out
        parts = zip(fall.tolist(), group, strict=True)
        return sum((by * self._rows_of(np.array([cell])) for by, cell in parts), np.zeros(1))

    def _rows_of(self, cells: Cells) -> Floats:
        """Return the sum of some cells' rows."""
        key = np.sort(cells).tobytes()
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= self._room:
                self._kept.clear()
            found = self._kept[key] = sum(map(self._kernel.row, cells.tolist()), np.zeros(1))
        return found


def _extremes(state: MapState) -> tuple[int, int]:
    """Return the cells of the largest and of the least posterior."""
    found, counted = state.all_posteriors, state.counted
    high = np.where(counted, found, -np.inf).argmax()
    return int(high), int(np.where(counted, found, np.inf).argmin())
