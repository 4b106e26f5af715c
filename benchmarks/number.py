"""Numbers and sets: exact kernels beside ten lines of NumPy in floats, and secure bytes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from timing import Row, interleave

import sudare as sd

EPSILON = 1.0
N, CELLS = 1 << 18, 1 << 22
_E = math.exp(EPSILON)
_random = np.random.default_rng(1)

Floats = npt.NDArray[np.float64]


def rows(rounds: int) -> list[Row]:
    numbers = _random.uniform(-1, 1, N)
    pairs: list[tuple[sd.mechanisms.Mechanism, Callable[[Floats], Floats]]] = [
        (sd.Duchi(EPSILON), _duchi),
        (sd.Piecewise(EPSILON), _piecewise),
        (sd.Hybrid(EPSILON), _hybrid),
        (sd.SquareWave(EPSILON), _square_wave),
    ]
    found = []
    for mechanism, usual in pairs:
        jobs = [
            lambda own=usual: own(numbers),
            lambda one=mechanism: one.perturb(numbers),
        ]
        times = interleave(jobs, rounds)
        found.append(Row(f"{mechanism.name}.perturb", "float code", 2, n=N, times=times))
    return found + [row for k in (10, 1_000) for row in _sets(k, rounds)]


def _sets(k: int, rounds: int) -> list[Row]:
    """Sets of k choices against a byte a cell, and against a float a cell."""
    people, rng = CELLS // k, sd.Entropy.system()
    held, buffer = _random.random((people, k)) < 0.3, np.empty(1 << 16, dtype=np.uint8)
    m = sd.SetUnary(k, 2.0)
    p, q = (float(one) for one in m.support_probabilities)

    def needed() -> None:
        for _ in range(people * k // buffer.size):
            rng.fill(buffer)

    def usual() -> npt.NDArray[np.bool_]:
        return _random.random(held.shape) < np.where(held, p, q)

    secure, floats, own = interleave([needed, usual, lambda: m.perturb(held)], rounds)
    name = f"SetUnary.perturb k={k:,}"
    return [
        Row(name, "its secure bytes", 10, n=people, times=[secure, own]),
        Row(name, "float code", n=people, times=[floats, own]),
    ]


# -- as usually written: floats, and no guarantee ------------------------------------------------


def _duchi(x: Floats) -> Floats:
    size = (_E + 1) / (_E - 1)
    return np.where(_random.random(x.size) < x / (2 * size) + 0.5, size, -size)


def _piecewise(x: Floats) -> Floats:
    root = math.exp(EPSILON / 2)
    c = (root + 1) / (root - 1)
    left = (c + 1) / 2 * x - (c - 1) / 2
    near = _random.random(x.size) < root / (root + 1)
    inside = left + _random.random(x.size) * (c - 1)
    outside = _random.random(x.size) * (c + 1) - c
    outside += (outside >= left) * (c - 1)
    return np.where(near, inside, outside)


def _hybrid(x: Floats) -> Floats:
    coin = _random.random(x.size) < 1 - math.exp(-EPSILON / 2)
    return np.where(coin, _piecewise(x), _duchi(x))


def _square_wave(x: Floats) -> Floats:
    b = (EPSILON * _E - _E + 1) / (2 * _E * (_E - 1 - EPSILON))
    v = (x + 1) / 2
    near = _random.random(x.size) < 2 * b * _E / (2 * b * _E + 1)
    outside = _random.random(x.size)
    outside += np.where(outside < v, -b, b)
    return np.where(near, v + b * (2 * _random.random(x.size) - 1), outside)
