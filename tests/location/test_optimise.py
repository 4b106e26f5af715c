"""Optimised weights: the reference values, gradients, what is returned is what holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.location import kernel as kernels
from sudare.location.kernel import Kernel
from sudare.location.state import MapState
from sudare.location.weights.optimise import WeightProblem
from tests.cases import cases

GRID = sd.Grid(15, 15, cell_height=115.6, cell_width=141.5)


@pytest.mark.parametrize(("f1", "sql"), [(0.18, 160.6), (0.12, 161.12), (0.06, 165.0)])
def test_reference_values(f1: float, sql: float) -> None:
    seen: list[tuple[int, float, float]] = []
    found = sd.location.optimise_weights(
        GRID, 0.02, f1=f1, rounds=8, progress=lambda *one: seen.append(one)
    )
    assert found.f1 <= f1
    assert found.sql <= sql
    literal = MapState(Kernel.of(GRID, 0.02), found.weights, True)
    assert (found.f1, found.sql) == (literal.f1, literal.sql)
    report = sd.location.boundary_report(
        sd.GridExponential(GRID, 0.02, found.weights), mode="limit"
    )
    assert report.f1 <= f1  # of the integers that are sampled
    assert report.f1 == pytest.approx(found.f1, abs=1e-7)
    assert report.sql == pytest.approx(found.sql, abs=1e-4)
    assert found.target == f1
    assert found.trade_off is None
    assert [number for number, _, _ in seen] == list(range(9))


def test_a_price_of_f1() -> None:
    cheap, dear = (
        sd.location.optimise_weights(GRID, 0.02, trade_off=price, rounds=8) for price in (0.05, 1.0)
    )
    assert dear.f1 < cheap.f1 < 0.3003
    assert cheap.sql < dear.sql
    plain = MapState(Kernel.of(GRID, 0.02), np.ones(225), True)
    for price, found in ((0.05, cheap), (1.0, dear)):
        for other in (plain, *(MapState(plain.kernel, o.weights, True) for o in (cheap, dear))):
            cost = other.sql / plain.sql + price * other.f1
            assert found.sql / plain.sql + price * found.f1 <= cost + 1e-9


@cases("seed", range(3))
def test_gradients(seed: int) -> None:
    random = np.random.default_rng(seed)
    grid = sd.Grid(4, 5, 100, 130)
    people = random.random(20)
    people[3] = 0
    people /= people.sum()
    problem = WeightProblem(Kernel.of(grid, 0.02), people, 0.1, None)
    weights, prices = random.random(19) + 0.1, random.normal(size=19)

    def value(w: np.ndarray[Any, np.dtype[np.float64]]) -> float:
        whole = np.zeros(20)
        whole[people > 0] = w
        state = MapState(problem.kernel, whole, True, people)
        return state.sql / problem.unit + float(prices @ state.posterior)

    _, gradient = problem.judge(weights, lambda _: prices)
    step = 1e-6
    for i, along in enumerate(np.eye(19) * step):
        slope = (value(weights + along) - value(weights - along)) / (2 * step)
        assert gradient[i] == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_shared_transforms_are_the_products_with_the_matrix(monkeypatch: Any) -> None:
    grid, random = sd.Grid(26, 27, 100, 130), np.random.default_rng(4)
    assert grid.cells > kernels.DENSE_CELLS
    people = random.random(grid.cells)
    people[::7] = 0
    people /= people.sum()
    own = random.random(int((people > 0).sum())) + 0.1
    prices = random.normal(size=own.size)

    def judged() -> tuple[float, np.ndarray[Any, np.dtype[np.float64]]]:
        problem = WeightProblem(Kernel.of(grid, 0.02), people, 0.1, None)
        return problem.judge(own, lambda _: prices)

    value, gradient = judged()
    monkeypatch.setattr(kernels, "DENSE_CELLS", grid.cells)
    plain, by_matrix = judged()
    assert value == pytest.approx(plain, rel=1e-12)
    np.testing.assert_allclose(gradient, by_matrix, rtol=0, atol=1e-12 * np.abs(by_matrix).max())


def test_priors_and_masks() -> None:
    row, column = np.divmod(np.arange(225), 15)
    land = column < np.where(row <= 7, 5, 9)
    prior = 1.0 + row
    found = sd.location.optimise_weights(GRID, 0.02, f1=0.1, prior=prior, mask=land, rounds=8)
    assert (found.weights[~land] == 0).all()
    m = sd.GridExponential(GRID, 0.02, found.weights)
    report = sd.location.boundary_report(m, prior=prior * land, mode="limit")
    assert np.ptp(report.posterior[land]) <= 0.1
    assert report.sql == pytest.approx(found.sql, abs=1e-4)


def test_a_bound_out_of_reach_says_what_was_reached() -> None:
    with pytest.raises(sd.DomainError, match=r"f1 must be one .* the least found is 0\.00\d+, got"):
        sd.location.optimise_weights(GRID, 0.02, f1=0.001, rounds=3)


@pytest.mark.slow
def test_a_city_of_100_by_100_cells() -> None:
    grid = sd.Grid(100, 100, 115.6, 141.5)
    plain = MapState(Kernel.of(grid, 0.02), np.ones(grid.cells), True)
    found = sd.location.optimise_weights(grid, 0.02, f1=0.02)
    assert found.f1 <= 0.02
    assert found.sql <= 1.015 * plain.sql
    assert found.sql < sd.location.equalise_weights(grid, 0.02).sql


@cases(
    "change",
    [
        {}, {"f1": None}, {"f1": 0}, {"f1": -1}, {"f1": np.nan}, {"f1": "x"}, {"f1": True},
        {"f1": 2}, {"f1": 0.1, "trade_off": 1}, {"trade_off": 0}, {"trade_off": np.inf},
        {"trade_off": []}, {"f1": 0.1, "rounds": 0}, {"f1": 0.1, "rounds": 1.5}, {"f1": [0.1]},
    ])  # fmt: skip
def test_bad_input(change: dict[str, Any]) -> None:
    with pytest.raises(sd.SudareError):
        sd.location.optimise_weights(GRID, 0.02, **change)
