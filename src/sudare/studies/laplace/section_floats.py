"""Why floats are not enough: answers that only one of two neighbours can give."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sudare.exact.noise import discrete_laplace
from sudare.studies.judging import judged
from sudare.studies.laplace import rules
from sudare.studies.laplace.exam import EPSILON, HIGH, LOW, RIGHT, Ints, N
from sudare.studies.laplace.floats import noise, possible
from sudare.studies.parts import Column, Section, Setting, Table, Verdict
from sudare.studies.words import Text

MOST_DRAWS = 100_000
CASES = ("mean, 32 bits", "count, 53 bits")


@dataclass(frozen=True, eq=False)
class Outcome:
    """Answers under one data set, held against a neighbour.

    Attributes:
        given: case to the share of float answers that the neighbour cannot give.
        own: the same for the data set itself: a check of the test.
        example: an answer that only the first can give, the two true means.
        ratio: the largest log-ratio of the discrete answers.
        trials: how many answers.
    """

    given: dict[str, float]
    own: dict[str, float]
    example: tuple[float, float, float]
    ratio: Fraction
    trials: int


def run(scores: Ints, setting: Setting) -> Outcome:
    """Answer with floats and with whole numbers."""
    trials = min(setting.repetitions, MOST_DRAWS)
    total = int(scores.sum())
    other = total - int(scores[0]) + (HIGH if 2 * scores[0] < LOW + HIGH else LOW)
    truths = {
        CASES[0]: (total / N, other / N, 32, float(RIGHT) / N),
        CASES[1]: (0.0, 1.0, 53, 10.0),
    }
    given, own, example = {}, {}, (float("nan"),) * 3
    for case, (truth, neighbour, bits, scale) in truths.items():
        generator = setting.rng(f"floats/{case}").generator()
        answers = truth + noise(generator.integers(1, 1 << bits, trials), bits, scale)
        there = possible(answers, neighbour, bits, scale)
        given[case] = float((~there).mean())
        own[case] = float((~possible(answers, truth, bits, scale)).mean())
        if case == CASES[0]:
            example = (float(answers[np.argmin(there)]), truth, neighbour)
    steps = discrete_laplace(trials, RIGHT, setting.rng("floats/discrete"))
    away = int(np.abs(np.abs(steps - (other - total)) - np.abs(steps)).max())
    return Outcome(given, own, example, Fraction(away) / RIGHT, trials)


def section(found: Outcome) -> Section:
    """Return the section."""
    answer, truth, neighbour = found.example
    share = found.given[CASES[0]]
    return Section(
        Text("Why floats are not enough", "浮動小数点では足りない理由"),
        (
            judged(
                Text("the script, rlaplace", "スクリプト rlaplace"),
                Text(
                    "Noise from rlaplace added to the mean keeps the factor e^ε.",
                    "rlaplace のノイズを平均に加えれば、確率の比 e^ε が保たれる。",
                ),
                "",
                Text(
                    f"{share:.1%} of {found.trials:,} answers are impossible for the neighbour",
                    f"応答{found.trials:,}回の {share:.1%} は隣接データからは出せない値",
                ),
                rules.at_most(share, 0.0),
                Verdict.FAILS,
                Text(
                    "no drawn answer, at the right scale, is one that the data set with one other "
                    "score cannot give",
                    "正しい尺度での応答に、得点1件だけ異なるデータからは出せない値がない",
                ),
                Text(
                    "R's uniform numbers are multiples of 1/2^32, and the floats that mean + noise "
                    "can be are others for another mean. An answer that the neighbour cannot give "
                    "has an infinite ratio: it tells the two apart for sure, whatever ε says.",
                    "R の一様乱数は 1/2^32 の倍数であり、平均 + ノイズが取りうる浮動小数点数は"
                    "平均によって異なる。隣接データから出せない値の比は無限大であり、ε によらず"
                    "2つのデータを確実に見分けられる。",
                ),
            ),
            Text(
                f"For example {answer!r}: mean {truth:.5f} gives it from one of the 2^32 uniform "
                f"numbers, mean {neighbour:.5f} from none. Whole-number noise on the sum can give "
                "every whole number from every data set: the largest log-ratio among as many "
                f"exact draws was {float(found.ratio):.3f}, at most ε = {float(EPSILON):g}.",
                f"例えば {answer!r} は、平均 {truth:.5f} からは 2^32 個の一様乱数の1つで出るが、"
                f"平均 {neighbour:.5f} からはどの乱数でも出ない。合計への整数ノイズなら、どの"
                "データからもすべての整数が出うる。同じ回数の厳密な抽出での対数比の最大値は "
                f"{float(found.ratio):.3f} で、ε = {float(EPSILON):g} 以下である。",
            ),
            Table(
                "floats",
                Text(
                    "Share of float answers that the neighbour, and (as a check) the data set "
                    f"itself, cannot give; {found.trials:,} answers at ε = 0.1.",
                    "浮動小数点の応答のうち、隣接データから、また確認として元のデータ自身から、"
                    f"出せない値の割合（ε = 0.1、{found.trials:,}回）。",
                ),
                (
                    Column(Text("answer", "応答")),
                    Column(Text("bits of the uniform", "一様乱数のビット数"), "d"),
                    Column(Text("not by the neighbour", "隣接から不可能"), ".4f"),
                    Column(Text("not by itself", "自身から不可能"), ".4f"),
                ),
                (
                    (
                        Text("mean of 100,000 scores (R)", "得点10万件の平均（R）"),
                        32,
                        found.given[CASES[0]],
                        found.own[CASES[0]],
                    ),
                    (
                        Text("count, 0 against 1", "件数、0 と 1"),
                        53,
                        found.given[CASES[1]],
                        found.own[CASES[1]],
                    ),
                    (Text("sum, discrete Laplace", "合計、離散ラプラス"), None, 0.0, 0.0),
                ),
            ),
        ),
    )
