"""Every other mechanism of places: its guarantee from the integers, its law, its way as data."""

from __future__ import annotations

import itertools
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.integrate
from scipy import sparse

import sudare as sd
from sudare.mechanisms import Place
from sudare.mechanisms.place.base import realised_epsilon
from sudare.mechanisms.place.elastic import elastic_distances, straightness
from sudare.mechanisms.place.laplace import cell_masses, planar_law
from sudare.mechanisms.place.tabled import MIXED
from sudare.samplers import Table
from tests.cases import cases

GRID = sd.Grid(15, 15, cell_height=115.6, cell_width=141.5)
SMALL = sd.Grid(3, 4, cell_height=100.0, cell_width=150.0)
ROADS = [(0, 1, 200.0), (1, 2, 300.0), (2, 3, 100.0), (3, 0, 450.0), (3, 4, 80.0)]
TOWN = np.linspace(0.004, 0.03, 12)


def small_mechanisms() -> list[Place]:
    rng = np.random.default_rng(1)
    weights = rng.random(12) * (rng.random(12) < 0.7)
    weights[0] = 1.0
    return [
        sd.GridExponential(SMALL, 0.02, calibrated=True),
        sd.GridExponential(SMALL, 0.01, weights, calibrated=True),
        sd.TightGrid(SMALL, 0.02),
        sd.RoadExponential(ROADS, 0.01),
        sd.RoadExponential(ROADS, 0.01, [1, 0, 2, 1, 0.5]),
        sd.ElasticExponential(SMALL, TOWN),
        sd.ElasticExponential(SMALL, TOWN, weights),
        sd.PlanarLaplace(SMALL, 0.02),
        sd.PlaceChannel(SMALL, 0.03, sd.TightGrid(SMALL, 0.0299).matrix()),
    ]


@cases("m", small_mechanisms())
def test_the_integers_keep_the_guarantee(m: Place) -> None:
    """Every pair of cells and every report, exactly; the ε shown is the largest of them."""
    metres = m.distances()
    asked = float(m.requested_epsilon)
    worst = 0.0
    for row in m.program.matrix():
        if not any(row):
            continue
        for a in range(m.cells):
            for b in range(a):
                gap = abs(math.log(row[a] / row[b])) / metres[a, b]
                assert gap <= asked * (1 + 1e-11)
                worst = max(worst, gap)
    assert m.epsilon == pytest.approx(worst, rel=1e-9)
    assert m.epsilon >= worst * (1 - 1e-13)
    assert m.epsilon <= m.nominal_epsilon * (1 + 1e-9)


@cases("m", small_mechanisms())
def test_law_draws_and_data(m: Place) -> None:
    exact = np.array([[float(one) for one in row] for row in m.program.matrix()])
    assert np.allclose(m.matrix(), exact, atol=1e-13)
    assert np.allclose(m.law_of(2), exact[:, 2], atol=1e-13)
    assert (m.reported == (exact > 0).any(axis=1)).all()
    drawn = m.perturb(np.full(60_000, 2), rng=sd.Entropy.seeded(b"law"))
    seen = np.bincount(drawn, minlength=m.cells)
    assert sd.testing.chi_square_pvalue(seen.tolist(), exact[:, 2].tolist()) > 1e-6
    assert sd.testing.chi_square_pvalue(seen.tolist(), exact[:, 1].tolist()) < 1e-6
    assert type(m).from_json(m.to_json()) == m == pickle.loads(pickle.dumps(m))
    counts = m.simulate(np.full(m.cells, 300), rng=sd.Entropy.seeded(b"s"))
    assert counts.n == m.aggregate(drawn[: counts.n]).n
    assert m.estimate(counts, "em").shares.sum() == pytest.approx(1)


def test_calibrated_and_tight_reference_values() -> None:
    metres = GRID.distances()
    whole = sd.GridExponential(GRID, 0.02, calibrated=True)
    assert whole.inner_epsilon == pytest.approx(0.03772, abs=2e-5)
    assert (whole.matrix() * metres).sum(axis=0).mean() == pytest.approx(54.22, abs=0.02)
    assert 0.02 * (1 - 1e-6) < whole.epsilon <= 0.02
    assert sd.GridExponential(GRID, 0.02).inner_epsilon == 0.02
    for epsilon, sql in ((0.01, 160.453), (0.02, 46.894), (0.03, 12.734)):
        tight = sd.TightGrid(GRID, epsilon)
        assert (tight.matrix() * metres).sum(axis=0).mean() == pytest.approx(sql, abs=1e-3)
        assert epsilon * (1 - 1e-6) < tight.epsilon <= epsilon
    assert sd.location.boundary_report(sd.TightGrid(GRID, 0.02)).posterior_max > 0.82


def test_tight_constraints_name_their_least_epsilon() -> None:
    with pytest.raises(sd.PrivacyError, match=r"at least 0\.00515") as caught:
        sd.TightGrid(GRID, 0.003)
    least = float(str(caught.value).split("at least ")[1].split()[0])
    assert sd.TightGrid(GRID, least).epsilon <= least
    with pytest.raises(sd.PrivacyError):
        sd.TightGrid(GRID, least * 0.999)


def test_tight_weights_solve_the_equations() -> None:
    m = sd.TightGrid(sd.Grid(4, 7, 90.0, 130.0), 0.02)
    plain = np.linalg.solve(np.exp(-0.02 * m.grid.distances()), np.ones(28))
    assert np.allclose(m.weights, plain / plain.max(), atol=1e-6)


def test_naive_epsilon_by_place_is_refused() -> None:
    """ε of the true cell in GridE's exponent: far above what the elastic metric, or ε, allows."""
    town = np.full(GRID.shape, 0.005)
    town[:, 8:] = 0.03
    naive = np.exp(-town.ravel() / 2 * GRID.distances())
    naive /= naive.sum(axis=0)
    elastic = sd.ElasticExponential(GRID, town)
    assert realised_epsilon(np.log(naive), elastic.distances()) > 5
    assert elastic.epsilon <= 1
    assert realised_epsilon(elastic.log_matrix(), elastic.distances()) <= 1
    with pytest.raises(sd.PrivacyError, match="exceeded"):
        sd.PlaceChannel(GRID, 0.03, naive)
    with pytest.raises(sd.WrongTypeError, match="ElasticExponential"):
        sd.GridExponential(GRID, town)


def test_elastic_lengths_never_exceed_the_straight_line() -> None:
    for grid in (GRID, SMALL, sd.Grid(6, 9, 50.0, 200.0)):
        lengths = elastic_distances(grid, np.full(grid.cells, 0.02))
        metres = grid.distances()
        assert (lengths <= 0.02 * metres * (1 + 1e-12)).all()
        assert (lengths >= 0.02 * metres * straightness(grid) * (1 - 1e-12)).all()
        assert straightness(grid) > 0.7


def test_planar_noise_follows_its_density() -> None:
    """A million draws of the noise itself, remapped by rounding; and a quarter that is too long."""
    epsilon, n = 0.01, 1_000_000
    rng = np.random.default_rng(5)
    away, angle = rng.gamma(2, 1 / epsilon, n), rng.random(n) * 2 * math.pi
    row = np.clip(np.rint(3 + away * np.sin(angle) / 115.6), 0, 14).astype(int)
    column = np.clip(np.rint(away * np.cos(angle) / 141.5), 0, 14).astype(int)
    seen = np.bincount(row * 15 + column, minlength=225)
    law = planar_law(GRID, epsilon)
    assert np.allclose(law.sum(axis=0), 1, atol=1e-12)
    assert sd.testing.chi_square_pvalue(seen.tolist(), law[:, 45].tolist()) > 1e-6
    assert sd.testing.chi_square_pvalue(seen.tolist(), law[:, 46].tolist()) < 1e-6
    line = planar_law(sd.Grid(1, 3, 100.0, 100.0), 0.02)
    assert np.allclose(line.sum(axis=0), 1, atol=1e-12)


@cases("height, width, epsilon", [(100.0, 100.0, 0.2), (1023.5, 19.6, 0.18), (3.2, 156.0, 1.7)])
def test_masses_of_long_cells(height: float, width: float, epsilon: float) -> None:
    """Where the noise is much narrower than a cell is long, nodes must follow it: they did not,
    and 13 of 400 grids were refused because the law seemed to spend more than ε."""
    masses = cell_masses(3, 3, height, width, epsilon)
    for i, j in ((0, 1), (1, 0), (2, 1)):
        rows, columns = _panels(i, height, epsilon), _panels(j, width, epsilon)
        mass = sum(
            scipy.integrate.dblquad(
                lambda x, y: math.exp(-epsilon * math.hypot(x, y)), a, b, c, d, epsabs=0
            )[0]
            for a, b in itertools.pairwise(rows)
            for c, d in itertools.pairwise(columns)
        )
        mass *= epsilon**2 / (2 * math.pi) * (2 if i == 0 else 1) * (2 if j == 0 else 1)
        assert masses[i, j] == pytest.approx(mass, rel=1e-10)
    assert sd.PlanarLaplace(sd.Grid(2, 3, height, width), epsilon).epsilon <= epsilon


def _panels(cell: int, size: float, epsilon: float) -> list[float]:
    """Return cuts of a cell (of the first one the half), doubling from its near end."""
    start, stop = max(0.0, (cell - 0.5) * size), (cell + 0.5) * size
    cuts = [start + 2**n / epsilon / 4 for n in range(14)]
    return [start, *(x for x in cuts if x < stop), stop]


def test_tables_are_mixed_by_a_millionth() -> None:
    law = sd.TightGrid(SMALL, 0.02).matrix()
    m = sd.PlaceChannel(SMALL, 0.02, law)
    assert np.allclose(m.matrix(), (1 - MIXED) * law + MIXED / 12, atol=1e-15)
    assert 0.02 * (1 - 1e-4) < m.epsilon <= 0.02


def test_ways_along_roads() -> None:
    m = sd.RoadExponential(ROADS, 0.01)
    assert m.distances()[0].tolist() == [0, 200, 500, 450, 530]
    assert m.grid is None
    dense = np.zeros((5, 5))
    for i, j, length in ROADS:
        dense[i, j] = dense[j, i] = length
    for graph in (dense, sparse.csr_array(dense), sparse.coo_matrix(dense), [*ROADS, (1, 0, 900)]):
        assert sd.RoadExponential(graph, 0.01) == m
    report = sd.location.boundary_report(m)
    assert report.sql == pytest.approx(float((m.matrix() * m.distances()).sum() / 5))
    with pytest.raises(sd.EstimationError, match="grid"):
        m.estimate(m.simulate(np.full(5, 100)), "smoothed")
    with pytest.raises(sd.DomainError, match="no weights"):
        sd.location.boundary_report(sd.RoadExponential(ROADS, 0.01, [1, 0, 1, 1, 1]), mode="limit")


@cases(
    "graph",
    [
        [(0, 1, 0.0)], [(0, 1, math.inf)], [(0, 2, 5.0)], [(0, 10**9, 5.0)],
        np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([[0.0, math.nan], [math.nan, 0.0]]),
        np.array([["a", "b"], ["b", "a"]]), sparse.csr_array((3, 3)),
        sparse.csr_array(([1.0, 1.0], ([0, 1], [1, 0])), shape=(3, 3)),
    ])  # fmt: skip
def test_bad_graphs(graph: Any) -> None:
    with pytest.raises(sd.SudareError):
        sd.RoadExponential(graph, 0.01)


def test_other_bad_arguments() -> None:
    for make in (
        lambda: sd.PlanarLaplace(sd.Grid(2, 2, 0.01, 0.01), 1e-3),
        lambda: sd.PlaceChannel(SMALL, 0.02, np.eye(12)),
        lambda: sd.ElasticExponential(SMALL, np.full(12, 1e9)),
        lambda: sd.RoadExponential(ROADS, 0.01, [1] * 4),
    ):
        with pytest.raises(sd.SudareError):
            make()


def test_the_guarantee_is_checked_on_the_way_in() -> None:
    """A calibrated mechanism whose stored inner ε was raised is refused."""
    data = sd.GridExponential(SMALL, 0.02, calibrated=True).to_json()
    assert Fraction(data["inner"]) > Fraction(1, 50)
    with pytest.raises(sd.PrivacyError, match="exceeded"):
        sd.GridExponential.from_json({**data, "inner": "0.05"})
    stolen = sd.PlaceChannel(SMALL, 0.03, sd.TightGrid(SMALL, 0.0299).matrix()).to_json()
    with pytest.raises(sd.PrivacyError, match="exceeded"):
        sd.PlaceChannel.from_json({**stolen, "epsilon": "0.02"})


@cases("weights", [np.eye(3), [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0, 0, 1]]])
def test_a_table_with_reports_that_one_cell_alone_gives_is_refused(weights: Any) -> None:
    grid = sd.Grid(1, 3, 100.0, 100.0)
    data = sd.PlaceChannel(grid, 0.02, np.full((3, 3), 1 / 3)).to_json()
    rows = [[int(one * 2**64) for one in row] for row in weights]
    data["program"] = Table.from_weights(rows, 64).to_json()
    with pytest.raises(sd.PrivacyError, match="exceeded"):
        sd.PlaceChannel.from_json(data)


def test_a_gap_that_a_logarithm_would_lose_is_seen() -> None:
    """Two columns a billionth of a billionth apart spend something, and are shown to."""
    grid = sd.Grid(1, 2, 100.0, 100.0)
    data = sd.PlaceChannel(grid, 0.02, np.full((2, 2), 0.5)).to_json()
    data["program"] = Table.from_weights([[2**63, 2**63], [2**63 + 40, 2**63 - 40]], 64).to_json()
    exact = math.log1p(40 / (2**63 - 40)) / 100
    assert sd.PlaceChannel.from_json(data).epsilon >= exact


@cases("huge", [10**400, Fraction(10**400), Fraction(1, 10**400)])
def test_numbers_that_no_float_holds(huge: Any) -> None:
    for make in (
        lambda: sd.Grid(2, 2, huge, 100.0),
        lambda: sd.GridExponential(SMALL, huge),
        lambda: sd.PlaceChannel(sd.Grid(1, 2, 1.0, 1.0), huge, np.full((2, 2), 0.5)),
    ):
        with pytest.raises(sd.SudareError):
            make()
    data = sd.GridExponential(SMALL, 0.02).to_json()
    for wrong in ({"grid": [3, 4, 10**400, "1"]}, {"weights": ["f" * 400] * 12}):
        with pytest.raises(sd.SudareError):
            sd.GridExponential.from_json(data | wrong)


def test_tight_weights_that_spend_more_are_refused() -> None:
    """Data with other weights than those of tight constraints: the law is checked, not the name."""
    data = sd.TightGrid(SMALL, 0.02).to_json()
    weights = list(data["weights"])
    weights[0] = "1"
    with pytest.raises(sd.PrivacyError, match="exceeded"):
        sd.TightGrid.from_json({**data, "weights": weights})
