"""d_X-privacy of any weights: of the float channel, and of the integers that are sampled."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.exact import exp_bounds
from tests.cases import cases

EPSILON = Fraction(1, 50)
WEIGHTS = 100
Floats = np.ndarray[Any, np.dtype[np.float64]]


def random_weights(cells: int, seed: int) -> Floats:
    """Return weights of very different sizes, a third of them 0, never all."""
    random = np.random.default_rng(seed)
    weights = random.random(cells) ** random.integers(1, 12)
    weights[random.random(cells) < 1 / 3] = 0
    weights[random.integers(cells)] = 1
    return weights


def most_spent(law: Floats, distances: Floats) -> float:
    """Return the largest ``ln(P(o|r1) / P(o|r2)) / d(r1, r2)``."""
    logs = np.log(law[law.max(axis=1) > 0])
    apart = distances + np.where(np.eye(len(distances)) > 0, np.inf, 0)
    return max(float(((row[:, None] - row) / apart).max()) for row in logs)


@pytest.mark.parametrize("part", range(4))
def test_the_float_channel(part: int) -> None:
    """WGridE as the formula has it, on the map of the source."""
    grid = sd.Grid(15, 15, cell_height=115.6, cell_width=141.5)
    distances = grid.distances()
    kernel = np.exp(-float(EPSILON) / 2 * distances)
    for seed in range(part, WEIGHTS, 4):
        weights = random_weights(225, seed)
        law = weights[:, None] * kernel / (kernel @ weights)
        assert most_spent(law, distances) <= float(EPSILON) * (1 + 1e-9)


@cases("part", range(4))
def test_the_integers_on_the_map_of_the_source(part: int) -> None:
    """As floats: the matrix is that of the integers, to double precision."""
    grid = sd.Grid(15, 15, cell_height=115.6, cell_width=141.5)
    distances = grid.distances()
    for seed in range(part, 20, 4):
        m = sd.GridExponential(grid, EPSILON, random_weights(225, seed))
        assert most_spent(m.matrix(), distances) <= float(EPSILON) * (1 + 1e-9)
        assert m.epsilon <= float(EPSILON)


def test_the_integers_exactly() -> None:
    """As fractions: each ratio of two probabilities is below a rational bound of e^(ε d)."""
    grid = sd.Grid(3, 4, cell_height=115.6, cell_width=141.5)
    distances = grid.distances()
    bounds = [
        [exp_bounds(EPSILON * (1 + Fraction(1, 10**9)) * Fraction(d) + Fraction(1, 10**15))[1]
         for d in row]
        for row in distances.tolist()
    ]  # fmt: skip
    for seed in range(WEIGHTS):
        weights = random_weights(12, seed)
        law = sd.GridExponential(grid, EPSILON, weights).program.matrix()
        for row, weight in zip(law, weights, strict=True):
            assert any(row) == (weight > 0)
            for r, one in enumerate(row):
                for other, two in enumerate(row):
                    assert one <= bounds[r][other] * two


def test_a_channel_that_overspends_is_noticed() -> None:
    """Negative control: the kernel exp(-ε d) with weights, half of which GridE has."""
    grid = sd.Grid(3, 4, cell_height=115.6, cell_width=141.5)
    distances = grid.distances()
    weights = random_weights(12, 1)
    kernel = np.exp(-1.05 * float(EPSILON) * distances)
    law = weights[:, None] * kernel / (kernel @ weights)
    assert most_spent(law, distances) > float(EPSILON) * (1 + 1e-9)
