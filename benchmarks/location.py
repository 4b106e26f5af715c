"""Places: f1 by FFT, Algorithm 1 on 50 x 50 cells, weights for a city of 200 x 200."""

from __future__ import annotations

import time

import numpy as np
from timing import Row, interleave

import sudare as sd
from sudare.location.kernel import Kernel
from sudare.location.state import MapState

EPSILON = 0.02


def rows(rounds: int) -> list[Row]:
    few = max(2, rounds // 6)
    return [_f1(100, few), *_algorithm(50, few), _equaliser(200, few), *_optimiser(200)]


def _grid(side: int) -> sd.Grid:
    return sd.Grid(side, side, cell_height=115.6, cell_width=141.5)


def _f1(side: int, rounds: int) -> Row:
    """f1 of plain GridE against its two products with the matrix, written out before."""
    grid = _grid(side)
    kernel = Kernel.of(grid, EPSILON)
    weights = np.ones(grid.cells)
    matrix = np.empty((grid.cells, grid.cells))
    for cell in range(grid.cells):
        matrix[cell] = kernel.row(cell)

    def dense() -> float:
        alpha = 1 / (matrix @ weights)
        return float(np.ptp(alpha / (matrix @ alpha)))

    jobs = [dense, lambda: MapState(kernel, weights, True).f1]
    times = interleave(jobs, rounds, time.perf_counter)
    return Row(f"f1 by FFT, {side} x {side}", "two products with the matrix", 50, True, times=times)


def _algorithm(side: int, rounds: int) -> list[Row]:
    """Algorithm 1 in ``limit`` against one sum by FFT for each map that it judges, and no more.

    The literal loop takes two, k w and k α, beside its other work: it is measured on the first
    maps of the run alone.
    """
    grid = _grid(side)
    kernel = Kernel.of(grid, EPSILON)
    weights = np.random.default_rng(1).random(grid.cells)
    run = sd.location.reduce_weights(grid, EPSILON, mode="limit")
    sums = 1000

    def convolve() -> None:
        for _ in range(sums):
            kernel.apply_fft(weights)

    jobs = [convolve, lambda: sd.location.reduce_weights(grid, EPSILON, mode="limit")]
    each, quick = interleave(jobs, rounds)
    limit = [s / sums * run.evaluations for s in each]
    kernel_name = f"Algorithm 1, {side} x {side}: {run.evaluations:,} maps"
    return [
        Row(kernel_name, "one FFT convolution a map", 5, True, run.evaluations, [limit, quick]),
        Row(kernel_name, "the literal loop", None, True, run.evaluations,
            [_literal(grid, run.evaluations, rounds), quick]),
    ]  # fmt: skip


class _EnoughError(Exception):
    pass


def _literal(grid: sd.Grid, evaluations: int, rounds: int) -> list[float]:
    """Return the seconds of the literal loop, from its first 2,000 maps."""
    judged = 2000
    seconds = []
    for _ in range(rounds):
        seen = 0

        def f1(state: MapState) -> float:
            nonlocal seen
            seen += 1
            if seen > judged:
                raise _EnoughError
            return state.f1

        start = time.thread_time()
        try:
            sd.location.reduce_weights(grid, EPSILON, mode="limit", objective=f1)
        except _EnoughError:
            seconds.append((time.thread_time() - start) / judged * evaluations)
    return seconds


def _equaliser(side: int, rounds: int) -> Row:
    grid = _grid(side)
    (times,) = interleave([lambda: sd.location.equalise_weights(grid, EPSILON)], rounds)
    return Row(f"equalise_weights, {side} x {side}", times=[times])


def _optimiser(side: int) -> list[Row]:
    """Measured once: it takes half a minute."""
    grid = _grid(side)
    plain = MapState(Kernel.of(grid, EPSILON), np.ones(grid.cells), True)
    start = time.thread_time()
    found = sd.location.optimise_weights(grid, EPSILON, f1=0.02)
    spent = time.thread_time() - start
    name = f"optimise_weights, {side} x {side}, f1 <= 0.02"
    return [
        Row(name, "60 s", 1, times=[[60.0], [spent]]),
        Row(f"{name}: SQL", "plain GridE", 1.015, exact=found.sql / plain.sql),
    ]
