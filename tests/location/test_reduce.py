"""Algorithm 1: the reference runs, and the quick loop against the literal one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.location.state import MapState
from sudare.location.weights.reduce import groups_by_posterior, lowered

GRID = sd.Grid(15, 15, cell_height=115.6, cell_width=141.5)
RUNS = [  # ε, mode, step, f1, SQL
    (0.02, "observed", 0.1, 0.1821, 188.37),
    (0.02, "observed", 0.05, 0.1564, 198.17),
    (0.02, "limit", 0.1, 0.2628, 175.61),
    (0.02, "limit", 0.05, 0.2671, 175.22),
    (0.02, "limit", 0.01, 0.2689, 172.90),
    (0.03, "observed", 0.1, 0.2118, 90.73),
    (0.03, "observed", 0.05, 0.2292, 89.10),
    (0.03, "observed", 0.01, 0.2360, 88.73),
]


def f1(state: MapState) -> float:
    return state.f1


@pytest.mark.parametrize(("epsilon", "mode", "step", "gap", "sql"), RUNS)
def test_reference_runs(epsilon: float, mode: Any, step: float, gap: float, sql: float) -> None:
    found = sd.location.reduce_weights(GRID, epsilon, step=step, mode=mode)
    assert found.f1 == pytest.approx(gap, abs=5e-4)
    assert found.sql == pytest.approx(sql, abs=0.05)
    if (epsilon, mode, step) == (0.02, "observed", 0.1):
        assert (found.evaluations, found.accepted) == (5860, 451)
    mechanism = sd.GridExponential(GRID, epsilon, found.weights)
    report = sd.location.boundary_report(mechanism, mode=mode)
    assert report.f1 == pytest.approx(found.f1, abs=1e-6)
    assert report.sql == pytest.approx(found.sql, abs=1e-3)


@pytest.mark.parametrize("mode", ["observed", "limit"])
@pytest.mark.parametrize("shape", [(8, 8), (5, 9), (26, 25)])
def test_the_quick_loop_is_the_literal_one(shape: tuple[int, int], mode: Any) -> None:
    grid = sd.Grid(*shape, 115.6, 141.5)
    step = 0.1 if grid.cells < 100 else 0.5
    quick = sd.location.reduce_weights(grid, 0.02, step=step, mode=mode)
    literal = sd.location.reduce_weights(grid, 0.02, step=step, mode=mode, objective=f1)
    assert (quick.weights == literal.weights).all()
    assert (quick.evaluations, quick.accepted) == (literal.evaluations, literal.accepted)


def test_the_free_parts_are_free() -> None:
    grid = sd.Grid(6, 6, 115.6, 141.5)
    start = np.ones(36)
    start[:6] = 0  # the sea
    seen: list[tuple[int, int]] = []
    found = sd.location.reduce_weights(
        grid,
        0.02,
        start=start.reshape(6, 6),
        constraint=lambda state: state.sql < 150,
        order=lambda posterior: [np.array([cell]) for cell in np.argsort(-posterior)],
        progress=lambda evaluations, accepted: seen.append((evaluations, accepted)),
    )
    assert (found.weights[:6] == 0).all()
    assert found.sql < 150
    assert seen[-1][1] == found.accepted > 0
    lean = sd.location.reduce_weights(grid, 0.02, objective=lambda state: state.sql)
    assert lean.sql < sd.location.boundary_report(sd.GridExponential(grid, 0.02)).sql


def test_groups_and_steps() -> None:
    cells, starts = groups_by_posterior(np.array([0.2, 0.5, 0.5 + 5e-10, 0.1]))
    assert (cells.tolist(), starts.tolist()) == ([2, 1, 0, 3], [0, 2, 3])
    after = lowered(np.array([0.3, 0.1, 1.0]), 0.2)
    assert after.tolist() == pytest.approx([0.1, 0.0, 0.8])
    assert lowered(np.array([0.1 + 1e-13]), 0.1).tolist() == [0.0]


@pytest.mark.parametrize(
    "change",
    [
        {"step": 0}, {"step": 2}, {"step": "x"}, {"step": True}, {"mode": "some"},
        {"start": np.zeros(225)}, {"start": np.ones(3)}, {"epsilon": 0}, {"epsilon": "x"},
        {"grid": None},
    ],
    ids=str,
)  # fmt: skip
def test_bad_input(change: dict[str, Any]) -> None:
    given: dict[str, Any] = {"grid": GRID, "epsilon": 0.02} | change
    with pytest.raises(sd.SudareError):
        sd.location.reduce_weights(**given)
