"""Laws under a cap: against the program with all pairs, private to the last digit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import sudare as sd
from sudare.location.weights.cap import repaired
from sudare.location.weights.program import CapProgram
from tests.cases import cases

SMALL = sd.Grid(5, 5, cell_height=115.6, cell_width=141.5)
Floats = np.ndarray[Any, np.dtype[np.float64]]


def dense_optimum(grid: sd.Grid, epsilon: float, cap: float, people: Floats) -> float:
    """Return the optimum of the program with all variables and all pairs."""
    cells, distances = grid.cells, grid.distances()
    number = np.arange(cells * cells).reshape(cells, cells)  # [report, cell]
    above, equal = [], []
    for o in range(cells):
        if not people[o]:
            continue
        for r in range(cells):
            for other in range(cells):
                if other != r:
                    row = np.zeros(cells * cells)
                    row[number[o, r]] = 1
                    row[number[o, other]] = -np.exp(epsilon * distances[r, other])
                    above.append(row)
            row = np.zeros(cells * cells)
            row[number[o]] = -cap * people
            row[number[o, r]] += people[r]
            above.append(row)
    for r in range(cells):
        row = np.zeros(cells * cells)
        row[number[:, r]] = 1
        equal.append(row)
    bounds = [(0, None if people[o] else 0) for o in range(cells) for _ in range(cells)]
    found = linprog(
        (distances * people).ravel(), A_ub=np.array(above), b_ub=np.zeros(len(above)),
        A_eq=np.array(equal), b_eq=np.ones(cells), bounds=bounds,
    )  # fmt: skip
    assert found.status == 0
    return float(found.fun)


def check(found: Any, grid: sd.Grid, epsilon: float, cap: float, people: Floats) -> None:
    """The law is one, its ε and posteriors are what it says, over all pairs."""
    law, distances = found.law, grid.distances()
    assert np.allclose(law.sum(axis=0), 1, atol=1e-14)
    rows = law[people > 0]
    assert rows.min() > 0
    assert (law[people == 0] == 0).all()
    gaps = np.log(rows[:, :, None] / rows[:, None, :])
    spent = (gaps / (distances + np.eye(grid.cells))).max()
    assert spent <= found.epsilon <= epsilon
    joint = rows * people
    assert (joint / joint.sum(axis=1, keepdims=True)).max() <= cap * (1 + 1e-12)
    assert found.sql == pytest.approx(float((law * distances).sum(axis=0) @ people))
    mechanism = found.mechanism
    assert mechanism.epsilon <= epsilon * (1 + 1e-9)
    assert np.allclose(mechanism.matrix(), law, atol=2e-6)
    assert (joint / joint.sum(axis=1, keepdims=True)).max() == pytest.approx(found.posterior_max)


@pytest.mark.parametrize(
    ("shape", "epsilon", "cap"),
    [((5, 5), 0.02, 0.3348), ((4, 4), 0.01, 0.2), ((3, 4), 0.03, 1.0), ((1, 6), 0.02, 0.4),
     ((3, 3), 0.02, 1 / 9)],
)  # fmt: skip
def test_the_optimum_is_that_of_all_pairs(
    shape: tuple[int, int], epsilon: float, cap: float
) -> None:
    grid = sd.Grid(*shape, 115.6, 141.5)
    people = np.full(grid.cells, 1 / grid.cells)
    found = sd.location.cap_posterior(grid, epsilon, cap)
    check(found, grid, epsilon, cap, people)
    best = dense_optimum(grid, epsilon, cap, people)
    assert found.sql == pytest.approx(best, abs=1e-3)


def test_priors_and_masks() -> None:
    grid = sd.Grid(4, 4, 115.6, 141.5)
    prior = np.random.default_rng(1).random(16) + 0.2
    mask = np.ones(16, dtype=np.bool_)
    mask[[0, 1, 4]] = False
    people = np.where(mask, prior, 0) / prior[mask].sum()
    found = sd.location.cap_posterior(grid, 0.02, 0.4, prior=prior, mask=mask)
    check(found, grid, 0.02, 0.4, people)
    assert found.sql == pytest.approx(dense_optimum(grid, 0.02, 0.4, people), abs=1e-3)


def test_without_a_cap_it_is_the_tight_grid() -> None:
    found = sd.location.cap_posterior(SMALL, 0.02, 1.0)
    tight = sd.location.boundary_report(sd.TightGrid(SMALL, 0.02))
    assert found.sql == pytest.approx(tight.sql, abs=1e-3)
    assert found.posterior_max == pytest.approx(tight.posterior_max, abs=1e-5)


@cases("epsilon", [0.005, 0.09, 0.3])
def test_weak_and_strong_privacy(epsilon: float) -> None:
    found = sd.location.cap_posterior(SMALL, epsilon, 0.6)
    check(found, SMALL, epsilon, 0.6, np.full(25, 0.04))


def test_the_repair_of_a_law_that_overspends() -> None:
    """A law a thousandth above ε is mixed until it is not; one above the cap likewise."""
    people = np.full(25, 0.04)
    program = CapProgram(SMALL, 0.02, 0.9, people)
    law = sd.TightGrid(SMALL, 0.02002).matrix()
    found = repaired(law, program, SMALL, 0.02, 0.9)
    check(found, SMALL, 0.02, 0.9, people)
    assert 1e-6 < found.mixed < 0.1
    capped = repaired(law, program, SMALL, 0.03, 0.6)
    check(capped, SMALL, 0.03, 0.6, people)
    assert capped.mixed > 0.1


@pytest.mark.slow
def test_the_reference_map() -> None:
    grid = sd.Grid(15, 15, cell_height=115.6, cell_width=141.5)
    seen: list[tuple[int, float]] = []
    found = sd.location.cap_posterior(grid, 0.02, 0.3348, progress=lambda *one: seen.append(one))
    assert 92.0 <= found.sql <= 93.5
    check(found, grid, 0.02, 0.3348, np.full(225, 1 / 225))
    assert seen[0][1] < seen[-1][1] <= found.sql


@cases("cap", [0, 0.03, -1, 1.5, np.nan, np.inf, "x", None, True, [0.5], np.ones(2)])
def test_bad_caps(cap: Any) -> None:
    with pytest.raises(sd.SudareError):
        sd.location.cap_posterior(SMALL, 0.02, cap)


def test_errors_say_what_is_possible() -> None:
    with pytest.raises(sd.DomainError, match=r"largest prior, 0\.04, and 1"):
        sd.location.cap_posterior(SMALL, 0.02, 0.039)
    with pytest.raises(sd.DomainError, match="60,000 pairs"):
        sd.location.cap_posterior(sd.Grid(30, 30, 100, 100), 0.02, 0.5)
