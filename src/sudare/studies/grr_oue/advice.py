"""Section 4.1 of the source: its conclusion, the cases it leaves open, and our advice."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sudare.estimation import clip_and_normalise, project
from sudare.mechanisms import GRR, OUE
from sudare.studies.grr_oue.palette import INK
from sudare.studies.grr_oue.theory import exact_crossing, rule_of_thumb
from sudare.studies.parts import Claim, Column, Figure, Say, Section, Setting, Table, Verdict
from sudare.studies.words import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

SIZES = (2, 3, 5, 8, 12, 20, 43, 100, 200)
PEOPLE = (14, 1_000, 50_000)
EPSILONS = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0)
SHAPES = {
    "even": Text("even histogram", "均等な分布"),
    "steep": Text("steep histogram (shares ∝ 1/rank)", "偏った分布（割合 ∝ 1/順位）"),
}
REPAIRS = {
    "normalise": (
        clip_and_normalise,
        Text("negative set to 0, divided by the sum", "負を0にして合計で割る"),
    ),
    "project": (project, Text("nearest shares ≥ 0 with sum 1", "合計1・非負の最近点へ射影")),
}
CASES = ((5, 14), (5, 50_000), (43, 14), (43, 50_000))
CASE_EPSILONS = (0.5, 1.0, 2.0, 4.0)
CROSSINGS = (2, 3, 5, 6, 8, 10, 20, 43, 59, 100, 200, 500, 1000)


@dataclass(frozen=True, slots=True)
class Cell:
    """Simulated MSE of GRR and OUE by repair, for one k, n, ε and shape."""

    k: int
    n: int
    epsilon: float
    shape: str
    grr: dict[str, float]
    oue: dict[str, float]

    def ratio(self, repair: str) -> float:
        """MSE of OUE over that of GRR."""
        return self.oue[repair] / self.grr[repair]


def histogram(shape: str, k: int, n: int) -> npt.NDArray[np.int64]:
    """Return counts with the sum n in that shape: whole parts, then the largest remainders."""
    weight = np.ones(k) if shape == "even" else 1 / np.arange(1, k + 1)
    ideal = n * weight / weight.sum()
    counts = ideal.astype(np.int64)
    order = np.argsort(-(ideal - counts), kind="stable")
    counts[order[: n - int(counts.sum())]] += 1
    return counts


def explore(setting: Setting) -> list[Cell]:
    """Simulate every k, n, ε and shape."""
    jobs = list(product(SHAPES, PEOPLE, SIZES, EPSILONS))
    return [
        _cell(shape, n, k, epsilon, setting)
        for shape, n, k, epsilon in setting.progress(jobs, len(jobs), "map of k, n and ε")
    ]


def _cell(shape: str, n: int, k: int, epsilon: float, setting: Setting) -> Cell:
    truth = histogram(shape, k, n)
    found = []
    for kind in (GRR, OUE):
        mechanism = kind(k, epsilon)
        rng = setting.rng(f"map/{kind.name}/{shape}/{n}/{k}/{epsilon}")
        raw = np.array(
            [
                mechanism.estimate(mechanism.simulate(truth, rng=rng)).shares
                for _ in range(setting.repetitions)
            ]
        )
        found.append(
            {
                name: float(np.mean((repair(raw) - truth / n) ** 2))
                for name, (repair, _) in REPAIRS.items()
            }
        )
    return Cell(k, n, epsilon, shape, *found)


def section(setting: Setting) -> Section:
    """Return section 4.1: conclusion, open cases, advice."""
    cells = explore(setting)
    return Section(
        Text(
            "Section 4.1: conclusion, the cases left open, and advice",
            "4.1節：結論、残された場合、助言",
        ),
        (
            Claim(
                Text("§4.1, paragraph 1", "4.1節 第1段落"),
                Text(
                    "GRR suits few categories and few answers, OUE many categories and many "
                    "answers.",
                    "カテゴリサイズが小さく回答数が少ないものには GRR、カテゴリサイズが大きく"
                    "回答数も多いものには OUE が比較的有効である。",
                ),
                "",
                Text(
                    "GRR for k ≤ 5 always; otherwise OUE below ε = ln(√((2k−1)(k−1)) − k), "
                    "GRR above",
                    "k ≤ 5 なら常に GRR。それ以外は ε = ln(√((2k−1)(k−1)) − k) より下で OUE、"
                    "上で GRR",
                ),
                Verdict.ROUGHLY,
                Text(
                    "Right about the categories, with ε as the third word. The number of answers "
                    "has no part in it for the unbiased estimate: it divides both errors alike.",
                    "カテゴリサイズについては正しいが、ε も関わる。回答数は不偏推定では両方の誤差を"
                    "同じ比で割るだけで、選択に関わらない。",
                ),
            ),
            Claim(
                Text("§4.1, paragraph 2: left open", "4.1節 第2段落：残された場合"),
                Text(
                    "Few categories with many answers, and many categories with few answers, are "
                    "not examined.",
                    "カテゴリサイズが小さく回答数が多い場合と、カテゴリサイズが大きく回答数が少ない"
                    "場合は検証していない。",
                ),
                "",
                Text(
                    "k = 5, n = 50,000: GRR at every ε. k = 43, n = 14: OUE up to 2.818, GRR "
                    "beyond; neither can be read without a repair",
                    "k = 5、n = 50,000：すべての ε で GRR。k = 43、n = 14：2.818 まで OUE、"
                    "以降は GRR。ただし補正しなければどちらも読めない",
                ),
                Verdict.OPEN,
                Text(
                    "No claim to check; the table of the four cases answers both. With 14 answers "
                    "on 43 categories the error of one share exceeds the share itself unless ε is "
                    "4 or more: collect more answers, or merge categories.",
                    "主張ではないので照合の対象はない。下の4つの場合の表が答えである。43カテゴリに"
                    "14件では、ε が 4 以上でない限り1つの割合の誤差が割合そのものを超える。回答を"
                    "増やすか、カテゴリをまとめるべきである。",
                ),
            ),
            _cases_table(cells),
            *_advice(),
            _crossings_table(),
            Figure(
                "crossing",
                Text(
                    "Which mechanism has the smaller expected error of unbiased shares, for every "
                    "n and every histogram. The rule of thumb 3e^ε + 2 = k is up to "
                    "ln(3(√2−1)) ≈ 0.217 too low.",
                    "不偏推定の期待誤差が小さい方式。n や分布によらない。近似規則 3e^ε + 2 = k は"
                    "最大で ln(3(√2−1)) ≈ 0.217 だけ低い。",
                ),
                Text(
                    "GRR wins above a curve that rises with k from ε = 0 at k = 5 to about 6 at "
                    "k = 1000; OUE below it.",
                    "k = 5 の ε = 0 から k = 1000 の約6へ上がる曲線の上では GRR、下では OUE が勝つ。",
                ),
                _draw_crossing,
                (7.2, 4.0),
            ),
            *(_map(shape, cells) for shape in SHAPES),
            _map_table(cells),
        ),
    )


def _advice() -> tuple[Text, ...]:
    return (
        Text(
            "By the number of categories k: up to 5, take GRR. From 6 on, take OUE below the "
            "crossing and GRR above it; the crossing is close to ln(0.414 k + 0.56 − 1.06), in "
            "words a little below half of k as e^ε. At k = 43 that is 2.818, at k = 1000 6.0.",
            "",
        ),
    )


def _cases_table(cells: list[Cell]) -> Table:
    by = {(c.k, c.n, c.epsilon): c for c in cells if c.shape == "steep"}
    return Table(
        "cases",
        Text(
            "The four cases, steep histogram. Expected root mean square error of an unbiased "
            "share, in percentage points, against the mean share 100/k; who wins by the unbiased "
            "estimate and after a repair, with the ratio of the MSE of OUE to that of GRR.",
            "4つの場合（偏った分布）。不偏推定の割合の期待二乗平均平方根誤差（パーセントポイント）と"
            "平均の割合 100/k、不偏推定および補正後の勝者と MSE の比 OUE÷GRR。",
        ),
        (
            Column("k, n"),
            Column("ε", "g"),
            Column(Text("100/k", "100/k"), ".1f"),
            Column("GRR ±", ".3g"),
            Column("OUE ±", ".3g"),
            Column(Text("unbiased", "不偏推定")),
            *(Column(words) for _, words in REPAIRS.values()),
        ),
        tuple(
            (
                f"k = {k}, n = {n:,}",
                epsilon,
                100 / k,
                100 * math.sqrt(grr),
                100 * math.sqrt(oue),
                _winner(oue / grr),
                *(_winner(by[k, n, epsilon].ratio(repair)) for repair in REPAIRS),
            )
            for k, n in CASES
            for epsilon in CASE_EPSILONS
            for grr, oue in [
                [kind(k, epsilon).expected_mse(n, target="respondents") for kind in (GRR, OUE)]
            ]
        ),
    )


def _winner(ratio: float) -> Text | str:
    if 0.97 < ratio < 1.03:
        return Text(f"as good ({ratio:.2f})", f"同程度（{ratio:.2f}）")
    name = "OUE" if ratio < 1 else "GRR"
    return Text(f"{name} ({ratio:.2f})", f"{name}（{ratio:.2f}）")


def _crossings_table() -> Table:
    rows = []
    for k in CROSSINGS:
        exact, rule = exact_crossing(k), rule_of_thumb(k)
        always = Text("none: GRR wins at every ε", "なし：常に GRR が勝つ")
        rows.append(
            (k, always if exact is None else f"{exact:.3f}", "–" if rule is None else f"{rule:.3f}")
        )
    return Table(
        "crossing",
        Text(
            "The ε up to which OUE has the smaller expected error, unbiased estimates.",
            "OUE の期待誤差が小さい ε の上限（不偏推定）。",
        ),
        (
            Column("k", "d"),
            Column(Text("exact", "正確な値")),
            Column(Text("rule 3e^ε + 2 = k", "近似規則 3e^ε + 2 = k")),
        ),
        tuple(rows),
    )


def _draw_crossing(canvas: Canvas, say: Say) -> None:
    axes = canvas.subplots()
    sizes = [5, *np.unique(np.geomspace(6, 1000, 120).astype(int)).tolist()]
    exact = [exact_crossing(k) or 0.0 for k in sizes]
    rule = [rule_of_thumb(k) or 0.0 for k in sizes]
    axes.fill_between(sizes, exact, 7, color="#b5482f", alpha=0.13, lw=0)
    axes.fill_between([2, 5], 0, 7, color="#b5482f", alpha=0.13, lw=0)
    axes.fill_between(sizes, 0, exact, color="#2f5d8c", alpha=0.13, lw=0)
    axes.plot(sizes, exact, color=INK, linewidth=1.6, label=say(Text("exact", "正確な交点")))
    axes.plot(
        sizes, rule, ":", color=INK, linewidth=1.4, label=say(Text("rule of thumb", "近似規則"))
    )
    axes.plot([43], [exact_crossing(43) or 0.0], "o", color=INK, markersize=5)
    axes.annotate(
        "k = 43: 2.818",
        (43, 2.818),
        (8, -12),
        textcoords="offset points",
        fontsize=9,
    )
    axes.text(6, 5, say(Text("GRR has the smaller error", "GRR の誤差が小さい")), color="#8f2a17")
    axes.text(110, 1.2, say(Text("OUE has the smaller error", "OUE の誤差が小さい")), color="#1f4268")
    axes.set_xscale("log")
    ticks = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlim(2, 1000)
    axes.set_ylim(0, 7)
    axes.set_xlabel(say(Text("number of categories k", "カテゴリ数 k")))
    axes.set_ylabel("ε")
    axes.legend(loc="upper left")


def _map(shape: str, cells: list[Cell]) -> Figure:
    mine = [cell for cell in cells if cell.shape == shape]
    return Figure(
        f"map-{shape}",
        Text(
            f"After a repair, {SHAPES[shape].en}: simulated MSE of OUE over that of GRR by k, ε "
            "and n. Blue: OUE wins; red: GRR wins; white: as good. Black line: the crossing of "
            "the unbiased estimates.",
            f"補正後、{SHAPES[shape].ja}：模擬 MSE の比 OUE÷GRR（k、ε、n 別）。青は OUE、赤は "
            "GRR の勝ち、白は同程度。黒線は不偏推定の交点。",
        ),
        Text(
            "With many answers the repaired errors change places where the unbiased ones do; with "
            "14 answers there is little between them below ε = 1.",
            "回答が多ければ補正後も不偏推定と同じところで入れ替わる。14件では ε = 1 より下で"
            "ほとんど差がない。",
        ),
        lambda canvas, say: _draw_map(canvas, say, mine),
        (8.6, 6.2),
    )


def _draw_map(canvas: Canvas, say: Say, cells: list[Cell]) -> None:
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import FixedLocator, NullLocator

    by = {(c.k, c.n, c.epsilon): c for c in cells}
    grid = canvas.subplots(len(REPAIRS), len(PEOPLE), sharex=True, sharey=True)
    place = np.arange(len(SIZES))
    dense = np.geomspace(6, SIZES[-1], 60)
    curve = [exact_crossing(round(k)) or 0.0 for k in dense]
    for row, (repair, (_, words)) in enumerate(REPAIRS.items()):
        for column, n in enumerate(PEOPLE):
            axes = grid[row, column]
            ratio = [[by[k, n, e].ratio(repair) for k in SIZES] for e in EPSILONS]
            image = axes.pcolormesh(
                np.clip(ratio, 0.25, 4), cmap="RdBu_r", norm=LogNorm(0.25, 4), rasterized=True
            )
            axes.plot(
                np.interp(np.log(np.round(dense)), np.log(SIZES), place) + 0.5,
                np.interp(curve, EPSILONS, np.arange(len(EPSILONS))) + 0.5,
                color=INK,
                linewidth=1.4,
            )
            axes.grid(visible=False)
            axes.set_xticks(place + 0.5, [str(k) for k in SIZES])
            axes.set_yticks(np.arange(len(EPSILONS)) + 0.5, [f"{e:g}" for e in EPSILONS])
            head = f"n = {n:,}"
            axes.set_title(f"{say(words)}\n{head}" if column == 0 else head)
    for axes in grid[-1]:
        axes.set_xlabel(say(Text("categories k", "カテゴリ数 k")))
    for axes in grid[:, 0]:
        axes.set_ylabel("ε")
    bar = canvas.colorbar(image, ax=grid, shrink=0.8)
    bar.ax.yaxis.set_major_locator(FixedLocator([0.25, 0.5, 1, 2, 4]))
    bar.ax.yaxis.set_minor_locator(NullLocator())
    bar.ax.set_yticklabels(["≤ 1/4", "1/2", "1", "2", "≥ 4"])
    bar.set_label(say(Text("MSE of OUE / MSE of GRR", "OUE の MSE ÷ GRR の MSE")))


def _map_table(cells: list[Cell]) -> Table:
    return Table(
        "map",
        Text("All cells of the two maps.", "2枚の地図の全数値。"),
        (
            Column(Text("shape", "分布")),
            Column("n", "d"),
            Column("k", "d"),
            Column("ε", "g"),
            *(
                Column(Text(f"{name}: {words.en}", f"{name}：{words.ja}"), ".3e")
                for _, words in REPAIRS.values()
                for name in ("GRR", "OUE")
            ),
        ),
        tuple(
            (
                SHAPES[cell.shape],
                cell.n,
                cell.k,
                cell.epsilon,
                *(mse for repair in REPAIRS for mse in (cell.grr[repair], cell.oue[repair])),
            )
            for cell in cells
        ),
        in_report=False,
    )
