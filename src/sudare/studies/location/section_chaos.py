"""What Algorithm 1 gives when what the source leaves open is chosen in another way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from sudare.arrays import Floats
from sudare.location import ReducedWeights, boundary_report, reduce_weights
from sudare.location.report import Mode
from sudare.mechanisms import Grid, GridExponential
from sudare.studies.location.printed import grouped
from sudare.studies.location.setting import Grids
from sudare.studies.location.toy import COLUMN, GRID, MAIN, ROW, SHARED
from sudare.studies.palette import BLUE, GOLD, GREEN, GREY, INK, RED, Canvas, points
from sudare.studies.study_text import Facts, Label, Word

NOISE = 1e-6
MODES: tuple[Mode, ...] = ("observed", "limit")


Tried = tuple[str, Word | str, ReducedWeights]
"""What was changed: a key of :data:`KINDS`, and words; and what came of it."""
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
        (e, mode, step, *_told(reduce_weights(GRID, e, step=step, mode=mode)))
        for e, mode, step in setting.progress(jobs, len(jobs), "Algorithm 1, modes and steps")
    ]
    varied = list(_varied(setting))
    f1 = {kind: [one.f1 for other, _, one in varied if other == kind] for kind in KINDS}
    starts = _starts(setting)
    each = setting.progress(starts.items(), len(starts), "Algorithm 1, start weights")
    started = {name: _from(start) for name, start in each}
    return Facts.of(
        **SHARED,
        varied=[one.f1 for *_, one in varied],
        usual=f1["usual"][0],
        turned=f1["ties"] + f1["order"],
        rounded=f1["rounding"],
        started=started,
        fallen=[after / before for before, after in started.values()],
        tables={
            "algorithm-1-modes": base,
            "algorithm-1-variations": [(what, *_told(one)) for _, what, one in varied],
        },
        figures={"chaos": partial(_draw, varied)},
    )


def _told(found: ReducedWeights) -> tuple[float, float, float, int, int]:
    """Return what a table tells of a run, f1 in both modes."""
    return found.f1_observed, found.f1_limit, found.sql, found.evaluations, found.accepted


def _varied(setting: Grids) -> Iterator[Tried]:
    jobs = list(_variations(setting))
    for kind, what, find in setting.progress(jobs, len(jobs), "Algorithm 1, varied"):
        yield kind, what, find()


def _variations(setting: Grids) -> Iterator[tuple[str, Word | str, Callable[[], ReducedWeights]]]:
    def tried(
        kind: str, what: Word | str, e: float = MAIN, **other: Any
    ) -> tuple[str, Word | str, Callable[[], ReducedWeights]]:
        return kind, what, partial(reduce_weights, other.pop("grid", GRID), e, **other)

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
    yield tried("rounding", "115.58 × 141.45 m", grid=Grid(15, 15, 115.58, 141.45))


def _starts(setting: Grids) -> dict[str, Floats]:
    """Return weights to start from: halves, a slope to the sea, drawn ones, and nearly all 1."""
    generator = setting.rng("starts").generator()
    return {
        "half": np.full(GRID.cells, 0.5),
        "east": np.where(COLUMN > 7, 0.5, 1.0),
        "centre": np.exp(-((ROW - 7) ** 2 + (COLUMN - 7) ** 2) / 32),
        "drawn": generator.random(GRID.cells),
        "nearly-1": 1 - NOISE * generator.random(GRID.cells),
    }


def _from(start: Floats) -> tuple[float, float]:
    """Return f1 of these weights, and of those that Algorithm 1 makes of them."""
    before = boundary_report(GridExponential(GRID, MAIN, weights=start)).f1
    return before, reduce_weights(GRID, MAIN, start=start).f1


def _draw(varied: list[Tried], canvas: Canvas, label: Label) -> None:
    axes = canvas.subplots()
    for kind, (colour, mark) in KINDS.items():
        mine = [one for other, _, one in varied if other == kind]
        sql, f1 = [one.sql for one in mine], [one.f1 for one in mine]
        hollow = {} if kind == "usual" else {"markerfacecolor": "none", "markeredgewidth": 1.3}
        size = 6.5 if hollow else 11
        points(axes, sql, f1, colour, mark, label(kind), size, **hollow)
    axes.axhline(0.18, color=GREY, linewidth=0.9, linestyle="--")
    axes.set(ylim=(0, None), xlabel=label("sql-metres"), ylabel="f1")
    axes.legend(loc="best")
