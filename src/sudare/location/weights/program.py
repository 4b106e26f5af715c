"""The linear program of laws under a cap: variables by mirror images, pairs added as needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Floats
from sudare.errors import DomainError
from sudare.mechanisms.place.grid import Grid

Places = npt.NDArray[np.intp]

MOST_VARIABLES = 60_000
"""Most pairs of cells, mirror images counted once, for which the program is written out."""

_STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
_SCALED = 10.0  # variables are K e^min(ε d, 10): neighbouring ones are of one size
_LARGEST = 20.0  # pairs with a larger ε d bind at e^-20 only, and are left to the repair
_FAINT = 1e-7  # probabilities below this are left to the repair
_VIOLATED = 1e-6


class CapProgram:
    """Laws K[o, r] of a map with the least loss under privacy and a cap on the posterior.

    Args:
        grid: the map.
        rate: ε per metre.
        cap: most posterior.
        people: (cells,) shares; cells without people are never reported.

    Raises:
        DomainError: too many pairs of cells.
    """

    def __init__(self, grid: Grid, rate: float, cap: float, people: Floats) -> None:
        images = _images(grid, people)
        if grid.cells * int((people > 0).sum()) > MOST_VARIABLES * len(images):
            raise DomainError(
                "grid",
                f"must have at most {MOST_VARIABLES:,} pairs of cells, mirror images counted once",
                "take a smaller map, or optimise_weights",
                got=grid.cells,
            )
        self.people = people
        self.distances = grid.distances()
        self.factors = np.exp(-rate * self.distances)
        self._rate = rate
        self._cap = cap
        self._columns, self._reports, self._variable = _variables(images, people)
        self._size = int(self._variable.max()) + 1
        self._scale = np.ones(self._size)
        seen = self._variable >= 0
        scale = np.exp(-np.minimum(rate * self.distances, _SCALED))
        self._scale[self._variable[seen]] = scale[seen]
        self._high, self._low, self._apart = self._first_pairs(grid)

    def _first_pairs(self, grid: Grid) -> tuple[Places, Places, Floats]:
        """Return pairs of neighbours away from the report, and of the reported cell with all."""
        row, column = np.divmod(np.arange(grid.cells), grid.columns)
        pairs = []
        for down, right in _STEPS:
            a, b = row + down, column + right
            fits = np.flatnonzero((a < grid.rows) & (b < grid.columns) & (b >= 0))
            pairs.append(np.stack([fits, a[fits] * grid.columns + b[fits]]))
        one, other = np.concatenate(pairs, axis=1)
        high, low, apart = [], [], []
        for o in self._reports.tolist():
            d = self.distances[o]
            outward = d[one] <= d[other]
            near = np.r_[np.where(outward, one, other), np.full(grid.cells, o)]
            far = np.r_[np.where(outward, other, one), np.arange(grid.cells)]
            high.append(self._variable[o, near])
            low.append(self._variable[o, far])
            apart.append(self.distances[near, far])
        metres = np.concatenate(apart)
        binding = self._rate * metres <= _LARGEST
        ends = np.concatenate(high)[binding], np.concatenate(low)[binding]
        return _distinct(*ends, metres[binding])

    def solve(self) -> Floats:
        """Return the optimal law under the pairs so far; rows without people are 0.

        Raises:
            DomainError: the solver gave up.
        """
        from scipy.optimize import linprog

        cost, above, equal, right = self._matrices()
        bounds = np.zeros(above.shape[0])
        for method in ("highs-ipm", "highs-ds"):
            found = linprog(cost, A_ub=above, b_ub=bounds, A_eq=equal, b_eq=right, method=method)
            if found.status == 0 and found.x is not None:
                values = np.r_[np.maximum(found.x[: self._size], 0) * self._scale, 0.0]
                out: Floats = values[self._variable]
                return out
        raise DomainError("cap", "gave a program that could not be solved", "change ε or the cap")

    def _matrices(self) -> tuple[Floats, Any, Any, Floats]:
        """Return cost, rows that must be <= 0, and rows that must equal a right-hand side.

        Beside the variables of the law there is one for each report: ``Σ_r π(r) K[o, r]``.
        """
        from scipy import sparse

        reports, cells, size = self._reports, self.people.size, self._size
        own = self._variable[reports]  # (reports, cells)
        count = reports.size
        scale = np.r_[self._scale, np.ones(count)]
        unit = sparse.diags_array(scale)

        weighted = self.people * self.distances
        seen = self._variable >= 0
        cost = np.bincount(self._variable[seen], weighted[seen], size + count)

        def rows(number: int, *parts: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]) -> Any:
            line, place, value = (np.concatenate(list(one)) for one in zip(*parts, strict=True))
            shape = (number, size + count)
            return (sparse.coo_array((value, (line, place)), shape).tocsr() @ unit).tocsr()

        pairs = np.arange(self._high.size)
        # both sides over the larger one's scale, so that coefficients stay near 1
        size_of = self._scale[self._high]
        private = rows(
            pairs.size,
            (pairs, self._high, 1 / size_of),
            (pairs, self._low, -np.exp(self._rate * self._apart) / size_of),
        )
        whose = np.repeat(np.arange(count), cells)
        lived = np.tile(self.people, count) > 0
        place, line = own.ravel()[lived], np.arange(int(lived.sum()))
        capped = rows(
            line.size,
            (line, place, np.tile(self.people, count)[lived]),
            (line, size + whose[lived], np.full(line.size, -self._cap)),
        )
        columns = self._columns
        present = np.flatnonzero(self.people)
        sums = rows(
            columns.size,
            (
                np.repeat(np.arange(columns.size), present.size),
                self._variable[present][:, columns].T.ravel(),
                np.ones(columns.size * present.size),
            ),
        )
        totals = rows(
            count,
            (whose, own.ravel(), np.tile(self.people, count)),
            (np.arange(count), size + np.arange(count), -np.ones(count)),
        )
        right = np.r_[np.ones(columns.size), np.zeros(count)]
        above = sparse.vstack([private, capped]).tocsr()
        return cost * scale, above, sparse.vstack([sums, totals]).tocsr(), right

    def extend(self, law: Floats) -> bool:
        """Add, for each report and cell, the pair that this law violates most; tell if any."""
        high, low, apart = [self._high], [self._low], [self._apart]
        far = self._rate * self.distances
        for o in self._reports.tolist():
            row = np.maximum(law[o], 1e-12)
            gaps = np.log(row[:, None] / row) - far
            gaps[(law[o] < _FAINT)] = 0
            gaps[far > _LARGEST] = 0
            for axis in (0, 1):
                worst = gaps.argmax(axis=axis)
                cells = np.flatnonzero(gaps.max(axis=axis) > _VIOLATED)
                near, away = (worst[cells], cells) if axis == 0 else (cells, worst[cells])
                high.append(self._variable[o, near])
                low.append(self._variable[o, away])
                apart.append(self.distances[near, away])
        before = self._high.size
        joined = (np.concatenate(high), np.concatenate(low), np.concatenate(apart))
        self._high, self._low, self._apart = _distinct(*joined)
        return self._high.size > before


def _images(grid: Grid, people: Floats) -> list[Places]:
    """Return the mirror images of the map that leave the people as they are."""
    cells = np.arange(grid.cells).reshape(grid.shape)
    images = (cells, cells[::-1], cells[:, ::-1], cells[::-1, ::-1])
    return [
        image.ravel() for image in images
        if np.allclose(people[image.ravel()], people, rtol=1e-12, atol=0)
    ]  # fmt: skip


def _variables(images: list[Places], people: Floats) -> tuple[Places, Places, Places]:
    """Return one cell of each orbit, those that are reported, and the variable of each pair.

    -1 stands for pairs that are never reported.
    """
    cells = people.size
    first = np.stack([i[:, None] * cells + i for i in images]).min(axis=0)
    first[people == 0] = -1
    numbers, variable = np.unique(first, return_inverse=True)
    variable = variable.reshape(cells, cells) - int(numbers[0] < 0)
    orbits = np.stack(images).min(axis=0)
    columns = np.unique(orbits)
    return columns, columns[people[columns] > 0], variable.astype(np.intp)


def _distinct(high: Places, low: Places, apart: Floats) -> tuple[Places, Places, Floats]:
    """Return pairs of different variables once, with the least distance."""
    order = np.lexsort((apart, low, high))
    high, low, apart = high[order], low[order], apart[order]
    fresh = np.r_[True, (np.diff(high) != 0) | (np.diff(low) != 0)] & (high != low)
    return high[fresh], low[fresh], apart[fresh]
