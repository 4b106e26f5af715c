"""The equaliser: equal posteriors where weights >= 0 allow it, priors, masks, islands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.location.kernel import Kernel
from sudare.location.state import MapState
from sudare.location.weights import equalise
from tests.cases import cases

GRID = sd.Grid(15, 15, cell_height=115.6, cell_width=141.5)


def coast_and_island() -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Land two columns wide in the north and four in the south; an island off the coast."""
    row, column = np.divmod(np.arange(225), 15)
    land = column < np.where(row <= 7, 2, 4)
    land[15 + 6] = True
    return land


@cases("epsilon, sql, posterior", [(0.03, 94.204, 0.4828), (0.05, 26.210, 0.8194)])
def test_equal_posteriors(epsilon: float, sql: float, posterior: float) -> None:
    found = sd.location.equalise_weights(GRID, epsilon)
    assert found.exact
    assert found.f1 < 1e-10
    assert found.sql == pytest.approx(sql, abs=0.01)
    assert found.posterior_max == pytest.approx(posterior, abs=1e-4)
    report = sd.location.boundary_report(sd.GridExponential(GRID, epsilon, found.weights))
    assert report.f1 < 1e-7
    assert report.sql == pytest.approx(found.sql, abs=1e-5)
    assert np.allclose(report.highest, report.posterior)


def test_as_equal_as_weights_above_0_can() -> None:
    found = sd.location.equalise_weights(GRID, 0.02)
    assert not found.exact
    assert np.flatnonzero(found.weights == 0).tolist() == [16, 28, 196, 208]
    assert found.f1_limit < 0.0095
    assert found.sql == pytest.approx(176.7, abs=0.3)
    limit = sd.location.equalise_weights(GRID, 0.02, mode="limit")
    assert found.f1 == found.f1_observed < limit.f1 == found.f1_limit
    assert (limit.weights == found.weights).all()
    for seed in range(5):  # no other weights have a smaller residual
        other = found.weights * np.exp(np.random.default_rng(seed).normal(0, 0.01, 225))
        assert residual(other) > residual(found.weights)


def residual(weights: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    kernel = Kernel.of(GRID, 0.02)
    vector = np.abs(np.linalg.eigh(kernel.dense)[1][:, -1])
    rate = kernel.dense @ weights * vector
    best = rate.sum() / (rate @ rate)  # weights of the best size
    return float(np.linalg.norm(best * rate - 1))


@cases("epsilon", [0.01, 0.02, 0.03])
def test_sums_over_the_map_find_what_the_matrix_finds(
    epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    dense = sd.location.equalise_weights(GRID, epsilon)
    monkeypatch.setattr(equalise, "MOST_DENSE", 10)
    found = sd.location.equalise_weights(GRID, epsilon)
    assert found.exact == dense.exact
    assert found.f1 == pytest.approx(dense.f1, abs=1e-6)
    assert found.sql == pytest.approx(dense.sql, abs=1e-3)


def test_an_island_is_hidden_among_the_coast() -> None:
    land = coast_and_island()
    plain = MapState(Kernel.of(GRID, 0.02), land.astype(float), True, land / land.sum())
    assert plain.posterior.max() == pytest.approx(0.998, abs=5e-4)
    assert int(np.argmax(plain.all_posteriors * land)) == 21
    found = sd.location.equalise_weights(GRID, 0.02, mask=land)
    assert found.posterior_max == pytest.approx(0.325, abs=5e-4)
    assert (found.weights[~land] == 0).all()
    report = sd.location.boundary_report(
        sd.GridExponential(GRID, 0.02, found.weights), prior=land.astype(float)
    )
    assert np.nanmax(report.highest) == pytest.approx(0.325, abs=5e-4)


def test_a_smooth_prior_is_equalised_too() -> None:
    row, column = np.divmod(np.arange(225), 15)
    prior = np.exp(-((row - 5) ** 2 + (column - 9) ** 2) / 60)
    found = sd.location.equalise_weights(GRID, 0.02, prior=prior.reshape(15, 15))
    assert found.exact
    assert found.f1 < 1e-10
    m = sd.GridExponential(GRID, 0.02, found.weights)
    report = sd.location.boundary_report(m, prior=prior)
    assert np.ptp(report.posterior) < 1e-6
    assert np.allclose(report.highest, report.posterior)  # nobody else is likelier


@pytest.mark.parametrize(
    ("side", "dearer"), [(50, 1.045), pytest.param(200, 1.0125, marks=pytest.mark.slow)]
)
def test_a_city(side: int, dearer: float) -> None:
    grid = sd.Grid(side, side, 115.6, 141.5)
    plain = MapState(Kernel.of(grid, 0.02), np.ones(grid.cells), True)
    assert plain.f1 == pytest.approx(0.3003, abs=1e-4)
    found = sd.location.equalise_weights(grid, 0.02)
    assert found.f1 <= 0.0099
    assert found.sql < dearer * plain.sql


BAD: list[dict[str, Any]] = [
    {"grid": None}, {"epsilon": 0}, {"epsilon": "x"}, {"epsilon": None}, {"epsilon": np.nan},
    {"prior": np.zeros(225)}, {"prior": -np.ones(225)}, {"prior": [np.nan] * 225},
    {"prior": "x"}, {"prior": np.ones(224)}, {"prior": np.ones((5, 45))}, {"prior": True},
    {"prior": np.ma.masked_equal(np.ones(225), 1)}, {"prior": []},
    {"mask": np.zeros(225, bool)}, {"mask": np.ones(225)}, {"mask": np.ones(224, bool)},
    {"mask": "x"}, {"mask": True}, {"mask": [None] * 225},
    {"prior": np.r_[1.0, np.zeros(224)], "mask": np.arange(225) > 3},
]  # fmt: skip


@cases("change", [*BAD, {"mode": "some"}, {"mode": None}])
def test_bad_input(change: dict[str, Any]) -> None:
    given: dict[str, Any] = {"grid": GRID, "epsilon": 0.02} | change
    with pytest.raises(sd.SudareError):
        sd.location.equalise_weights(**given)


@cases("change", BAD)
def test_bad_input_of_the_others(change: dict[str, Any]) -> None:
    given: dict[str, Any] = {"grid": GRID, "epsilon": 0.02} | change
    with pytest.raises(sd.SudareError):
        sd.location.reduce_weights(**given)
    with pytest.raises(sd.SudareError):
        sd.location.optimise_weights(**given, f1=0.1)
    with pytest.raises(sd.SudareError):
        sd.location.cap_posterior(**given, cap=0.5)
