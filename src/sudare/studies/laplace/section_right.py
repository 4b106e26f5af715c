"""The right sensitivity: 100/n, exact whole-number noise on the sum, its bound and its check."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sudare.exact.noise import discrete_laplace
from sudare.ledger import Cost
from sudare.release.noise import Noise
from sudare.release.protection import Protection
from sudare.studies.judging import judged
from sudare.studies.laplace import rules
from sudare.studies.laplace.exam import (
    DELTA,
    EPSILON,
    HIGH,
    LOW,
    RIGHT,
    WIDTH,
    Ints,
    N,
    held_by,
    laplace_bound,
    laplace_law,
)
from sudare.studies.laplace.palette import BLUE, histogram
from sudare.studies.parts import Column, Figure, Say, Section, Setting, Table, Verdict
from sudare.studies.words import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

EPSILONS = tuple(Fraction(e) for e in ("0.01", "0.03", "0.1", "0.3", "1", "3", "10"))
WITHIN = 0.002
MOST_ASKED = 10_000
FORMULA = float(RIGHT) * math.log(1 / DELTA)
"""The source's bound with the right sensitivity, in points of the sum."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The check with the right scale.

    Attributes:
        errors: of the answered sums, in points, drawn in bulk from the noise of ``Dataset``.
        asked: of answers of ``Dataset.mean`` itself, in points of the sum.
        bound: what those answers say of their noise at 95 %, in points of the sum.
        spread: standard error of the mean as an estimate of the population's.
    """

    errors: Ints
    asked: Ints
    bound: int
    spread: float

    @property
    def share(self) -> float:
        """Share of the answers within the bound."""
        return float((np.abs(self.errors) <= self.bound).mean())

    @property
    def share_asked(self) -> float:
        """The same of the answers of ``Dataset.mean``."""
        return float((np.abs(self.asked) <= self.bound).mean())


def run(scores: Ints, setting: Setting) -> Outcome:
    """Ask the mean, at most 10,000 times; draw the same noise as often as there are repetitions."""
    held, total = held_by(scores, setting, "right/asked"), int(scores.sum())
    answers = [
        held.mean("score", epsilon=EPSILON) for _ in range(min(setting.repetitions, MOST_ASKED))
    ]
    asked = np.array([round(answer.value * N) - total for answer in answers], dtype=np.int64)
    noise = Noise.of(Cost.of(epsilon=EPSILON), Protection("replace-one").of_sum(LOW, HIGH))
    errors = discrete_laplace(setting.repetitions, noise.scale, setting.rng("right"))
    bound = round(answers[0].bound(1 - DELTA) * N)
    return Outcome(errors, asked, bound, float(scores.std(ddof=1)) / math.sqrt(N))


def section(found: Outcome) -> Section:
    """Return the section."""
    bound = found.bound
    sampling = 1.96 * found.spread
    bounds = [laplace_bound(WIDTH / e) for e in EPSILONS]
    return Section(
        Text("The right scale", "正しい尺度"),
        (
            Text(
                "The sum of whole scores is a whole number of points. Discrete Laplace noise of "
                "scale 100/ε = 1,000 points, drawn exactly, is added to it; n is public, and the "
                "answer is the noisy sum over n. Grid: 1 point on the sum, 0.00001 on the mean. "
                "Values outside 0..100 would be clamped first. This is sudare.release.Dataset: "
                'mean("score", epsilon=0.1). Its bound is taken from its answers, and the check '
                "of all trials draws in bulk from the noise that it takes.",
                "整数の得点の合計は整数である。そこに尺度 100/ε = 1,000 点の離散ラプラスノイズを"
                "厳密に抽出して加え、公開の n で割って答える。刻みは合計で1点、平均で 0.00001。"
                "0〜100 の外の値があれば先に範囲へ丸める。これは sudare.release.Dataset の "
                'mean("score", epsilon=0.1) である。上限はその応答から取り、全試行の確認には'
                "同じノイズをまとめて抽出する。",
            ),
            judged(
                Text("accuracy, the theorem", "誤差の定理"),
                Text(
                    "(Δ/ε) ln(1/δ), with Δ = 100/n as l1.mean.sensitivity has it.",
                    "(Δ/ε) ln(1/δ)（Δ は l1.mean.sensitivity の 100/n）。",
                ),
                "2.9957e-4 (Δ = 1/n)",
                Text(
                    f"{FORMULA / N:.4e}; exact on the grid: {bound:,} points, {bound / N:.4e}",
                    f"{FORMULA / N:.4e}、刻みの上で厳密に {bound:,} 点、{bound / N:.4e}",
                ),
                rules.both(abs(bound - FORMULA) <= 1, bound <= FORMULA),
                Verdict.ROUGHLY,
                Text(
                    "the exact bound of the discrete noise is no larger than the formula's; "
                    "approximately: within one step of the grid",
                    "離散ノイズの厳密な上限が式の値以下、「ほぼ」は刻み1つ以内",
                ),
                Text(
                    f"The formula gives {FORMULA:,.2f} points; the grid makes it {bound:,}. The "
                    "factor to the printed bound is 100: the price of ε = 0.1 meant in earnest.",
                    f"式では {FORMULA:,.2f} 点、刻みの上では {bound:,} 点になる。"
                    "印字の上限の100倍であり、これが本当に ε = 0.1 とする代償である。",
                ),
            ),
            judged(
                Text("the check, with the right scale", "10万回の確認（正しい尺度）"),
                Text("95 % of the errors stay below the bound.", "誤差の95 % が上限以下に収まる。"),
                "0.95073",
                f"{found.share:.5f}",
                rules.share([found.share], 1 - DELTA, found.errors.size, WITHIN),
                Verdict.HOLDS,
                Text(
                    "the share within 2,996 points lies in 95.0 ± 0.2 %; open where two standard "
                    "errors are larger",
                    "2,996 点以内の割合が 95.0 ± 0.2 %、標準誤差の2倍がこれを超えるなら判定しない",
                ),
                Text(
                    "The share does not depend on the scale; the bound does.",
                    "割合は尺度によらない。変わるのは上限の値である。",
                ),
            ),
            judged(
                Text("the check, asked of a data set", "10万回の確認（Dataset に問い合わせる）"),
                Text("95 % of the errors stay below the bound.", "誤差の95 % が上限以下に収まる。"),
                "0.95073",
                Text(
                    f"{found.share_asked:.5f} of {found.asked.size:,} answers of Dataset.mean",
                    f"Dataset.mean の応答{found.asked.size:,}回で {found.share_asked:.5f}",
                ),
                rules.scattered([found.share_asked], 1 - DELTA, found.asked.size),
                Verdict.HOLDS,
                Text(
                    "the share of the answers within their own bound lies within 3 standard errors "
                    f"({3 * rules.standard_error(0.95, found.asked.size):.5f}) of 0.95; open below "
                    "1,000 answers",
                    "応答自身の上限以内の割合が 0.95 から標準誤差の3倍"
                    f"（{3 * rules.standard_error(0.95, found.asked.size):.5f}）以内、"
                    "1,000回未満は判定しない",
                ),
                Text(
                    "What a user of the package gets, bound included, is what the theorem says.",
                    "パッケージの利用者が受け取る応答と上限は、定理のとおりである。",
                ),
            ),
            _figure(found, bound),
            judged(
                Text("privacy parameter ε", "プライバシパラメータ ε"),
                Text(
                    "A smaller ε protects more and makes the error larger.",
                    "ε が小さいほどプライバシーを強く保証し、誤差は大きくなる。",
                ),
                "",
                Text(
                    f"bounds from ε = 0.01 to 10: {bounds[0]:,} to {bounds[-1]:,} points",
                    f"ε = 0.01〜10 の上限：{bounds[0]:,}〜{bounds[-1]:,} 点",
                ),
                rules.falling(bounds),
                Verdict.HOLDS,
                Text("the bound falls with every larger ε", "ε が大きくなるごとに上限が小さくなる"),
                Text("In proportion to 1/ε.", "1/ε に比例する。"),
            ),
            judged(
                Text("accuracy, its use", "誤差の実用上の意味"),
                Text(
                    "In practice an error of this size does no harm.",
                    "この程度の誤差は多くの実用上は問題ない。",
                ),
                "2.99e-4",
                Text(
                    f"noise {bound / N:.4f} points, sampling error {sampling:.4f} points, both "
                    "at 95 %",
                    f"ノイズ {bound / N:.4f} 点、標本誤差 {sampling:.4f} 点（ともに95 %）",
                ),
                rules.at_most(bound / N, sampling),
                Verdict.HOLDS,
                Text(
                    "the noise's bound is below the sampling error of the mean",
                    "ノイズの上限が平均の標本誤差より小さい",
                ),
                Text(
                    "It holds for the right scale too: the mean of 100,000 people can afford the "
                    "honest ε = 0.1.",
                    "正しい尺度でも成り立つ。10万人の平均なら、本当の ε = 0.1 でも足りる。",
                ),
            ),
            _table(found, bounds),
        ),
    )


def _figure(found: Outcome, bound: int) -> Figure:
    def draw(canvas: Canvas, say: Say) -> None:
        axes = canvas.subplots()
        reach = int(6 * RIGHT)
        steps = np.arange(-reach, reach + 1)
        law = (steps / N, laplace_law(steps, RIGHT) * N)
        title = Text("Scale 100/(nε), exact draws", "尺度 100/(nε)、厳密な抽出")
        histogram(axes, say, found.errors / N, law, bound / N, BLUE, title)
        axes.set_xlabel(say(Text("error of the mean, in points", "平均の誤差（点）")))
        axes.legend()

    return Figure(
        "right-errors",
        Text(
            f"The check with the right scale: errors of {found.errors.size:,} answers.",
            f"正しい尺度での確認：応答{found.errors.size:,}回の誤差。",
        ),
        Text(
            "The same shape as the source's errors, a hundred times wider.",
            "原典の誤差と同じ形で、幅は100倍である。",
        ),
        draw,
        (7.2, 3.2),
    )


def _table(found: Outcome, bounds: list[int]) -> Table:
    return Table(
        "accuracy",
        Text(
            "ε, the noise's bound at 95 % and what it adds to the sampling error of the mean "
            "(root of the summed variances); all in points.",
            "ε、ノイズの95 % の上限、平均の標本誤差とそれにノイズを加えた値（分散の和の平方根）。"
            "単位は点。",
        ),
        (
            Column("ε", "g"),
            Column(Text("bound, sum", "上限（合計）"), ",d"),
            Column(Text("bound, mean", "上限（平均）"), ".5f"),
            Column(Text("standard error, no noise", "標準誤差（ノイズなし）"), ".5f"),
            Column(Text("with noise", "ノイズあり"), ".5f"),
        ),
        tuple(
            (
                float(e),
                bound,
                bound / N,
                found.spread,
                math.hypot(found.spread, math.sqrt(2) * float(WIDTH / e) / N),
            )
            for e, bound in zip(EPSILONS, bounds, strict=True)
        ),
    )
