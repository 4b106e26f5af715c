"""Early stopping at 20^4 cells and a million reports, against the best stopping point."""

from __future__ import annotations

import numpy as np
import pytest

import sudare as sd

SIZES = (20, 20, 20, 20)
N = 10**6
MAPS = 400


def _mixture(random: np.random.Generator) -> np.ndarray:
    law = np.zeros(SIZES)
    for weight in random.dirichlet(np.ones(6)):
        part = np.ones(())
        for _ in SIZES:
            centre, width = random.uniform(0, 20), random.uniform(1.5, 4)
            hump = np.exp(-(((np.arange(20) - centre) / width) ** 2) / 2)
            part = np.multiply.outer(part, hump / hump.sum())
        law += weight * part
    return law / law.sum()


def _independent(random: np.random.Generator) -> np.ndarray:
    law = np.ones(())
    for _ in SIZES:
        law = np.multiply.outer(law, random.dirichlet(np.ones(20)))
    return law


def _zipf(random: np.random.Generator) -> np.ndarray:
    law = 1 / np.arange(1, 160_001) ** 1.1
    random.shuffle(law)
    return (law / law.sum()).reshape(SIZES)


TRUTHS = (_mixture, _mixture, _independent, _zipf)


def _distance(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).sum() / 2)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_it_stops_near_the_best_point(epsilon: float) -> None:
    j = sd.JointRR(SIZES, epsilon=[epsilon] * 4)
    excess = []
    for seed, truth in enumerate(TRUTHS):
        random = np.random.default_rng(seed)
        law = truth(random)
        reported = j.channel.apply(law).ravel()
        support = random.multinomial(N, reported / reported.sum()).reshape(SIZES)
        x, distances = j.independent(support), []
        for _ in range(MAPS):
            distances.append(_distance(x, law))
            x = x * j.channel.adjoint(support / N / j.channel.apply(x))
        estimate = j.estimate(sd.Counts(support, N), "em")
        excess.append(_distance(estimate.shares, law) / min(distances) - 1)
    assert np.mean(excess) < 0.12, excess
    assert max(excess) < 0.30, excess
