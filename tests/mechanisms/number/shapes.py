"""Distributions of some shapes, how far estimates are from them, and how often intervals hold.

``python tests/mechanisms/number/shapes.py`` prints the table of
``docs/mechanisms/hierarchical-histogram.md``: a mean of 12 surveys of 10,000 people each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import sudare as sd
from sudare.estimation import project
from sudare.estimation.distribution import DECILES

Floats = npt.NDArray[np.float64]
GRID = 1 << 14
"""Points on [0, 1] that carry a shape: all bins are a whole number of them."""


def _density(f: Callable[[Floats], Floats]) -> Floats:
    x = (np.arange(GRID) + 0.5) / GRID
    out: Floats = f(x)
    return out / out.sum()


def _spiked() -> Floats:
    out = 0.55 * _density(lambda x: x**2 * (1 - x) ** 3)
    for place, share in ((0.2, 0.1), (0.25, 0.15), (0.5, 0.12), (0.6, 0.08)):
        out[int(place * GRID)] += share
    return out


def _heaped() -> Floats:
    """Everybody's number is rounded down to one of 8, where bins begin."""
    smooth = _density(lambda x: x**2 * (1 - x) ** 5)
    out = np.zeros(GRID)
    out[:: GRID // 8] = smooth.reshape(8, -1).sum(axis=1)
    return out


SHAPES = {
    "smooth": _density(lambda x: x**2 * (1 - x) ** 5),
    "spiked": _spiked(),
    "two humps": _density(
        lambda x: np.exp(-(((x - 0.25) / 0.07) ** 2)) + 0.6 * np.exp(-(((x - 0.7) / 0.1) ** 2))
    ),
    "skewed": _density(lambda x: np.exp(-((np.log(x / 0.06) / 0.9) ** 2)) / x),
    "heaped": _heaped(),
}


def binned(shape: Floats, bins: int) -> Floats:
    """The shares of equal bins."""
    return shape.reshape(bins, -1).sum(axis=1)


def distance(shape: Floats, bins: int, shares: Floats) -> float:
    """Wasserstein's: the area between the distributions, people lying evenly in their bins."""
    ends = np.concatenate([[0.0], np.cumsum(shares)])
    at = (np.arange(GRID) + 1) / GRID
    found = np.interp(at, np.linspace(0, 1, bins + 1), ends)
    return float(np.abs(found - np.cumsum(shape)).mean())


def drawn(m: Any, shape: Floats, n: int, dice: np.random.Generator, rng: sd.Entropy) -> sd.Counts:
    """The counts of n people drawn from a shape."""
    truth = dice.multinomial(n, binned(shape, m.shape[0] if isinstance(m, sd.OUE) else m.bins))
    return m.simulate(truth, rng=rng)


def shown(m: Any, counts: sd.Counts) -> Floats:
    """The shares that are shown; of the flat encoding the nearest on the simplex."""
    if isinstance(m, sd.OUE):
        return project(m.estimate(counts).shares)
    d = m.distribution(counts)
    return np.diff(d._shown)


def mean_distance(m: Any, shape: Floats, n: int, runs: int, label: str) -> tuple[float, float]:
    """The mean distance of what is shown, and its standard error."""
    rng = sd.Entropy.seeded(label.encode())
    dice = rng.generator()
    found = []
    for _ in range(runs):
        shares = shown(m, drawn(m, shape, n, dice, rng))
        found.append(distance(shape, shares.size, shares))
    return float(np.mean(found)), float(np.std(found) / np.sqrt(runs))


def quantiles(shape: Floats) -> Floats:
    """The true deciles."""
    places = np.searchsorted(np.cumsum(shape), np.array(DECILES) - 1e-12)
    return (places + 0.5) / GRID


def coverage(m: Any, shape: Floats, n: int, runs: int, label: str) -> Floats:
    """How often the interval of each decile holds it."""
    rng, truth = sd.Entropy.seeded(label.encode()), quantiles(shape)
    dice, held = rng.generator(), np.zeros(9)
    for _ in range(runs):
        found = m.distribution(drawn(m, shape, n, dice, rng)).deciles
        ends = np.array([(one.low, one.high) for one in found])
        held += (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    return held / runs


def table(n: int = 10_000, runs: int = 12) -> None:
    """Print the distances of some mechanisms, as per cent of the range."""
    print("| ε | shape | `OUE`, 64 bins | tree, 64 | tree, as proposed | square wave, 256 |")
    print("|---|---|---|---|---|---|")
    for epsilon in (0.5, 1.0, 2.0, 4.0):
        proposed = sd.plan_distribution(0, 1, n, epsilon)
        many: list[Any] = [
            sd.OUE(64, epsilon),
            sd.plan_distribution(0, 1, n, epsilon, 64).best,
            proposed.best,
            sd.SquareWave(epsilon, 0, 1, 256),
        ]
        for name, shape in list(SHAPES.items())[:4]:
            found = [mean_distance(m, shape, n, runs, f"table {name}") for m in many]
            cells = [f"{100 * mean:.2f} ± {100 * error:.2f}" for mean, error in found]
            cells[2] += f" ({proposed.bins})"
            print(f"| {epsilon:g} | {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    table()
