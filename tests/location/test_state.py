"""A map's state: against the dense law, by FFT, with priors, and far from everything."""

from __future__ import annotations

import numpy as np
import pytest

import sudare as sd
from sudare.location.kernel import Kernel
from sudare.location.state import MapState
from tests.cases import cases


@cases("shape", [(6, 5), (1, 7), (9, 2), (27, 26)])
@cases("limit", [False, True])
def test_against_the_law_written_out(shape: tuple[int, int], limit: bool) -> None:
    grid = sd.Grid(*shape, 100, 130)
    random = np.random.default_rng(grid.cells)
    prior = random.random(grid.cells) ** 4
    prior[1] = 0
    prior /= prior.sum()
    weights = random.random(grid.cells)
    weights[[2, 3]] = 0
    kernel = np.exp(-0.01 * grid.distances())
    law = weights[:, None] * kernel / (kernel @ weights)
    joint = kernel / (kernel @ weights) * prior  # but for the weight of the report
    state = MapState(Kernel.of(grid, 0.02), weights, limit, prior)
    whole = joint.sum(axis=1)
    posterior = np.diagonal(joint) / whole
    assert np.allclose(state.all_posteriors, posterior, rtol=1e-12)
    assert np.allclose(state.highest, joint.max(axis=1) / whole, rtol=1e-12)
    assert np.allclose(state.kept, np.diagonal(law), rtol=1e-12)
    assert np.allclose(state.sql_cell, (law * grid.distances()).sum(axis=0), rtol=1e-12)
    assert state.sql == pytest.approx(float((law * grid.distances()).sum(axis=0) @ prior))
    counted = (prior > 0) & (limit | (weights > 0))
    assert (state.counted == counted).all()
    assert state.f1 == pytest.approx(float(np.ptp(posterior[counted])), abs=1e-12)


@cases("shape", [(15, 15), (26, 27), (40, 33)])
def test_f1_by_fft_is_the_dense_one(shape: tuple[int, int]) -> None:
    grid = sd.Grid(*shape, 115.6, 141.5)
    kernel = Kernel.of(grid, 0.02)
    random = np.random.default_rng(2)
    for weights in (np.ones(grid.cells), random.random(grid.cells)):
        alpha = 1 / (kernel.dense @ weights)
        dense = alpha / (kernel.dense @ alpha)
        by_fft = 1 / kernel.apply_fft(weights)
        found = by_fft / kernel.apply_fft(by_fft)
        assert abs(np.ptp(found) - np.ptp(dense)) < 1e-12
        assert abs(MapState(kernel, weights, True).f1 - np.ptp(dense)) < 1e-12


def test_sums_far_from_everything_stay_exact() -> None:
    grid = sd.Grid(5, 200, 115.6, 141.5)
    kernel = Kernel.of(grid, 0.02)
    weights = np.zeros(grid.cells)
    weights[:3] = 1
    found, exact = kernel.sums(weights), kernel.dense @ weights
    assert exact.min() < 1e-100
    assert np.allclose(found, exact, rtol=1e-9, atol=0)
    assert not np.allclose(kernel.apply(weights), exact, rtol=1e-9, atol=0)


def test_a_large_map_without_weights_is_the_one_inside() -> None:
    """In the middle of a large map the posterior is that of an endless one."""
    sizes = [MapState(Kernel.of(sd.Grid(n, n, 115.6, 141.5), 0.02), np.ones(n * n), True)
             for n in (101, 201)]  # fmt: skip
    middles = [state.all_posteriors[state.weights.size // 2] for state in sizes]
    assert middles[0] == pytest.approx(middles[1], abs=1e-12)
    assert sizes[0].f1 == pytest.approx(sizes[1].f1, abs=1e-12)
