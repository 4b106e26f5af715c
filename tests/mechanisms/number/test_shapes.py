"""Distributions of four shapes: errors as stated, less than those of a flat encoding, coverage.

All streams are seeded: a failure is a change, not bad luck.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from shapes import SHAPES, binned, coverage, drawn, mean_distance

import sudare as sd
from tests.cases import cases

EPSILONS = (0.5, 1.0, 2.0, 4.0)
N = 10_000


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["smooth", "spiked", "two humps"])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_what_is_chosen_is_nearer_than_a_flat_encoding(epsilon: float, shape: str) -> None:
    """Wasserstein's distance of what is shown, a mean of 16 surveys."""
    best = sd.plan_distribution(0, 1, N, epsilon).best
    ours, _ = mean_distance(best, SHAPES[shape], N, 16, "nearer")
    flat, _ = mean_distance(sd.OUE(64, epsilon), SHAPES[shape], N, 16, "nearer")
    assert ours <= flat


@pytest.mark.slow
@pytest.mark.parametrize(
    "m",
    [
        sd.HierarchicalHistogram(1.0, 0, 1, bins=16, branching=2),
        sd.HierarchicalHistogram(2.0, 0, 1, bins=32, branching=4, oracle="OUE"),
        sd.HierarchicalHistogram(0.5, 0, 1, bins=16, branching=16),
        sd.SquareWave(2.0, 0, 1, bins=16),
    ],
    ids=repr,
)
def test_errors_are_those_stated(m: Any) -> None:
    """1,200 surveys at even shares: one standard error of the mean is about 2 %.

    Beside the population's shares and beside the respondents' own, whose variances are linear in
    the shares: those of the population are their mean.
    """
    rng, runs, n = sd.Entropy.seeded(b"stated"), 1200, 2000 // m.bins * m.bins
    dice, law = rng.generator(), np.full(m.bins, 1 / m.bins)
    below, shares = np.zeros(2), np.zeros(2)
    for _ in range(runs):
        truth = dice.multinomial(n, law)
        estimated = m.estimate(m.simulate(truth, rng=rng), "unbiased").shares
        errors = np.stack([estimated - law, estimated - truth / n])
        below += (np.cumsum(errors, axis=1)[:, :-1] ** 2).mean(axis=1) / runs
        shares += (errors**2).mean(axis=1) / runs
    for i, target in enumerate(("population", "respondents")):
        assert below[i] == pytest.approx(m.expected_cdf_mse(n, target), rel=0.055)
        if not isinstance(m, sd.SquareWave):
            assert shares[i] == pytest.approx(m.expected_mse(n, target=target), rel=0.045)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_deciles_are_held(epsilon: float, shape: str) -> None:
    """150 surveys with the bins that are proposed; those of one survey go together.

    Ends are edges of bins: more than 95 % are held where people lie evenly, and wherever in its
    bin a heap lies not less.
    """
    m = sd.plan_distribution(0, 1, N, epsilon).best
    held = coverage(m, SHAPES[shape], N, 150, "held")
    assert held.mean() >= 0.94
    if shape in ("spiked", "heaped"):  # each quantile; three standard errors of 150 surveys
        assert held.min() >= 0.90
    elif shape != "skewed":
        assert held.mean() <= 0.99


@cases("shape", ["smooth", "spiked"])
def test_intervals_of_ranges_hold(shape: str) -> None:
    """150 surveys, each the 120 ranges between two of 16 edges, which go together."""
    m = sd.HierarchicalHistogram(2.0, 0, 1, bins=16, branching=4)
    rng = sd.Entropy.seeded(b"ranges")
    dice, below = rng.generator(), np.append(0, np.cumsum(binned(SHAPES[shape], 16)))
    truth = np.array([last - first for first, last in combinations(below[:16], 2)])
    held = np.zeros(truth.size)
    for _ in range(150):
        d = m.distribution(drawn(m, SHAPES[shape], 3000, dice, rng))
        low, high = d.between(range(16))
        held += (low <= truth) & (truth <= high)
    assert abs(held.mean() / 150 - 0.95) < 0.015
    assert held.min() / 150 > 0.88
