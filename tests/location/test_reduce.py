"""Algorithm 1: the reference runs, and the quick loop against the literal one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.location import kernel as kernels
from sudare.location.kernel import Kernel
from sudare.location.state import MapState
from sudare.location.weights.move_filter import MoveFilter
from sudare.location.weights.reduce import LEAST_GAIN, groups_by_posterior, lowered
from tests.cases import cases

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
        assert found.accepted < found.computed < 500  # bounds refuse the others
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
    assert quick.computed < literal.computed == literal.evaluations


@pytest.mark.parametrize("mode", ["observed", "limit"])
@pytest.mark.parametrize("dense", [0, 1000])
def test_the_quick_loop_is_the_literal_one_with_people(
    dense: int, mode: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uneven people, a coast, uneven start weights: no symmetry helps, groups are single cells."""
    monkeypatch.setattr(kernels, "DENSE_CELLS", dense)
    shape = 8, 7
    grid = sd.Grid(*shape, 115.6, 141.5)
    random = np.random.default_rng(grid.cells)
    row, column = np.divmod(np.arange(grid.cells), grid.columns)
    given: dict[str, Any] = {
        "step": 0.1,
        "mode": mode,
        "prior": random.random(grid.cells) + 0.5,
        "mask": column < 4 + 2 * (row > 2),
        "start": random.random(grid.cells).reshape(shape) + 0.2,
    }
    quick = sd.location.reduce_weights(grid, 0.02, **given)
    literal = sd.location.reduce_weights(grid, 0.02, **given, objective=f1)
    assert (quick.weights == literal.weights).all()
    assert (quick.evaluations, quick.accepted) == (literal.evaluations, literal.accepted)
    assert quick.accepted > 0
    assert (quick.weights[~given["mask"]] == 0).all()
    report = sd.location.boundary_report(
        sd.GridExponential(grid, 0.02, quick.weights), prior=given["prior"] * given["mask"],
        mode=mode,
    )  # fmt: skip
    assert np.nanmax(report.posterior[given["mask"]]) - np.nanmin(
        report.posterior[given["mask"]]
    ) == pytest.approx(quick.f1, abs=1e-6)


def test_bounds_of_all_moves_at_once_never_refuse_a_good_one() -> None:
    """Every group that is refused is judged in full, and is indeed no gain."""
    refusals = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        people = random.random(42) + 0.1
        weights = random.choice([0.0, 0.1, 0.5, 1.0], 42)
        kernel = Kernel.of(sd.Grid(6, 7, 115.6, 141.5), 0.02)
        state = MapState(kernel, weights, seed % 2 == 0, people / people.sum())
        quick = MoveFilter(state, LEAST_GAIN)
        cells, starts = random.permutation(42), np.array([0, 1, 2, 4, 7, 12, 20])
        lower = lowered(weights, 0.05)
        refused = quick.refused(state, lower, cells, starts, state.f1)
        refusals += int(refused.sum())
        for group, no in zip(np.split(cells, starts[1:]), refused, strict=True):
            after = weights.copy()
            after[group] = lower[group]
            if (after == weights).all():
                continue
            judged = MapState(kernel, after, state.limit, state.prior)
            assert not (no and judged.f1 < state.f1 - LEAST_GAIN)
            if quick.refuses(state, after, group, state.f1):
                assert judged.f1 > state.f1 - 2 * LEAST_GAIN
            else:
                quick.learn(judged)
    assert refusals > 40


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


@cases(
    "change",
    [
        {"step": 0}, {"step": 2}, {"step": "x"}, {"step": True}, {"mode": "some"},
        {"start": np.zeros(225)}, {"start": np.ones(3)}, {"epsilon": 0}, {"epsilon": "x"},
        {"grid": None}, {"step": np.nan}, {"start": "x"}, {"mode": None},
        {"start": np.arange(225) < 3, "mask": np.arange(225) > 9},
        {"start": np.r_[1.0, np.zeros(224)], "mask": np.arange(225) > 9},
        {"order": lambda p: []}, {"order": lambda p: [["x"]]}, {"order": lambda p: [[225]]},
        {"order": lambda p: [[-1]]}, {"order": lambda p: [3]}, {"order": lambda p: 3},
        {"order": lambda p: None}, {"order": 3}, {"order": lambda p: np.array(3)},
        {"objective": []}, {"objective": lambda s: None}, {"objective": lambda s: np.nan},
        {"objective": lambda s: 1j}, {"objective": lambda s: 10**400}, {"progress": 1},
        {"constraint": "x"}, {"constraint": lambda s: np.ones(2)}, {"epsilon": 10**400},
    ])  # fmt: skip
def test_bad_input(change: dict[str, Any]) -> None:
    given: dict[str, Any] = {"grid": GRID, "epsilon": 0.02} | change
    with pytest.raises(sd.SudareError):
        sd.location.reduce_weights(**given)
