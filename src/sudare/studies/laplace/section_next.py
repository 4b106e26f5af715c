"""The source's next steps: Gaussian and exponential mechanisms beside Laplace."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sudare.exact.noise import discrete_gaussian, discrete_laplace
from sudare.ledger import epsilon_of, rho_of
from sudare.studies.judging import judged
from sudare.studies.laplace import rules
from sudare.studies.laplace.exam import (
    DELTA,
    EPSILON,
    HIGH,
    RIGHT,
    WIDTH,
    Floats,
    Ints,
    N,
    gaussian_bound,
    gaussian_law,
    held_by,
    laplace_bound,
    laplace_law,
)
from sudare.studies.laplace.palette import BLUE, GOLD, GREEN, GREY, INK, RED, histogram
from sudare.studies.laplace.quantiles import Quantile, largest_ratio
from sudare.studies.laplace.section_maximum import MOST_DRAWS, SHARE
from sudare.studies.parts import Column, Figure, Say, Section, Setting, Table, Verdict
from sudare.studies.words import Text, Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

SMALL_DELTA = 1e-6
"""The δ of (ε, δ): far below 1/n, unlike the δ of the error bound."""
PEOPLE = 1_000
"""Whose quantiles are answered: enough errors to be seen."""
MEDIAN = Fraction(1, 2)
EPSILONS = tuple(Fraction(e) for e in ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"))
TOTAL = Fraction(1)
"""The ε shared by many answers."""
MANY = (1, 2, 5, 8, 9, 10, 20, 50, 100, 200, 500, 1000)

NAMES: dict[str, Words] = {
    "laplace": Text("Laplace, ε", "ラプラス、ε"),
    "rho": Text("Gaussian, ρ = ε²/2", "ガウス、ρ = ε²/2"),
    "approximate": Text("Gaussian, (ε, 1e-6)", "ガウス、(ε, 1e-6)"),
}
COLOURS = {"laplace": BLUE, "rho": GOLD, "approximate": RED}
MARKS = {"laplace": "o", "rho": "s", "approximate": "^"}


@dataclass(frozen=True, eq=False)
class Outcome:
    """Errors at ε = 0.1.

    Attributes:
        errors: mechanism to errors of the sum, in points.
        small: the first 1,000 scores.
        medians: errors of their median, as ``Dataset.median`` answers.
    """

    errors: dict[str, Ints]
    small: Ints
    medians: Ints
    ratio: float


def variance(rho: Fraction) -> Fraction:
    """Return the variance ``sensitivity^2 / (2 ρ)`` of Gaussian noise on the sum."""
    return WIDTH**2 / (2 * rho)


def rhos(epsilon: Fraction) -> dict[str, Fraction]:
    """Return the ρ of the two Gaussians: what Laplace costs in ρ, and what (ε, δ) allows."""
    return {"rho": epsilon**2 / 2, "approximate": rho_of(epsilon, SMALL_DELTA)}


def bounds(epsilon: Fraction) -> dict[str, int]:
    """Return the bounds at 95 % of the three mechanisms on the sum."""
    gaussian = {name: gaussian_bound(variance(rho)) for name, rho in rhos(epsilon).items()}
    return {"laplace": laplace_bound(WIDTH / epsilon), **gaussian}


def shared(answers: int) -> tuple[float, float]:
    """Return the bounds at 95 % of each of many answers that share ε = 1: Laplace, Gaussian.

    ε adds up for Laplace noise, ρ for Gaussian noise; in points of the sum.
    """
    rho = rho_of(TOTAL, SMALL_DELTA) / answers
    laplace = float(WIDTH * answers / TOTAL) * math.log(1 / DELTA)
    return laplace, 1.959964 * math.sqrt(variance(rho))


def first_better() -> int:
    """Return from how many answers on the Gaussian bound is the smaller one."""
    return next(k for k in range(1, 10_000) if shared(k)[1] < shared(k)[0])


def run(scores: Ints, setting: Setting) -> Outcome:
    """Draw each mechanism's errors as often as there are repetitions; ask at most 1,000 medians."""
    trials = setting.repetitions
    errors = {"laplace": discrete_laplace(trials, RIGHT, setting.rng("next/laplace"))}
    for name, rho in rhos(EPSILON).items():
        errors[name] = discrete_gaussian(trials, variance(rho), setting.rng(f"next/{name}"))
    small = scores[:PEOPLE]
    median = Quantile.of(small, MEDIAN, HIGH)
    held = held_by(small, setting, "next/median")
    asked = [held.median("score", epsilon=EPSILON).value for _ in range(min(trials, MOST_DRAWS))]
    drawn = np.array(asked, dtype=np.int64)
    ratio = largest_ratio(Quantile.of(scores, SHARE, HIGH), float(EPSILON))
    return Outcome(errors, small, drawn - median.truth, ratio)


def section(found: Outcome) -> Section:
    """Return the section."""
    once, from_here = bounds(EPSILON), first_better()
    real = epsilon_of(EPSILON**2 / 2, SMALL_DELTA)
    return Section(
        Text("Next steps: Gaussian and exponential", "次の課題：ガウスと指数メカニズム"),
        (
            judged(
                Text("closing, Gaussian mechanism", "おわりに：ガウシアンメカニズム"),
                Text("There is the Gaussian mechanism besides.", "ガウシアンメカニズムもある。"),
                "",
                Text(
                    f"at ({float(TOTAL):g}, 1e-6) shared by k answers its bound is smaller from "
                    f"k = {from_here} on; one answer at (0.1, 1e-6): {once['approximate']:,} "
                    f"points, Laplace {once['laplace']:,}",
                    f"({float(TOTAL):g}, 1e-6) を k 回の応答で分けると k = {from_here} 以上で上限が"
                    f"小さい。(0.1, 1e-6) の1回の応答では {once['approximate']:,} 点、ラプラス "
                    f"{once['laplace']:,} 点",
                ),
                rules.both(from_here <= MANY[-1], from_here == 1),
                Verdict.ROUGHLY,
                Text(
                    "its bound at 95 % is the smaller one at the same (ε, δ) for every number of "
                    "answers; approximately: for some number up to 1,000",
                    "同じ (ε, δ) で、応答が何回でも95 % の上限がラプラスより小さい、「ほぼ」は"
                    "1,000回までのどこかで小さい",
                ),
                Text(
                    "It gives no pure ε. For one answer take Laplace: a Gaussian of the same ρ = "
                    f"ε²/2 has the narrower bound ({once['rho']:,}) but is only ({real:.3f}, 1e-6) "
                    "private. Its noise grows with the root of the number of answers, Laplace's "
                    "with the number itself (ε and ρ added up).",
                    "純粋な ε は与えない。応答が1回ならラプラスが良い。同じ ρ = ε²/2 のガウスは"
                    f"上限こそ狭い（{once['rho']:,} 点）が、保証は ({real:.3f}, 1e-6) にとどまる。"
                    "ノイズはガウスでは応答数の平方根、ラプラスでは応答数に比例して増える"
                    "（ε、ρ をそれぞれ加算した場合）。",
                ),
            ),
            judged(
                Text("closing, exponential mechanism", "おわりに：指数メカニズム"),
                Text(
                    "The exponential mechanism serves discrete answers.",
                    "指数メカニズムは出力が離散のときに使われる。",
                ),
                "",
                Text(
                    f"99 % quantile among 0..100: largest log-ratio {found.ratio:.4f}",
                    f"0〜100 から選ぶ99 % 分位点：対数比の最大値 {found.ratio:.4f}",
                ),
                rules.at_most(found.ratio, float(EPSILON)),
                Verdict.HOLDS,
                Text(
                    "over all answers and all replacements of one of the run's scores, the exact "
                    "law's log-ratio is at most ε = 0.1",
                    "全応答と、実行の得点1件の全ての置き換えにわたり、厳密な分布の対数比が "
                    "ε = 0.1 以下",
                ),
                Text(
                    "For whatever can be scored: with the loss |y − sum| and the rate ε/Δ it is "
                    "the discrete Laplace mechanism itself.",
                    "損失を定められるものなら何にでも使える。損失を |y − 合計|、率を ε/Δ とすれば"
                    "離散ラプラスメカニズムそのものになる。",
                ),
            ),
            _errors(found),
            _table(found),
            _accuracy(found),
            _answers(from_here),
        ),
    )


def _errors(found: Outcome) -> Figure:
    def draw(canvas: Canvas, say: Say) -> None:
        panels = canvas.subplots(2, 2).ravel()
        reach = 20_000
        steps = np.arange(-reach, reach + 1)
        once = bounds(EPSILON)
        for axes, (name, errors) in zip(panels[:3], found.errors.items(), strict=True):
            law = (
                laplace_law(steps, RIGHT)
                if name == "laplace"
                else gaussian_law(steps, variance(rhos(EPSILON)[name]))
            )
            colour = COLOURS[name]
            wide = 9000 if name != "approximate" else reach
            seen = np.abs(steps) <= wide
            shape = (steps[seen] / N, law[seen] * N)
            histogram(axes, say, errors / N, shape, once[name] / N, colour, NAMES[name])
            axes.set_xlabel(say(Text("error of the mean, in points", "平均の誤差（点）")))
            axes.locator_params(axis="x", nbins=5)
        _medians(found, panels[3], say)
        panels[0].legend(loc="upper right", fontsize=8, handlelength=1.2)

    return Figure(
        "errors",
        Text(
            "Errors at ε = 0.1: the mean of 100,000 scores with Laplace noise and with two "
            "Gaussians (note the widths), and the median of 1,000 scores by the exponential "
            "mechanism.",
            "ε = 0.1 での誤差：得点10万件の平均（ラプラスと2つのガウス。横軸の幅に注意）と、"
            "指数メカニズムによる得点1,000件の中央値。",
        ),
        Text(
            "Laplace is peaked, the Gaussian of equal ρ lighter in its tails, the (ε, δ) one much "
            "wider; medians scatter by a few points.",
            "ラプラスは尖り、ρ の等しいガウスは裾が軽く、(ε, δ) のガウスはずっと広い。"
            "中央値のばらつきは数点である。",
        ),
        draw,
        (8.4, 5.6),
    )


def _medians(found: Outcome, axes: Axes, say: Say) -> None:
    median = Quantile.of(found.small, MEDIAN, HIGH)
    law = median.law(float(EPSILON))
    away = np.arange(HIGH + 1) - median.truth
    drawn = np.bincount(found.medians + median.truth, minlength=HIGH + 1)
    seen = np.abs(away) <= 15
    axes.bar(away[seen], drawn[seen] / drawn.sum(), color=GREEN, alpha=0.35)
    axes.plot(away[seen], law[seen], color=GREEN, linewidth=1.4, marker=".", markersize=4)
    edge = median.bound(law, DELTA)
    for side in (-edge, edge):
        axes.axvline(side, color=INK, linestyle="--", linewidth=0.9)
    axes.set_yticks([])
    axes.set_title(say(Text("Exponential, median", "指数メカニズム、中央値")))
    axes.set_xlabel(say(Text("error of the median, in points", "中央値の誤差（点）")))


def _table(found: Outcome) -> Table:
    once = bounds(EPSILON)
    spent = rhos(EPSILON)
    median = Quantile.of(found.small, MEDIAN, HIGH)
    law = median.law(float(EPSILON))
    away = np.arange(HIGH + 1) - median.truth
    rows: list[tuple[Words | float | None, ...]] = []
    for name, errors in found.errors.items():
        rho = spent.get(name, EPSILON**2 / 2)
        deviation = math.sqrt(2) * float(RIGHT) if name == "laplace" else math.sqrt(variance(rho))
        rows.append(
            (
                NAMES[name],
                float(EPSILON) if name == "laplace" else None,
                float(rho),
                min(
                    epsilon_of(rho, SMALL_DELTA), math.inf if name != "laplace" else float(EPSILON)
                ),
                deviation / N,
                float(errors.std()) / N,
                once[name] / N,
                float((np.abs(errors) <= once[name]).mean()),
            )
        )
    bound = median.bound(law, DELTA)
    rows.append(
        (
            Text("exponential, median, n = 1,000", "指数、中央値、n = 1,000"),
            float(EPSILON),
            float(EPSILON**2 / 2),
            float(EPSILON),
            float(np.sqrt(law @ away**2)),
            float(np.sqrt((found.medians**2).mean())),
            float(bound),
            float((np.abs(found.medians) <= bound).mean()),
        )
    )
    return Table(
        "mechanisms",
        Text(
            "What each mechanism guarantees, and its error in points: by the exact law and drawn "
            "(root mean square), bound at 95 % and the share of draws within it.",
            "各メカニズムの保証と誤差（点）：厳密な分布と抽出の二乗平均平方根、95 % の上限、"
            "上限以内の抽出の割合。",
        ),
        (
            Column(Text("mechanism", "メカニズム")),
            Column(Text("pure ε", "純粋な ε"), "g"),
            Column("ρ", ".3g"),
            Column(Text("ε at δ = 1e-6", "δ = 1e-6 での ε"), ".4f"),
            Column(Text("error, law", "誤差（理論）"), ".5f"),
            Column(Text("error, drawn", "誤差（抽出）"), ".5f"),
            Column(Text("bound", "上限"), ".5f"),
            Column(Text("share within", "以内の割合"), ".5f"),
        ),
        tuple(rows),
    )


def _expected(quantile: Quantile) -> Floats:
    return np.array([quantile.error(quantile.law(float(e))) for e in EPSILONS])


def _accuracy(found: Outcome) -> Figure:
    def draw(canvas: Canvas, say: Say) -> None:
        left, right = canvas.subplots(1, 2)
        x = [float(e) for e in EPSILONS]
        each = [bounds(e) for e in EPSILONS]
        for name, colour in COLOURS.items():
            y = [one[name] / N for one in each]
            left.plot(
                x,
                y,
                color=colour,
                marker=MARKS[name],
                markersize=4.5,
                linewidth=1.2,
                label=say(NAMES[name]),
            )
        left.set_title(say(Text("mean, n = 100,000", "平均、n = 100,000")))
        left.set_ylabel(say(Text("bound at 95 %, in points", "95 % の上限（点）")))
        lines = (
            (Text("median", "中央値"), MEDIAN, GREEN, "o"),
            (Text("99 % quantile", "99 % 分位点"), SHARE, GOLD, "s"),
        )
        for label, share, colour, mark in lines:
            errors = _expected(Quantile.of(found.small, share, HIGH))
            right.plot(
                x,
                np.maximum(errors, 1e-4),
                color=colour,
                marker=mark,
                markersize=4.5,
                linewidth=1.2,
                label=say(label),
            )
        right.plot(
            x,
            [float(WIDTH / e) for e in EPSILONS],
            color=GREY,
            marker="v",
            markersize=4.5,
            linewidth=1.2,
            label=say(Text("Laplace, sensitivity 100", "ラプラス、敏感度100")),
        )
        right.axhline(WIDTH, color=INK, linestyle="--", linewidth=0.9)
        right.set_title(say(Text("quantiles, n = 1,000", "分位点、n = 1,000")))
        right.set_ylabel(say(Text("expected error, in points", "誤差の期待値（点）")))
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlabel("ε")
            axes.legend(fontsize=8.5)

    return Figure(
        "accuracy",
        Text(
            "Accuracy against ε. Left: one answer to the mean. Right: quantiles of 1,000 scores by "
            "the exponential mechanism beside Laplace noise; dashed: the whole range.",
            "ε に対する精度。左：平均の1回の応答。右：得点1,000件の分位点（指数メカニズム）と"
            "ラプラスノイズ、破線は範囲全体の幅。",
        ),
        Text(
            "All bounds of the mean fall like 1/ε; the exponential mechanism's error falls to "
            "below a point while Laplace stays at or above the whole range.",
            "平均の上限はどれも 1/ε に比例して下がる。指数メカニズムの誤差は1点未満まで下がるが、"
            "ラプラスは範囲全体の幅以上のままである。",
        ),
        draw,
        (8.4, 3.6),
    )


def _answers(from_here: int) -> Figure:
    def draw(canvas: Canvas, say: Say) -> None:
        axes = canvas.subplots()
        found = [shared(k) for k in MANY]
        for i, name in ((0, "laplace"), (1, "approximate")):
            label = Text("Laplace", "ラプラス") if i == 0 else Text("Gaussian", "ガウス")
            axes.plot(
                MANY,
                [one[i] / N for one in found],
                color=COLOURS[name],
                marker=MARKS[name],
                markersize=4.5,
                linewidth=1.2,
                label=say(label),
            )
        axes.axvline(from_here, color=INK, linestyle="--", linewidth=0.9)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(say(Text("answers that share (1, 1e-6)", "(1, 1e-6) を分け合う応答の数")))
        axes.set_ylabel(say(Text("bound at 95 %, in points", "95 % の上限（点）")))
        axes.legend()

    return Figure(
        "answers",
        Text(
            f"Bound of each mean when several answers share one budget; the Gaussian's is smaller "
            f"from {from_here} answers on.",
            f"1つの予算を複数の応答で分けたときの平均1つあたりの上限。ガウスは{from_here}回以上で"
            "小さくなる。",
        ),
        Text(
            "Laplace rises with the number of answers, the Gaussian with its root; they cross.",
            "ラプラスは応答数に、ガウスはその平方根に比例して増え、途中で交わる。",
        ),
        draw,
        (7.2, 3.4),
    )
