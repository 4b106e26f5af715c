"""Coast and islands: a toy, and Tokyo Bay with land and census population."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sudare.arrays import Booleans, Floats
from sudare.data.tokyo import SQUARES, Squares
from sudare.studies.location.candidates import Candidate, Map, draw_losses, first
from sudare.studies.location.pictures import draw_maps
from sudare.studies.location.setting import Grids
from sudare.studies.location.toy import COLUMN, GRID, MAIN, SHARED
from sudare.studies.study_text import Draw, Facts, Word

LAND, ISLAND = 8, 7 * 15 + 12
"""Columns of the toy's mainland, and its island of one cell."""
EPSILON = 0.005
"""ε for the squares of 500 m: as much for a cell as 0.02 for one of the 1/8 mesh."""
LEAST = 0.5


@dataclass(frozen=True, eq=False)
class Coast:
    """A map with a coast, and mechanisms on it."""

    map: Map
    shown: tuple[Candidate, ...]

    def of(self, kind: str) -> Candidate:
        """Return the first mechanism of a kind."""
        return first(self.shown, kind)

    @property
    def exposed(self) -> tuple[float, float]:
        """Mean posteriors of the reported cell, weights 1: at the coast and inland."""
        posterior = self.of("plain").report.posterior
        coast, inland = sides(self.map)
        return float(posterior[coast].mean()), float(posterior[inland].mean())

    @property
    def panels(self) -> list[tuple[Word, Floats]]:
        """Posteriors of the reported cell, with weights 1 and equalised."""
        kinds = {"weights-1": "plain", "equal": "equal"}
        return [(Word(name), self.of(kind).report.posterior) for name, kind in kinds.items()]


def toy_mask() -> Booleans:
    """Return a mainland in the west and one island."""
    out: Booleans = COLUMN < LAND
    out[ISLAND] = True
    return out


def sides(map_: Map) -> tuple[Booleans, Booleans]:
    """Return the cells with the sea beside them, and those away from the sea and the map's edge."""
    land = map_.where.reshape(map_.grid.shape)
    around = np.pad(land, 1, constant_values=True)
    inside = np.zeros(map_.grid.shape, np.bool_)
    inside[1:-1, 1:-1] = True
    near = ~np.lib.stride_tricks.sliding_window_view(around, (3, 3)).all(axis=(2, 3))
    return (land & near & inside).ravel(), (land & ~near & inside).ravel()


def _maps(squares: Squares | None) -> Iterator[tuple[str, Map]]:
    yield "toy-coast", Map(GRID, MAIN, None, toy_mask())
    if squares is not None:
        land = squares.land_fraction >= LEAST
        people = squares.population.astype(np.float64)
        yield "tokyo-land", Map(squares.grid, EPSILON, None, land)
        yield "tokyo-census", Map(squares.grid, EPSILON, people, land)


def _makers(map_: Map, setting: Grids) -> list[Callable[[], Candidate]]:
    aims = (
        [partial(map_.optimised, bound) for bound in setting.coast_bounds]
        if map_.prior is None
        else [partial(map_.priced, price) for price in setting.prices]
    )
    return [map_.plain, map_.greedy, map_.equalised, *aims]


def compute(squares: Squares | None, setting: Grids) -> Facts:
    """Compute all mechanisms on all maps; ``squares``: of Tokyo Bay, where the data are here."""
    maps = dict(_maps(squares))
    jobs = [(name, make) for name, map_ in maps.items() for make in _makers(map_, setting)]
    made: dict[str, list[Candidate]] = {name: [] for name in maps}
    for name, make in setting.progress(jobs, len(jobs), "coasts"):
        made[name].append(make())
    coasts = {name: Coast(map_, tuple(made[name])) for name, map_ in maps.items()}
    toy = coasts["toy-coast"]
    even = {name: one.exposed for name, one in coasts.items() if one.map.prior is None}
    figures: dict[str, Draw] = {
        "toy-coast": partial(draw_maps, GRID, toy.panels, shrink=0.8),
        "coast-pareto": partial(draw_losses, [(Word(n), one.shown) for n, one in coasts.items()]),
    }
    told: dict[str, Any] = {}
    if squares is not None:
        told, figures["tokyo"] = _tokyo(squares, coasts["tokyo-land"], coasts["tokyo-census"])
    return Facts.of(
        **SHARED,
        **told,
        squares=squares,
        file=SQUARES.name,
        land_columns=LAND,
        island={k: toy.of(k).report.posterior[ISLAND] for k in ("plain", "equal", "greedy")},
        island_kept=float(toy.of("equal").report.kept[ISLAND]),
        even=even,
        exposed=[coast / inland for coast, inland in even.values()],
        tables={name: [found.row for found in one.shown] for name, one in coasts.items()},
        figures=figures,
    )


def _tokyo(squares: Squares, even: Coast, census: Coast) -> tuple[dict[str, Any], Draw]:
    """Return what is told of Tokyo Bay, and what draws it."""
    land = even.map.where
    share = np.where(land, squares.population / squares.population.max(), np.nan)
    residents = [(Word("residents"), share)]
    optimal = [one for one in census.shown if one.kind == "optimal"]
    told = {
        "shape": squares.grid.shape,
        "fine": EPSILON,
        "least": LEAST,
        "land": int(land.sum()),
        "homes": int(census.map.where.sum()),
        "people": float(census.map.people.sum()),
        "largest": int(squares.population.max()),
        "on_land": {kind: even.of(kind) for kind in ("plain", "greedy", "equal", "optimal")},
        "by_census": {kind: census.of(kind) for kind in ("plain", "greedy")},
        "best": min(optimal, key=lambda one: one.most),
        "reported": int(np.isfinite(census.of("greedy").report.posterior).sum()),
    }
    return told, partial(draw_maps, squares.grid, residents + even.panels, shrink=0.8)
