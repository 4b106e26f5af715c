"""Section 3.6 of the source: what it makes of experiment 3."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from sudare.data import trousers
from sudare.mechanisms import GRR, OUE
from sudare.progress import Progress
from sudare.studies.grr_oue import small
from sudare.studies.grr_oue.experiment import Point, log_axis
from sudare.studies.grr_oue.palette import DASHES, INK, REPAIR_COLOURS
from sudare.studies.grr_oue.repairs import REPAIR_WORDS, REPAIRS
from sudare.studies.grr_oue.theory import (
    exact_crossing,
    grr_noise,
    oue_noise,
    rule_of_thumb,
    shifted_crossing,
)
from sudare.studies.parts import Claim, Column, Figure, Say, Section, Table, Verdict
from sudare.studies.words import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NOISE_EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
_ENDS = (0.1, 5.0)
_REPAIRED = tuple(product(("shift", "clip", "normalise", "project"), small.SKEWS))


def simulated_crossing(points: list[Point]) -> tuple[float, float] | None:
    """Return the two neighbouring ε between which the simulated errors change places."""
    by = {(p.mechanism, p.epsilon): p.simulated for p in points}
    wins = [(e, by["OUE", e] < by["GRR", e]) for e in sorted({p.epsilon for p in points})]
    for (low, before), (high, after) in pairwise(wins):
        if before and not after:
            return low, high
    return None


def section(large: list[Point], progress: Progress) -> Section:
    """Return section 3.6; ``large``: the points of experiment 3 on Dataset2."""
    for epsilon in progress(small.EPSILONS, len(small.EPSILONS), "exact errors, n = 14"):
        small.exact_errors(epsilon)
    found = simulated_crossing(large)
    between = "–" if found is None else f"{found[0]:g}–{found[1]:g}"
    crossing, thumb = exact_crossing(43), rule_of_thumb(43)
    n = trousers().n
    grr, oue = (kind(43, math.log(20)).expected_mse(n, target="respondents") for kind in (GRR, OUE))
    rms = n * math.sqrt(oue)
    gaps = [oue_noise(5, e) / grr_noise(5, e) for e in _ENDS]
    wins = {repair: [small.last_win(repair, skew) for skew in small.SKEWS] for repair in REPAIRS}
    normalise, project, clip = (_span(wins[r]) for r in ("normalise", "project", "clip"))
    shifted = shifted_crossing(5) or 0.0
    at_one = min(small.oue_over_grr(1.0, repair, skew) for repair, skew in _REPAIRED)
    chances = {e: small.chance_of_oue(e, "mild", 100) for e in NOISE_EPSILONS}
    return Section(
        Text("Section 3.6: the discussion", "3.6節：考察"),
        (
            Claim(
                Text("§3.6, paragraph 1", "3.6節 第1段落"),
                Text(
                    "The larger ε, the smaller the error, for both data sets.",
                    "どちらのデータセットでも ε が大きいほど誤差は小さい。",
                ),
                "",
                Text(
                    "the exact errors fall strictly with ε",
                    "正確な誤差は ε について狭義単調減少",
                ),
                Verdict.HOLDS,
                Text(
                    "n k MSE = (k−1)(2e+k−2)/(e−1)² for GRR and (4e(k−1)+(e+1)²)/(e−1)² for OUE; "
                    "both fall as e = e^ε grows.",
                    "n k MSE は GRR が (k−1)(2e+k−2)/(e−1)²、OUE が (4e(k−1)+(e+1)²)/(e−1)² で、"
                    "どちらも e = e^ε について減少する。",
                ),
            ),
            Claim(
                Text("§3.6, paragraph 1, figure 3.6", "3.6節 第1段落・図3.6"),
                Text(
                    "OUE estimates the histogram with many categories accurately.",
                    "OUE はカテゴリサイズの大きいデータの頻度分布を精度よく推定できている。",
                ),
                "",
                Text(
                    f"ε = ln 20: typical error of OUE {rms:,.0f} answers a model "
                    f"(mean count {n / 43:,.0f}); MSE of OUE / GRR = {oue / grr:.3f}",
                    f"ε = ln 20 での OUE の典型的な誤差は1モデルあたり {rms:,.0f} 件"
                    f"（平均度数 {n / 43:,.0f} 件）。MSE の比 OUE÷GRR = {oue / grr:.3f}",
                ),
                Verdict.HOLDS,
                Text(
                    "So it does, but at ε = ln 20 ≈ 2.996 the crossing lies behind us and GRR "
                    "(figure 3.4) is the more accurate one.",
                    "その通りだが、ε = ln 20 ≈ 2.996 は交点を過ぎており、GRR（図3.4）の方が"
                    "さらに精度が良い。",
                ),
            ),
            Claim(
                Text("§3.6, paragraph 2, Dataset1", "3.6節 第2段落 Dataset1"),
                Text(
                    "In theory the MSE of OUE is always the smaller one on Dataset1.",
                    "理論上 Dataset1 では常に OUE の MSE が小さくなると予想される。",
                ),
                "",
                Text("GRR's is, at every ε > 0", "すべての ε > 0 で GRR の方が小さい"),
                Verdict.FAILS,
                Text(
                    "It contradicts paragraph 4: GRR is meant.",
                    "第4段落と矛盾する。GRR の誤りである。",
                ),
            ),
            Claim(
                Text("§3.6, paragraph 2, Dataset2", "3.6節 第2段落 Dataset2"),
                Text(
                    "OUE's MSE is the smaller one for ε < ln(41/3).",
                    "ε < ln(41/3) のとき OUE の MSE が小さい。",
                ),
                "2.615",
                Text(
                    f"ln(41/3) = {thumb:.4f} by the rule; the errors cross at {crossing:.4f}",
                    f"規則では ln(41/3) = {thumb:.4f}、誤差の交点は {crossing:.4f}",
                ),
                Verdict.ROUGHLY,
                Text(
                    "True as far as it goes, but OUE stays better up to ln(√3570 − 43) = 2.818: "
                    "the rule leaves out the terms of the categories' own counts.",
                    "この範囲では正しいが、OUE は ln(√3570 − 43) = 2.818 まで優位である。"
                    "規則は各選択肢自身の度数の項を省いている。",
                ),
            ),
            Claim(
                Text("§3.6, paragraph 3", "3.6節 第3段落"),
                Text(
                    "On Dataset2 the two errors change places between ε = 2 and 3.",
                    "Dataset2 では ε が 2 と 3 の間で誤差が逆転する。",
                ),
                "2–3",
                Text(
                    f"exactly at {crossing:.3f}; simulated: {between}",
                    f"正確には {crossing:.3f}、模擬では {between}",
                ),
                Verdict.HOLDS,
                Text(
                    "The observation fits the exact crossing and the rule alike.",
                    "観察は正確な交点とも近似規則とも合う。",
                ),
            ),
            Claim(
                Text("§3.6, paragraphs 3 and 4: figure numbers", "3.6節 第3・第4段落の図番号"),
                Text(
                    "Figure 3.7 shows Dataset2, figure 3.8 Dataset1.",
                    "図3.7が Dataset2、図3.8が Dataset1 を示す。",
                ),
                Text("3.7, 3.8", "図3.7、図3.8"),
                Text("the other way round", "逆"),
                Verdict.FAILS,
                Text(
                    "By their captions in §3.5 figure 3.7 is Dataset1 and figure 3.8 Dataset2.",
                    "3.5節の図題では図3.7が Dataset1、図3.8が Dataset2 である。",
                ),
            ),
            Claim(
                Text("§3.6, paragraph 4, first half", "3.6節 第4段落 前半"),
                Text(
                    "In theory GRR's error is always below OUE's on Dataset1.",
                    "理論上 Dataset1 では常に GRR の誤差が OUE を下回る。",
                ),
                "",
                Text(
                    f"OUE / GRR from {gaps[0]:.3f} (ε = {_ENDS[0]:g}) to "
                    f"{gaps[1]:.1f} (ε = {_ENDS[1]:g})",
                    f"OUE÷GRR は {gaps[0]:.3f}（ε = {_ENDS[0]:g}）から "
                    f"{gaps[1]:.1f}（ε = {_ENDS[1]:g}）",
                ),
                Verdict.HOLDS,
                Text(
                    "At k = 5: n k (MSE of OUE − MSE of GRR) = (e+11)/(e−1) > 0 for every e > 1, "
                    "whatever n and the histogram.",
                    "k = 5 では n k（OUE の MSE − GRR の MSE）= (e+11)/(e−1) で、n や分布によらず "
                    "e > 1 なら必ず正である。",
                ),
            ),
            Claim(
                Text("§3.6, paragraph 4, second half", "3.6節 第4段落 後半"),
                Text(
                    "In the experiment OUE came out slightly better below ε = 1 on Dataset1.",
                    "実験では ε が 1 を下回る範囲で OUE の誤差がわずかに小さかった。",
                ),
                "ε < 1",
                Text(
                    f"unbiased: never; shifted to the sum 1: ε < {shifted:.2f}; negative set to 0: "
                    f"ε < {clip}; and divided by the sum: ε < {normalise} (and barely near "
                    f"0.4); nearest shares ≥ 0 with sum 1: ε < {project}",
                    f"不偏推定のままでは起きない。一律にずらして合計1にすると ε < {shifted:.2f}、"
                    f"負を0にすると ε < {clip}、さらに合計で割ると "
                    f"ε < {normalise}（ほかに 0.4 付近でごくわずか）、"
                    f"合計1・非負の最近点への射影では ε < {project}",
                ),
                Verdict.FAILS,
                Text(
                    "Not so for the estimator that the source writes down. Chance alone gives "
                    "OUE the lead over 100 repetitions with probability "
                    f"{100 * chances[0.2]:.0f} % "
                    f"at ε = 0.2, but {100 * chances[0.5]:.1f} % at 0.5. "
                    "Estimates repaired afterwards would explain most of it. OUE's do not sum to "
                    "n, and forcing them to takes a fifth off its error at k = 5; and with 14 "
                    "answers and ε ≤ 1 more than four in five have a negative share, so that the "
                    f"repair decides, not the mechanism. At ε = 1 OUE is behind again: "
                    f"{at_one:.2f} "
                    "times GRR's error at best.",
                    "原典に書かれた推定量では起きない。偶然だけで100回の平均が OUE 優位になる確率は"
                    f" ε = 0.2 で {100 * chances[0.2]:.0f} % だが、0.5 では "
                    f"{100 * chances[0.5]:.1f} % しかない。推定値を後から補正したと考えればほぼ説明"
                    "できる。OUE の推定値は和が n にならず、n に合わせると k = 5 では誤差が"
                    "5分の1減る。さらに14件・ε ≤ 1 では推定の8割以上に負の割合が現れ、方式ではなく"
                    "補正が"
                    "結果を決める。ε = 1 では、OUE の誤差は最も有利な場合でも GRR の "
                    f"{at_one:.2f} 倍で、再び負けている。",
                ),
            ),
            Claim(
                Text("§3.6, paragraph 5", "3.6節 第5段落"),
                Text(
                    "The cause is the small number of answers and their strong skew.",
                    "原因は回答数の少なさと回答の偏りの大きさにあると考えられる。",
                ),
                "",
                Text(
                    "unbiased, also shifted to the sum 1: n is a common factor and the skew drops "
                    "out; negative shares repaired: n matters, the skew hardly",
                    "不偏推定（合計1にずらしても同じ）では n は共通の係数で、偏りは打ち消し合う。"
                    "負の割合を補正すると n は効くが、偏りはほとんど効かない",
                ),
                Verdict.FAILS,
                Text(
                    "Neither decides between unbiased estimates. The few answers matter as soon as "
                    "negative shares are repaired, and then the even histogram shows the effect "
                    "more than the skewed ones.",
                    "どちらも不偏推定の優劣を左右しない。負の割合を補正する場合には回答数の"
                    "少なさが効く。ただし効果は偏った分布より均等な分布で大きい。",
                ),
            ),
            Figure(
                "repairs-dataset1",
                Text(
                    "14 answers, five teas: exact MSE of OUE over that of GRR, by enumeration, for "
                    "the unbiased estimate and four repairs. Below 1 OUE wins. Line: mild skew; "
                    "band: all four histograms. Repaired curves are jagged because 14 answers give "
                    "few different estimates.",
                    "14件・5銘柄：OUE の正確な MSE を GRR の MSE で割った値（全列挙）。不偏推定と"
                    "4種類の補正。1より下なら OUE の勝ち。線は弱い偏り、帯は4分布すべて。補正後の"
                    "曲線がぎざぎざなのは、14件では推定値の取りうる値が少ないため。",
                ),
                Text(
                    "The unbiased ratio is above 1 everywhere; repaired ratios dip below 1 "
                    "at small ε.",
                    "不偏推定の比は常に1より上、補正後の比は小さな ε で1を下回る。",
                ),
                _draw_repairs,
                (7.6, 4.4),
            ),
            _repairs_table(),
            _chance_table(chances),
        ),
    )


def _span(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    low, high = f"{min(known):.2f}", f"{max(known):.2f}"
    return low if low == high else f"{low}–{high}"


def _draw_repairs(canvas: Canvas, say: Say) -> None:
    axes = canvas.subplots()
    for repair in REPAIRS:
        every = np.array(
            [[small.oue_over_grr(e, repair, s) for s in small.SKEWS] for e in small.EPSILONS]
        )
        colour = REPAIR_COLOURS[repair]
        axes.fill_between(
            small.EPSILONS, every.min(axis=1), every.max(axis=1), color=colour, alpha=0.18, lw=0
        )
        middle = [small.oue_over_grr(e, repair, "mild") for e in small.EPSILONS]
        axes.plot(
            small.EPSILONS,
            middle,
            color=colour,
            linestyle=DASHES[repair],
            linewidth=1.6,
            label=say(REPAIR_WORDS[repair]),
        )
    axes.axhline(1, color=INK, linewidth=0.9)
    log_axis(axes)
    axes.set_xlim(0.05, 2)
    axes.set_ylim(0.8, 2.0)
    axes.set_ylabel(say(Text("MSE of OUE / MSE of GRR", "OUE の MSE ÷ GRR の MSE")))
    axes.legend(loc="upper left")


def _repairs_table() -> Table:
    return Table(
        "repairs-dataset1",
        Text(
            "14 answers, five teas: exact MSE of OUE over that of GRR (below 1 OUE wins).",
            "14件・5銘柄：正確な MSE の比 OUE÷GRR（1未満なら OUE の勝ち）。",
        ),
        (
            Column(Text("histogram", "分布")),
            Column("ε", "g"),
            *(Column(words, ".3f") for words in REPAIR_WORDS.values()),
        ),
        tuple(
            (
                words,
                epsilon,
                *(small.oue_over_grr(epsilon, repair, skew) for repair in REPAIRS),
            )
            for skew, words in small.SKEW_WORDS.items()
            for epsilon in small.EPSILONS
        ),
        in_report=False,
    )


def _chance_table(chances: dict[float, float]) -> Table:
    return Table(
        "chance-dataset1",
        Text(
            "Unbiased estimates, 14 answers (mild skew): how probably 100 repetitions show the "
            "smaller mean error for OUE by chance, and the exact ratios. Below 1 OUE wins.",
            "不偏推定、14件（弱い偏り）：100回の反復で偶然 OUE の平均誤差が小さく見える確率と、"
            "正確な比（1未満なら OUE の勝ち）。",
        ),
        (
            Column("ε", "g"),
            Column(Text("chance in %", "偶然の確率（%）"), ".1f"),
            *(Column(words, ".3f") for words in REPAIR_WORDS.values()),
        ),
        tuple(
            (
                epsilon,
                100 * chance,
                *(small.oue_over_grr(epsilon, repair, "mild") for repair in REPAIRS),
            )
            for epsilon, chance in chances.items()
        ),
    )
