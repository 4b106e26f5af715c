"""The maximum: Laplace noise drowns it; a quantile by the exponential mechanism does not."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sudare.exact.noise import discrete_laplace
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
    beyond,
    held_by,
    laplace_bound,
)
from sudare.studies.laplace.palette import BLUE, GOLD, GREEN, RED
from sudare.studies.laplace.quantiles import Quantile
from sudare.studies.parts import Column, Figure, Say, Section, Setting, Table, Verdict
from sudare.studies.words import Text, Words

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

SHARE = Fraction(99, 100)
SIZES = (100, 1_000, 10_000, N)
SHOWN = (1_000, 10_000, N)
WIDE = 1_000
"""Another declared upper bound, ten times the real one."""
MOST_DRAWS = 1_000


@dataclass(frozen=True, eq=False)
class Outcome:
    """Answers to the maximum and to a high quantile.

    Attributes:
        scores: of the run.
        noisy: errors of the maximum with Laplace noise.
        drawn: number of people to errors of the 99 % quantile, as ``Dataset.quantile`` answers.
        flipped: the same by permute-and-flip.
    """

    scores: Ints
    noisy: Ints
    drawn: dict[int, Ints]
    flipped: dict[int, Ints]

    def quantile(self, n: int, share: Fraction = SHARE, top: int = HIGH) -> Quantile:
        """Return a quantile of the first n scores."""
        return Quantile.of(self.scores[:n], share, top)


def enumerated(top: int, n: int = 3) -> int:
    """Return the largest change of the maximum of n scores 0..top by replacing one.

    Examples:
        >>> enumerated(1), enumerated(5)
        (1, 5)
    """
    return max(
        abs(max(new, *rest) - max(old, *rest))
        for old, new, *rest in itertools.product(range(top + 1), repeat=n + 1)
    )


def run(scores: Ints, setting: Setting) -> Outcome:
    """Answer as often as there are repetitions; ask each quantile at most 1,000 times."""
    noisy = discrete_laplace(setting.repetitions, RIGHT, setting.rng("maximum"))
    trials = min(setting.repetitions, MOST_DRAWS)
    drawn: dict[int, Ints] = {}
    flipped: dict[int, Ints] = {}
    for n in setting.progress(SIZES, len(SIZES), "quantiles"):
        quantile = Quantile.of(scores[:n], SHARE, HIGH)
        held = held_by(scores[:n], setting, f"quantile/{n}")
        asked = [held.quantile("score", SHARE, epsilon=EPSILON).value for _ in range(trials)]
        drawn[n] = np.array(asked, dtype=np.int64) - quantile.truth
        rng = setting.rng(f"quantile/permute/{n}")
        flipped[n] = quantile.draws(EPSILON, trials, rng, permute=True) - quantile.truth
    return Outcome(scores, noisy, drawn, flipped)


def section(found: Outcome) -> Section:
    """Return the section."""
    small, large = enumerated(1), enumerated(10) * WIDTH // 10
    bound = laplace_bound(RIGHT)
    outside = beyond(WIDTH, RIGHT)
    quantile = found.quantile(N)
    error = quantile.bound(quantile.law(float(EPSILON)), DELTA)
    return Section(
        Text("The maximum", "最大値"),
        (
            judged(
                Text("sensitivity of the maximum", "最大値の敏感度"),
                Text("The sensitivity of the maximum is 1.", "最大値クエリの敏感度は 1 である。"),
                "1",
                Text(
                    f"[0, 1]: {small}; [0, 100]: {large}",
                    f"[0, 1] で {small}、[0, 100] で {large}",
                ),
                rules.both(small == 1, large == 1),
                Verdict.ROUGHLY,
                Text(
                    "the largest change by replacing one score, all data sets of 3 scores "
                    "enumerated, is 1 in [0, 1] and here; approximately: in [0, 1] alone",
                    "3件の全データを列挙したときの1件の置き換えによる最大の変化が、[0, 1] でも"
                    "この例でも 1、「ほぼ」は [0, 1] のみ",
                ),
                Text(
                    "For [lo, hi] it is hi − lo, whatever n: enumerated for 0..10 and scaled. The "
                    "script computes 100 and does not use it.",
                    "[lo, hi] では n によらず hi − lo である（0〜10 で列挙して換算）。"
                    "スクリプトは 100 を計算しているが使っていない。",
                ),
            ),
            judged(
                Text("the maximum, with care", "最大値の公開は慎重に"),
                Text(
                    "The maximum needs more care than the mean.",
                    "最大値の公開は平均値の公開よりも慎重であるべきである。",
                ),
                "",
                Text(
                    f"Laplace bound at 95 %: {bound:,} points on a range of {WIDTH}",
                    f"ラプラスノイズの95 % の上限：幅 {WIDTH} の範囲に対して {bound:,} 点",
                ),
                rules.at_most(WIDTH, bound),
                Verdict.HOLDS,
                Text(
                    "the bound of the noise is no smaller than the whole range",
                    "ノイズの上限が範囲全体の幅以上",
                ),
                Text(
                    "Not care but another mechanism: the noise alone exceeds the range with "
                    f"{outside:.1%}, and no n helps. The 99 % quantile by the exponential "
                    f"mechanism has a bound of {error} at the same ε, in points.",
                    f"慎重さより別の方法が要る。ノイズだけで {outside:.1%} の確率で範囲の幅を超え、"
                    "n を増やしても変わらない。同じ ε で、指数メカニズムによる99 % 分位点の誤差は"
                    f"95 % の確率で {error} 点以下である。",
                ),
            ),
            Text(
                "The exponential mechanism draws an answer v in lo..hi with probability "
                "∝ exp(−ε loss(v)/2), drawn exactly; the loss is how many people the rank asked "
                "for lies off. It needs a rank below n: the maximum itself has the same rank as "
                "every larger answer, and no rank tells them apart (row “rank n” of the table).",
                "指数メカニズムは、lo〜hi の応答 v を exp(−ε loss(v)/2) に比例する確率で厳密に"
                "抽出する。loss は求める順位とのずれの人数である。順位は n より小さく取る必要が"
                "ある。最大値と、それより大きい値とは順位が同じで区別できない"
                "（表の「順位 n」の行）。",
            ),
            _figure(found),
            _table(found),
        ),
    )


def _figure(found: Outcome) -> Figure:
    def draw(canvas: Canvas, say: Say) -> None:
        left, right = canvas.subplots(1, 2)
        left.hist(found.noisy, bins=80, range=(-6000, 6000), color=RED, alpha=0.6)
        left.axvspan(LOW - HIGH, 0, color=BLUE, alpha=0.7, label=say(Text("0..100", "0〜100")))
        left.set_title(say(Text("maximum, Laplace noise", "最大値、ラプラスノイズ")))
        left.set_xlabel(say(Text("error in points", "誤差（点）")))
        left.set_ylabel(say(Text("answers", "応答の回数")))
        left.legend()
        for n, colour, mark in zip(SHOWN, (GOLD, GREEN, BLUE), "^so", strict=True):
            quantile = found.quantile(n)
            errors = np.arange(HIGH + 1) - quantile.truth
            drawn = np.bincount(found.drawn[n] + quantile.truth, minlength=HIGH + 1)
            right.plot(errors, quantile.law(float(EPSILON)), color=colour, linewidth=1.2)
            right.plot(
                errors,
                drawn / drawn.sum(),
                color=colour,
                marker=mark,
                markersize=4,
                linestyle="none",
                label=f"n = {n:,}",
            )
        right.set_xlim(-20, 4)
        right.set_yscale("log")
        right.set_ylim(3e-4, 1.5)
        right.set_title(say(Text("99 % quantile, exponential", "99 % 分位点、指数メカニズム")))
        right.set_xlabel(say(Text("error in points", "誤差（点）")))
        right.set_ylabel(say(Text("share of answers", "応答の割合")))
        right.legend()

    return Figure(
        "maximum",
        Text(
            "Errors at ε = 0.1. Left: the maximum with Laplace noise; the band is the whole range "
            "of scores. Right: the 99 % quantile by the exponential mechanism, law (lines) and "
            "draws (marks).",
            "ε = 0.1 での誤差。左：最大値にラプラスノイズ、帯は得点の範囲全体。右：指数メカニズム"
            "による99 % 分位点、理論（線）と抽出（点）。",
        ),
        Text(
            "The noise on the maximum spans thousands of points; the quantile is off by a point "
            "or two from 10,000 people on.",
            "最大値のノイズは数千点に及び、分位点の誤差は1万人以上なら1〜2点である。",
        ),
        draw,
        (8.4, 3.6),
    )


def _row(
    name: Words, n: int, quantile: Quantile, drawn: tuple[float | None, float | None]
) -> tuple[Words | int | float | None, ...]:
    law = quantile.law(float(EPSILON))
    return (name, n, quantile.bound(law, DELTA), quantile.error(law), *drawn)


def _table(found: Outcome) -> Table:
    """Return errors by mechanism, people and declared bounds."""
    laplace = Text("maximum, Laplace, 0..{}", "最大値、ラプラス、0〜{}")
    q = float(np.exp(-1 / float(RIGHT)))
    nothing: tuple[None, None] = (None, None)
    wide = Text(f"99 % quantile, 0..{WIDE:,}", f"99 % 分位点、0〜{WIDE:,}")
    rank_n = Text(f"rank n (maximum), 0..{WIDE:,}", f"順位 n（最大値）、0〜{WIDE:,}")
    return Table(
        "maximum",
        Text(
            "Errors at ε = 0.1 in points: bound at 95 % and expected error by the exact law, mean "
            f"error of {found.drawn[N].size:,} answers of Dataset.quantile (exponential mechanism) "
            "and draws by permute-and-flip.",
            "ε = 0.1 での誤差（点）：厳密な分布による95 % の上限と期待値、Dataset.quantile"
            "（指数メカニズム）の応答と permute-and-flip の抽出、各"
            f"{found.drawn[N].size:,}回の平均。",
        ),
        (
            Column(Text("answer, declared bounds", "応答と宣言した範囲")),
            Column("n", ",d"),
            Column(Text("bound", "上限"), ",d"),
            Column(Text("expected", "期待値"), ",.3f"),
            Column(Text("exponential", "指数"), ",.3f"),
            Column("permute-and-flip", ",.3f"),
        ),
        (
            *(
                _row(
                    Text("99 % quantile, 0..100", "99 % 分位点、0〜100"),
                    n,
                    found.quantile(n),
                    (
                        float(np.abs(found.drawn[n]).mean()),
                        float(np.abs(found.flipped[n]).mean()),
                    ),
                )
                for n in SIZES
            ),
            _row(wide, N, found.quantile(N, top=WIDE), nothing),
            _row(rank_n, N, found.quantile(N, Fraction(1), WIDE), nothing),
            *(
                (
                    Text(laplace.en.format(f"{top:,}"), laplace.ja.format(f"{top:,}")),
                    N,
                    laplace_bound(top / EPSILON),
                    2 * q**scale / (1 - q ** (2 * scale)),
                    float(np.abs(found.noisy).mean()) if top == HIGH else None,
                    None,
                )
                for top, scale in ((HIGH, 1.0), (WIDE, HIGH / WIDE))
            ),
        ),
    )
