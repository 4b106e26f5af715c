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
    sides = ((15, 60), (50, 120), (100, 250))
    drawn = [row for side, most in sides for row in _perturb(side, most, rounds)]
    return [*drawn, _f1(100, few), *_algorithm(50, few), _equaliser(200, few), *_optimiser(200)]


def _grid(side: int) -> sd.Grid:
    return sd.Grid(side, side, cell_height=115.6, cell_width=141.5)


def _perturb(side: int, most: float, rounds: int) -> list[Row]:
    """Reports of people everywhere, against one search in a table of floats of the whole law."""
    grid, people = _grid(side), 1 << 18
    m = sd.GridExponential(grid, EPSILON)
    cells = np.random.default_rng(1).integers(0, grid.cells, people)
    compiled = time.process_time()
    m.perturb(cells[:1000])
    tables = time.process_time() - compiled
    random, rng = np.random.default_rng(2), sd.Entropy.system()
    buffer = np.empty(1 << 15, dtype=np.uint32)

    def words() -> None:
        for _ in range(people // buffer.size):
            rng.fill(buffer)

    name = f"GridExponential.perturb {side} x {side}"
    jobs = [words, lambda: m.perturb(cells)]
    if grid.cells <= 2500:
        ends = (np.cumsum(m.matrix(), axis=0) + np.arange(grid.cells)).T.ravel()
        jobs.insert(1, lambda: np.searchsorted(ends, cells + random.random(people)) % grid.cells)
    *limits, own = interleave(jobs, rounds)
    against = zip(["one secure u32 word a person", "NumPy, searchsorted"], limits, strict=False)
    return [
        Row(name, f"{most} ns a person", 1, n=people, times=[[most * 1e-9 * people] * rounds, own]),
        *(Row(name, one, n=people, times=[spent, own]) for one, spent in against),
        Row(f"{name}: tables", "1 s" if side > 50 else "0.1 s", 1,
            times=[[1.0 if side > 50 else 0.1], [tables]]),
    ]  # fmt: skip


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
        Row(name, "45 s", 1, times=[[45.0], [spent]]),
        Row(f"{name}: SQL", "plain GridE", 1.015, exact=found.sql / plain.sql),
    ]
