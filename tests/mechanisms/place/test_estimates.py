"""Where people are: inversion, EM, smoothing, regions, masks, large maps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.channels import Convolution, Numeric
from sudare.estimation.channel_law import ChannelLaw
from sudare.estimation.smoothing import neighbours_of_grid
from sudare.mechanisms.place.base import realised_epsilon
from tests.cases import cases

GRID = sd.Grid(15, 15, cell_height=115.6, cell_width=141.5)
SMALL = sd.Grid(3, 4, cell_height=100.0, cell_width=150.0)
N = 100_000


def bumps() -> np.ndarray[Any, Any]:
    row, column = np.divmod(np.arange(225), 15)
    density = 1 + 3 * np.exp(-((row - 4) ** 2 + (column - 5) ** 2) / 18)
    density += 4 * np.exp(-((row - 10) ** 2 + (column - 11) ** 2) / 12.5)
    return density / density.sum()


def test_inversion_is_as_far_off_as_the_formula_says() -> None:
    """n = 1e5, ε = .02: L1 within 15 % of ``Σ sqrt(2 / π) σ_i``; intervals cover 93 to 97 %."""
    m, shares, rng = sd.GridExponential(GRID, 0.02), bumps(), sd.Entropy.seeded(b"inversion")
    gone, expected, covered, apart = [], [], [], []
    for _ in range(60):
        people = rng.generator().multinomial(N, shares)
        est = m.estimate(m.simulate(people, rng=rng))
        gone.append(np.abs(est.shares - shares).sum())
        expected.append(math.sqrt(2 / math.pi) * est._law.at(shares).stderr.sum())
        low, high = est.interval(0.95)
        covered.append(np.mean((low <= shares) & (shares <= high)))
        apart.append((est.shares - shares) / est.stderr)
    assert np.mean(gone) == pytest.approx(np.mean(expected), rel=0.15)
    assert np.mean(gone) == pytest.approx(0.18, abs=0.02)
    assert 0.93 < np.mean(covered) < 0.97
    assert 0.9 < np.std(apart) < 1.1


def test_smoothing_helps_on_a_smooth_map() -> None:
    m, shares, rng = sd.GridExponential(GRID, 0.02), bumps(), sd.Entropy.seeded(b"smooth")
    gone = {method: [] for method in ("unbiased", "projected", "em", "smoothed", "mle")}
    for _ in range(3):
        counts = m.simulate(rng.generator().multinomial(N, shares), rng=rng)
        for method, values in gone.items():
            est = m.estimate(counts, method)
            values.append(float(np.abs(est.shares - shares).sum()))
            assert est.shares.sum() == pytest.approx(1)
    assert np.mean(gone["smoothed"]) < 0.4 * np.mean(gone["unbiased"])
    assert np.mean(gone["smoothed"]) < np.mean(gone["mle"])
    assert est.method.startswith("mle")
    assert np.isnan(est.stderr).all()


def test_smoothing_keeps_people_where_they_can_be() -> None:
    rng = np.random.default_rng(2)
    x = rng.random(225)
    given = neighbours_of_grid(x, 15, 15)
    assert given.sum() == pytest.approx(x.sum())
    dense = np.stack([neighbours_of_grid(one, 15, 15) for one in np.eye(225)])
    assert np.allclose(dense, dense.T)
    assert np.allclose(dense.sum(axis=0), 1)
    m = sd.GridExponential(GRID, 0.02)
    land = np.ones((15, 15), dtype=bool)
    land[:, 9:] = False
    shares = bumps() * land.ravel()
    counts = m.simulate(np.rint(N * shares / shares.sum()).astype(int))
    for method in ("smoothed", "em", "mle", "unbiased", "projected"):
        est = m.estimate(counts, method, mask=land)
        assert not est.shares[~land.ravel()].any()
        assert est.shares.sum() == pytest.approx(1)


def test_inversion_where_reports_are_fewer_than_cells() -> None:
    """People are on land alone, and only land is reported: the inverse exists, errors are right."""
    land = np.ones(12, dtype=bool)
    land[[3, 7, 11]] = False
    m = sd.GridExponential(SMALL, 0.02, land * 1.0)
    with pytest.raises(sd.EstimationError, match="mask="):
        m.estimate(m.simulate(np.full(12, 900)))
    truth = np.where(land, 4000, 0)
    shares, rng, gone = truth / truth.sum(), sd.Entropy.seeded(b"land"), []
    for _ in range(200):
        est = m.estimate(m.simulate(truth, rng=rng), target="respondents", mask=land)
        gone.append(((est.shares - shares)[land]) / est.stderr[land])
        assert not est.shares[~land].any()
    assert np.abs(np.mean(gone, axis=0)).max() < 5 / math.sqrt(200)
    assert np.abs(np.std(gone, axis=0) - 1).max() < 0.25


def test_least_squares_of_more_reports_than_places() -> None:
    """The sum of the shares is that of the reports, and no weighting biases it."""
    rng = np.random.default_rng(3)
    tall = rng.random((9, 4)) ** 4
    tall /= tall.sum(axis=0)
    channel = Numeric(tall)
    assert np.allclose(channel.inverse @ tall, np.eye(4))
    y = rng.dirichlet(np.ones(9))
    assert channel.solve(y).sum() == pytest.approx(1)


def test_counting_in_regions() -> None:
    m, shares, rng = sd.GridExponential(GRID, 0.02), bumps(), sd.Entropy.seeded(b"regions")
    region = np.zeros((15, 15), dtype=bool)
    region[2:8, 3:9] = True
    true = float(shares[region.ravel()].sum()) * 5e6
    inside, apart = [], []
    for _ in range(200):
        est = m.estimate(m.simulate(rng.generator().multinomial(N, shares), rng=rng))
        found = sd.location.count_in(est, region, people=5e6)
        low, high = found.interval(0.95)
        inside.append(low <= true <= high)
        apart.append((found.value - true) / found.stderr)
    assert 0.9 < np.mean(inside) < 0.99
    assert abs(np.std(apart) - 1) < 0.2
    cells = np.hypot.reduce(est.stderr[region.ravel()]) * 5e6
    assert found.stderr < cells  # neighbours' errors make up for one another
    assert sd.location.count_in(est, region).value == pytest.approx(found.value / 50)
    smooth = m.estimate(m.simulate(np.full(225, 100)), "smoothed")
    assert math.isnan(sd.location.count_in(smooth, region).stderr)


@cases(
    "region, people",
    [(None, 1), ([True], 1), (np.ones(225), 1), (np.zeros(225, bool), 1), ("x", 1)]
    + [(np.ones(225, bool), bad) for bad in (0, -1, math.nan, math.inf, "x", True)],
)
def test_bad_regions(region: Any, people: Any) -> None:
    m = sd.GridExponential(GRID, 0.02)
    est = m.estimate(sd.Counts(np.ones(225, dtype=np.int64), 225))
    with pytest.raises(sd.SudareError):
        sd.location.count_in(est, region, people=people)
    with pytest.raises(sd.SudareError):
        sd.location.count_in(3, region)


@cases("mask", ["x", np.ones(225), np.zeros(225, bool), np.ones(3, bool), 3])
def test_bad_masks(mask: Any) -> None:
    m = sd.GridExponential(GRID, 0.02)
    with pytest.raises(sd.SudareError):
        m.estimate(sd.Counts(np.ones(225, dtype=np.int64), 225), mask=mask)


@pytest.mark.slow
def test_large_maps_by_fft() -> None:
    """80 × 70 cells: the law of single cells, the channel by FFT, ε, EM; what needs a matrix."""
    grid = sd.Grid(80, 70, cell_height=500.0, cell_width=400.0)
    weights = np.ones(grid.shape)
    weights[:, 60:] = 0
    m = sd.GridExponential(grid, 0.004, weights)
    assert isinstance(m.channel, Convolution)
    metres = np.array([grid.distance(3000, o) for o in range(grid.cells)])
    plain = weights.ravel() * np.exp(-0.002 * metres)
    assert np.allclose(m.law_of(3000), plain / plain.sum(), rtol=1e-5, atol=1e-300)
    one = np.zeros(grid.cells)
    one[3000] = 1
    assert np.allclose(m.channel.apply(one), m.law_of(3000), atol=1e-14)
    rng = np.random.default_rng(0)
    x, y = rng.random(grid.cells), rng.random(grid.cells)
    assert y @ m.channel.apply(x) == pytest.approx(x @ m.channel.adjoint(y))
    assert m.epsilon <= 0.004 * (1 + 1e-9)
    people = np.zeros(grid.cells, dtype=np.int64)
    people[rng.permutation(grid.cells)[:40]] = 500
    counts = m.simulate(people, rng=sd.Entropy.seeded(b"large"))
    assert counts.n == 20_000
    assert not counts.support[weights.ravel() == 0].any()
    assert m.estimate(counts, "em").shares.sum() == pytest.approx(1, abs=1e-6)
    for refused in (
        lambda: m.estimate(counts),
        m.matrix,
        m.log_matrix,
        m.channel.dense,
        lambda: m.channel.solve(x),
        lambda: m.channel.solve_squared(x),
        lambda: m.channel.epsilon,
    ):
        with pytest.raises(sd.SudareError):
            refused()
    assert sd.GridExponential(grid, 0.004, calibrated=True).epsilon <= 0.004


def test_the_channel_by_fft_is_the_dense_one() -> None:
    weights = np.arange(12.0)
    m = sd.GridExponential(SMALL, 0.02, weights)
    by_fft = Convolution(np.exp(m._log_kernel), m.weights, np.exp(m._log_alpha))
    assert np.allclose(by_fft.dense(), m.matrix(), atol=1e-14)
    assert m.epsilon == pytest.approx(realised_epsilon(m.log_matrix(), SMALL.distances()), rel=1e-9)


def test_levels_of_protection() -> None:
    """ε by person: likelihoods stacked beat the accurate level alone; errors are right."""
    careful, frank = sd.GridExponential(SMALL, 0.01), sd.GridExponential(SMALL, 0.04)
    both = sd.PlaceLevels([careful, frank])
    assert both.epsilons == (careful.epsilon, frank.epsilon)
    shares, rng = np.arange(1, 13) / 78, sd.Entropy.seeded(b"levels")
    gone: dict[str, list[float]] = {"both": [], "frank": []}
    apart = []
    for _ in range(200):
        truth = np.stack([rng.generator().multinomial(n, shares) for n in (20_000, 2_000)])
        counts = both.simulate(truth, rng=rng)
        est = both.estimate(counts)
        apart.append((est.shares - shares) / est.stderr)
        assert est.shares.sum() == pytest.approx(1)
        alone = frank.estimate(sd.Counts(counts.support[1], 2_000))
        gone["both"].append(float(((est.shares - shares) ** 2).sum()))
        gone["frank"].append(float(((alone.shares - shares) ** 2).sum()))
    assert np.abs(np.std(apart, axis=0) - 1).max() < 0.25
    expected = [float((one._law.at(shares).stderr ** 2).sum()) for one in (est, alone)]
    assert expected[0] < 0.9 * expected[1]
    for name, value in zip(("both", "frank"), expected, strict=True):
        assert np.mean(gone[name]) == pytest.approx(value, rel=0.2)
    for method in ("projected", "em", "mle"):
        assert both.estimate(counts, method).shares.min() >= 0
    reports = both.perturb([1, 2, 3], [0, 1, 1], rng=rng)
    assert reports.shape == (3, 2)
    assert both.aggregate(reports).n == 3
    assert "PlaceLevels" in repr(both)


def test_bad_levels() -> None:
    m = sd.GridExponential(SMALL, 0.01)
    both = sd.PlaceLevels([m, m])
    other = sd.GridExponential(GRID, 0.01)
    for bad in ([], None, [m, 3], [m, other], m):
        with pytest.raises(sd.SudareError):
            sd.PlaceLevels(bad)
    for values, levels in (([1], [2]), ([12], [0]), ([1, 2], [0]), ([1], [-1]), ([1], None)):
        with pytest.raises(sd.SudareError):
            both.perturb(values, levels)
    for reports in (None, [1], [[0, 12]], [[2, 1]], [[-1, 0]], [[0.5, 1]], "x"):
        with pytest.raises(sd.SudareError):
            both.aggregate(reports)
    counts = both.aggregate([[0, 1], [1, 2]])
    for arguments in ((counts, "guess"), (counts, "em", "people"), (3,), (sd.Counts([1, 2], 3),)):
        with pytest.raises(sd.SudareError):
            both.estimate(*arguments)
    for truth in (None, np.ones((2, 12)), np.ones(12, dtype=int)):
        with pytest.raises(sd.SudareError):
            both.simulate(truth)


@cases("target", ["population", "respondents"])
def test_errors_are_the_sums_over_people(target: Any) -> None:
    """Person by person: each report's own covariance, and of a population the draw of the cell."""
    m = sd.GridExponential(sd.Grid(2, 3, 100.0, 150.0), 0.02)
    x, n = np.array([0.3, 0.1, 0.25, 0.05, 0.2, 0.1]), 1000
    back = np.linalg.inv(m.matrix())
    whole = np.zeros((6, 6))
    for share, column in zip(x, m.matrix().T, strict=True):
        mean = back @ column
        whole += share * (back * column @ back.T - np.outer(mean, mean))
    if target == "population":
        whole += np.diag(x) - np.outer(x, x)
    law = ChannelLaw(Numeric(m.matrix()), np.full(6, 100), n, target, assumed=x)
    assert law.stderr == pytest.approx(np.sqrt(np.diag(whole) / n))
    region = np.array([1.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    assert law.variance(region) == pytest.approx(region @ whole @ region / n)
