"""What the source's sensitivity really gives: the ratio of two neighbours, and two attacks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sudare.exact import uniform
from sudare.exact.noise import discrete_laplace
from sudare.studies.judging import judged
from sudare.studies.laplace import rules
from sudare.studies.laplace.exam import (
    EPSILON,
    HIGH,
    LOW,
    RIGHT,
    STATED,
    WIDTH,
    Ints,
    N,
    beyond,
    laplace_law,
)
from sudare.studies.laplace.palette import BLUE, RED
from sudare.studies.parts import Column, Figure, Say, Section, Setting, Table, Verdict
from sudare.studies.words import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NEAR = (0, 5, 10, 20, 30)
SCALES = {"stated": STATED, "right": RIGHT}


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one score does to the mean, and what an answer tells of it.

    Attributes:
        change: the largest change of the sum by one replaced score, in points.
        ratio: scale name to the largest log-ratio of two neighbours' answers: the ε spent.
        told: scale name to the share of right guesses between the scores 0 and 100.
        near: scale name to the shares of guesses within ``NEAR`` points of a score of 0..100.
        left: what averaging all answers leaves of the sum, in points, by scale name.
        trials: how many answers.
    """

    change: int
    ratio: dict[str, Fraction]
    told: dict[str, float]
    near: dict[str, list[float]]
    left: dict[str, float]
    trials: int


def spent(scale: Fraction, change: int) -> Fraction:
    """Return the largest log-ratio ``(|y - S'| - |y - S|) / scale`` over all answers y.

    The sums differ by ``change``; beyond either of them the difference stays as it is there.
    """
    answers = range(-1, change + 2)
    return max(Fraction(abs(abs(y - change) - abs(y))) / scale for y in answers)


def expected_told(scale: Fraction, width: int = WIDTH) -> float:
    """Return the probability of telling a score of 0 from one of 100, by the midpoint."""
    half = width // 2
    return 1 - (beyond(half, scale) + beyond(half - 1, scale)) / 4


def run(scores: Ints, setting: Setting) -> Outcome:
    """Let an attacker who knows all scores but one guess it from each answer."""
    change = int(max(scores.max() - LOW, HIGH - scores.min()))
    trials = setting.repetitions
    told, near, left = {}, {}, {}
    for name, scale in SCALES.items():
        rng = setting.rng(f"attack/{name}")
        secret = HIGH * uniform(trials, 2, rng).astype(np.int64)
        answer = secret + discrete_laplace(trials, scale, rng)
        told[name] = float(((answer > HIGH // 2) == (secret > 0)).mean())
        secret = uniform(trials, HIGH + 1, rng).astype(np.int64)
        noise = discrete_laplace(trials, scale, rng)
        near[name] = [_near(secret, secret + noise, d) for d in NEAR]
        left[name] = abs(float(noise.mean()))
    ratio = {name: spent(scale, change) for name, scale in SCALES.items()}
    return Outcome(change, ratio, told, near, left, trials)


def _near(secret: Ints, answer: Ints, d: int) -> float:
    """Return the share of guesses within d points; the likeliest 2 d + 1 scores are guessed."""
    return float((np.abs(np.clip(answer, LOW + d, HIGH - d) - secret) <= d).mean())


def section(found: Outcome) -> Section:
    """Return the section."""
    stated, right = found.ratio["stated"], found.ratio["right"]
    ceiling = 1 / (1 + math.exp(-float(EPSILON)))
    one = float(STATED) * math.sqrt(2)
    return Section(
        Text("What that sensitivity gives", "その敏感度が実際に与えるもの"),
        (
            judged(
                Text("sensitivity of the mean", "平均の敏感度"),
                Text("The sensitivity of the mean is 1/n.", "平均クエリの敏感度は 1/n である。"),
                "1/n = 0.00001",
                f"{found.change}/n = {found.change / N:g}",
                rules.equal(found.change, 1, 1e-12),
                Verdict.FAILS,
                Text(
                    "the largest change of the mean by one replaced score, over all scores of the "
                    "run and all new values 0..100, is 1/n",
                    "得点1件を 0〜100 の任意の値に置き換えたときの平均の変化の最大値"
                    "（実行の全得点について）が 1/n",
                ),
                Text(
                    "1/n is for values in [0, 1]. For [lo, hi] it is (hi − lo)/n: 100/n here.",
                    "1/n は値が [0, 1] の場合である。[lo, hi] なら (hi − lo)/n、"
                    "ここでは 100/n になる。",
                ),
            ),
            judged(
                Text(
                    "l1.mean.sensitivity, l1.max.sensitivity",
                    "l1.mean.sensitivity と l1.max.sensitivity",
                ),
                Text(
                    "Both are computed, as 100/n and 100.",
                    "それぞれ 100/n、100 と計算している。",
                ),
                "100/n, 100",
                Text(
                    f"the sensitivity in the script's scale: {float(STATED * EPSILON):g}/n",
                    f"スクリプトの尺度に入っている敏感度：{float(STATED * EPSILON):g}/n",
                ),
                rules.equal(float(STATED * EPSILON), found.change, 1e-12),
                Verdict.FAILS,
                Text(
                    "the scale times ε is the sensitivity computed, 100/n",
                    "尺度 × ε が計算された敏感度 100/n に等しい",
                ),
                Text(
                    "They are right, and never used: neither the scale nor the bound takes them.",
                    "値は正しいが使われていない。尺度にも上限の式にも現れない。",
                ),
            ),
            judged(
                Text("privacy parameter ε", "プライバシパラメータ ε"),
                Text(
                    "Answers of neighbours differ in probability by a factor e^ε at most, ε = 0.1.",
                    "隣接データベースの応答の確率は高々 e^ε 倍しか違わない（ε = 0.1）。",
                ),
                "ε = 0.1",
                Text(
                    f"ε = {float(stated):g}, a factor of {math.exp(stated):,.0f}; at scale "
                    f"100/(nε): ε = {float(right):g}",
                    f"ε = {float(stated):g}、{math.exp(stated):,.0f} 倍。尺度 100/(nε) では "
                    f"ε = {float(right):g}",
                ),
                rules.at_most(float(stated), float(EPSILON)),
                Verdict.FAILS,
                Text(
                    "the exact largest log-ratio over all answers, for two data sets that differ "
                    "in one score of the run, is at most 0.1",
                    "得点1件だけが異なる2つのデータの、全応答にわたる対数比の最大値"
                    "（厳密）が 0.1 以下",
                ),
                Text(
                    f"{float(stated / EPSILON):g} times weaker than stated. Who knows the other "
                    f"99,999 scores tells 0 from 100 with {found.told['stated']:.2%} (expected "
                    f"{expected_told(STATED):.2%}); ε = 0.1 allows {ceiling:.2%} at most, and the "
                    f"right scale gave {found.told['right']:.2%}.",
                    f"表示より {float(stated / EPSILON):g} 倍弱い。他の99,999件を知る者は、"
                    f"0点と100点を {found.told['stated']:.2%} の確率で見分ける（理論値 "
                    f"{expected_told(STATED):.2%}）。ε = 0.1 なら高々 {ceiling:.2%} であり、"
                    f"正しい尺度では {found.told['right']:.2%} だった。",
                ),
            ),
            _figure(),
            _table(found),
            judged(
                Text("aim and closing: a service", "はじめに・おわりに：API 公開"),
                Text(
                    "Data can be served through an API with this protection.",
                    "差分プライバシーを適用した値を API で提供できる。",
                ),
                "",
                Text(
                    f"average of {found.trials:,} answers: off the true sum by "
                    f"{found.left['stated']:.3f} points (scale 1/(nε)), "
                    f"{found.left['right']:.1f} (100/(nε))",
                    f"応答{found.trials:,}回の平均と真の合計の差：{found.left['stated']:.3f} 点"
                    f"（尺度 1/(nε)）、{found.left['right']:.1f} 点（100/(nε)）",
                ),
                rules.averaged(found.left["stated"] / one),
                Verdict.ROUGHLY,
                Text(
                    "averaging the run's answers leaves half of one answer's error or more; "
                    "approximately: less, so that answers must be counted",
                    "応答を平均しても1回の誤差の半分以上が残る、"
                    "「ほぼ」は残らないため回数の管理が要る",
                ),
                Text(
                    "Only with a ledger. Each fresh answer costs its ε, and they add up. Below "
                    "half a point the sum is known exactly, and with it the last score: the "
                    "source's 100,000 trials, were they served, would hide nothing. Answer a "
                    "repeated query from the record, or refuse it when the budget is spent.",
                    "台帳があって初めて成り立つ。応答ごとに ε がかかり、加算される。差が半点"
                    "未満なら合計が正確に分かり、残る1件の得点も分かる。原典の10万回の試行を"
                    "そのまま提供すれば何も隠せない。同じ問い合わせには記録した応答を返し、"
                    "予算が尽きたら断る必要がある。",
                ),
            ),
        ),
    )


def _figure() -> Figure:
    def draw(canvas: Canvas, say: Say) -> None:
        panels = canvas.subplots(1, 2)
        titles = (
            Text("Scale 1/(nε): ε = 10", "尺度 1/(nε)：ε = 10"),
            Text("Scale 100/(nε): ε = 0.1", "尺度 100/(nε)：ε = 0.1"),
        )
        for axes, scale, title, reach in zip(
            panels, SCALES.values(), titles, (100, 4000), strict=True
        ):
            x = np.arange(-reach, WIDTH + reach + 1)
            for secret, colour, dash in ((LOW, BLUE, "-"), (HIGH, RED, "--")):
                label = say(Text(f"the score is {secret}", f"得点が {secret}"))
                law = laplace_law(x - secret, scale)
                axes.plot(x, law, color=colour, linestyle=dash, linewidth=1.4, label=label)
            axes.set_title(say(title))
            axes.set_ylim(0, 1.25 * law.max())
            axes.set_yticks([])
            axes.set_xlabel(
                say(Text("answer minus the others' sum, in points", "応答 − 他の人の合計（点）"))
            )
            axes.legend(loc="upper center", ncols=2, fontsize=8.5)
        canvas.supylabel(say(Text("probability", "確率")), fontsize=9.5)

    return Figure(
        "neighbours",
        Text(
            "Law of the answer n × mean when one person's score is 0 or 100, all others known.",
            "1人の得点が0点のときと100点のときの、応答 n × 平均の分布（他の得点は既知）。",
        ),
        Text(
            "At the source's scale the two laws hardly overlap; at the right one they nearly "
            "coincide.",
            "原典の尺度では2つの分布はほとんど重ならず、正しい尺度ではほぼ一致する。",
        ),
        draw,
        (8.4, 3.4),
    )


def _table(found: Outcome) -> Table:
    """Return how near a guess of the hidden score comes."""
    return Table(
        "attack",
        Text(
            "Guessing a hidden score of 0..100 from one answer, all others known: share of "
            f"guesses within d points ({found.trials:,} trials), and of the best guess without an "
            "answer.",
            f"他の得点を知る者が、1回の応答から 0〜100 の得点を当てる（{found.trials:,}回）。"
            "d 点以内で当たる割合と、応答なしの最良の推測。",
        ),
        (
            Column("d", "d"),
            Column(Text("scale 1/(nε)", "尺度 1/(nε)"), ".4f"),
            Column(Text("scale 100/(nε)", "尺度 100/(nε)"), ".4f"),
            Column(Text("no answer", "応答なし"), ".4f"),
        ),
        tuple(
            (d, found.near["stated"][i], found.near["right"][i], (2 * d + 1) / (WIDTH + 1))
            for i, d in enumerate(NEAR)
        ),
    )
