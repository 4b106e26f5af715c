"""Sections 5.2 and 5.3 of the source: Algorithm 1 and what it does (figures 2 and 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sudare.location import boundary_report
from sudare.location.weights.reduce import CONVENTIONS
from sudare.mechanisms import GridExponential
from sudare.studies.judging import grade, judged
from sudare.studies.location import rules
from sudare.studies.location.palette import BLUE, GOLD, GREEN, RED, curve, show_map
from sudare.studies.location.section_edge import KEPT, POSTERIOR, ring
from sudare.studies.location.toy import CORNER, CORNERS, EPSILONS, GRID, MAIN, Point
from sudare.studies.location.unstopped import Unstopped, reduce_unstopped
from sudare.studies.parts import Claim, Column, Figure, Say, Section, Table, Verdict
from sudare.studies.words import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

SHOWN = (0.02, 0.03)
"""ε of figure 3."""
SAME = 0.01
"""Change of a probability that one does not see in a figure."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """Algorithm 1 at all ε, as printed at the main one, and one step of a corner alone.

    Attributes:
        corner: posterior of the corner before and after its own weight falls by 0.1.
    """

    points: dict[float, Point]
    printed: Unstopped
    corner: tuple[float, float]


def run(points: dict[float, Point]) -> Outcome:
    """Compute what the claims need besides the figures' points."""
    weights = np.ones(GRID.cells)
    weights[CORNER] = 0.9
    lowered = boundary_report(GridExponential(GRID, MAIN, weights=weights))
    before = float(points[MAIN].before.posterior[CORNER])
    return Outcome(points, reduce_unstopped(MAIN), (before, float(lowered.posterior[CORNER])))


def section(found: Outcome) -> Section:
    """Return the section."""
    points = found.points
    return Section(
        Text("Algorithm 1 (§5.2 and 5.3, figures 2 and 3)", "重み削減手法（5.2・5.3節、図2・図3）"),
        (
            Text(
                "Algorithm 1 lowers the weights of groups of cells, largest posterior first, while "
                "f1 = max P(A=r|O=r) − min P(A=r|O=r) falls. The source does not say what its step "
                "is, which posteriors are equal, or whether cells of weight 0 still count. Here: "
                f"step 0.1, cells of weight 0 left out; {CONVENTIONS}.",
                "アルゴリズム1は、f1 = max P(A=r|O=r) − min P(A=r|O=r) が下がる限り、"
                "事後確率の大きいセルの組から重みを減らす。ステップ幅、同順位の判定、"
                "重み0のセルの扱いは原典に書かれていない。ここではステップ 0.1、"
                "重み0のセルは除外とし、事後確率の順に並べて隣との差が 1e-9 以内のセルを1組とし、"
                "大きい組から試す。重みは0で止め、1e-12 未満は0とする。f1 が 1e-12 "
                "を超えて下がれば採用し、そのつど並べ直す。",
            ),
            _figure_2(points),
            *_figure_3(points),
            *_on_the_algorithm(found),
            *_on_posteriors(points),
            *_on_losses(points),
            _table(points),
        ),
    )


def _on_the_algorithm(found: Outcome) -> tuple[Claim, ...]:
    printed, (before, after) = found.printed, found.corner
    return (
        judged(
            Text("Algorithm 1, line 8", "アルゴリズム1 8行目"),
            Text("W′[r] ← W[r] − step, without end.", "W′[r] ← W[r] − step（下限なし）。"),
            "",
            Text(
                f"ε = {MAIN:g}: the first weight below 0 is accepted as move {printed.first}; at "
                f"the end (f1 {printed.f1:.4f}) the least “probability” is "
                f"{_signed(printed.probability)}",
                f"ε = {MAIN:g}：{printed.first} 回目の採用で重みが負になり、終了時（f1 "
                f"{printed.f1:.4f}）の「確率」の最小は {_signed(printed.probability)}",
            ),
            grade(printed.weight >= 0),
            Verdict.FAILS,
            Text("run as printed, no weight falls below 0", "印刷の通り実行して重みが負にならない"),
            Text(
                "Definition 5 asks for weights in [0, 1]; the loop has to stop them at 0.",
                "定義5は重みを [0, 1] とするので、0 で止める必要がある。",
            ),
        ),
        judged(
            Text("§5.2, why weights are lowered", "5.2節 重みを減らす理由"),
            Text(
                "A cell that is reported less often is expected to be less exposed.",
                "出力されにくくすれば、そのセルは知られにくくなるはずだ。",
            ),
            "",
            Text(
                f"one corner's weight from 1 to 0.9: its posterior goes from {before:.4f} to "
                f"{after:.4f} (ε = {MAIN:g})",
                f"1つの角の重みを 1 から 0.9 にすると、その事後確率は {before:.4f} から "
                f"{after:.4f} になる（ε = {MAIN:g}）",
            ),
            grade(after < before),
            Verdict.FAILS,
            Text("the corner's posterior falls", "角の事後確率が下がる"),
            Text(
                "P(A=r|O=r) = α(r)/(kα)(r) does not contain w_r directly, and α(r) grows as w_r "
                "falls. What lowers a posterior is less weight on the cells around.",
                "P(A=r|O=r) = α(r)/(kα)(r) に w_r は直接現れず、w_r が減ると α(r) は増える。"
                "事後確率を下げるのは、周りのセルの重みの減少である。",
            ),
        ),
    )


def _on_posteriors(points: dict[float, Point]) -> tuple[Claim, ...]:
    main = points[MAIN]
    before, after = main.before, main.after
    falls = [one.after.posterior_max < one.before.posterior_max for one in points.values()]
    moved = {e: one.after.posterior_min - one.before.posterior_min for e, one in points.items()}
    gaps = [
        (one.before.kept_max - one.before.kept_min, one.after.kept_max - one.after.kept_min)
        for one in points.values()
    ]
    listed = ", ".join(_signed(moved[e], "+.3f") for e in EPSILONS)
    return (
        judged(
            Text("§5.3.2, figure 2(a)", "5.3.2節 図2(a)"),
            Text(
                f"At ε = {MAIN:g} the gap of about 0.3 falls to about 0.18.",
                f"ε = {MAIN:g} で約 0.3 あった差が約 0.18 に減る。",
            ),
            "0.18",
            f"{before.f1:.4f} → {after.f1:.4f} ({after.posterior_max:.4f} − "
            f"{after.posterior_min:.4f})",
            rules.printed(after.f1, 0.18, 2),
            Verdict.HOLDS,
            Text(
                "0.18 as rounded; approximately: up to 0.01",
                "四捨五入で 0.18、「ほぼ」は 0.01 以内",
            ),
            Text(
                "Under the conventions above. Others give 0.02 to 0.30: see the next section.",
                "上の規約の下で。規約を変えれば 0.02〜0.30 になる（次節）。",
            ),
        ),
        judged(
            Text("§5.3.2, upper lines of figure 2(a)", "5.3.2節 図2(a) 最大値の線"),
            Text("The largest posterior falls.", "事後確率の最大が下がる。"),
            "",
            Text(
                f"at {sum(falls)} of {len(falls)} ε; {before.posterior_max:.3f} → "
                f"{after.posterior_max:.3f} at ε = {MAIN:g}",
                f"{len(falls)} 個中 {sum(falls)} 個の ε で。ε = {MAIN:g} では "
                f"{before.posterior_max:.3f} → {after.posterior_max:.3f}",
            ),
            rules.every(falls),
            Verdict.HOLDS,
            Text("it falls at every ε", "すべての ε で下がる"),
            Text("With the least one, however: see below.", "ただし最小値も下がる（次項）。"),
        ),
        judged(
            Text("§5.3.2, lower lines of figure 2(a)", "5.3.2節 図2(a) 最小値の線"),
            Text(
                "The lines of the least posterior before and after lie on each other.",
                "最小値の線は適用の前後で重なる。",
            ),
            "",
            Text(
                f"after less before, ε = 0.01 to 0.09: {listed}",
                f"適用後 − 適用前（ε = 0.01〜0.09）：{listed}",
            ),
            rules.unmoved(moved, MAIN, SAME),
            Verdict.FAILS,
            Text(
                f"at most {SAME:g} apart at every ε; approximately: at ε = {MAIN:g}",
                f"すべての ε で差が {SAME:g} 以下。「ほぼ」は ε = {MAIN:g} で",
            ),
            Text(
                "The least posterior falls too, where the gap falls most. The source's number can "
                "be had, its picture not with it.",
                "差が大きく減る ε では最小値も下がる。原典の数値は再現できるが、図の形は同時には"
                "再現できない。",
            ),
        ),
        judged(
            Text("§5.3.2, P(O=r|A=r)", "5.3.2節 P(O=r|A=r)"),
            Text(
                "The gap of P(O=r|A=r) becomes larger.",
                "P(O=r|A=r) の差はむしろ広がる。",
            ),
            "",
            Text(
                f"ε = {MAIN:g}: {gaps[EPSILONS.index(MAIN)][0]:.3f} → "
                f"{gaps[EPSILONS.index(MAIN)][1]:.3f}; larger at "
                f"{sum(b > a for a, b in gaps)} of {len(gaps)} ε",
                f"ε = {MAIN:g}：{gaps[EPSILONS.index(MAIN)][0]:.3f} → "
                f"{gaps[EPSILONS.index(MAIN)][1]:.3f}。{len(gaps)} 個中 "
                f"{sum(b > a for a, b in gaps)} 個の ε で大きくなる",
            ),
            rules.every([b > a for a, b in gaps]),
            Verdict.HOLDS,
            Text("larger at every ε", "すべての ε で大きくなる"),
            Text(
                "Cells of weight 0 are never reported; exposed ones nearly always.",
                "重み0のセルは報告されず、重みの残るセルはほぼ必ず報告されるようになる。",
            ),
        ),
        judged(
            Text("§5.3.2, what an observer sees", "5.3.2節 攻撃者の観測"),
            Text(
                "That is no large problem for privacy: an observer sees outputs only.",
                "出力しか見えない攻撃者に対しては、さほど問題にならない。",
            ),
            "",
            Text(
                f"a person in the corner, ε = {MAIN:g}: the best guess is right with "
                f"{before.kept[CORNER]:.3f} before, {after.kept[CORNER]:.3f} after",
                f"角にいる人について最良の推測が当たる確率（ε = {MAIN:g}）：適用前 "
                f"{before.kept[CORNER]:.3f}、適用後 {after.kept[CORNER]:.3f}",
            ),
            grade(
                after.kept_max <= before.kept_max + rules.TINY,
                after.kept_max <= before.kept_max + SAME,
            ),
            Verdict.FAILS,
            Text(
                f"the largest P(O=r|A=r) does not rise; approximately: by at most {SAME:g}",
                f"P(O=r|A=r) の最大が上がらない。「ほぼ」は {SAME:g} 以内",
            ),
            Text(
                "By proposition 2 the best guess is the reported cell, so P(O=r|A=r) is the chance "
                "that it is right for a person in r. Both belong beside each other.",
                "命題2により最良の推測は報告されたセルなので、P(O=r|A=r) は r にいる人が当てられる"
                "確率である。両方を並べて見るべきである。",
            ),
        ),
    )


def _on_losses(points: dict[float, Point]) -> tuple[Claim, ...]:
    main = points[MAIN]
    grown = {e: one.after.sql / one.before.sql - 1 for e, one in points.items()}
    cells = [float((one.found.weights < 1).mean()) for one in points.values()]
    corner = {e: float(one.found.weights[list(CORNERS)].max()) for e, one in points.items()}
    nearer = [
        (float(one.before.sql_cell[CORNER]), float(one.after.sql_cell[CORNER]))
        for one in points.values()
    ]
    outer = ring() <= 1
    ratios = {
        e: float(
            (1 - p.found.weights[outer]).mean() / max(1e-9, (1 - p.found.weights[~outer]).mean())
        )
        for e, p in points.items()
        if e > EPSILONS[0]
    }
    weighed = main.before.sql_cell[CORNER] / GRID.cells
    shown = ", ".join(_signed(100 * grown[e], "+.1f") for e in EPSILONS)
    told = ", ".join(f"{min(ratio, 100):.1f}" for ratio in ratios.values())
    return (
        judged(
            Text("§5.3.1, SQL of one cell", "5.3.1節 1つの領域の SQL"),
            Text(
                "Σ π(r) K(r)(r′) d(r, r′), read as the expected distance of a person in r.",
                "Σ π(r) K(r)(r′) d(r, r′) を r にいる人の距離の期待値と解釈する。",
            ),
            "",
            Text(
                f"the corner at ε = {MAIN:g}: {weighed:.2f} m as printed, "
                f"{main.before.sql_cell[CORNER]:.2f} m expected",
                f"ε = {MAIN:g} の角：印刷の式では {weighed:.2f} m、期待値は "
                f"{main.before.sql_cell[CORNER]:.2f} m",
            ),
            grade(abs(weighed / main.before.sql_cell[CORNER] - 1) <= SAME),
            Verdict.FAILS,
            Text("the two agree to 1 %", "両者が 1 % 以内で一致"),
            Text(
                "π(r) is one factor too many: of those in r all are in r.",
                "π(r) が余分である（r にいる人に限った期待値なので）。",
            ),
        ),
        judged(
            Text("§5.3.2, utility of the whole map", "5.3.2節 地図全体の有用性"),
            Text(
                "The loss of utility of the whole map is slight.",
                "地図全体では有用性をほとんど失わない。",
            ),
            "",
            Text(
                f"SQL in %, ε = 0.01 to 0.09: {shown}", f"SQL の増加（%、ε = 0.01〜0.09）：{shown}"
            ),
            rules.slight(list(grown.values())),
            Verdict.ROUGHLY,
            Text(
                f"at most {100 * rules.LOSS:g} % at every ε; approximately: at two of three",
                f"すべての ε で {100 * rules.LOSS:g} % 以下。「ほぼ」は3分の2以上で",
            ),
            Text(
                f"From ε = 0.03 on it is; at ε = {MAIN:g}, the source's example, it is not, and "
                "at 0.01 little is left of the map.",
                f"ε = 0.03 以上では成り立つ。原典の例である ε = {MAIN:g} では成り立たず、0.01 では"
                "地図がほとんど使えなくなる。",
            ),
        ),
        judged(
            Text("§5.3.2, how many cells", "5.3.2節 重みが減った領域"),
            Text("A part of the cells loses weight.", "重みが下がるのは一部のセルだけ。"),
            "",
            Text(
                f"{', '.join(f'{100 * part:.0f}' for part in cells)} % (ε = 0.01 to 0.09)",
                f"{', '.join(f'{100 * part:.0f}' for part in cells)} %（ε = 0.01〜0.09）",
            ),
            rules.every([part < 0.5 for part in cells]),
            Verdict.ROUGHLY,
            Text(
                "less than half at every ε; approximately: at two of three",
                "すべての ε で半数未満。「ほぼ」は3分の2以上で",
            ),
            Text(
                f"At ε = {MAIN:g} {int((main.found.weights == 0).sum())} of {GRID.cells} cells end "
                "with weight 0 and are never reported.",
                f"ε = {MAIN:g} では {GRID.cells} セル中 {int((main.found.weights == 0).sum())} "
                "セルの重みが0になり、報告されなくなる。",
            ),
        ),
        judged(
            Text("§5.3.2, the corner's weight in figure 2(b)", "5.3.2節 図2(b) 角の重み"),
            Text(
                "The corner cell lost weight at every ε.",
                "角のセルの重みは、試したどの ε でも下がった。",
            ),
            "",
            Text(
                "largest weight of the corners: " + ", ".join(f"{w:g}" for w in corner.values()),
                "四隅の重みの最大：" + ", ".join(f"{w:g}" for w in corner.values()),
            ),
            rules.every([w < 1 for w in corner.values()]),
            Verdict.FAILS,
            Text(
                "below 1 at every ε; approximately: at two of three",
                "すべての ε で1未満。「ほぼ」は3分の2以上で",
            ),
            Text(
                "A corner's own weight is the wrong one to lower; its neighbours' fall.",
                "角自身の重みを減らすのは逆効果で、減るのは隣のセルの重みである。",
            ),
        ),
        judged(
            Text("§5.3.2, the corner's utility in figure 2(b)", "5.3.2節 図2(b) 角の有用性"),
            Text(
                "The corner cell's SQL is worse than before: privacy is traded for utility.",
                "角のセルの有用性は適用前より悪くなる（保護との引き換え）。",
            ),
            "",
            Text(
                f"ε = {MAIN:g}: {nearer[1][0]:.1f} m → {nearer[1][1]:.1f} m; larger at "
                f"{sum(b > a for a, b in nearer)} of {len(nearer)} ε",
                f"ε = {MAIN:g}：{nearer[1][0]:.1f} m → {nearer[1][1]:.1f} m。大きくなるのは "
                f"{len(nearer)} 個中 {sum(b > a for a, b in nearer)} 個の ε",
            ),
            rules.every([b > a for a, b in nearer]),
            Verdict.FAILS,
            Text(
                "larger at every ε; approximately: at two of three",
                "すべての ε で大きくなる。「ほぼ」は3分の2以上で",
            ),
            Text(
                "It is the other way round: with its neighbours lowered the corner is reported as "
                "itself more often. People there are better located, and more exposed.",
                "逆である。隣の重みが減ると角はそのまま報告されやすくなる。"
                "角の人の位置は正確になり、同時に知られやすくなる。",
            ),
        ),
        judged(
            Text("§5.3.2, figure 3, for all ε but 0.01", "5.3.2節 図3、0.01 以外の ε"),
            Text(
                "Weights fall around the corners and edges.",
                "重みは主に角と端で下がる。",
            ),
            "",
            Text(
                "mean fall in the two outer rings over that inside, ε = 0.02 to 0.09 (at most "
                f"100): {told}",
                f"外側2周の減少の平均 ÷ 内側の平均（ε = 0.02〜0.09、100 で打ち切り）：{told}",
            ),
            rules.at_the_edge(list(ratios.values())),
            Verdict.ROUGHLY,
            Text(
                "at least 2 at every ε but 0.01; approximately: all but one of them",
                "0.01 以外のすべての ε で2以上。「ほぼ」は1つを除き",
            ),
            Text(
                f"From 0.03 on; at ε = {MAIN:g} the interior is hit as much.",
                f"0.03 以上では成り立つ。ε = {MAIN:g} では内側も同じだけ減る。",
            ),
        ),
    )


def _signed(value: float, form: str = ".3f") -> str:
    return format(value, form).replace("-", "−")


def _table(points: dict[float, Point]) -> Table:
    return Table(
        "algorithm-1",
        Text(
            "After Algorithm 1 (step 0.1, cells of weight 0 left out).",
            "アルゴリズム1の適用後（ステップ 0.1、重み0のセルは除外）。",
        ),
        (
            Column("ε", "g"),
            Column(Text("ε spent", "使われる ε"), ".6f"),
            Column(Text("P(O=r|A=r) max", "P(O=r|A=r) 最大"), ".4f"),
            Column(Text("min", "最小"), ".4f"),
            Column(Text("posterior max", "事後確率 最大"), ".4f"),
            Column(Text("min", "最小"), ".4f"),
            Column("f1", ".4f"),
            Column(Text("SQL map", "SQL 全体"), ".3f"),
            Column(Text("SQL corner", "SQL 角"), ".3f"),
            Column(Text("evaluations", "評価回数"), ",d"),
            Column(Text("accepted", "採用"), ",d"),
        ),
        tuple(
            (
                e,
                float(one.after.epsilon),
                one.after.kept_max,
                one.after.kept_min,
                one.after.posterior_max,
                one.after.posterior_min,
                one.after.f1,
                one.after.sql,
                float(one.after.sql_cell[CORNER]),
                one.found.evaluations,
                one.found.accepted,
            )
            for e, one in points.items()
        ),
    )


def _figure_2(points: dict[float, Point]) -> Figure:
    every = list(points.values())

    def draw(canvas: Canvas, say: Say) -> None:
        left, right = canvas.subplots(1, 2)
        for name, colour, mark, values in (
            (
                Text("largest, before", "最大、適用前"),
                BLUE,
                "o",
                [p.before.posterior_max for p in every],
            ),
            (
                Text("largest, after", "最大、適用後"),
                GREEN,
                "s",
                [p.after.posterior_max for p in every],
            ),
            (
                Text("least, before", "最小、適用前"),
                GOLD,
                "^",
                [p.before.posterior_min for p in every],
            ),
            (
                Text("least, after", "最小、適用後"),
                RED,
                "v",
                [p.after.posterior_min for p in every],
            ),
        ):
            curve(left, say, name, list(points), values, colour, mark)
        left.set_ylim(0, 1)
        left.set_title(say(POSTERIOR))
        for name, colour, mark, values in (
            (Text("map, before", "全体、適用前"), GOLD, "^", [p.before.sql for p in every]),
            (Text("map, after", "全体、適用後"), BLUE, "o", [p.after.sql for p in every]),
            (
                Text("corner, before", "角、適用前"),
                RED,
                "v",
                [p.before.sql_cell[CORNER] for p in every],
            ),
            (
                Text("corner, after", "角、適用後"),
                GREEN,
                "s",
                [p.after.sql_cell[CORNER] for p in every],
            ),
        ):
            curve(right, say, name, list(points), values, colour, mark)
        right.set_title(say(Text("SQL in metres", "SQL（m）")))
        for axes in (left, right):
            axes.set_xlabel(say(Text("ε per metre", "ε（1/m）")))
            axes.set_xticks(EPSILONS)
            axes.legend()

    return Figure(
        "figure-2",
        Text(
            "The source's figure 2: posterior (left) and expected distance (right) before and "
            "after Algorithm 1, colours as in the source.",
            "原典の図2：アルゴリズム1の適用前後の事後確率（左）と距離の期待値（右）。"
            "色は原典と同じ。",
        ),
        Text(
            "After Algorithm 1 both the largest and the least posterior are lower up to ε = 0.04; "
            "the whole map's distance is larger at 0.01 and 0.02, the corner's smaller everywhere.",
            "適用後は ε = 0.04 まで事後確率の最大も最小も下がる。全体の距離は 0.01 と 0.02 で増え、"
            "角の距離はすべての ε で減る。",
        ),
        draw,
        (9.4, 4.0),
    )


def _figure_3(points: dict[float, Point]) -> tuple[Figure, Figure]:
    shown = [points[e] for e in SHOWN]

    def draw_weights(canvas: Canvas, say: Say) -> None:
        panels = canvas.subplots(1, len(shown))
        for axes, one in zip(panels, shown, strict=True):
            image = show_map(axes, GRID, one.found.weights, (0, 1), "viridis")
            axes.set_title(f"ε = {one.epsilon:g}")
        bar = canvas.colorbar(image, ax=panels, shrink=0.85)
        bar.set_label(say(Text("weight", "重み")))

    def draw_after(canvas: Canvas, say: Say) -> None:
        panels = canvas.subplots(1, 2)
        main = points[MAIN].after
        for axes, title, values in zip(
            panels, (KEPT, POSTERIOR), (main.kept, main.posterior), strict=True
        ):
            image = show_map(axes, GRID, values, (0, 1))
            axes.set_title(say(title))
        canvas.colorbar(image, ax=panels, shrink=0.85)

    return (
        Figure(
            "figure-3",
            Text(
                "The source's figure 3: weights of the cells after Algorithm 1.",
                "原典の図3：アルゴリズム1適用後の各セルの重み。",
            ),
            Text(
                "At ε = 0.02 more than half of all cells have weight 0, in a pattern that is "
                "symmetric but irregular; at 0.03 mostly cells near the edge are lowered.",
                "ε = 0.02 では半数を超えるセルが対称だが不規則な模様で重み0になり、0.03 "
                "では主に端に近いセルが減る。",
            ),
            draw_weights,
            (8.4, 3.4),
        ),
        Figure(
            "after-map",
            Text(
                f"Both probabilities after Algorithm 1 at ε = {MAIN:g}; cells that are never "
                "reported have no posterior.",
                f"ε = {MAIN:g} でのアルゴリズム1適用後の2つの確率。報告されないセルに事後確率は"
                "ない。",
            ),
            Text(
                "The posteriors are closer together; in P(O=r|A=r) corners and single cells stand "
                "out much more than before.",
                "事後確率の差は縮まるが、P(O=r|A=r) では角やいくつかのセルが適用前よりはるかに突"
                "出する。",
            ),
            draw_after,
            (8.4, 3.4),
        ),
    )
