"""Section 4.1 of the source: its conclusion, the cases it leaves open, and our advice."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sudare.mechanisms import GRR, OUE
from sudare.studies.grr_oue.maps import REPAIRS, SHAPES, Cell, explore, map_figure, map_table
from sudare.studies.grr_oue.palette import COLOURS, INK
from sudare.studies.grr_oue.repairs import REPAIR_WORDS
from sudare.studies.grr_oue.theory import exact_crossing, rule_of_thumb, shifted_crossing
from sudare.studies.parts import Claim, Column, Figure, Say, Section, Setting, Table, Verdict
from sudare.studies.words import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

CASES = ((5, 14), (5, 50_000), (43, 14), (43, 50_000))
CASE_EPSILONS = (0.5, 1.0, 2.0, 4.0)
CROSSINGS = (2, 4, 5, 6, 8, 10, 20, 43, 59, 100, 200, 500, 1000)


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
                    "beyond, both with errors larger than the shares",
                    "k = 5、n = 50,000：すべての ε で GRR。k = 43、n = 14：2.818 まで OUE、"
                    "以降は GRR。ただしどちらも誤差が割合より大きい",
                ),
                Verdict.OPEN,
                Text(
                    "No claim to check; the table of the four cases answers both. With 14 answers "
                    "on 43 categories the error of a share exceeds the mean share even at ε = 4: "
                    "collect more answers, or merge categories.",
                    "主張ではないので照合の対象はない。下の4つの場合の表が答えである。43カテゴリに"
                    "14件では、ε = 4 でも割合の誤差が平均の割合を超える。回答を増やすか、"
                    "カテゴリをまとめるべきである。",
                ),
            ),
            _cases_table(cells),
            *ADVICE,
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
                    "k = 5 の ε = 0 から k = 1000 の約6へ上がる曲線の上では GRR、下では OUE "
                    "が勝つ。",
                ),
                _draw_crossing,
                (7.2, 4.0),
            ),
            *(map_figure(shape, cells) for shape in SHAPES),
            map_table(cells),
        ),
    )


ADVICE = (
    Text(
        "Advice by the number of categories k. Up to 5 take GRR, at every ε. From 6 on take OUE "
        "below the crossing and GRR above it; the crossing is close to ln(0.414 k − 1.06): 1.1 "
        "at k = 10, 2.8 at k = 43, 3.7 at k = 100.",
        "カテゴリ数 k について：5以下ならどの ε でも GRR。6以上なら交点より下で OUE、上で GRR。"
        "交点はほぼ ln(0.414 k − 1.06) で、k = 10 で 1.1、k = 43 で 2.8、k = 100 で 3.7。",
    ),
    Text(
        "By the number of answers n. Unbiased estimates: n does not matter for the choice, only "
        "for whether the result can be read at all; plan for that first (sudare plan). If the "
        "shares are shifted to the sum 1, OUE's error falls by its k-th part and its reach grows "
        "a little, for every n: to 0.39 at k = 5, to 2.855 at k = 43. If negative shares are "
        "repaired as well, thousands of answers change nothing more; with a few dozen the two "
        "are close below ε = 1, and few categories no longer speak for GRR.",
        "回答数 n について：不偏推定では n は選択に関わらず、結果が読めるかどうかだけを決める。"
        "まずそれを計画すること（sudare plan）。割合を一律にずらして合計1にすると OUE の誤差は "
        "k 分の1だけ減り、n によらず OUE の範囲がわずかに広がる（k = 5 で 0.39、k = 43 で 2.855 "
        "まで）。負の割合も補正する場合、数千件あればそれ以上の変化はないが、数十件では ε = 1 より"
        "下で両者の差は小さく、カテゴリが少なくても GRR が有利とは限らない。",
    ),
    Text(
        "By the skew. It has no part in the choice: exactly none for unbiased estimates, and "
        "hardly any after a repair (compare the two maps).",
        "偏りについて：選択には関わらない。不偏推定では厳密に無関係であり、補正後もほとんど影響"
        "しない（2枚の地図を比べるとよい）。",
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
            "4つの場合（偏った分布）。"
            "不偏推定の割合の期待二乗平均平方根誤差（パーセントポイント）と"
            "平均の割合 100/k、不偏推定および補正後の勝者と MSE の比 OUE÷GRR。",
        ),
        (
            Column("k", "d"),
            Column("n", ",d"),
            Column("ε", "g"),
            Column(Text("100/k", "100/k"), ".1f"),
            Column("GRR ±", ".3g"),
            Column("OUE ±", ".3g"),
            Column(Text("unbiased", "不偏推定")),
            *(Column(REPAIR_WORDS[repair]) for repair in REPAIRS),
        ),
        tuple(
            (
                k,
                n,
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
    never = Text("never", "なし")
    return Table(
        "crossing",
        Text(
            "The ε up to which OUE has the smaller expected error; “never”: GRR wins at every ε.",
            "OUE の期待誤差が小さい ε の上限。「なし」ならどの ε でも GRR が勝つ。",
        ),
        (
            Column("k", "d"),
            Column(Text("exact", "正確な値")),
            Column(Text("rule 3e^ε + 2 = k", "近似規則 3e^ε + 2 = k")),
            Column(Text("shifted to the sum 1", "合計1にずらした場合")),
        ),
        tuple(
            (
                k,
                *(
                    never if epsilon is None else f"{epsilon:.3f}"
                    for epsilon in (exact_crossing(k), rule_of_thumb(k), shifted_crossing(k))
                ),
            )
            for k in CROSSINGS
        ),
    )


def _draw_crossing(canvas: Canvas, say: Say) -> None:
    axes = canvas.subplots()
    sizes = [5, *np.unique(np.geomspace(6, 1000, 120).astype(int)).tolist()]
    exact = [exact_crossing(k) or 0.0 for k in sizes]
    rule = [rule_of_thumb(k) or 0.0 for k in sizes]
    axes.fill_between(sizes, exact, 7, color=COLOURS["GRR"], alpha=0.13, lw=0)
    axes.fill_between([2, 5], 0, 7, color=COLOURS["GRR"], alpha=0.13, lw=0)
    axes.fill_between(sizes, 0, exact, color=COLOURS["OUE"], alpha=0.13, lw=0)
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
    axes.text(
        110, 1.2, say(Text("OUE has the smaller error", "OUE の誤差が小さい")), color="#1f4268"
    )
    axes.set_xscale("log")
    ticks = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlim(2, 1000)
    axes.set_ylim(0, 7)
    axes.set_xlabel(say(Text("number of categories k", "カテゴリ数 k")))
    axes.set_ylabel("ε")
    axes.legend(loc="upper left")
