"""What Algorithm 1 gives when what the source leaves open is chosen in another way."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sudare.location import ReducedWeights, reduce_weights
from sudare.location.report import Mode
from sudare.mechanisms import Grid
from sudare.studies.judging import grade, judged
from sudare.studies.location.orders import grouped
from sudare.studies.location.palette import BLUE, GOLD, GREEN, GREY, INK, RED
from sudare.studies.location.toy import GRID, MAIN
from sudare.studies.parts import Column, Figure, Say, Section, Setting, Table, Verdict
from sudare.studies.words import Text, Words

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

EPSILONS = (0.02, 0.03)
STEPS = (0.1, 0.05, 0.01)
OTHER_STEPS = (0.5, 0.25, 0.2, 0.11, 0.09, 0.05, 0.02, 0.01)
TIES = (1e-3, 1e-4, 1e-6, 0.0)
NOISE = 1e-6
NOISY = 3
FAR = 0.05
"""Change of f1 by the order alone from which the result is said to depend on it largely."""


@dataclass(frozen=True, eq=False)
class Tried:
    """One run of Algorithm 1.

    Attributes:
        kind: what was changed: ``"as above"``, ``"step"``, ``"ties"``, ``"order"``, ``"rounding"``.
        what: in words.
    """

    kind: str
    what: Words
    epsilon: float
    mode: Mode
    found: ReducedWeights


KINDS: dict[str, tuple[Text, str, str]] = {
    "as above": (Text("as above", "上の規約"), INK, "*"),
    "step": (Text("another step", "ステップ幅"), BLUE, "o"),
    "ties": (Text("other ties", "同順位の判定"), RED, "s"),
    "order": (Text("another order", "順番"), GOLD, "D"),
    "rounding": (Text("input rounded otherwise", "入力の丸め"), GREEN, "^"),
}


def run(setting: Setting) -> tuple[list[Tried], list[Tried]]:
    """Run the source's ε with both modes and three steps, and the variations at the main ε."""
    modes: tuple[Mode, ...] = ("observed", "limit")
    jobs = list(itertools.product(EPSILONS, modes, STEPS))
    base = [
        Tried("step", f"{step:g}", e, mode, reduce_weights(GRID, e, step=step, mode=mode))
        for e, mode, step in setting.progress(jobs, len(jobs), "Algorithm 1, modes and steps")
    ]
    return base, list(_varied(setting))


def _varied(setting: Setting) -> list[Tried]:
    def tried(kind: str, what: Words, grid: Grid = GRID, e: float = MAIN, **other: Any) -> Tried:
        return Tried(kind, what, e, "observed", reduce_weights(grid, e, **other))

    generator = setting.rng("noise").generator()
    nearly = [1 - NOISE * generator.random(GRID.cells) for _ in range(NOISY)]
    smaller = Grid(GRID.rows, GRID.columns, 115.58, 141.45)
    return [
        tried("as above", Text("as above", "上の規約")),
        *(
            tried("step", Text(f"step {step:g}", f"ステップ {step:g}"), step=step)
            for step in OTHER_STEPS
        ),
        *(
            tried(
                "ties",
                Text(f"tied within {tied:.0e}", f"{tied:.0e} 以内を同順位")
                if tied
                else Text("tied if equal as floats", "浮動小数点で等しいものだけ同順位"),
                order=grouped(tied),
            )
            for tied in TIES
        ),
        tried("ties", Text("cells one by one", "1セルずつ"), order=grouped(-np.inf)),
        tried(
            "order",
            Text("least posterior first", "事後確率の小さい順"),
            order=grouped(1e-9, np.positive),
        ),
        *(
            tried(
                "rounding",
                Text(f"start weights 1 − 1e-6 u, draw {i}", f"初期の重み 1 − 1e-6 u、{i}組目"),
                start=start,
            )
            for i, start in enumerate(nearly, 1)
        ),
        tried("rounding", "ε = 0.0200001", e=0.0200001),
        tried("rounding", "ε = 0.0201", e=0.0201),
        tried("rounding", "115.58 × 141.45 m", smaller),
    ]


def section(base: list[Tried], varied: list[Tried]) -> Section:
    """Return the section."""
    f1 = [one.found.f1 for one in varied]
    usual = varied[0].found.f1
    turned = [one.found.f1 for one in varied if one.kind in ("ties", "order")]
    rounded = [one.found.f1 for one in varied if one.kind == "rounding"]
    return Section(
        Text("How firm Algorithm 1's result is", "アルゴリズム1の結果の安定性"),
        (
            Text(
                f"The same algorithm at ε = {MAIN:g}, with what the source leaves open chosen in "
                f"other ways: f1 from {min(f1):.4f} to {max(f1):.4f}. Equal posteriors are the "
                "point: by symmetry four cells share one, but computed numbers of equal cells "
                "differ in the last digits. Where such ties are not taken together, the first "
                "moves fail and the algorithm stops nearly where it began. Every result of "
                "reduce_weights carries its conventions.",
                f"ε = {MAIN:g} で、原典に書かれていない点だけを変えて同じアルゴリズムを実行すると、"
                f"f1 は {min(f1):.4f} から {max(f1):.4f} まで変わる。要は同順位の判定である。"
                "対称な4セルの事後確率は等しいが、計算値は末尾の桁が異なる。"
                "これをまとめて扱わないと最初の更新から失敗し、"
                "ほぼ初期状態のまま止まる。reduce_weights の結果には必ず規約を記す。",
            ),
            judged(
                Text("§5.3.2, order of trial", "5.3.2節 領域の順番"),
                Text(
                    "The algorithm depends largely on the order of the cells in line 5.",
                    "5行目でどの順に試すかが結果を大きく左右する。",
                ),
                "",
                Text(
                    f"f1 {usual:.4f}; other ties and orders: {min(turned):.4f} to "
                    f"{max(turned):.4f}; inputs rounded otherwise: {min(rounded):.4f} to "
                    f"{max(rounded):.4f}",
                    f"f1 は {usual:.4f}。同順位と順番を変えると {min(turned):.4f}〜"
                    f"{max(turned):.4f}、入力の丸めを変えると {min(rounded):.4f}〜"
                    f"{max(rounded):.4f}",
                ),
                grade(max(turned) - min(turned) > FAR),
                Verdict.HOLDS,
                Text(
                    f"other ties and orders change f1 by more than {FAR:g}",
                    f"同順位と順番を変えると f1 が {FAR:g} を超えて変わる",
                ),
                Text(
                    "More than the source lets on: its own number cannot be had without knowing "
                    "its ties and its step.",
                    "原典の想定以上である。同順位の判定とステップ幅が分からなければ、"
                    "原典の数値も再現できない。",
                ),
            ),
            _figure(varied),
            Table(
                "algorithm-1-modes",
                Text(
                    "Algorithm 1 by mode and step. Observed: cells of weight 0 left out; limit: "
                    "they count with the posterior that they have as the weight vanishes.",
                    "アルゴリズム1：モードとステップ別。observed は重み0のセルを除外、limit "
                    "は重みが0に近づくときの事後確率で数える。",
                ),
                (
                    Column("ε", "g"),
                    Column(Text("mode", "モード")),
                    Column(Text("step", "ステップ"), "g"),
                    *_COLUMNS,
                ),
                tuple((one.epsilon, one.mode, one.found.step, *_cells(one)) for one in base),
            ),
            Table(
                "algorithm-1-variations",
                Text(
                    f"Algorithm 1 at ε = {MAIN:g}, cells of weight 0 left out, one thing changed.",
                    f"アルゴリズム1（ε = {MAIN:g}、重み0のセルは除外）、1点だけ変えた結果。",
                ),
                (Column(Text("changed", "変えた点")), *_COLUMNS),
                tuple((one.what, *_cells(one)) for one in varied),
            ),
        ),
    )


_COLUMNS = (
    Column("f1", ".4f"),
    Column(Text("SQL in m", "SQL（m）"), ".2f"),
    Column(Text("evaluations", "評価回数"), ",d"),
    Column(Text("accepted", "採用"), ",d"),
)


def _cells(one: Tried) -> tuple[float, float, int, int]:
    return one.found.f1, one.found.sql, one.found.evaluations, one.found.accepted


def _figure(varied: list[Tried]) -> Figure:
    def draw(canvas: Canvas, say: Say) -> None:
        axes = canvas.subplots()
        for kind, (name, colour, mark) in KINDS.items():
            mine = [one for one in varied if one.kind == kind]
            axes.plot(
                [one.found.sql for one in mine],
                [one.found.f1 for one in mine],
                linestyle="",
                marker=mark,
                markersize=11 if kind == "as above" else 6,
                markerfacecolor=colour if kind == "as above" else "none",
                markeredgecolor=colour,
                markeredgewidth=1.3,
                label=say(name),
            )
        axes.axhline(0.18, color=GREY, linewidth=0.9, linestyle="--")
        axes.set_ylim(0, None)
        axes.set_xlabel(say(Text("SQL in metres", "SQL（m）")))
        axes.set_ylabel("f1")
        axes.legend()

    return Figure(
        "chaos",
        Text(
            f"Where Algorithm 1 ends at ε = {MAIN:g}: f1 against SQL. Dashed: the source's 0.18.",
            f"ε = {MAIN:g} でのアルゴリズム1の到達点：f1 と SQL。破線は原典の 0.18。",
        ),
        Text(
            "The points lie all over, from f1 0.30 at 161 m to 0.02 at 345 m.",
            "点は f1 0.30（161 m）から 0.02（345 m）まで散らばる。",
        ),
        draw,
        (7.2, 4.2),
    )
