"""Proposition 2 by enumeration: no other cell is likelier than the reported one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from sudare.mechanisms import Grid
from sudare.studies.location.toy import EPSILONS, GRID
from sudare.studies.parts import Setting

Floats = npt.NDArray[np.float64]

TINY = 1e-9
"""What another cell may be likelier by, for rounding."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Weights of one grid, tried at all ε.

    Attributes:
        levels: of the weights; empty for drawn ones.
        vectors: how many vectors of weights.
        excess: largest log posterior of another cell less that of the reported one; at most 0
            where the proposition holds.
    """

    grid: Grid
    levels: tuple[float, ...]
    vectors: int
    excess: float


def enumerated(rows: int, columns: int, levels: tuple[float, ...]) -> Checked:
    """Try all weights of these levels, not all 0, on a small grid of the source's cells."""
    grid = Grid(rows, columns, GRID.cell_height, GRID.cell_width)
    every = np.array([w for w in product(levels, repeat=grid.cells) if any(w)]).T
    return Checked(grid, levels, every.shape[1], excess(grid, every))


def drawn(vectors: Floats) -> Checked:
    """Try these weights (cells, m) on the source's map."""
    return Checked(GRID, (), vectors.shape[1], excess(GRID, vectors))


def random_weights(setting: Setting) -> Floats:
    """Draw (cells, m) weights in [0, 1], each 0 with a chance that differs by vector."""
    generator = setting.rng("weights").generator()
    many = setting.repetitions
    weights = generator.random((GRID.cells, many))
    weights[generator.random((GRID.cells, many)) < generator.random(many) * 0.9] = 0
    weights[0, ~weights.any(axis=0)] = 1
    return weights


def excess(grid: Grid, weights: Floats) -> float:
    """Return ``max ln(P(A=s|O=r) / P(A=r|O=r))`` over cells s other than r, at all ε.

    ``P(A=s|O=r) / P(A=r|O=r) = α(s) k(s, r) / α(r)``: a cell's own weight cancels.
    """
    found = -np.inf
    for epsilon in EPSILONS:
        logs = -epsilon / 2 * grid.distances()
        sums = np.log(np.exp(logs) @ weights)  # -ln α
        np.fill_diagonal(logs, -np.inf)
        for r in range(grid.cells):
            found = max(found, float((logs[r, :, None] - sums + sums[r]).max()))
    return found
