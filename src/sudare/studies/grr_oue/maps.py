"""Which of GRR and OUE is better after a repair, over k, ε, n and the shape of the histogram."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sudare.mechanisms import GRR, OUE
from sudare.studies.grr_oue.draws import simulated_shares
from sudare.studies.grr_oue.palette import INK
from sudare.studies.grr_oue.repairs import REPAIR_WORDS
from sudare.studies.grr_oue.repairs import REPAIRS as ALL_REPAIRS
from sudare.studies.grr_oue.theory import exact_crossing, shifted_crossing
from sudare.studies.parts import Column, Figure, Say, Setting, Table
from sudare.studies.words import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

SIZES = (2, 3, 5, 8, 12, 20, 43, 100, 200)
PEOPLE = (14, 1_000, 50_000)
EPSILONS = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0)
SHAPES = {
    "even": Text("even histogram", "均等な分布"),
    "steep": Text("steep histogram (shares ∝ 1/rank)", "偏った分布（割合 ∝ 1/順位）"),
}
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

    def ratio(self, repair: str) -> float:
        """MSE of OUE over that of GRR; few repetitions may have no error at all."""
        oue, grr = self.oue[repair], self.grr[repair]
        return oue / grr if grr else math.inf if oue else 1.0


def histogram(shape: str, k: int, n: int) -> npt.NDArray[np.int64]:
    """Return counts with the sum n in that shape: whole parts, then the largest remainders."""
    weight = np.ones(k) if shape == "even" else 1 / np.arange(1, k + 1)
    ideal = n * weight / weight.sum()
    counts: npt.NDArray[np.int64] = ideal.astype(np.int64)
    order = np.argsort(-(ideal - counts), kind="stable")
    counts[order[: n - int(counts.sum())]] += 1
    return counts


def explore(setting: Setting) -> list[Cell]:
    """Simulate every k, n, ε and shape."""
    jobs = list(product(SHAPES, PEOPLE, SIZES, EPSILONS))
    return [
        _cell(shape, n, k, epsilon, setting)
        for shape, n, k, epsilon in setting.progress(jobs, len(jobs), "map of k, n and ε")
    ]


def _cell(shape: str, n: int, k: int, epsilon: float, setting: Setting) -> Cell:
    truth = histogram(shape, k, n)
    found = []
    for kind in (GRR, OUE):
        mechanism = kind(k, epsilon)
        rng = setting.rng(f"map/{kind.name}/{shape}/{n}/{k}/{epsilon}")
        raw = simulated_shares(mechanism, truth, setting.repetitions, rng)
        found.append(
            {name: float(np.mean((ALL_REPAIRS[name](raw) - truth / n) ** 2)) for name in REPAIRS}
        )
    return Cell(k, n, epsilon, shape, *found)


def map_figure(shape: str, cells: list[Cell]) -> Figure:
    """Return the map of one shape."""
    mine = [cell for cell in cells if cell.shape == shape]
    return Figure(
        f"map-{shape}",
        Text(
            f"After a repair, {SHAPES[shape].en}: simulated MSE of OUE over that of GRR by k, ε "
            "and n. Blue: OUE wins; red: GRR wins; white: as good. Lines: the crossing of "
            "the unbiased estimates (solid), and with OUE shifted to the sum 1 (dashed).",
            f"補正後、{SHAPES[shape].ja}：模擬 MSE の比 OUE÷GRR（k、ε、n 別）。青は OUE、赤は "
            "GRR の勝ち、白は同程度。線は不偏推定の交点（実線）と、OUE を"
            "合計1にずらした場合の交点（破線）。",
        ),
        Text(
            "With many answers the repaired errors change places close to the lines; with "
            "14 answers there is little between them below ε = 1.",
            "回答が多ければ補正後も線の近くで入れ替わる。14件では ε = 1 より下でほとんど差がない。",
        ),
        lambda canvas, say: _draw_map(canvas, say, mine),
        (8.6, 6.2),
    )


def _draw_map(canvas: Canvas, say: Say, cells: list[Cell]) -> None:
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import FixedLocator, NullLocator

    by = {(c.k, c.n, c.epsilon): c for c in cells}
    grid = canvas.subplots(len(REPAIRS), len(PEOPLE), sharex=True, sharey=True)
    place = np.arange(len(SIZES))
    dense = range(5, SIZES[-1] + 1)
    for row, repair in enumerate(REPAIRS):
        for column, n in enumerate(PEOPLE):
            axes = grid[row, column]
            ratio = [[by[k, n, e].ratio(repair) for k in SIZES] for e in EPSILONS]
            image = axes.pcolormesh(
                np.clip(ratio, 0.25, 4), cmap="RdBu_r", norm=LogNorm(0.25, 4), rasterized=True
            )
            for crossing, dash in ((exact_crossing, "-"), (shifted_crossing, "--")):
                known = [(k, e) for k in dense if (e := crossing(k)) and e >= EPSILONS[0]]
                axes.plot(
                    np.interp(np.log([k for k, _ in known]), np.log(SIZES), place) + 0.5,
                    np.interp([e for _, e in known], EPSILONS, np.arange(len(EPSILONS))) + 0.5,
                    dash,
                    color=INK,
                    linewidth=1.3,
                )
            axes.grid(visible=False)
            axes.set_xticks(place + 0.5, [str(k) for k in SIZES])
            axes.set_yticks(np.arange(len(EPSILONS)) + 0.5, [f"{e:g}" for e in EPSILONS])
            head = f"n = {n:,}"
            axes.tick_params(labelsize=8)
            axes.set_title(f"{say(REPAIR_WORDS[repair])}\n{head}" if column == 0 else head)
    for axes in grid[-1]:
        axes.set_xlabel(say(Text("categories k", "カテゴリ数 k")))
    for axes in grid[:, 0]:
        axes.set_ylabel("ε")
    bar = canvas.colorbar(image, ax=grid, shrink=0.8)
    bar.ax.yaxis.set_major_locator(FixedLocator([0.25, 0.5, 1, 2, 4]))
    bar.ax.yaxis.set_minor_locator(NullLocator())
    bar.ax.set_yticklabels(["≤ 1/4", "1/2", "1", "2", "≥ 4"])
    bar.set_label(say(Text("MSE of OUE / MSE of GRR", "OUE の MSE ÷ GRR の MSE")))


def map_table(cells: list[Cell]) -> Table:
    """Return every cell as a table."""
    return Table(
        "map",
        Text("All cells of the two maps.", "2枚の地図の全数値。"),
        (
            Column(Text("shape", "分布")),
            Column("n", "d"),
            Column("k", "d"),
            Column("ε", "g"),
            *(
                Column(Text(f"{name}: {words.en}", f"{name}：{words.ja}"), ".3e")
                for words in (REPAIR_WORDS[repair] for repair in REPAIRS)
                for name in ("GRR", "OUE")
            ),
        ),
        tuple(
            (
                SHAPES[cell.shape],
                cell.n,
                cell.k,
                cell.epsilon,
                *(mse for repair in REPAIRS for mse in (cell.grr[repair], cell.oue[repair])),
            )
            for cell in cells
        ),
        in_report=False,
    )
