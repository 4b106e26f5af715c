"""ε by place and by person, and roads: the source's first and second future work."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.mechanisms import (
    ElasticExponential,
    GridExponential,
    PlaceLevels,
    RoadExponential,
)
from sudare.mechanisms.place.base import spent
from sudare.studies.location.section_people import N, as_people, populations
from sudare.studies.location.toy import GRID, MAIN
from sudare.studies.parts import Column, Section, Setting, Table
from sudare.studies.words import Text, Words

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

HOME, OUTSIDE = 0.02, 0.06
"""ε where more is to be hidden, and elsewhere."""
LEVELS = (0.02, 0.03)
"""ε of the two levels that people pick from."""
RIVER, BRIDGE = 7, 3
"""First column east of the river, and row of its bridge."""


@dataclass(frozen=True, eq=False)
class Local:
    """ε by place on one pattern.

    Attributes:
        exceeded: by how many times the naive use breaks the guarantee of the elastic metric.
        elastic: what the elastic mechanism spends of it.
        naive_sql, elastic_sql: metres between true and reported cell, in the places with the
            small ε and in the others.
    """

    name: Words
    exceeded: float
    elastic: float
    naive_sql: tuple[float, float]
    elastic_sql: tuple[float, float]


def patterns() -> tuple[tuple[Words, Bools], ...]:
    """Return where ε is small."""
    row, column = np.divmod(np.arange(GRID.cells), GRID.columns)
    return (
        (
            Text("3 × 3 cells around a home", "自宅の周り 3 × 3 セル"),
            np.maximum(abs(row - 7), abs(column - 7)) <= 1,
        ),
        (Text("one cell", "1セル"), (row == 7) & (column == 7)),
        (Text("western half", "西半分"), column < 7),
        (Text("every other cell", "市松模様"), (row + column) % 2 == 0),
    )


def naive_law(epsilons: Floats) -> Floats:
    """Return the natural logarithms of GridE's law with ε of the true cell in the exponent."""
    logs = -epsilons * GRID.distances() / 2
    out: Floats = logs - np.log(np.exp(logs).sum(axis=0))
    return out


def local(name: Words, small: Bools) -> Local:
    """Compute both uses of ε by place."""
    epsilons = np.where(small, HOME, OUTSIDE)
    naive, elastic = naive_law(epsilons), ElasticExponential(GRID, epsilons)
    metres = GRID.distances()

    def sql(law: Floats) -> tuple[float, float]:
        each = (law * metres).sum(axis=0)
        return float(each[small].mean()), float(each[~small].mean())

    return Local(
        name,
        spent(naive, elastic.distances()),
        float(elastic.epsilon),
        sql(np.exp(naive)),
        sql(elastic.matrix()),
    )


@dataclass(frozen=True, eq=False)
class Leveled:
    """Reports of one or both levels, and the mean error of the inversion."""

    name: Words
    people: int
    error: float


def leveled(setting: Setting) -> tuple[Leveled, ...]:
    """Estimate a hill from the reports of each level alone and of both."""
    both = PlaceLevels([GridExponential(GRID, e) for e in LEVELS])
    truth = as_people(populations(setting)["hill"][1])
    half = truth // 2
    halves = np.stack([half, truth - half])
    rng = setting.rng("levels")
    errors: list[list[float]] = [[], [], []]
    trials = min(setting.repetitions, 20)
    for _ in range(trials):
        drawn = both.simulate(halves, rng=rng)
        for i, mechanism in enumerate(both.mechanisms):
            alone = mechanism.aggregate(np.repeat(np.arange(GRID.cells), drawn.support[i]))
            found = mechanism.estimate(alone).shares
            errors[i].append(float(np.abs(found - halves[i] / halves[i].sum()).sum()))
        errors[2].append(float(np.abs(both.estimate(drawn).shares - truth / N).sum()))
    people = (*(int(one.sum()) for one in halves), N)
    names: tuple[Words, ...] = (
        *(Text(f"level ε = {e:g} alone", f"レベル ε = {e:g} のみ") for e in LEVELS),
        Text("both, stacked", "両方（尤度を重ねる）"),
    )
    return tuple(
        Leveled(name, many, float(np.mean(each)))
        for name, many, each in zip(names, people, errors, strict=True)
    )


@dataclass(frozen=True, eq=False)
class Way:
    """A mechanism beside a river with one bridge: ε spent along roads, and distances by road.

    Attributes:
        across: chance that a report of a place at the bank lies on the other side.
        metres: expected distance by road between true and reported place.
    """

    name: Words
    spent: float
    across: float
    metres: float


def roads() -> tuple[Way, ...]:
    """Compare distances across a river with those over its bridge."""
    row, column = np.divmod(np.arange(GRID.cells), GRID.columns)
    edges = []
    for cell in range(GRID.cells):
        bank = column[cell] == RIVER - 1 and row[cell] != BRIDGE
        if column[cell] < GRID.columns - 1 and not bank:
            edges.append((cell, cell + 1, GRID.cell_width))
        if row[cell] < GRID.rows - 1:
            edges.append((cell, cell + GRID.columns, GRID.cell_height))
    by_road = RoadExponential(edges, MAIN)
    plane = GridExponential(GRID, MAIN)
    metres = by_road.distances()
    bank = np.flatnonzero((column == RIVER - 1) & (row != BRIDGE))
    other = column >= RIVER

    def way(name: Words, logs: Floats) -> Way:
        law = np.exp(logs)
        return Way(
            name,
            spent(logs, metres),
            float(law[other][:, bank].sum(axis=0).mean()),
            float((law * metres).sum(axis=0).mean()),
        )

    return (
        way(Text("GridE, straight distances", "GridE（直線距離）"), plane.log_matrix()),
        way(Text("exponential mechanism on roads", "道路上の指数メカニズム"), by_road.log_matrix()),
    )


def run(setting: Setting) -> tuple[tuple[Local, ...], tuple[Leveled, ...], tuple[Way, ...]]:
    """Compute all examples."""
    places = tuple(local(name, small) for name, small in patterns())
    return places, leveled(setting), roads()


def section(
    places: tuple[Local, ...], levels: tuple[Leveled, ...], ways: tuple[Way, ...]
) -> Section:
    """Return the section."""
    first = places[0]
    return Section(
        Text("By place, by person, along roads (§6)", "場所別・人別の保護と道路（6節）"),
        (
            Text(
                f"ε by place: {HOME:g} near a home, {OUTSIDE:g} elsewhere. The shortcut, ε of the "
                f"true cell in GridE's exponent, breaks the guarantee {first.exceeded:.1f} times: "
                "that a report came from the home is betrayed by how far it strayed. The elastic "
                "metric, shortest ways with every metre counted by ε around it and kernel "
                f"exp(−d/2), spends {first.elastic:.2f} of what it promises. So GridExponential "
                "refuses a list of ε, and ElasticExponential takes it.",
                f"場所別の ε：自宅付近で {HOME:g}、他で {OUTSIDE:g}。真のセルの ε を GridE "
                f"の指数にそのまま使うと、保証を {first.exceeded:.1f} 倍破る。報告の外れ方から、"
                "自宅にいたことが分かってしまうためである。各 m を周囲の ε "
                "で数えた最短経路を距離とし核を exp(−d/2) とする伸縮距離では、使うのは約束の "
                f"{first.elastic:.2f} 倍で済む。そのため GridExponential は ε の列を拒み、"
                "ElasticExponential が受け取る。",
            ),
            Table(
                "by-place",
                Text(
                    f"ε = {HOME:g} in some places, {OUTSIDE:g} elsewhere. Spent: largest log ratio "
                    "over the elastic distance, at most 1 if the guarantee holds. SQL in metres in "
                    "the places with the small ε / elsewhere.",
                    f"一部で ε = {HOME:g}、他で {OUTSIDE:g}。使用量：対数の比の最大 ÷ 伸縮距離"
                    "（保証が成り立てば1以下）。SQL（m）は ε の小さい場所／その他。",
                ),
                (
                    Column(Text("small ε in", "ε の小さい場所")),
                    Column(Text("spent, naive", "使用量（単純）"), ".2f"),
                    Column(Text("spent, elastic", "使用量（伸縮距離）"), ".3f"),
                    Column(Text("SQL naive, small ε", "SQL 単純、小"), ".1f"),
                    Column(Text("elsewhere", "その他"), ".1f"),
                    Column(Text("SQL elastic, small ε", "SQL 伸縮、小"), ".1f"),
                    Column(Text("elsewhere", "その他"), ".1f"),
                ),
                tuple(
                    (one.name, one.exceeded, one.elastic, *one.naive_sql, *one.elastic_sql)
                    for one in places
                ),
            ),
            Text(
                f"ε by person: half of {N:,} people pick ε = {LEVELS[0]:g}, half {LEVELS[1]:g}. "
                "Each level has its own channel; their likelihoods are stacked, and the accurate "
                "reports count more.",
                f"人別の ε：{N:,} 人の半数が ε = {LEVELS[0]:g}、半数が {LEVELS[1]:g} を選ぶ。"
                "レベルごとに通信路を分け、尤度を重ねて推定すると、正確な報告ほど重く数えられる。",
            ),
            Table(
                "by-person",
                Text(
                    "L1 distance of the inversion for a hill, mean over at most 20 trials.",
                    "山型の分布に対する逆行列の L1 距離（最大20試行の平均）。",
                ),
                (
                    Column(Text("reports", "使う報告")),
                    Column(Text("people", "人数"), ",d"),
                    Column("L1", ".4f"),
                ),
                tuple((one.name, one.people, one.error) for one in levels),
            ),
            Text(
                f"Roads: a river between two columns of cells with one bridge, ε = {MAIN:g} per "
                "metre of road. Straight distances send many reports from the bank to the far "
                "side, which is near for the eye and far for the feet; shortest ways do not. In "
                "return straight distances keep two places that face each other across the river "
                "alike, which shortest ways do not promise.",
                f"道路：2つの列の間に川があり、橋は1つ。ε = {MAIN:g}（道路1 m あたり）。"
                "直線距離では、岸からの報告の多くが、目には近く足には遠い対岸に出る。"
                "最短経路ではそうならない。その代わり、川を挟んで向き合う2地点の区別しにくさは、"
                "直線距離なら保証されるが、最短経路では保証されない。",
            ),
            Table(
                "roads",
                Text(
                    "A river with one bridge. Spent: largest log ratio over the length of the "
                    "way; across: reports from the bank that lie on the other side.",
                    "橋が1つの川。使われる ε：対数の比の最大 ÷ 経路の長さ。対岸：岸の人の報告が対岸"
                    "に出る割合。",
                ),
                (
                    Column(Text("mechanism", "方式")),
                    Column(Text("ε spent per metre of way", "経路1 m あたりの ε"), ".6f"),
                    Column(Text("across", "対岸"), ".3f"),
                    Column(Text("expected metres of way", "経路の期待値（m）"), ".1f"),
                ),
                tuple((one.name, one.spent, one.across, one.metres) for one in ways),
            ),
        ),
    )
