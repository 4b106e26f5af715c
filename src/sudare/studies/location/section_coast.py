"""Coast and islands: a toy, and Tokyo Bay with land and census population."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sudare.data import files as here
from sudare.data.tokyo import SQUARES, Squares, tokyo
from sudare.mechanisms import Grid
from sudare.studies.judging import judged
from sudare.studies.location import rules
from sudare.studies.location.candidates import Candidate, Map
from sudare.studies.location.comparing import figure, table
from sudare.studies.location.palette import show_map
from sudare.studies.location.toy import GRID, MAIN
from sudare.studies.parts import Block, Claim, Figure, Say, Section, Setting, Verdict
from sudare.studies.words import Text, Words, say

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

LAND, ISLAND = 8, 7 * 15 + 12
"""Columns of the toy's mainland, and its island of one cell."""
WINDOW = (35.575, 139.725, 35.675, 139.8875)
"""South, west, north, east: the port of Tokyo, 24 × 26 squares of 500 m."""
EPSILON = 0.005
"""ε for the squares of 500 m: as much for a cell as 0.02 for one of the 1/8 mesh."""
LEAST = 0.5
BOUNDS = (0.3, 0.2, 0.1, 0.05)
PRICES = (0.1, 0.3, 1.0, 3.0)
MORE = 1.1
"""Times by which a posterior at the coast is to be above that inland."""


@dataclass(frozen=True, eq=False)
class Coast:
    """A map with a coast, and mechanisms on it."""

    name: Words
    map: Map
    shown: tuple[Candidate, ...]

    def of(self, kind: str) -> Candidate:
        """Return the first mechanism of a kind."""
        return next(one for one in self.shown if one.kind == kind)

    @property
    def exposed(self) -> tuple[float, float]:
        """Mean posteriors of the reported cell, weights 1: at the coast and inland."""
        posterior = self.of("plain").report.posterior
        coast, inland = sides(self.map)
        return float(posterior[coast].mean()), float(posterior[inland].mean())


@dataclass(frozen=True, eq=False)
class Outcome:
    """The toy, and Tokyo Bay where the data are here."""

    coasts: tuple[Coast, ...]
    squares: Squares | None
    provenance: tuple[dict[str, Any], ...]


def toy_mask() -> Bools:
    """Return a mainland in the west and one island."""
    out: Bools = np.arange(GRID.cells) % GRID.columns < LAND
    out[ISLAND] = True
    return out


def sides(map_: Map) -> tuple[Bools, Bools]:
    """Return the cells with the sea beside them, and those away from the sea and the map's edge."""
    land = (np.ones(map_.grid.cells, np.bool_) if map_.mask is None else map_.mask).reshape(
        map_.grid.shape
    )
    around = np.pad(land, 1, constant_values=True)
    inside = np.zeros(map_.grid.shape, np.bool_)
    inside[1:-1, 1:-1] = True
    rows, columns = map_.grid.shape
    near = np.zeros(map_.grid.shape, np.bool_)
    for i in range(3):
        for j in range(3):
            near |= ~around[i : i + rows, j : j + columns]
    return (land & near & inside).ravel(), (land & ~near & inside).ravel()


def run(setting: Setting) -> Outcome:
    """Compute all mechanisms on all maps."""
    maps: list[tuple[Words, Map]] = [
        (Text("toy coast", "仮想の海岸"), Map(GRID, MAIN, None, toy_mask()))
    ]
    squares: Squares | None = None
    provenance: tuple[dict[str, Any], ...] = ()
    if here.is_here(SQUARES):
        south, west, north, east = WINDOW
        squares = tokyo(bounds=(south, west, north, east))
        land = squares.land_fraction >= LEAST
        people = squares.population.astype(np.float64)
        maps += [
            (Text("Tokyo, land", "東京、陸地一様"), Map(squares.grid, EPSILON, None, land)),
            (Text("Tokyo, census", "東京、国勢調査"), Map(squares.grid, EPSILON, people, land)),
        ]
        provenance = (SQUARES.provenance(),)
    jobs = [(name, map_, make) for name, map_ in maps for make in _makers(map_)]
    made: dict[int, list[Candidate]] = {id(map_): [] for _, map_ in maps}
    for _, map_, make in setting.progress(jobs, len(jobs), "coasts"):
        made[id(map_)].append(make())
    coasts = tuple(Coast(name, map_, tuple(made[id(map_)])) for name, map_ in maps)
    return Outcome(coasts, squares, provenance)


def _makers(map_: Map) -> list[Callable[[], Candidate]]:
    aims: list[Callable[[], Candidate]] = (
        [lambda b=bound: map_.optimised(b) for bound in BOUNDS]  # type: ignore[misc]
        if map_.prior is None
        else [lambda p=price: map_.priced(p) for price in PRICES]  # type: ignore[misc]
    )
    return [map_.plain, map_.greedy, map_.equalised, *aims]


def section(found: Outcome) -> Section:
    """Return the section."""
    toy = found.coasts[0]
    plain, equal, greedy = (
        toy.of(kind).report.posterior[ISLAND] for kind in ("plain", "equal", "greedy")
    )
    kept = toy.of("equal").report.kept[ISLAND]
    return Section(
        Text("Coast and islands (§5.1)", "海岸と島（5.1節）"),
        (
            Text(
                f"A toy: the source's map at ε = {MAIN:g}, {LAND} columns of land, and one island "
                "of one cell four columns off. With weight 0 in the sea a report of the island "
                f"is as good as the place: posterior {plain:.3f} (boundary_report warns above "
                f"0.9). The equaliser brings it to {equal:.3f}, about as everywhere: people of "
                "the mainland report the island often enough to hide those who live there. The "
                f"islanders still report it nearly always ({kept:.3f}): print both. Algorithm 1 "
                f"hardly gets away from its start ({greedy:.3f}).",
                f"仮想の海岸：原典の地図（ε = {MAIN:g}）で西の {LAND} 列が陸、"
                "4列離れて1セルの島がある。海の重みを0にすると、島の報告は場所そのものを明かすに"
                f"等しい（事後確率 {plain:.3f}。boundary_report は 0.9 を超えると警告する）。"
                f"均等化すると他のセルとほぼ同じ {equal:.3f} になる。"
                "本土の人が島を十分な頻度で報告し、島の人を隠すためである。"
                f"島の人自身はほぼ必ず（{kept:.3f}）島を報告する。両方を見ること。"
                f"アルゴリズム1は出発点からほとんど動かない（{greedy:.3f}）。",
            ),
            _toy_maps(toy),
            _claim(found),
            table(
                "toy-coast",
                Text("Mechanisms on the toy coast.", "仮想の海岸での各方式。"),
                toy.shown,
            ),
            *_tokyo(found),
        ),
    )


def _claim(found: Outcome) -> Claim:
    even = [one for one in found.coasts if one.map.prior is None]
    parts = [one.exposed for one in even]
    told_en = "; ".join(
        f"{say(one.name, 'en')}: {a:.3f} and {b:.3f}"
        for one, (a, b) in zip(even, parts, strict=True)
    )
    told_ja = "、".join(
        f"{say(one.name, 'ja')}：{a:.3f} と {b:.3f}"
        for one, (a, b) in zip(even, parts, strict=True)
    )
    return judged(
        Text("§5.1, the boundary problem in general", "5.1節 一般の境界脆弱性"),
        Text(
            "Protection is weaker near cells of weight below 1: at coasts, on islands.",
            "重みが1より小さいセルの近く、たとえば海岸や島では保護が弱い。",
        ),
        "",
        Text(
            f"mean posterior of the reported cell at the coast and inland, weights 1: {told_en}",
            f"報告されたセルの事後確率の平均（重み1、沿岸と内陸）：{told_ja}",
        ),
        rules.every([a >= MORE * b for a, b in parts]),
        Verdict.HOLDS,
        Text(
            f"at least {MORE:g} times as large at the coast, on every map with even people; "
            "approximately: on two of three",
            f"人が一様なすべての地図で沿岸が内陸の {MORE:g} 倍以上。「ほぼ」は3分の2以上",
        ),
        Text(
            "Fewer neighbours to hide among, as at the edge of a map. Cells at the map's own edge "
            "are left out of this comparison.",
            "地図の端と同じく、紛れる隣のセルが少ない。地図自体の端のセルは比較から除いた。",
        ),
    )


def _tokyo(found: Outcome) -> tuple[Block, ...]:
    if found.squares is None:
        return (
            Text(
                f"Tokyo Bay is left out: {SQUARES.name} is not here. Put it into the folder named "
                "by SUDARE_DATA.",
                f"東京湾は省いた：{SQUARES.name} が手元にない。SUDARE_DATA のフォルダに置くこと。",
            ),
        )
    _, even, census = found.coasts
    land = int(even.map.where.sum())
    homes = int(census.map.where.sum())
    people = float(census.map.people.sum())
    greedy, plain = census.of("greedy"), census.of("plain")
    greedy_even = even.of("greedy")
    best = min((one for one in census.shown if one.kind == "optimal"), key=lambda one: one.most)
    reported = int(np.isfinite(greedy.report.posterior).sum())
    kept = (even.of("equal").kept[0], even.of("plain").kept[0])
    return (
        Text(
            f"Tokyo Bay: {found.squares.grid.rows} × {found.squares.grid.columns} squares of the "
            f"500 m mesh around the port of Tokyo at ε = {EPSILON:g}. {land} squares are land (at "
            f"least {LEAST:g} of them), {homes} have residents by the census of 2015, "
            f"{people:,.0f} people; where nobody lives nothing is reported. Once the prior is the "
            "whole land, once the census. With a rough prior f1 is no longer the aim to have: rare "
            "places have small posteriors whatever one does; look at the largest one.",
            f"東京湾：東京港周辺の500 m メッシュ {found.squares.grid.rows} × "
            f"{found.squares.grid.columns}、ε = {EPSILON:g}。陸（面積比 {LEAST:g} 以上）は {land} "
            f"区画、2015年国勢調査で居住者がいるのは {homes} 区画、{people:,.0f} 人。"
            "人のいない区画は報告しない。事前分布は陸地一様と国勢調査の2通り。"
            "事前分布が不均一だと、人の少ない所の事後確率はどうしても小さいので、f1 "
            "は適切な目標でなくなる。見るべきは最大値である。",
        ),
        _tokyo_maps(found.squares, even),
        figure(
            "coast-pareto",
            Text(
                "The same on coasts. Mechanisms of more than twice the SQL without weights are in "
                "the tables alone.",
                "海岸での比較。SQL が重み1の2倍を超える方式は表にのみ示す。",
            ),
            Text(
                "On each coast some optimised weights have less loss than weights 1 or about the "
                "same, and a much smaller largest posterior.",
                "どの海岸でも、損失が重み1以下か同程度で、事後確率の最大がはるかに小さい最適化が"
                "ある。",
            ),
            {str(i): (one.name, one.shown) for i, one in enumerate(found.coasts)},
        ),
        Text(
            f"Algorithm 1 takes f1 from {even.of('plain').f1:.2f} to {greedy_even.f1:.2f} on the "
            f"land, at {greedy_even.report.sql:.0f} m; optimised weights do better for "
            f"{even.of('optimal').report.sql:.0f} m (f1 {even.of('optimal').f1:.2f}). Under the "
            f"census it ends with {reported} of {homes} squares reported and "
            f"{greedy.report.sql:,.0f} m. Optimised ({say(best.detail, 'en')}), the largest "
            f"posterior falls from {plain.most:.2f} to {best.most:.2f}, at {best.report.sql:.1f} m "
            f"instead of {plain.report.sql:.1f} m. Print both here too: under the equaliser (land) "
            f"the largest P(O=r|A=r) is {kept[0]:.2f}, with weights 1 {kept[1]:.2f}.",
            f"アルゴリズム1は陸地一様で f1 を {even.of('plain').f1:.2f} から {greedy_even.f1:.2f} "
            f"に下げ、SQL は {greedy_even.report.sql:.0f} m になる。最適化なら "
            f"{even.of('optimal').report.sql:.0f} m でそれ以上（f1 {even.of('optimal').f1:.2f}）"
            f"になる。国勢調査の下では {homes} 区画のうち {reported} "
            f"区画だけを報告する地図に行き着き、{greedy.report.sql:,.0f} m になる。"
            f"最適化（{say(best.detail, 'ja')}）では事後確率の最大が {plain.most:.2f} から "
            f"{best.most:.2f} に下がり、SQL は {best.report.sql:.1f} m（重み1は "
            f"{plain.report.sql:.1f} m）。ここでも両方を見ること：均等化（陸地一様）の P(O=r|A=r) "
            f"の最大は {kept[0]:.2f}、重み1では {kept[1]:.2f}。",
        ),
        table(
            "tokyo-land",
            Text(
                "Tokyo Bay, people spread evenly over the land.",
                "東京湾、陸地に一様な事前分布。",
            ),
            even.shown,
        ),
        table(
            "tokyo-census",
            Text(
                "Tokyo Bay, people by the census. Price: what f1 = 1 is worth, in parts of the SQL "
                "with weights 1.",
                "東京湾、国勢調査の事前分布。価格：f1 = 1 の価値（重み1の SQL に対する比）。",
            ),
            census.shown,
        ),
    )


def _toy_maps(toy: Coast) -> Figure:
    return _maps(
        "toy-coast",
        Text(
            "Posterior of the reported cell on the toy coast: weights 1, and the equaliser. "
            "Pale: sea, or never reported.",
            "仮想の海岸での報告されたセルの事後確率：重み1と均等化。淡色は海か、報告されないセル。",
        ),
        Text(
            "With weights 1 the island is almost certain, the coast above the inland; equalised, "
            "all cells are alike.",
            "重み1では島がほぼ確実で、海岸も内陸より高い。均等化すると全セルがほぼ同じになる。",
        ),
        toy.map.grid,
        [
            (Text("weights 1", "重み1"), toy.of("plain").report.posterior),
            (Text("equaliser", "均等化"), toy.of("equal").report.posterior),
        ],
    )


def _tokyo_maps(squares: Squares, even: Coast) -> Figure:
    land = even.map.where
    share = np.where(land, squares.population / squares.population.max(), np.nan)
    return _maps(
        "tokyo",
        Text(
            f"Tokyo Bay: residents (largest square: {int(squares.population.max()):,}), and the "
            "posterior of the reported square, people spread evenly over the land: weights 1, "
            "and the equaliser. Pale: sea, or never reported.",
            f"東京湾：居住者（最大の区画は {int(squares.population.max()):,} 人）と、陸地一様の"
            "事前分布での報告された区画の事後確率：重み1と均等化。淡色は海か、報告されない区画。",
        ),
        Text(
            "With weights 1 islands of the port and capes stand out; equalised, all is even.",
            "重み1では港の島や岬が突出する。均等化すると一様になる。",
        ),
        squares.grid,
        [
            (Text("residents", "居住者"), share),
            (Text("weights 1", "重み1"), even.of("plain").report.posterior),
            (Text("equaliser", "均等化"), even.of("equal").report.posterior),
        ],
    )


def _maps(
    name: str, caption: Text, alt: Text, grid: Grid, maps: list[tuple[Words, Floats]]
) -> Figure:
    def draw(canvas: Canvas, speak: Say) -> None:
        panels = canvas.subplots(1, len(maps))
        for axes, (title, values) in zip(panels, maps, strict=True):
            image = show_map(axes, grid, values, (0, 1))
            axes.set_title(speak(title))
        canvas.colorbar(image, ax=panels, shrink=0.8)

    return Figure(name, caption, alt, draw, (3.3 * len(maps) + 0.8, 3.0))
