"""Replace-one against add-remove: what the two neighbouring relations cost the mean."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

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
    Floats,
    Ints,
    N,
    laplace_bound,
)
from sudare.studies.parts import Column, Section, Setting, Table, Verdict
from sudare.studies.words import Text

TINY = 4
"""Scores 0..TINY of the enumerated data sets."""
SIZES = (2, 3, 4)
FOR_COUNT = Fraction(1, 10)
"""Share of ε that the secret count takes."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """Errors of the mean under the two relations, at ε = 0.1 each.

    Attributes:
        replaced: n public, sensitivity 100.
        removed: n secret, sum with sensitivity 100 and a count.
        centred: the same, scores counted from 50: sensitivity 50.
    """

    replaced: Floats
    removed: Floats
    centred: Floats


def changes(n: int, top: int = TINY, low: int = 0) -> tuple[Fraction, Fraction]:
    """Return the largest change of the mean by replacing one of n scores, and by removing one.

    By enumeration of all data sets of n scores low..top.

    Examples:
        >>> changes(2)
        (Fraction(2, 1), Fraction(2, 1))
        >>> changes(3)
        (Fraction(4, 3), Fraction(4, 3))
    """
    replaced = removed = Fraction(0)
    for data in itertools.product(range(low, top + 1), repeat=n):
        mean = Fraction(sum(data), n)
        removed = max(removed, abs(mean - Fraction(sum(data[1:]), n - 1)))
        for new in range(low, top + 1):
            replaced = max(replaced, abs(Fraction(new - data[0], n)))
    return replaced, removed


def run(scores: Ints, setting: Setting) -> Outcome:
    """Answer the mean as often as there are repetitions, in three ways."""
    trials, total = setting.repetitions, int(scores.sum())
    rng = setting.rng("neighbours")
    for_sum = EPSILON * (1 - FOR_COUNT)
    counts = N + discrete_laplace(trials, 1 / (EPSILON * FOR_COUNT), rng)
    plain = total + discrete_laplace(trials, HIGH / for_sum, rng)
    middle = (LOW + HIGH) // 2
    spread = (HIGH - LOW) // 2
    around = total - middle * N + discrete_laplace(trials, spread / for_sum, rng)
    mean = total / N
    return Outcome(
        discrete_laplace(trials, RIGHT, rng) / N,
        plain / counts - mean,
        middle + around / counts - mean,
    )


def half_width(errors: Floats) -> float:
    """Return what 95 % of the errors stay within."""
    return float(np.quantile(np.abs(errors), 1 - DELTA))


def section(found: Outcome) -> Section:
    """Return the section."""
    told = {n: changes(n) for n in SIZES}
    replaced = [told[n][0] / TINY for n in SIZES]
    removed = max(told[n][1] for n in SIZES) / TINY
    sizes = ", ".join(map(str, SIZES))
    listed = ", ".join(f"{float(x):.2f}" for x in replaced)
    return Section(
        Text("Which data sets are neighbours", "隣接の定義"),
        (
            judged(
                Text("neighbours, d(D, D′) = 1", "隣接 d(D, D′) = 1"),
                Text(
                    "Neighbours have n records each and differ in one; the sensitivity of the "
                    "mean then goes with 1/n.",
                    "隣接する2つのデータベースはともに n 件で1件だけ異なり、"
                    "平均の敏感度は 1/n に比例する。",
                ),
                "",
                Text(
                    f"change over (hi − lo): {listed} for n = {sizes} by replacing; by removing, "
                    f"over these n, {float(removed):.2f}",
                    f"変化 / (hi − lo)：置き換えでは n = {sizes} で {listed}、削除ではこれらの n "
                    f"を通じて {float(removed):.2f}",
                ),
                rules.both(
                    all(x * n == 1 for x, n in zip(replaced, SIZES, strict=True)),
                    removed * SIZES[-1] == 1,
                ),
                Verdict.ROUGHLY,
                Text(
                    "in all data sets of 2, 3 and 4 scores 0..4, enumerated, the change by "
                    "replacing one is at most (hi − lo)/n, and by removing one, n being secret, at "
                    "most 1/n of the range for the largest n; approximately: the first alone",
                    "0〜4 の得点2、3、4件の全データを列挙し、置き換えによる変化の最大値が "
                    "(hi − lo)/n で、n を秘密とした削除による変化も最大の n での範囲の 1/n 以下、"
                    "「ほぼ」は前者のみ",
                ),
                Text(
                    "Replace-one with a public n: then it holds. Where even being in the data is "
                    "secret (add-remove), n is secret too and the scale must not depend on it: "
                    "over all n the sensitivity of the mean is (hi − lo)/2, however many there "
                    "are. So sum and count are answered apart.",
                    "1件の置き換え（replace-one）で n が公開なら成り立つ。データに含まれること自体"
                    "が秘密（add-remove）なら n も秘密であり、尺度を n で決めることはできない。"
                    "全ての n を通じた平均の敏感度は、実際の件数によらず (hi − lo)/2 である。"
                    "そこで合計と件数を別々に答える。",
                ),
            ),
            Text(
                "A replacement is a removal and an addition: ε of add-remove is at most 2ε of "
                "replace-one. Counting scores from the middle halves the add-remove sensitivity, "
                "max(|lo|, |hi|) → (hi − lo)/2: its narrower bound below is that of a guarantee "
                "nearly half as strong against replacing, which moves the sum twice as far and the "
                "count not at all.",
                "置き換えは削除と追加の組なので、add-remove の ε は replace-one では高々 2ε に"
                "なる。得点を中央から測ると add-remove の敏感度は max(|lo|, |hi|) から (hi − lo)/2 "
                "に半減する。下の表で上限が狭いのは、置き換えに対する保証が半分近くに弱まるからである"
                "（置き換えで合計はその2倍動き、件数は動かない）。",
            ),
            Table(
                "neighbours",
                Text(
                    f"The mean at ε = 0.1 under both relations ({found.replaced.size:,} answers); "
                    "add-remove spends a tenth of ε on the count.",
                    f"2つの隣接関係での ε = 0.1 の平均（応答{found.replaced.size:,}回）。"
                    "add-remove では ε の1割を件数に使う。",
                ),
                (
                    Column(Text("relation and answer", "隣接関係と応答")),
                    Column(Text("sensitivity, sum", "敏感度（合計）"), "d"),
                    Column(Text("ε against replacing", "置き換えに対する ε"), "g"),
                    Column(Text("error at 95 %, drawn", "95 % の誤差（抽出）"), ".5f"),
                    Column(Text("bound of the sum's noise / n", "合計のノイズの上限 / n"), ".5f"),
                ),
                tuple(
                    (
                        name,
                        width,
                        float((HIGH - LOW) / scale),
                        half_width(errors),
                        laplace_bound(scale) / N,
                    )
                    for name, width, errors, scale in (
                        (
                            Text("replace-one, n public", "replace-one（n は公開）"),
                            HIGH - LOW,
                            found.replaced,
                            RIGHT,
                        ),
                        (
                            Text("add-remove, sum / count", "add-remove、合計 / 件数"),
                            HIGH,
                            found.removed,
                            HIGH / (EPSILON * (1 - FOR_COUNT)),
                        ),
                        (
                            Text(
                                "add-remove, 50 + sum of (x − 50) / count",
                                "add-remove、50 + (x − 50) の合計 / 件数",
                            ),
                            (HIGH - LOW) // 2,
                            found.centred,
                            (HIGH - LOW) // 2 / (EPSILON * (1 - FOR_COUNT)),
                        ),
                    )
                ),
            ),
        ),
    )
