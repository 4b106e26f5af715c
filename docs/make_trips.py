"""Draw docs/images/trips.png and print what its page says: ``python docs/make_trips.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

import sudare as sd
from sudare.arrays import Integers

matplotlib.use("Agg")
from matplotlib import pyplot

SIDE = 6
GRID = sd.Grid(rows=SIDE, columns=SIDE, cell_height=1000.0, cell_width=1000.0)
LONGEST, EPSILON, PEOPLE = 6, 4.0, 100_000
CENTRES = ((1, 4), (4, 1))


def city(n: int, seed: int = 7) -> Integers:
    """Return made-up trips: from anywhere towards one of two centres, most in a straight line."""
    rng = np.random.default_rng(seed)
    here = rng.integers(0, SIDE, size=(n, 2))
    goal = np.array(CENTRES)[rng.integers(0, 2, size=n)]
    out = np.full((n, LONGEST), -1)
    going = np.ones(n, dtype=bool)
    for step in range(LONGEST):
        out[going, step] = here[going] @ (SIDE, 1)
        going &= (here != goal).any(axis=1) & (rng.random(n) < 0.9)
        straight = rng.random(n) < 0.85
        move = np.where(straight[:, None], np.sign(goal - here), rng.integers(-1, 2, size=(n, 2)))
        then = np.clip(here + move, 0, SIDE - 1)
        here = np.where((then == here).all(axis=1)[:, None], here + np.sign(goal - here), then)
    return out


def visits(trips: Integers) -> Integers:
    """Return how many trips' cells lie in each cell, as a map."""
    return np.bincount(trips[trips >= 0], minlength=GRID.cells).reshape(GRID.shape)


def main() -> None:
    """Randomise, estimate, make up as many trips, compare."""
    m = sd.Trajectories(GRID, LONGEST, EPSILON)
    true = city(PEOPLE)
    reports = m.perturb(true, rng=sd.Entropy.seeded(b"city"))
    found = m.estimate(m.aggregate(reports))
    made = found.synthesise(PEOPLE, rng=sd.Entropy.seeded(b"made"))
    maps = [visits(one) / PEOPLE for one in (true, made)]
    print("part ε:", [round(one, 3) for one in m.part_epsilons], "bytes:", m.report_bytes)
    print("cells of a trip:", *((one >= 0).sum() / PEOPLE for one in (true, made)))
    print(
        "distance of visits:", np.abs(maps[0] / maps[0].sum() - maps[1] / maps[1].sum()).sum() / 2
    )

    figure, axes = pyplot.subplots(1, 2, figsize=(8, 4), layout="constrained")
    for axis, trips, density, title in zip(
        axes,
        (true, made),
        maps,
        ("true trips", f"made up from reports, ε = {EPSILON:g}"),
        strict=True,
    ):
        axis.imshow(density, cmap="Blues", vmin=0, vmax=maps[0].max())
        jitter = np.random.default_rng(1)
        for trip in trips[:60]:
            row, column = np.divmod(trip[trip >= 0], GRID.columns)
            by = jitter.uniform(-0.3, 0.3, size=2)
            axis.plot(column + by[0], row + by[1], color="#b3421f", alpha=0.5, linewidth=0.9)
            axis.plot(column[-1:] + by[0], row[-1:] + by[1], "o", color="#b3421f", markersize=2.5)
        axis.set(title=title, xticks=[], yticks=[])
    figure.savefig(Path(__file__).parent / "images" / "trips.png", dpi=110)


if __name__ == "__main__":
    main()
