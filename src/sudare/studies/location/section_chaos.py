"""What Algorithm 1 gives when what the source leaves open is chosen in another way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sudare.location import ReducedWeights, boundary_report, reduce_weights
from sudare.location.report import Mode
from sudare.mechanisms import Grid, GridExponential
from sudare.studies.book import Facts, Label, Word
from sudare.studies.location.orders import grouped
from sudare.studies.location.setting import Grids
from sudare.studies.location.toy import COLUMN, GRID, MAIN, ROW, SHARED
from sudare.studies.palette import BLUE, GOLD, GREEN, GREY, INK, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NOISE = 1e-6
MODES: tuple[Mode, ...] = ("observed", "limit")


@dataclass(frozen=True, eq=False)
class Tried:
    """One run of Algorithm 1.

    Attributes:
        kind: what was changed: a key of :data:`KINDS`.
        what: in words.
    """

    kind: str
    what: Word | str
    epsilon: float
    mode: Mode
    found: ReducedWeights

    @property
    def cells(self) -> tuple[float, float, int, int]:
        """What a table tells of the run."""
        return self.found.f1, self.found.sql, self.found.evaluations, self.found.accepted


KINDS = {
    "usual": (INK, "*"),
    "another-step": (BLUE, "o"),
    "ties": (RED, "s"),
    "order": (GOLD, "D"),
    "rounding": (GREEN, "^"),
}
"""Colour and mark."""


def compute(setting: Grids) -> Facts:
    """Run the source's ε with both modes and all steps, and the variations at the main ε."""
    jobs = list(product(setting.modes, MODES, setting.steps))
    base = [
        Tried("another-step", "", e, mode, reduce_weights(GRID, e, step=step, mode=mode))
        for e, mode, step in setting.progress(jobs, len(jobs), "Algorithm 1, modes and steps")
    ]
    varied = list(_varied(setting))

    def f1(*kinds: str) -> list[float]:
        return [one.found.f1 for one in varied if one.kind in kinds]

    started = {name: _from(start) for name, start in _starts(setting).items()}
    return Facts(
        {
            **SHARED,
            "varied": f1(*KINDS),
            "usual": varied[0].found.f1,
            "turned": f1("ties", "order"),
            "rounded": f1("rounding"),
            "started": started,
            "fallen": [after / before for before, after in started.values()],
        },
        tables={
            "algorithm-1-modes": [
                (one.epsilon, one.mode, one.found.step, *one.cells) for one in base
            ],
            "algorithm-1-variations": [(one.what, *one.cells) for one in varied],
        },
        figures={"chaos": partial(_draw, varied)},
    )


def _varied(setting: Grids) -> Iterator[Tried]:
    def tried(
        kind: str, what: Word | str, grid: Grid = GRID, e: float = MAIN, **other: Any
    ) -> Tried:
        return Tried(kind, what, e, "observed", reduce_weights(grid, e, **other))

    yield tried("usual", Word("usual"))
    for step in setting.other_steps:
        yield tried("another-step", Word("step", {"step": step}), step=step)
    for tied in setting.ties:
        yield tried("ties", Word("tied", {"tied": tied}), order=grouped(tied))
    yield tried("ties", Word("one-by-one"), order=grouped(-np.inf))
    yield tried("order", Word("least-first"), order=grouped(1e-9, np.positive))
    generator = setting.rng("noise").generator()
    for i in range(1, setting.noisy + 1):
        start = 1 - NOISE * generator.random(GRID.cells)
        yield tried("rounding", Word("nearly", {"draw": i}), start=start)
    yield tried("rounding", "ε = 0.0200001", e=0.0200001)
    yield tried("rounding", "ε = 0.0201", e=0.0201)
    yield tried("rounding", "115.58 × 141.45 m", Grid(GRID.rows, GRID.columns, 115.58, 141.45))


def _starts(setting: Grids) -> dict[str, npt.NDArray[np.float64]]:
    """Return weights to start from: halves, a slope to the sea, drawn ones, and nearly all 1."""
    generator = setting.rng("starts").generator()
    return {
        "half": np.full(GRID.cells, 0.5),
        "east": np.where(COLUMN > 7, 0.5, 1.0),
        "centre": np.exp(-((ROW - 7) ** 2 + (COLUMN - 7) ** 2) / 32),
        "drawn": generator.random(GRID.cells),
        "nearly-1": 1 - NOISE * generator.random(GRID.cells),
    }


def _from(start: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return f1 of these weights, and of those that Algorithm 1 makes of them."""
    before = boundary_report(GridExponential(GRID, MAIN, weights=start)).f1
    return before, reduce_weights(GRID, MAIN, start=start).f1


def _draw(varied: list[Tried], canvas: Canvas, label: Label) -> None:
    axes = canvas.subplots()
    for kind, (colour, mark) in KINDS.items():
        mine = [one.found for one in varied if one.kind == kind]
        usual = kind == "usual"
        axes.plot(
            [one.sql for one in mine],
            [one.f1 for one in mine],
            linestyle="",
            marker=mark,
            markersize=11 if usual else 6,
            markerfacecolor=colour if usual else "none",
            markeredgecolor=colour,
            markeredgewidth=1.3,
            label=label(kind),
        )
    axes.axhline(0.18, color=GREY, linewidth=0.9, linestyle="--")
    axes.set_ylim(0, None)
    axes.set_xlabel(label("sql-metres"))
    axes.set_ylabel("f1")
    axes.legend()
