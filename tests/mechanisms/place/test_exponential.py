"""GridE and WGridE: the reference values, the guarantee, the law, the estimates."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms.place.base import realised_epsilon
from sudare.mechanisms.place.offsets import steepest_slope
from sudare.samplers import Offset, from_json
from tests.cases import cases

GRID = sd.Grid(15, 15, cell_height=115.6, cell_width=141.5)
SMALL = sd.Grid(3, 4, cell_height=100.0, cell_width=150.0)
REFERENCE = [  # ε, P(O=r|A=r) max and min, ε really spent
    (0.01, 0.1739, 0.0667, 0.007489),
    (0.02, 0.4603, 0.2423, 0.012416),
    (0.03, 0.6871, 0.4715, 0.016681),
    (0.05, 0.9082, 0.8153, 0.025566),
    (0.09, 0.9925, 0.9846, 0.045052),
]


def weights(grid: sd.Grid, seed: int) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    drawn = rng.random(grid.cells) ** 3 * (rng.random(grid.cells) < 0.6)
    drawn[rng.integers(grid.cells)] = 1.0
    return drawn


@cases("epsilon, most, least, really", REFERENCE)
def test_reference_values(epsilon: float, most: float, least: float, really: float) -> None:
    m = sd.GridExponential(GRID, epsilon)
    kept = np.diagonal(m.matrix())
    assert kept.max() == pytest.approx(most, abs=1e-4)
    assert kept.min() == pytest.approx(least, abs=1e-4)
    assert m.epsilon == pytest.approx(really, abs=1e-6)
    assert m.nominal_epsilon == epsilon
    assert np.allclose(m.matrix().sum(axis=0), 1, atol=1e-12)


@cases("seed", range(100), parts=4)
def test_any_weights_keep_the_guarantee(seed: int) -> None:
    """In floats on the map of the source, and exactly in the integers on a small one."""
    epsilon = (0.01, 0.02, 0.05, 0.09)[seed % 4]
    large = sd.GridExponential(GRID, epsilon, weights(GRID, seed))
    assert realised_epsilon(large.log_matrix(), GRID.distances()) <= epsilon * (1 + 1e-9)
    assert large.epsilon <= epsilon * (1 + 1e-9)
    m = sd.GridExponential(SMALL, epsilon, weights(SMALL, seed))
    for row in m.program.matrix():
        if not any(row):
            continue
        for r1 in range(SMALL.cells):
            for r2 in range(r1):
                gap = abs(math.log(row[r1] / row[r2]))
                assert gap <= epsilon * SMALL.distance(r1, r2) * (1 + 1e-12)


def test_the_integers_are_the_law() -> None:
    m = sd.GridExponential(SMALL, 0.03, weights(SMALL, 5))
    distance = SMALL.distances()
    plain = m.weights[:, None] * np.exp(-0.03 / 2 * distance)
    plain /= plain.sum(axis=0)
    exact = np.array([[float(cell) for cell in row] for row in m.program.matrix()])
    assert np.allclose(exact, plain, atol=1e-8)
    assert np.allclose(m.matrix(), exact, atol=1e-12)
    assert all(sum(column) == 1 for column in zip(*m.program.matrix(), strict=True))


@cases("epsilon", [0.02, 0.5])
@cases("single", [True, False])
def test_draws_follow_the_law(epsilon: float, single: bool) -> None:
    """Chi-squared at 1e-6, of a corner and of a cell of weight 0 whose neighbours are far."""
    m = sd.GridExponential(SMALL, epsilon, np.arange(12) % 3)
    law = m.matrix()
    entropy = sd.Entropy.seeded(b"places")
    for cell in (0, 3, 6):
        n = 4_000 if single else 200_000
        if single:
            drawn = np.array([m.perturb_one(cell, entropy=entropy) for _ in range(n)])
        else:
            drawn = m.perturb(np.full(n, cell), rng=entropy)
        seen = np.bincount(drawn, minlength=12)
        assert sd.testing.chi_square_pvalue(seen.tolist(), law[:, cell].tolist()) > 1e-6
        other = law[:, (cell + 1) % 12] * 0.5 + law[:, cell] * 0.5
        assert epsilon > 0.1 or single or sd.testing.chi_square_pvalue(seen, other) < 1e-6


@cases("bits", [60, 64, 65, 200])
def test_words_of_any_width(bits: int) -> None:
    """Kernels whose sum has few or many bits, and a power of two exactly."""
    half = 1 << (bits - 1)
    program = Offset(rows=1, columns=2, kernel=(half, half), weights=(1, 1))
    drawn = program.draw(np.zeros(20_000, dtype=np.int64), sd.Entropy.seeded(b"wide"))
    assert abs(int(drawn.sum()) - 10_000) < 500
    lean = Offset(rows=1, columns=3, kernel=(3 << bits, 1 << bits, 1), weights=(2, 1, 1))
    drawn = lean.draw(np.zeros(70_000, dtype=np.int64), sd.Entropy.seeded(b"lean"))
    assert abs(int((drawn == 1).sum()) - 10_000) < 600


def test_estimates_and_their_errors() -> None:
    m = sd.GridExponential(SMALL, 0.02)
    truth = np.arange(12) * 1000 + 500
    rng = sd.Entropy.seeded(b"estimates")
    shares = truth / truth.sum()
    z = {target: [] for target in ("population", "respondents")}
    covered = []
    for _ in range(300):
        est = m.estimate(m.simulate(truth, rng=rng), target="respondents")
        z["respondents"].append((est.shares - shares) / est.stderr)
        low, high = est.interval(0.95)
        covered.append((low <= shares) & (shares <= high))
        people = rng.generator().multinomial(int(truth.sum()), shares)
        found = m.estimate(m.simulate(people, rng=rng))
        z["population"].append((found.shares - shares) / found.stderr)
    for values in z.values():
        assert np.abs(np.mean(values, axis=0)).max() < 5 / math.sqrt(300)
        assert np.abs(np.std(values, axis=0) - 1).max() < 0.2
    assert 0.93 < np.mean(covered) < 0.97
    weights_ = np.arange(12.0)
    matrix = np.linalg.inv(m.matrix())
    x = shares
    dense = matrix @ np.diag(m.matrix() @ x) @ matrix.T - np.outer(x, x)
    law = m.estimate(m.simulate(truth, rng=rng))._law
    assert law is not None
    assert law.at(x).variance(weights_) == pytest.approx(weights_ @ dense @ weights_ / truth.sum())


@cases("method", ["em", "mle", "projected"])
def test_other_methods_lie_in_the_simplex(method: str) -> None:
    m = sd.GridExponential(SMALL, 0.02)
    est = m.estimate(m.simulate(np.full(12, 500), rng=sd.Entropy.seeded(b"m")), method)
    assert est.shares.min() >= 0
    assert est.shares.sum() == pytest.approx(1)
    assert np.isnan(est.stderr).all()


def test_cells_that_are_never_reported() -> None:
    m = sd.GridExponential(SMALL, 0.02, (np.arange(12) > 2) * 1.0)
    counts = m.simulate(np.full(12, 900), rng=sd.Entropy.seeded(b"n"))
    assert not counts.support[:3].any()
    with pytest.raises(sd.EstimationError, match="as many cells"):
        m.estimate(counts)
    assert m.estimate(counts, "em").shares.sum() == pytest.approx(1)
    with pytest.raises(sd.ReportError):
        m.program.encode_one(0)
    with pytest.raises(sd.ReportError):
        m.program.check_wire(b"\x02")
    wrong = counts.support.copy()
    wrong[[0, 5]] = 1, wrong[5] - 1
    with pytest.raises(sd.EstimationError):
        m.estimate(sd.Counts(wrong, counts.n), "em")


def test_a_frozen_value_that_travels() -> None:
    for given in (None, weights(SMALL, 3)):
        m = sd.GridExponential(SMALL, Fraction(1, 50), given)
        again = sd.GridExponential.from_json(m.to_json())
        assert again == m == pickle.loads(pickle.dumps(m))
        assert from_json(m.program.to_json()) == m.program
        assert repr(m).startswith("GridExponential(Grid(rows=3")
    assert sd.GridExponential(SMALL, 0.02) != sd.GridExponential(SMALL, 0.03)


def test_the_program_says_its_ratio() -> None:
    program = sd.GridExponential(SMALL, 0.02, weights(SMALL, 1)).program
    rows = [row for row in program.matrix() if any(row)]
    assert program.ratio == max(max(row) / min(row) for row in rows)
    ends = np.cumsum([0.0, *np.diag(sd.GridExponential(GRID, 0.02).matrix())])
    assert all(a < b for a, b in pairwise(ends))


@cases(
    "arguments, error",
    [
        ((0, 5, 1.0, 1.0), sd.DomainError),
        ((1, 1, 1.0, 1.0), sd.DomainError),
        ((2**11, 2**11, 1.0, 1.0), sd.DomainError),
        ((2, 2, 0, 1.0), sd.DomainError),
        ((2, 2, math.nan, 1.0), sd.DomainError),
        ((2, 2, 10**400, 1.0), sd.DomainError),
        ((2, 2, "x", 1.0), sd.WrongTypeError),
        ((2.5, 2, 1.0, 1.0), sd.WrongTypeError),
    ],
)
def test_bad_grids(arguments: tuple[Any, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        sd.Grid(*arguments)


@cases("values", [[12], [-1], [1.5], ["x"], [], [[1]], None, [None]])
def test_cells_outside_the_map_are_refused(values: Any) -> None:
    m = sd.GridExponential(SMALL, 0.02)
    with pytest.raises(sd.SudareError) as caught:
        m.perturb(values)
    assert "12]" not in str(caught.value)
    with pytest.raises(sd.SudareError):
        m.perturb_one(values[0] if values else None)


def test_a_map_that_reports_one_cell_alone_spends_nothing() -> None:
    m = sd.GridExponential(sd.Grid(3, 4, 100.0, 150.0), 0.02, np.eye(12)[5])
    assert m.epsilon == pytest.approx(0, abs=1e-12)


def test_what_is_spent_between_cells_that_are_never_reported() -> None:
    """Both reports lie in the last row: the cells of the other rows are told apart the most."""
    grid = sd.Grid(3, 4, 100.0, 150.0)
    weights = np.zeros(12)
    weights[[8, 11]] = 0.39, 0.62
    m = sd.GridExponential(grid, 0.02, weights)
    assert m.epsilon == pytest.approx(realised_epsilon(m.log_matrix(), grid.distances()), rel=1e-9)
    assert m.epsilon > 0.019


@cases("ends", [(0, 5), (1, 4), (2, 8), (3, 11), (3, 8)])
def test_the_steepest_slope_in_every_direction(ends: tuple[int, int]) -> None:
    grid = sd.Grid(3, 4, 100.0, 150.0)
    values = np.zeros(12)
    values[list(ends)] = 1.0, -1.0
    metres = grid.distances() + np.diag(np.full(12, np.inf))
    slopes = np.abs(np.subtract.outer(values, values)) / metres
    assert steepest_slope(grid, values) == pytest.approx(slopes.max())


def test_cells_so_far_from_all_reports_that_floats_underflow() -> None:
    grid = sd.Grid(1, 60, 1000.0, 1000.0)
    m = sd.GridExponential(grid, 0.04, np.eye(60)[0] + np.eye(60)[1])
    ratio = Fraction(m.program.masses(59)[0], m.program.masses(59)[1])
    assert m.law_of(59)[:2].sum() == pytest.approx(1)
    assert m.law_of(59)[0] == pytest.approx(float(ratio / (1 + ratio)), rel=1e-9)


def test_a_large_map_with_a_far_sea_is_estimated_on_its_land() -> None:
    """6,000 cells, by FFT; e^1000 has no float, and nobody is there."""
    grid = sd.Grid(20, 300, 400.0, 400.0)
    land = np.zeros(grid.shape, dtype=np.bool_)
    land[:, :5] = True
    m = sd.GridExponential(grid, 0.02, land.astype(float))
    people = np.where(land.ravel(), 20, 0)
    found = m.estimate(m.simulate(people, rng=sd.Entropy.seeded(b"sea")), "em", mask=land)
    assert found.shares.sum() == pytest.approx(1)
    assert not found.shares[~land.ravel()].any()
    assert np.abs(found.shares[land.ravel()] - 0.01).max() < 0.02
