"""Section 5.1 of the source: GridE is weaker at the edge of the map (figure 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sudare.studies.judging import judged
from sudare.studies.location import rules
from sudare.studies.location.palette import BLUE, RED, curve, show_map
from sudare.studies.location.toy import CORNER, CORNERS, EPSILONS, GRID, MAIN, Point
from sudare.studies.parts import Claim, Column, Figure, Say, Section, Table, Verdict
from sudare.studies.words import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

POSTERIOR = Text("posterior P(A=r | O=r)", "事後確率 P(A=r | O=r)")
KEPT = Text("P(O=r | A=r)", "P(O=r | A=r)")
APART = 0.01
"""Gap of a probability from which cells are said to differ."""


def ring() -> npt.NDArray[np.intp]:
    """Return for each cell how many cells lie between it and the edge."""
    row, column = np.divmod(np.arange(GRID.cells), GRID.columns)
    sides = (row, column, GRID.rows - 1 - row, GRID.columns - 1 - column)
    out: npt.NDArray[np.intp] = np.minimum.reduce(sides)
    return out


def section(points: dict[float, Point]) -> Section:
    """Return the section."""
    return Section(
        Text("The edge of the map (§5.1, figure 1)", "境界脆弱性（5.1節、図1）"),
        (
            Text(
                "An observer who takes every cell for equally likely believes after a report of r "
                "that the person is in r with P(A=r|O=r). P(O=r|A=r) is the chance that the true "
                "cell is reported; by proposition 2 it is also the chance that the best guess is "
                "right for a person in r. Both are shown throughout.",
                "全セルを等確率と考える観測者は、r の報告を見て、その人が r にいると確率 "
                "P(A=r|O=r) で信じる。P(O=r|A=r) は真のセルが報告される確率で、命題2により、r "
                "にいる人について最良の推測が当たる確率でもある。以下では常に両方を示す。",
            ),
            _figure(points),
            _map(points[MAIN]),
            *_claims(points),
            _table(points),
        ),
    )


def _claims(points: dict[float, Point]) -> tuple[Claim, ...]:
    main = points[MAIN].before
    kept_gap = main.kept_max - main.kept_min
    highest = [
        [int(cell) for cell in np.flatnonzero(one.before.kept >= one.before.kept_max - 1e-9)]
        for one in points.values()
    ] + [list(one.before.most_exposed) for one in points.values()]
    gaps = {
        e: (one.before.kept_max - one.before.kept_min, one.before.f1) for e, one in points.items()
    }
    apart = [min(each) > APART for each in gaps.values()]
    inner = ring() >= 1
    near = [
        float(
            np.mean(
                one.before.posterior[inner] - one.before.posterior_min
                <= rules.INNER * one.before.f1
            )
        )
        for one in points.values()
    ]
    return (
        judged(
            Text("§5.1, figure 1(a)", "5.1節 図1(a)"),
            Text(
                f"At ε = {MAIN:g} the largest and the least P(O=r|A=r) are about 0.22 apart.",
                f"ε = {MAIN:g} で P(O=r|A=r) の最大と最小の差は約 0.22。",
            ),
            "0.22",
            f"{main.kept_max:.4f} − {main.kept_min:.4f} = {kept_gap:.4f}",
            rules.printed(kept_gap, 0.22, 2),
            Verdict.HOLDS,
            Text(
                "0.22 as rounded; approximately: up to 0.01",
                "四捨五入で 0.22、「ほぼ」は 0.01 以内",
            ),
            Text("From the definitions, to the digit.", "定義からの計算と一致する。"),
        ),
        judged(
            Text("§5.1, figure 1(b)", "5.1節 図1(b)"),
            Text(
                f"Near ε = {MAIN:g} the posteriors are about 0.3 apart.",
                f"ε = {MAIN:g} 付近で事後確率の最大と最小の差は約 0.3。",
            ),
            "0.3",
            f"{main.posterior_max:.4f} − {main.posterior_min:.4f} = {main.f1:.4f}",
            rules.printed(main.f1, 0.3, 1),
            Verdict.HOLDS,
            Text("0.3 as rounded; approximately: up to 0.1", "四捨五入で 0.3、「ほぼ」は 0.1 以内"),
            Text("From the definitions, to the digit.", "定義からの計算と一致する。"),
        ),
        judged(
            Text("§5.1, where", "5.1節 最大の場所"),
            Text("The maxima are those of the four corners.", "最大になる場所は地図の四隅。"),
            "",
            Text(
                f"cells {', '.join(map(str, main.most_exposed))} at ε = {MAIN:g}; the same in "
                f"{sum(set(one) == set(CORNERS) for one in highest)} of {len(highest)} curves' "
                "points",
                f"ε = {MAIN:g} でセル {', '.join(map(str, main.most_exposed))}。図の "
                f"{len(highest)} 点のうち {sum(set(one) == set(CORNERS) for one in highest)} "
                "点で同じ",
            ),
            rules.same_cells(highest, CORNERS),
            Verdict.HOLDS,
            Text(
                "both maxima at all ε, ties within 1e-9; approximately: the corners among others",
                "両方の最大、すべての ε で（1e-9 以内は同値）。「ほぼ」は四隅を含む",
            ),
            Text("A corner has the fewest neighbours.", "角は隣のセルが最も少ない。"),
        ),
        judged(
            Text("§5.1, for most ε", "5.1節 ほとんどの ε"),
            Text(
                "For most ε both probabilities differ by cell.",
                "2つの確率は、多くの ε でセルごとに違う。",
            ),
            "",
            Text(
                f"gaps from {min(map(min, gaps.values())):.4f} (ε = {EPSILONS[-1]:g}) to "
                f"{max(map(max, gaps.values())):.4f}; above {APART:g} at {sum(apart)} of "
                f"{len(apart)} ε",
                f"差は {min(map(min, gaps.values())):.4f}（ε = {EPSILONS[-1]:g}）〜"
                f"{max(map(max, gaps.values())):.4f}。{len(apart)} 個中 {sum(apart)} 個の ε で "
                f"{APART:g} を超える",
            ),
            rules.most([sum(apart) / len(apart)], 0.5),
            Verdict.HOLDS,
            Text(
                f"both gaps above {APART:g} at more than half of the ε",
                f"半数を超える ε で両方の差が {APART:g} を超える",
            ),
            Text(
                "At large ε nearly every report is the true cell, wherever it is.",
                "ε が大きいと、どこでもほぼ真のセルが報告される。",
            ),
        ),
        judged(
            Text("§5.1, inside", "5.1節 内側の領域"),
            Text(
                "Most cells that are not at the edge lie near the least posterior.",
                "端を除けば、多くのセルの事後確率は最小に近い。",
            ),
            "",
            Text(
                f"of the 13 × 13 inner cells {100 * min(near):.0f} % or more at every ε, "
                f"{100 * near[EPSILONS.index(MAIN)]:.0f} % at {MAIN:g}",
                f"内側 13 × 13 セルのうち、どの ε でも {100 * min(near):.0f} % 以上、ε = {MAIN:g} "
                f"で {100 * near[EPSILONS.index(MAIN)]:.0f} %",
            ),
            rules.most(near, 0.33),
            Verdict.HOLDS,
            Text(
                f"more than half of them within {rules.INNER:g} of the gap, at every ε",
                f"すべての ε で、その過半が差の {rules.INNER:g} 倍以内",
            ),
            Text(
                "The edge is felt over about 2/ε metres: one or two cells.",
                "端の影響が及ぶのは 2/ε m 程度、1〜2セルである。",
            ),
        ),
    )


def _table(points: dict[float, Point]) -> Table:
    return Table(
        "edge",
        Text(
            "GridE on the source's map. SQL: metres between true and reported cell, expected over "
            "the map and for the corner; ε spent: the least for which the guarantee holds.",
            "原典の地図での GridE。SQL：真のセルと報告されたセルの距離の期待値（m、地図全体と角）。"
            "使われる ε：保証が成り立つ最小の値。",
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
        ),
        tuple(
            (
                e,
                float(one.before.epsilon),
                one.before.kept_max,
                one.before.kept_min,
                one.before.posterior_max,
                one.before.posterior_min,
                one.before.f1,
                one.before.sql,
                float(one.before.sql_cell[CORNER]),
            )
            for e, one in points.items()
        ),
    )


def _figure(points: dict[float, Point]) -> Figure:
    def draw(canvas: Canvas, say: Say) -> None:
        left, right = canvas.subplots(1, 2, sharey=True)
        for axes, title, ends in (
            (left, KEPT, [(p.before.kept_max, p.before.kept_min) for p in points.values()]),
            (
                right,
                POSTERIOR,
                [(p.before.posterior_max, p.before.posterior_min) for p in points.values()],
            ),
        ):
            high, low = zip(*ends, strict=True)
            curve(axes, say, Text("largest", "最大"), list(points), high, RED, "o")
            curve(axes, say, Text("least", "最小"), list(points), low, BLUE, "s")
            axes.set_title(say(title))
            axes.set_xlabel(say(Text("ε per metre", "ε（1/m）")))
            axes.set_xticks(EPSILONS)
        left.set_ylim(0, 1)
        left.legend(loc="lower right")

    return Figure(
        "figure-1",
        Text(
            "The source's figure 1: largest and least over the cells. Left, the true cell is "
            "reported; right, posterior of the reported cell under a uniform prior.",
            "原典の図1：全セルの最大と最小。左は同じセルが出力される確率、"
            "右は一様な事前分布での報告されたセルの事後確率。",
        ),
        Text(
            "The largest and the least are up to 0.3 apart near ε = 0.02 and meet above 0.08.",
            "最大と最小は ε = 0.02 付近で最大 0.3 離れ、0.08 より上で重なる。",
        ),
        draw,
        (9.0, 3.8),
    )


def _map(main: Point) -> Figure:
    def draw(canvas: Canvas, say: Say) -> None:
        left, right = canvas.subplots(1, 2)
        for axes, title, values in (
            (left, KEPT, main.before.kept),
            (right, POSTERIOR, main.before.posterior),
        ):
            image = show_map(axes, GRID, values, (0.2, 0.55))
            axes.set_title(say(title))
        canvas.colorbar(image, ax=(left, right), shrink=0.85)

    return Figure(
        "edge-map",
        Text(
            f"Both probabilities of each cell at ε = {MAIN:g}.",
            f"ε = {MAIN:g} での各セルの2つの確率。",
        ),
        Text(
            "The four corners stand out, then the sides; inside all is even.",
            "四隅が突出し、次いで辺。内側は一様である。",
        ),
        draw,
        (8.4, 3.4),
    )
