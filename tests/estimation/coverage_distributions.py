"""Coverage of distributions: deciles and ranges, by every mechanism of bins."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from coverage_entries import LEVEL, Entry, holds
from coverage_laws import TARGETS

import sudare as sd
from sudare.estimation.distribution import DECILES
from sudare.mechanisms import Binned
from sudare.mechanisms.registry import registered

RUNS = 1500
WHOLE = 31
"""Numbers that people may give, where these are whole."""

SLOW = ("smooth", "whole numbers")
"""Shapes for the square wave, whose picture by EM takes a while."""

FINE = 1 << 12
"""Places that a shape is cut into."""


def shapes() -> dict[str, np.ndarray]:
    """People at places from 0 to 1: along curves, in spikes, at whole numbers of 31."""
    x = (np.arange(FINE) + 0.5) / FINE
    smooth = x**2 * (1 - x) ** 5
    humps = np.exp(-(((x - 0.25) / 0.07) ** 2)) + 0.6 * np.exp(-(((x - 0.7) / 0.1) ** 2))
    whole = np.zeros(FINE)
    np.add.at(whole, ((np.floor(x * WHOLE) + 0.3) / WHOLE * FINE).astype(int), smooth)
    spiked = smooth / smooth.sum()
    for place, share in ((0.2, 0.2), (0.25, 0.3), (0.5, 0.24), (0.6, 0.16)):
        spiked[int(place * FINE)] += share
    found = {"even": np.ones(FINE), "smooth": smooth, "two humps": humps, "whole numbers": whole,
             "spiked": spiked}  # fmt: skip
    return {name: shape / shape.sum() for name, shape in found.items()}


def mechanisms() -> Iterator[tuple[Any, int, str]]:
    """Every registered one as it is planned for some ε and n, and between stated edges."""
    for kind in registered(Binned):
        tree = kind is sd.HierarchicalHistogram
        for epsilon, n in ((1.0, 1000), *(((1.0, 10_000), (4.0, 2000)) if tree else ())):
            ranked = sd.plan_distribution(0, 1, n, epsilon)
            m = next((one.mechanism for one in ranked if type(one.mechanism) is kind), None)
            if m is not None:
                yield m, n, f"{kind.__name__} ε={epsilon:g} n={n} {m.bins} bins"
    edges = [0, 0.02, 0.05, 0.1, 0.13, 0.17, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1]
    m = sd.HierarchicalHistogram.over(edges, 1.0, branching=4)
    yield m, 4000, "HierarchicalHistogram ε=1 n=4000 12 unequal bins"


def distributions() -> Iterator[Entry]:
    """The nine deciles, the median among them, and ranges between nine edges, counted together."""
    for m, n, label in mechanisms():
        for name, shape in shapes().items():
            if isinstance(m, sd.SquareWave) and name not in SLOW:
                continue
            for target in TARGETS if name == "smooth" and n == 1000 else TARGETS[:1]:
                yield from _entries(m, n, shape, target, f"{label} {name} {target}")


def _entries(m: Any, n: int, shape: np.ndarray, target: Any, case: str) -> Iterator[Entry]:
    rng = sd.Entropy.seeded(case.encode())
    dice, bins = rng.generator(), m.bins_of((np.arange(FINE) + 0.5) / FINE)
    fixed = dice.multinomial(n, shape)
    at = np.unique(np.linspace(0, m.bins, min(m.bins, 8) + 1).astype(int))
    quantiles, ranges = [], []
    for _ in range(RUNS):
        people = dice.multinomial(n, shape) if target == "population" else fixed
        truth = np.cumsum(shape if target == "population" else fixed / n)
        counts = m.simulate(np.bincount(bins, people, m.bins).astype(int), rng=rng)
        found = m.distribution(counts, target)
        quantiles.append([
            one.low <= (np.searchsorted(truth, one.p - 1e-12) + 0.5) / FINE <= one.high
            for one in (found.quantile(p, LEVEL) for p in DECILES)
        ])  # fmt: skip
        own = np.diff(np.append(0.0, truth[np.searchsorted(bins, at[1:]) - 1]))
        ends = np.append(0.0, np.cumsum(own))
        true = np.array([ends[j] - ends[i] for i, j in combinations(range(at.size), 2)])
        ranges.append(holds(*found.between(at.tolist(), LEVEL), true).mean())
    held = np.array(quantiles, dtype=float)
    yield _mean("decile", case, held.mean(axis=1))
    yield _mean("range of a distribution", case, np.array(ranges))


def _mean(name: str, case: str, shares: np.ndarray) -> Entry:
    """An entry of the part of several intervals that held, in each survey."""
    rate = float(shares.mean())
    return Entry(name, case, rate, rate, 0.0, shares.size)
