"""The last part of section 7.2: figure 9, how long a reconstruction takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from math import comb, prod

import numpy as np

from sudare.data import adult_table
from sudare.estimation.em import em, maximise
from sudare.mechanisms import JointRR
from sudare.mechanisms.joint.tables import joint_tables
from sudare.studies.joint import methods, populations
from sudare.studies.joint.methods import STYLES
from sudare.studies.joint.setting import Grids
from sudare.studies.palette import RED, Canvas
from sudare.studies.study_text import Facts, Label

D, GAMMA = 4, 10
ATTRIBUTES, CATEGORIES = 20, 20
SOURCE_ONE = 5.8e4
GAP = 10.0
TABLES = comb(ATTRIBUTES, 4)

Times = tuple[float, float, float, int]
"""Seconds of inverting, of so many maps, of converging, and the maps of that."""


def reconstruction_seconds(size: int, setting: Grids) -> Times:
    """Return the processor seconds of one reconstruction, the short one as the best of three."""
    m = JointRR([size] * D, gamma=GAMMA)
    rng = setting.rng(f"times/{size}")
    counts = m.simulate(populations.draw("normal", m.sizes, setting.people, rng), rng=rng)
    uniform = np.full(m.sizes, 1 / m.cells)
    inverse = min(_seconds(lambda: m.estimate(counts).stderr) for _ in range(3))
    iterated = _seconds(lambda: em(m.channel, counts.support, uniform, maps=setting.maps))
    start = time.process_time()
    fit = maximise(m.channel, counts.support, uniform, gap=GAP, most_maps=2_000)
    return inverse, iterated, time.process_time() - start, fit.maps


def all_tables(setting: Grids) -> float:
    """Return the seconds of all 4,845 tables, scaled from a sample of them."""
    m = JointRR([CATEGORIES] * ATTRIBUTES, gamma=GAMMA)
    random = setting.rng("times/tables").generator()
    rows = random.integers(0, CATEGORIES, (setting.people, ATTRIBUTES), dtype=np.uint8)

    def some() -> None:
        for table in islice(joint_tables(m, rows, order=4), setting.sample):
            _ = table.estimate.stderr

    return _seconds(some) * TABLES / setting.sample


def slowest_on_adult(setting: Grids) -> float:
    """Return the seconds of reconstructing Adult by the slowest of the five methods."""
    truth, rng = adult_table(), setting.rng("times/adult")
    counted = {m: methods.reports(m, truth, GAMMA, rng) for m in methods.METHODS}
    return max(
        _seconds(partial(methods.reconstruct, method, support, GAMMA, setting.maps))
        for method, support in counted.items()
    )


def _seconds(act: Callable[[], object]) -> float:
    start = time.process_time()
    act()
    return time.process_time() - start


def compute(setting: Grids) -> Facts:
    """Measure every time once."""
    sizes = setting.progress(setting.sizes, len(setting.sizes), "times")
    times = {size: reconstruction_seconds(size, setting) for size in sizes}
    inverse, iterated, converged, maps = times[setting.sizes[-1]]
    rows = [(size, prod([size] * D), *times[size]) for size in setting.sizes]
    return Facts.of(
        D=D,
        GAMMA=GAMMA,
        N=setting.people,
        gap=GAP,
        maps=setting.maps,
        inverse=inverse,
        iterated=iterated,
        converged=converged,
        its_maps=maps,
        ratio=iterated / inverse,
        source=SOURCE_ONE,
        all_tables=all_tables(setting),
        number=TABLES,
        sample=setting.sample,
        adult=slowest_on_adult(setting),
        tables={"fig9": rows},
        figures={"fig9": partial(_draw, times)},
    )


def _draw(times: Mapping[int, Times], canvas: Canvas, label: Label) -> None:
    axes = canvas.subplots()
    for place, name, like in (
        (2, "converged", "Iterative"),
        (1, "iterated", "Multi-NS"),
        (0, "inverse", "Joint RR"),
    ):
        colour, mark = STYLES[like]
        y = [found[place] for found in times.values()]
        axes.plot(list(times), y, color=colour, marker=mark, markersize=5, label=label(name))
    axes.axhline(SOURCE_ONE, color=RED, linestyle=":", linewidth=1.4, label=label("source"))
    axes.set_xticks(list(times))
    axes.set(yscale="log", xlabel=label("categories"), ylabel=label("seconds"))
    axes.legend(loc="best")
