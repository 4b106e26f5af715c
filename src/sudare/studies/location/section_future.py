"""ε by place and by person, and roads: the source's first and second future work."""

from __future__ import annotations

import numpy as np

from sudare.arrays import Booleans, Floats
from sudare.mechanisms import ElasticExponential, GridExponential, PlaceLevels, RoadExponential
from sudare.mechanisms.place.base import realised_epsilon
from sudare.studies.location.section_people import N, as_people, populations
from sudare.studies.location.toy import COLUMN, GRID, MAIN, ROW, SHARED
from sudare.studies.parts import Setting
from sudare.studies.study_text import Facts, Word

HOME, OUTSIDE = 0.02, 0.06
"""ε where more is to be hidden, and elsewhere."""
LEVELS = (0.02, 0.03)
"""ε of the two levels that people pick from."""
RIVER, BRIDGE = 7, 3
"""First column east of the river, and row of its bridge."""
PATTERNS: dict[str, Booleans] = {
    "home": np.maximum(abs(ROW - 7), abs(COLUMN - 7)) <= 1,
    "one": (ROW == 7) & (COLUMN == 7),
    "west": COLUMN < 7,
    "chequered": (ROW + COLUMN) % 2 == 0,
}
"""Where ε is small."""


def compute(setting: Setting) -> Facts:
    """Compute all examples."""
    places = {name: local(small) for name, small in PATTERNS.items()}
    return Facts.of(
        **SHARED,
        home=HOME,
        outside=OUTSIDE,
        exceeded=places["home"][0],
        elastic=places["home"][1],
        n=N,
        levels=LEVELS,
        tables={
            "by-place": [(Word(name), *one) for name, one in places.items()],
            "by-person": leveled(setting),
            "roads": roads(),
        },
    )


def naive_law(epsilons: Floats) -> Floats:
    """Return the natural logarithms of GridE's law with ε of the true cell in the exponent."""
    logs = -epsilons * GRID.distances() / 2
    out: Floats = logs - np.log(np.exp(logs).sum(axis=0))
    return out


def local(small: Booleans) -> tuple[float, ...]:
    """Compute both uses of ε by place, with the small ε in some cells.

    By how many times the naive use breaks the guarantee of the elastic metric, what the elastic
    mechanism spends of it; of each, metres between true and reported cell in these and other cells.
    """
    epsilons = np.where(small, HOME, OUTSIDE)
    naive, elastic = naive_law(epsilons), ElasticExponential(GRID, epsilons)
    metres = GRID.distances()

    def sql(law: Floats) -> tuple[float, float]:
        each = (law * metres).sum(axis=0)
        return float(each[small].mean()), float(each[~small].mean())

    exceeded = realised_epsilon(naive, elastic.distances())
    return exceeded, float(elastic.epsilon), *sql(np.exp(naive)), *sql(elastic.matrix())


def leveled(setting: Setting) -> list[tuple[Word, int, float]]:
    """Return people and mean error of the inversion for a hill: each level alone, and both."""
    both = PlaceLevels([GridExponential(GRID, e) for e in LEVELS])
    truth = as_people(populations(setting)["hill"])
    half = truth // 2
    halves = np.stack([half, truth - half])
    rng = setting.rng("levels")
    errors: list[list[float]] = [[], [], []]
    for _ in range(min(setting.repetitions, 20)):
        drawn = both.simulate(halves, rng=rng)
        for i, mechanism in enumerate(both.mechanisms):
            alone = mechanism.aggregate(np.repeat(np.arange(GRID.cells), drawn.support[i]))
            found = mechanism.estimate(alone).shares
            errors[i].append(float(np.abs(found - halves[i] / halves[i].sum()).sum()))
        errors[2].append(float(np.abs(both.estimate(drawn).shares - truth / N).sum()))
    names = (*(Word("level", {"level": e}) for e in LEVELS), Word("both"))
    people = (*halves.sum(axis=1).tolist(), N)
    return list(zip(names, people, np.mean(errors, axis=1).tolist(), strict=True))


def roads() -> list[tuple[Word, float, float, float]]:
    """Compare straight distances across a river with ways over its one bridge.

    Of each: ε spent per metre of way, the chance that a report of a place at the bank lies on the
    other side, the expected distance by road between true and reported place.
    """
    edges = []
    for cell in range(GRID.cells):
        bank = COLUMN[cell] == RIVER - 1 and ROW[cell] != BRIDGE
        if COLUMN[cell] < GRID.columns - 1 and not bank:
            edges.append((cell, cell + 1, GRID.cell_width))
        if ROW[cell] < GRID.rows - 1:
            edges.append((cell, cell + GRID.columns, GRID.cell_height))
    by_road = RoadExponential(edges, MAIN)
    metres = by_road.distances()
    bank = np.flatnonzero((COLUMN == RIVER - 1) & (ROW != BRIDGE))
    other = COLUMN >= RIVER

    def way(name: str, logs: Floats) -> tuple[Word, float, float, float]:
        law = np.exp(logs)
        across = float(law[other][:, bank].sum(axis=0).mean())
        far = float((law * metres).sum(axis=0).mean())
        return Word(name), realised_epsilon(logs, metres), across, far

    straight = GridExponential(GRID, MAIN).log_matrix()
    return [way("straight", straight), way("on-roads", by_road.log_matrix())]
