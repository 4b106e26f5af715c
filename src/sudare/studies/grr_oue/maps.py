"""Which of GRR and OUE is better after a repair, over k, ε, n and the shape of the histogram."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from sudare.arrays import Integers
from sudare.estimation.simplex import largest_remainders
from sudare.mechanisms import GRR, OUE, FrequencyOracle
from sudare.studies.grr_oue.repairs import REPAIRS as ALL, simulated_shares
from sudare.studies.grr_oue.setting import Grids
from sudare.studies.grr_oue.theory import exact_crossing, shifted_crossing
from sudare.studies.palette import INK, Canvas
from sudare.studies.parts import Setting
from sudare.studies.study_text import Label

SHAPES = ("even", "steep")
REPAIRS = ("normalise", "project")


@dataclass(frozen=True, slots=True)
class Cell:
    """Simulated MSE of GRR and OUE by repair, for one k, n, ε and shape."""

    k: int
    n: int
    epsilon: float
    shape: str
    grr: dict[str, float]
    oue: dict[str, float]

    @property
    def errors(self) -> list[float]:
        """By repair, that of GRR and that of OUE."""
        return [found[repair] for repair in REPAIRS for found in (self.grr, self.oue)]

    def ratio(self, repair: str) -> float:
        """MSE of OUE over that of GRR; few repetitions may have no error at all."""
        oue, grr = self.oue[repair], self.grr[repair]
        return oue / grr if grr else math.inf if oue else 1.0


def histogram(shape: str, k: int, n: int) -> Integers:
    """Return counts with the sum n in that shape."""
    weight = np.ones(k) if shape == "even" else 1 / np.arange(1, k + 1)
    return largest_remainders(n * weight / weight.sum(), n)


def explore(setting: Grids) -> list[Cell]:
    """Simulate every k, n, ε and shape."""
    jobs = list(product(SHAPES, setting.people, setting.sizes, setting.map))
    return [
        _cell(shape, n, k, epsilon, setting)
        for shape, n, k, epsilon in setting.progress(jobs, len(jobs), "map of k, n and ε")
    ]


def _cell(shape: str, n: int, k: int, epsilon: float, setting: Setting) -> Cell:
    truth = histogram(shape, k, n)

    def errors(kind: type[FrequencyOracle]) -> dict[str, float]:
        rng = setting.rng(f"map/{kind.name}/{shape}/{n}/{k}/{epsilon}")
        raw = simulated_shares(kind(k, epsilon), truth, setting.repetitions, rng)
        return {name: float(np.mean((ALL[name](raw) - truth / n) ** 2)) for name in REPAIRS}

    return Cell(k, n, epsilon, shape, errors(GRR), errors(OUE))


def draw_map(cells: list[Cell], shape: str, grids: Grids, canvas: Canvas, label: Label) -> None:
    """Draw one shape: a panel for each repair and n, an axis for each of k and ε."""
    from matplotlib.colors import LogNorm

    by = {(c.k, c.n, c.epsilon): c for c in cells if c.shape == shape}
    sizes, people, epsilons = grids.sizes, grids.people, grids.map
    grid = canvas.subplots(len(REPAIRS), len(people), sharex=True, sharey=True)
    place = np.arange(len(sizes))
    dense = range(5, sizes[-1] + 1)
    for row, repair in enumerate(REPAIRS):
        for column, n in enumerate(people):
            axes = grid[row, column]
            ratio = [[by[k, n, e].ratio(repair) for k in sizes] for e in epsilons]
            image = axes.pcolormesh(
                np.clip(ratio, 0.25, 4), cmap="RdBu_r", norm=LogNorm(0.25, 4), rasterized=True
            )
            for crossing, dash in ((exact_crossing, "-"), (shifted_crossing, "--")):
                known = [(k, e) for k in dense if (e := crossing(k)) and e >= epsilons[0]]
                k, e = np.array(known).T
                x = np.interp(np.log(k), np.log(sizes), place) + 0.5
                y = np.interp(e, epsilons, np.arange(len(epsilons))) + 0.5
                axes.plot(x, y, dash, color=INK, linewidth=1.3)
            axes.grid(visible=False)
            axes.set_xticks(place + 0.5, [str(k) for k in sizes])
            axes.set_yticks(np.arange(len(epsilons)) + 0.5, [f"{e:g}" for e in epsilons])
            axes.tick_params(labelsize=8)
            axes.set_title(f"{label(repair)}\nn = {n:,}" if column == 0 else f"n = {n:,}")
        grid[row, 0].set_ylabel("ε")
    for axes in grid[-1]:
        axes.set_xlabel(label("map-categories"))
    bar = canvas.colorbar(image, ax=grid, shrink=0.8, label=label("mse-ratio"))
    bar.set_ticks([0.25, 0.5, 1, 2, 4], labels=["≤ 1/4", "1/2", "1", "2", "≥ 4"])
    bar.minorticks_off()
