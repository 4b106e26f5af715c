"""The boundary report: the reference table, priors, cells that are never reported."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.location.kernel import Kernel
from sudare.location.report import MODES
from tests.cases import cases

GRID = sd.Grid(15, 15, cell_height=115.6, cell_width=141.5)
REFERENCE = [  # ε, posterior max, min, f1, SQL of the map and of a corner
    (0.01, 0.2539, 0.0624, 0.1915, 330.312, 317.793),
    (0.02, 0.5394, 0.2391, 0.3003, 161.124, 116.972),
    (0.03, 0.7263, 0.4686, 0.2578, 87.472, 52.921),
    (0.05, 0.9129, 0.8150, 0.0979, 24.590, 12.728),
    (0.09, 0.9926, 0.9846, 0.0079, 1.805, 0.931),
]


@cases("epsilon, most, least, f1, sql, corner", REFERENCE)
def test_reference_table(
    epsilon: float, most: float, least: float, f1: float, sql: float, corner: float
) -> None:
    report = sd.location.boundary_report(sd.GridExponential(GRID, epsilon))
    assert report.posterior_max == pytest.approx(most, abs=2e-4)
    assert report.posterior_min == pytest.approx(least, abs=2e-4)
    assert report.f1 == pytest.approx(f1, abs=2e-4)
    assert report.sql == pytest.approx(sql, abs=0.01)
    assert report.sql_cell[0] == pytest.approx(corner, abs=0.01)
    assert report.most_exposed == (0, 14, 210, 224)
    assert bool(report.warnings) == (most > 0.9)


def test_the_gap_of_retention() -> None:
    report = sd.location.boundary_report(sd.GridExponential(GRID, 0.02))
    assert report.kept_max - report.kept_min == pytest.approx(0.2180, abs=1e-4)


@cases("seed", range(20))
def test_under_the_uniform_prior_the_largest_posterior_is_on_the_diagonal(seed: int) -> None:
    """Proposition 2 of the source; with another prior it need not be."""
    rng = np.random.default_rng(seed)
    m = sd.GridExponential(sd.Grid(6, 5, 100, 130), 0.02, rng.random(30))
    report = sd.location.boundary_report(m)
    assert np.allclose(report.posterior, report.highest)
    crowded = np.ones(30)
    crowded[7] = 1000
    other = sd.location.boundary_report(m, prior=crowded)
    assert (other.highest > other.posterior + 1e-6).any()


def test_by_hand() -> None:
    m = sd.GridExponential(sd.Grid(2, 3, 100, 130), 0.02, [1, 0, 2, 1, 3, 0.5])
    prior = np.array([1, 2, 3, 4, 5, 6])
    law, pi = m.matrix(), prior / prior.sum()
    report = sd.location.boundary_report(m, prior=prior.reshape(2, 3))
    joint = law * pi
    seen = law.sum(axis=1) > 0
    expected = np.diagonal(joint)[seen] / joint.sum(axis=1)[seen]
    assert np.allclose(report.posterior[seen], expected)
    assert np.isnan(report.posterior[1])
    distance = m.grid.distances()
    assert report.sql == pytest.approx(float((joint * distance).sum()))
    limit = sd.location.boundary_report(m, prior=prior, mode="limit")
    tiny = sd.GridExponential(m.grid, 0.02, [1, 1e-7, 2, 1, 3, 0.5])
    nearly = sd.location.boundary_report(tiny, prior=prior)
    assert limit.posterior[1] == pytest.approx(nearly.posterior[1], abs=1e-5)


def test_an_island_is_warned_of() -> None:
    weights = np.zeros(225)
    weights[[0, 1, 2, 3, 224]] = 1
    report = sd.location.boundary_report(sd.GridExponential(GRID, 0.02, weights), prior=weights)
    assert "224" in report.warnings[0]


@cases("shape", [(1, 7), (9, 4), (26, 27)])
def test_the_kernel_by_fft_is_the_dense_one(shape: tuple[int, int]) -> None:
    kernel = Kernel.of(sd.Grid(*shape, 115.6, 141.5), 0.02)
    x = np.random.default_rng(1).random((kernel.grid.cells, 2))
    assert np.abs(kernel.apply_fft(x) - kernel.dense @ x).max() < 1e-12 * kernel.dense.sum()
    assert np.abs(kernel.apply(x[:, 0]) - kernel.dense @ x[:, 0]).max() < 1e-10
    assert np.allclose(kernel.row(kernel.grid.cells - 2), kernel.dense[-2])


@cases(
    "prior, mode",
    [
        (np.zeros(225), "observed"), (np.ones(224), "observed"), (-np.ones(225), "observed"),
        ([np.nan] * 225, "observed"), ("x", "observed"), (None, "some"), (None, None),
    ])  # fmt: skip
def test_bad_input(prior: Any, mode: Any) -> None:
    m = sd.GridExponential(GRID, 0.02)
    with pytest.raises(sd.SudareError):
        sd.location.boundary_report(m, prior=prior, mode=mode)
    with pytest.raises(sd.WrongTypeError):
        sd.location.boundary_report(sd.GRR(3, 1.0))


def test_a_large_map_and_a_coast() -> None:
    """6,000 cells, without a matrix; a coast under a prior as in the written-out law."""
    grid = sd.Grid(60, 100, cell_height=500.0, cell_width=450.0)
    m = sd.GridExponential(grid, 0.004)
    report = sd.location.boundary_report(m)
    assert set(report.most_exposed) == {0, 99, 5900, 5999}
    middle = 30 * 100 + 50
    law = m.law_of(middle)
    metres = np.array([grid.distance(middle, o) for o in range(grid.cells)])
    assert report.sql_cell[middle] == pytest.approx(law @ metres, rel=1e-9)
    assert report.kept[middle] == pytest.approx(law[middle])
    small = sd.Grid(6, 5, 100, 130)
    rng = np.random.default_rng(4)
    prior = rng.random(30) * (rng.random(30) < 0.6)
    weights = rng.random(30) * (rng.random(30) < 0.8)
    coast = sd.GridExponential(small, 0.02, weights)
    found = sd.location.boundary_report(coast, prior=prior)
    joint = coast.matrix() * prior
    counted = (prior > 0) & (coast.weights > 0)
    expected = np.diagonal(joint)[counted] / joint.sum(axis=1)[counted]
    assert np.allclose(found.posterior[counted], expected, atol=1e-12)
    assert np.isnan(found.posterior[~counted]).all()
    reported = coast.weights > 0
    highest = joint[reported].max(axis=1) / joint[reported].sum(axis=1)
    assert np.allclose(found.highest[reported], highest, atol=1e-12)


def test_laws_that_are_written_out() -> None:
    """The report of a table is that of the offsets it was made from."""
    tight = sd.TightGrid(sd.Grid(6, 5, 100, 130), 0.02)
    table = sd.PlaceChannel(tight.grid, 0.02, tight.matrix())
    one, other = (sd.location.boundary_report(m) for m in (tight, table))
    assert np.allclose(one.posterior, other.posterior, atol=1e-5)
    assert np.allclose(one.highest, other.highest, atol=1e-5)
    assert one.sql == pytest.approx(other.sql, abs=1e-3)
    with pytest.raises(sd.DomainError, match="no weights"):
        sd.location.boundary_report(table, mode="limit")


def test_a_sea_beyond_all_reports_leaves_the_land_as_it_is() -> None:
    """Nobody is there, and e^-800 has no float: the report is that of the land alone."""
    small, wide = sd.Grid(4, 3, 500.0, 500.0), sd.Grid(4, 80, 500.0, 500.0)
    land = np.zeros(wide.shape, dtype=np.bool_)
    land[:, :3] = True
    weights = land.astype(float)
    alone = sd.location.boundary_report(sd.GridExponential(small, 0.06))
    m = sd.GridExponential(wide, 0.06, weights)
    for mode in ("observed", "limit"):
        found = sd.location.boundary_report(m, prior=weights, mode=mode)
        for name in ("sql", "f1", "posterior_max", "posterior_min", "kept_max", "kept_min"):
            assert getattr(found, name) == pytest.approx(getattr(alone, name), rel=1e-9)
        assert np.isnan(found.kept[~land.ravel()]).all()
    with pytest.raises(sd.DomainError, match="weights"):
        sd.location.boundary_report(m)


def test_a_prior_beside_all_reports_is_refused() -> None:
    m = sd.GridExponential(sd.Grid(1, 3, 100.0, 100.0), 0.02, [1, 1, 0])
    with pytest.raises(sd.DomainError, match="prior"):
        sd.location.boundary_report(m, prior=[0, 0, 1])


def test_weights_are_judged_in_one_mode_and_told_in_both() -> None:
    """0.182 in one mode is 0.379 in the other: figures of two modes must not meet by default."""
    loc = sd.location
    judges = (loc.reduce_weights, loc.equalise_weights, loc.boundary_report, loc.MapSummary.of)
    assert {signature(one).parameters["mode"].default for one in judges} == {"observed"}
    grid = sd.Grid(7, 6, 115.6, 141.5)
    mask = np.arange(grid.cells) % 11 > 0
    for given in ({}, {"mask": mask}):
        for mode in ("observed", "limit"):
            for found in (
                loc.reduce_weights(grid, 0.02, mode=mode, **given),
                loc.equalise_weights(grid, 0.02, mode=mode, **given),
                loc.optimise_weights(grid, 0.02, f1=0.2, rounds=3, **given),
            ):
                m = sd.GridExponential(grid, 0.02, found.weights)
                prior = given.get("mask", np.ones(grid.cells)).astype(float)
                gaps = [loc.boundary_report(m, prior=prior, mode=each).f1 for each in MODES]
                report = loc.boundary_report(m, prior=prior, mode=mode)
                assert [report.f1_observed, report.f1_limit] == pytest.approx(gaps, abs=1e-9)
                assert [found.f1_observed, found.f1_limit] == pytest.approx(gaps, abs=1e-6)
                assert found.f1 in (found.f1_observed, found.f1_limit)
    assert loc.reduce_weights(GRID, 0.02).f1_limit == pytest.approx(0.3793, abs=5e-4)
    channel = sd.PlaceChannel(grid, 0.02, sd.TightGrid(grid, 0.02).matrix())
    assert loc.boundary_report(channel).f1_limit is None
