"""The source's account of PrivKV: its ε, its worked example, and the pull of means to 0."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sudare.arrays import Floats
from sudare.estimation import Counts
from sudare.mechanisms import PrivKV
from sudare.studies.judging import judged
from sudare.studies.key_value import rules
from sudare.studies.key_value.palette import COLOURS, INK, MARKS, name
from sudare.studies.key_value.populations import D, N, Population, synthetic
from sudare.studies.key_value.schemes import SCHEMES, estimates, supports
from sudare.studies.parts import Cell, Column, Figure, Say, Section, Setting, Table, Verdict
from sudare.studies.words import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


EPSILON = 4.0
RARE = (0.05, -0.90)
"""Frequency and mean of the rare key that is looked at."""
TABLE = (0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0)
METHODS = ("PrivKV", "EM")


@dataclass(frozen=True, slots=True)
class Means:
    """Means estimated key by key at ε = 4.

    Attributes:
        population: who was asked.
        found: method to (trials, d) estimates.
    """

    population: Population
    found: dict[str, Floats]


def rare() -> Population:
    """Return a population all of whose keys are as rare as the one looked at."""
    f, m = RARE
    return Population("rare", "", N, np.full(D, f), np.full(D, m))


def run(setting: Setting) -> list[Means]:
    """Estimate the means of the synthetic populations, then those of the rare keys."""
    out = []
    half = SCHEMES[0]
    for population in setting.progress((*synthetic(), rare()), 4, "means"):
        mechanism = half.make(population.d, EPSILON, 1)
        rng = setting.rng(f"means/{population.label}")
        drawn = supports(mechanism, population, population.n, setting.repetitions, rng)
        out.append(
            Means(
                population,
                {m: estimates(half, mechanism, drawn, population.n, m)[1] for m in METHODS},
            )
        )
    return out


def pull(epsilon: float, f: float) -> float:
    """Return λ, what PrivKV makes of a mean of 1: ``p1 f / (p1 f + q1 (1 - f))``."""
    p = 1 / (1 + math.exp(-epsilon / 2))
    return p * f / (p * f + (1 - p) * (1 - f))


def example(epsilon: float) -> tuple[float, float]:
    """Return n̂1 and m̂ of the source's worked example, 50 and 51 reports, by its formulas."""
    p = 1 / (1 + math.exp(-epsilon / 2))
    first = (101 * (p - 1) + 50) / (2 * p - 1)
    return first, (2 * first - 101) / 101


def section(found: list[Means]) -> Section:
    """Return the section."""
    spent = [PrivKV(2, epsilon, "half").epsilon for epsilon in TABLE]
    tight = [PrivKV(2, epsilon, "tight").epsilon for epsilon in TABLE]
    *shown, rarest = found
    f, m = RARE
    average = {method: float(rarest.found[method].mean()) for method in METHODS}
    law = pull(EPSILON, f) * m
    examples = [example(epsilon) for epsilon in (1.0, 4.0)]
    lonely, people = _one_holder()
    trials = rarest.found["PrivKV"].mean(axis=1)
    return Section(
        Text("PrivKV and its problem (slides 4 and 5)", "PrivKV とその問題点（スライド 4・5）"),
        (
            Text(
                "A person holds some of d keys, each with a value in [−1, 1]. One key is drawn and "
                "sent in clear with one of three reports: <1,+1>, <1,−1> or <0,0>. Frequency f: "
                "the share of holders; mean m: the mean of the holders' values.",
                "各人は d 個の key の一部を持ち、それぞれに [−1, 1] の value がある。key "
                "を1つ選んでそのまま送り、<1,+1>、<1,−1>、<0,0> のいずれかを添える。度数 f "
                "は保有者の割合、平均値 m は保有者の value の平均である。",
            ),
            judged(
                Text("slide 4, the guarantee", "スライド4 ε の分割"),
                Text("ε = ε1 + ε2, half for each stage.", "ε = ε1 + ε2（半分ずつ）。"),
                "",
                ", ".join(f"{a:g}: {b:.4f}" for a, b in zip(TABLE, spent, strict=True)),
                rules.spent([b / a for a, b in zip(TABLE, spent, strict=True)]),
                Verdict.ROUGHLY,
                Text(
                    "the channel's ε is the one asked for; approximately: at most that",
                    "通信路の ε が指定した値に等しい、「ほぼ」は指定した値以下",
                ),
                Text(
                    "An upper bound. The largest ratio of the channel is "
                    "max{ε1, ε2, ε1 + ln(2e^ε2/(1+e^ε2))}: the half split leaves a good part of ε "
                    "unspent. The tight split, ε1 = ln((e^ε+1)/2) and ε2 = ε, spends all of it.",
                    "上界としては正しい。通信路の最大の比は max{ε1, ε2, ε1 + ln(2e^ε2/(1+e^ε2))} "
                    "であり、半分ずつの分割は ε のかなりの部分を使い残す。tight 分割 ε1 = "
                    "ln((e^ε+1)/2)、ε2 = ε はちょうど ε を使う。",
                ),
            ),
            Table(
                "epsilon",
                Text("ε that PrivKV really spends.", "PrivKV が実際に使う ε。"),
                (
                    Column(Text("ε asked for", "指定した ε"), "g"),
                    Column(Text("half split (source)", "半分ずつ（原典）"), ".4f"),
                    Column(Text("tight split", "tight 分割"), ".4f"),
                ),
                tuple(zip(TABLE, spent, tight, strict=True)),
            ),
            judged(
                Text("slide 5, worked example", "スライド5 計算例"),
                Text(
                    "N = 101, n′1 = 50, n′2 = 51: n̂1 ≈ 50, n̂2 ≈ 51 and m̂ ≈ 0, although the only "
                    "holder's value is −1.",
                    "N = 101、n′1 = 50、n′2 = 51 のとき n̂1 ≈ 50、n̂2 ≈ 51、m̂ ≈ 0。"
                    "ただ1人の保有者の値は −1 である。",
                ),
                "n̂1 ≈ 50, m̂ ≈ 0",
                f"ε = 1: n̂1 = {examples[0][0]:.1f}, m̂ = {examples[0][1]:.3f}; "
                f"ε = 4: n̂1 = {examples[1][0]:.1f}, m̂ = {examples[1][1]:.3f}; "
                f"MLE (ε = 4, n_k = {people}): m̂ = {lonely:.2f}",
                rules.worked(*zip(*examples, strict=True)),
                Verdict.HOLDS,
                Text(
                    "by the source's formulas at ε = 1 and 4, n̂1 within 2 of 50 and m̂ within "
                    "0.05 of 0",
                    "原典の式で ε = 1、4 のとき、n̂1 が50から2以内、m̂ が0から0.05以内",
                ),
                Text(
                    "m̂ = −0.0099/(2p2−1). It shows the pull to 0. But one holder among a hundred "
                    "false reports of the key cannot be told from chance by any estimator: with "
                    "the two counts exchanged the MLE says +1.",
                    "m̂ = −0.0099/(2p2−1)。0 に近づくことは示している。ただし、"
                    "100件の偽の報告の中の1人は、どの推定法でも偶然と区別できない。"
                    "2つの数を入れ替えれば最尤推定は +1 になる。",
                ),
            ),
            judged(
                Text("slide 5, rare keys", "スライド5 度数の小さな key"),
                Text(
                    "As people without the key are not accounted for, the mean of a rare key "
                    "comes near 0.",
                    "未回答を考慮できていないため、度数の小さな key の平均値が 0 に近づく。",
                ),
                "",
                Text(
                    f"ε = {EPSILON:g}, f = {f}, m = {m:.2f}: PrivKV {average['PrivKV']:.3f} on "
                    f"average (λm = {law:.3f}), converged EM {average['EM']:.3f}",
                    f"ε = {EPSILON:g}、f = {f}、m = {m:.2f}：PrivKV の平均 "
                    f"{average['PrivKV']:.3f}（λm = {law:.3f}）、収束した EM {average['EM']:.3f}",
                ),
                rules.pulled(rules.quotient(trials, np.ones(trials.size)), m),
                Verdict.HOLDS,
                Text(
                    "PrivKV's average is nearer to 0 than to m, by more than "
                    f"{rules.CLEAR} standard errors of at least {rules.FEWEST} trials",
                    f"PrivKV の平均が m より 0 に近い（{rules.FEWEST}"
                    f"回以上の試行の標準誤差の{rules.CLEAR}倍を超える差で）",
                ),
                Text(
                    "E[m̂] tends to λm with λ = p1 f / (p1 f + q1 (1 − f)).",
                    "E[m̂] → λm、λ = p1 f / (p1 f + q1 (1 − f))。",
                ),
            ),
            Figure(
                "means",
                Text(
                    f"Figure of result 1: means estimated key by key, ε = {EPSILON:g}, n = {N:,}, "
                    "d = 50. Marks: average over the trials; bars: 10 % to 90 % of them; "
                    "black: true mean.",
                    f"実験結果1の図：key ごとの平均値の推定（ε = {EPSILON:g}、n = {N:,}、d = "
                    "50）。印は試行の平均、縦線は 10 %〜90 %、黒線は真値。",
                ),
                Text(
                    "PrivKV's marks bend towards 0 where keys are rare; those of EM follow "
                    "the truth.",
                    "度数の小さな key で PrivKV の印は 0 に寄り、EM は真値に沿う。",
                ),
                lambda canvas, say: _draw(canvas, say, shown),
                (9.6, 3.9),
            ),
            _table(shown),
        ),
    )


def _one_holder() -> tuple[float, int]:
    """Return the MLE's mean in the example at ε = 4, and the number of people that one expects.

    Of those who do not hold the key q1 = 1 / (1 + e^2) name it: 100 are left of so many more.
    """
    rest = round(100 * math.exp(EPSILON / 2))
    counts = Counts(np.array([[50, 51, rest], [0, 0, 0]]), 101 + rest)
    return float(PrivKV(2, EPSILON, "half").estimate(counts, "mle").mean[0]), 101 + rest


def _table(found: list[Means]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            one.population.label,
            k,
            float(f),
            float(m),
            *(float(one.found[x][:, k].mean()) for x in METHODS),
        )
        for one in found
        for k, (f, m) in enumerate(zip(one.population.frequency, one.population.mean, strict=True))
    ]
    return Table(
        "means",
        Text("The figure's averages, key by key.", "図の平均値（key ごと）。"),
        (
            Column(Text("population", "分布")),
            Column("key", "g"),
            Column("f", ".4f"),
            Column("m", ".4f"),
            *(Column(name(method), ".4f") for method in METHODS),
        ),
        tuple(rows),
        in_report=False,
    )


def _draw(canvas: Canvas, say: Say, found: list[Means]) -> None:
    for axes, one in zip(canvas.subplots(1, len(found), sharey=True), found, strict=True):
        k = np.arange(one.population.d)
        axes.plot(k, one.population.mean, color=INK, linewidth=1.2, label=say(Text("true", "真値")))
        for method in METHODS:
            low, high = np.quantile(one.found[method], (0.1, 0.9), axis=0)
            axes.vlines(k, low, high, color=COLOURS[method], linewidth=0.8, alpha=0.45)
            axes.plot(
                k,
                one.found[method].mean(axis=0),
                color=COLOURS[method],
                marker=MARKS[method],
                linestyle="",
                markersize=3,
                label=say(name(method)),
            )
        axes.set_title(say(one.population.name))
        axes.set_xlabel("key")
    canvas.axes[0].set_ylabel(say(Text("mean", "平均値")))
    canvas.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
