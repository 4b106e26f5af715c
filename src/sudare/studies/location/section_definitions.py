"""Sections 2 to 5.1 of the source: definitions, propositions, and the formulas as printed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.location import boundary_report
from sudare.mechanisms import Grid, GridExponential
from sudare.studies.location.toy import COLUMN, EPSILONS, GRID, MAIN, ROW, SHARED
from sudare.studies.parts import Setting
from sudare.studies.study_text import Facts, Row, Word

TINY = 1e-9
"""What another cell may be likelier by, for rounding."""
SMALL = ((1, 6, (0, 0.25, 0.5, 0.75, 1)), (2, 3, (0, 0.25, 0.5, 0.75, 1)), (3, 3, (0, 0.5, 1)))
"""Grids and levels of weights that are enumerated."""


def compute(setting: Setting) -> Facts:
    """Enumerate, and draw weights."""
    vectors = random_weights(setting)
    many = vectors.shape[1]
    spent = []
    for i in setting.progress(range(many), many, "privacy of random weights"):
        epsilon = EPSILONS[i % len(EPSILONS)]
        spent.append(GridExponential(GRID, epsilon, weights=vectors[:, i]).epsilon / epsilon)
    tried = [_tried(*every_vector(*one), levels=one[2]) for one in SMALL] + [_tried(GRID, vectors)]
    return Facts.of(
        **SHARED,
        **_as_printed(vectors),
        **_weighted(vectors),
        falling=[_falls(GridExponential(GRID, e).matrix()) for e in EPSILONS],
        spent=spent,
        gride=GridExponential(GRID, MAIN).epsilon,
        vectors=sum(many for *_, many, _ in tried),
        excess=max(most for *_, most in tried),
        tables={"proposition-2": tried, "priors": list(_priors())},
    )


def _as_printed(vectors: Floats) -> dict[str, Any]:
    """Return what definitions and equations give as they are printed, at the main ε."""
    law = GridExponential(GRID, MAIN).matrix()
    below = GRID.columns
    kernel = np.exp(-MAIN / 2 * GRID.distances())
    sums = kernel.sum(axis=0)[:, None] / (kernel @ vectors)
    posteriors = law.sum(axis=1) / np.exp(np.diagonal(law)).sum()
    proper = (law / law.sum(axis=1, keepdims=True)).sum(axis=1)
    limits = np.exp(MAIN * GRID.distances())
    return {
        "ratio": float((law[:, 0] / law[:, below]).max()),
        "limit": MAIN * GRID.distance(0, below),
        "sums": [float(sums.min()), float(sums.max())],
        "posteriors": [float(posteriors.min()), float(posteriors.max())],
        "proper": float(proper.min()),
        "limits": [float(limits.min()), float(limits.max())],
        "printed_limit": float(np.exp(MAIN)),
    }


def _weighted(vectors: Floats) -> dict[str, Any]:
    """Return for how many weights, and parts of the cells, another cell is the likeliest report."""
    kernel = np.exp(-MAIN / 2 * GRID.distances())

    def elsewhere(weights: Floats) -> float:
        likeliest = (kernel * weights[:, None]).argmax(axis=0)
        return float((likeliest != np.arange(GRID.cells)).mean())

    return {
        "elsewhere": [elsewhere(one) for one in vectors.T],
        "elsewhere_even": elsewhere(np.ones(GRID.cells)),
    }


def _falls(law: Floats) -> bool:
    """Tell whether each column falls as the distance from its cell grows."""
    order = np.argsort(GRID.distances(), axis=0, kind="stable")
    sorted_ = np.take_along_axis(law, order, axis=0)
    return bool((np.diff(sorted_, axis=0) <= sorted_[:-1] * 1e-9).all())


def _tried(
    grid: Grid, vectors: Floats, levels: tuple[float, ...] = ()
) -> tuple[str, Word | str, int, float]:
    """Try weights (cells, m) at all ε; drawn ones have no levels."""
    told = ", ".join(f"{level:g}" for level in levels) or Word("random")
    return f"{grid.rows} × {grid.columns}", told, vectors.shape[1], excess(grid, vectors)


def priors() -> dict[str, Floats]:
    """Return some populations of the source's map."""
    far = np.maximum(abs(ROW - 7), abs(COLUMN - 7))
    return {
        "uniform": np.ones(GRID.cells),
        "halves": np.where(COLUMN < 7, 1.0, 10.0),
        "station": np.where(far <= 1, 10.0, 1.0),
        "tenth": np.where(far == 0, (GRID.cells - 1) / 9, 1.0),
        "hill": np.exp(-((ROW - 6) ** 2 + (COLUMN - 8) ** 2) / (2 * 1.5**2)),
    }


def _priors() -> Iterator[Row]:
    """Return where other priors break Proposition 2."""
    mechanism = GridExponential(GRID, MAIN)
    for name, prior in priors().items():
        report = boundary_report(mechanism, prior=prior)
        other = int((report.highest > report.posterior * (1 + TINY)).sum())
        yield Word(name), other, report.posterior_max, float(report.highest.max())


def every_vector(rows: int, columns: int, levels: tuple[float, ...]) -> tuple[Grid, Floats]:
    """Return a small grid of the source's cells, and (cells, m) all weights of these levels."""
    grid = Grid(rows, columns, GRID.cell_height, GRID.cell_width)
    return grid, np.array([w for w in product(levels, repeat=grid.cells) if any(w)]).T


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
