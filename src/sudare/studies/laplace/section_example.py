"""The source's script as it stands: its mean, scale, bound and check of 100,000 trials."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sudare.studies.judging import judged
from sudare.studies.laplace import rules
from sudare.studies.laplace.exam import DELTA, EPSILON, HIGH, LOW, Floats, Ints, N
from sudare.studies.laplace.palette import GREY, histogram
from sudare.studies.parts import Figure, Say, Section, Setting, Verdict
from sudare.studies.words import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

PRINTED_MEAN, PRINTED_ANSWER = 50.08518, 50.08508
PRINTED_BOUND, PRINTED_SHARE = 0.0002995732, 0.95073

SCALE = 1 / (N * float(EPSILON))
BOUND = SCALE * math.log(1 / DELTA)
SPREAD = math.sqrt(((HIGH - LOW + 1) ** 2 - 1) / 12 / N)
"""Standard error of the mean of n scores, uniform on 0..100."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The check as the source does it, in floats.

    Attributes:
        mean: of the run's scores.
        errors: of the answers.
    """

    mean: float
    errors: Floats

    @property
    def share(self) -> float:
        """Share of the answers whose error is below the bound."""
        return float((np.abs(self.errors) < BOUND).mean())


def run(scores: Ints, setting: Setting) -> Outcome:
    """Answer the mean query as often as there are repetitions."""
    mean = float(scores.mean())
    noise = setting.rng("source").generator().laplace(0.0, SCALE, setting.repetitions)
    return Outcome(mean, (mean + noise) - mean)


def section(found: Outcome) -> Section:
    """Return the section."""
    trials = found.errors.size
    tail = math.exp(-BOUND / SCALE)
    off = abs(PRINTED_ANSWER - PRINTED_MEAN)
    return Section(
        Text("The script as it stands", "原典のスクリプトのまま"),
        (
            Text(
                "100,000 test scores, drawn uniformly from 0..100; a trusted holder answers the "
                "mean with Laplace noise of scale R = Δ/ε, Δ = 1/n, ε = 0.1. This section takes "
                "Δ as the source does, floats included.",
                "0〜100点の試験の得点10万件を一様乱数で作り、データを預かる側が、尺度 R = Δ/ε"
                "（Δ = 1/n、ε = 0.1）のラプラスノイズを加えて平均を答える。"
                "この節は Δ も浮動小数点も原典のままである。",
            ),
            judged(
                Text("the script, mean(score)", "スクリプト mean(score)"),
                Text("The mean of the generated scores.", "生成した得点の平均。"),
                f"{PRINTED_MEAN}",
                f"{found.mean:.5f}",
                rules.scattered_mean(PRINTED_MEAN, (LOW + HIGH) / 2, SPREAD),
                Verdict.HOLDS,
                Text(
                    f"the printed mean within 3 standard errors ({3 * SPREAD:.3f}) of 50",
                    f"印字された平均が50から標準誤差の3倍（{3 * SPREAD:.3f}）以内",
                ),
                Text(
                    "A draw like ours; the source's own scores are not given.",
                    "本報告の抽出と同様の値である。原典の得点そのものは示されていない。",
                ),
            ),
            judged(
                Text("the script, R and qD", "スクリプト R と qD"),
                Text("One answer of scale R = 1/(nε).", "尺度 R = 1/(nε) での1回の応答。"),
                f"{PRINTED_ANSWER}",
                Text(
                    f"R = {SCALE:.0e}; size of the printed error {off:.0e}",
                    f"R = {SCALE:.0e}、印字の誤差の大きさ {off:.0e}",
                ),
                rules.at_most(off, BOUND),
                Verdict.HOLDS,
                Text("the printed error within the bound", "印字の誤差が上限以内"),
                Text("One scale away: an ordinary draw.", "尺度1つ分の、ごく普通の抽出である。"),
            ),
            judged(
                Text("accuracy, prob.mean.upper.bound", "誤差 prob.mean.upper.bound"),
                Text("1/(εn) ln(1/δ) at δ = 0.05.", "δ = 0.05 での 1/(εn) ln(1/δ)。"),
                "2.9957e-4",
                f"{BOUND:.7e}",
                rules.equal(BOUND, PRINTED_BOUND, 1e-6),
                Verdict.HOLDS,
                Text("equal to six digits", "6桁まで一致"),
                Text("The arithmetic is right.", "計算は正しい。"),
            ),
            judged(
                Text("accuracy, the theorem", "誤差の定理"),
                Text(
                    "With probability 1 − δ the error is below (Δ/ε) ln(1/δ).",
                    "誤差は確率 1 − δ で (Δ/ε) ln(1/δ) 以下である。",
                ),
                "",
                f"P(|r| > R ln(1/δ)) = {tail:.6f}",
                rules.equal(tail, DELTA, 1e-12),
                Verdict.HOLDS,
                Text("the law's tail beyond the bound is δ", "上限を超える確率が δ に等しい"),
                Text(
                    "Not only a bound: exp(−t/R) is exactly δ there.",
                    "上界であるだけでなく、そこで exp(−t/R) はちょうど δ になる。",
                ),
            ),
            judged(
                Text("the check, 100,000 trials", "10万回の確認"),
                Text("95 % of the errors stay below the bound.", "誤差の95 % が上限以下に収まる。"),
                f"{PRINTED_SHARE}",
                f"{found.share:.5f}",
                rules.scattered([found.share, PRINTED_SHARE], 1 - DELTA, trials),
                Verdict.HOLDS,
                Text(
                    f"ours and the printed share within 3 standard errors "
                    f"({3 * rules.standard_error(0.95, trials):.5f}) of 0.95; open below 1,000 "
                    "trials",
                    f"本報告と印字の割合が 0.95 から標準誤差の3倍"
                    f"（{3 * rules.standard_error(0.95, trials):.5f}）以内、"
                    "1,000回未満は判定しない",
                ),
                Text(
                    "The check itself is right. It says nothing about privacy: it holds for any "
                    "scale.",
                    "確認の方法は正しい。ただしプライバシーについては何も示さない。"
                    "どの尺度でも同じ結果になる。",
                ),
            ),
            _figure(found),
        ),
    )


def _figure(found: Outcome) -> Figure:
    def draw(canvas: Canvas, say: Say) -> None:
        axes = canvas.subplots()
        x = np.linspace(-6 * SCALE, 6 * SCALE, 601)
        law = (x, np.exp(-np.abs(x) / SCALE) / (2 * SCALE))
        title = Text("Scale 1/(nε), as in the source", "尺度 1/(nε)（原典のまま）")
        histogram(axes, say, found.errors, law, BOUND, GREY, title)
        axes.set_xlabel(say(Text("error of the mean, in points", "平均の誤差（点）")))
        axes.legend()

    return Figure(
        "source-errors",
        Text(
            f"The source's check: errors of {found.errors.size:,} answers and the bound at 95 %.",
            f"原典の確認：応答{found.errors.size:,}回の誤差と95 % の上限。",
        ),
        Text(
            "The errors follow the Laplace density; the dashed bounds cut off 5 % of them.",
            "誤差はラプラス分布に従い、破線の上限の外に5 % がある。",
        ),
        draw,
        (7.2, 3.2),
    )
