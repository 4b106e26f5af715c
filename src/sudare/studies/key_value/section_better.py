"""What one would take today, beside what the source compares."""

from __future__ import annotations

from sudare.studies.key_value.curves import AT, Curves, listed
from sudare.studies.key_value.section_accuracy import SYNTHETIC, Outcome
from sudare.studies.parts import Section
from sudare.studies.words import Text

METHODS = ("PrivKV", "MLE", "MLE tight", "Bayes tight", "StateRR", "PCKV-UE", "PCKV-GRR")


def section(found: Outcome) -> Section:
    """Return the section."""
    curves = Curves("better", SYNTHETIC, found.populations, found.points, METHODS)
    bayes = [found.points.ratio(p, 1.0, "Bayes tight", "PrivKV") for p in found.populations]
    unary = min(
        curves.error(p, e, "PCKV-UE", "clipped") / curves.error(p, e, "PrivKV", "clipped")
        for p in found.populations
        for e in AT
    )
    lengths = ", ".join(str(p.padding) for p in found.populations)
    return Section(
        Text("What does better", "より良い方法"),
        (
            Text(
                "The same ε, spent well: the tight split, its maximum likelihood or empirical "
                "Bayes over all keys, and three-state randomised response on the sampled key. At "
                f"ε = 1 Bayes with the tight split has {listed(bayes)} of PrivKV's mean-MSE "
                "(Gaussian, power law, linear). PCKV draws a key that the person holds, after "
                f"padding to the number of keys that nine of ten people do not exceed ({lengths}): "
                f"with so many keys a person its unary form has at least {unary:.1f} times "
                f"PrivKV's frequency-MSE at ε = {AT[0]:g} and {AT[1]:g}. It is made for people "
                "who hold few of many keys.",
                "同じ ε をよく使う方法：tight 分割、その最尤推定または全 key にわたる経験ベイズ、"
                "選んだ key の3状態ランダム応答。ε = 1 の平均値の MSE は、tight 分割のベイズで "
                f"PrivKV の {listed(bayes)}（ガウス、べき、線形）。PCKV は保有する key "
                f"から1つを選ぶ。パディング長は9割の人の保有数が収まる数（{lengths}）とした。"
                f"1人の保有数がこれほど多いと、PCKV-UE の度数の MSE は ε = {AT[0]:g}、{AT[1]:g} "
                f"で PrivKV の {unary:.1f} 倍以上になる。PCKV が向くのは、多数の key "
                "のうち少数だけを持つ場合である。",
            ),
            curves.figure(
                "mean",
                Text(
                    "The tight split, StateRR and PCKV-GRR lie below the half split from ε = 1 on.",
                    "ε = 1 以上では tight 分割、StateRR、PCKV-GRR が半分ずつの分割より低い。",
                ),
            ),
            curves.figure(
                "clipped",
                Text(
                    "PCKV-UE is above PrivKV, StateRR lowest.",
                    "PCKV-UE は PrivKV より高く、StateRR が最も低い。",
                ),
            ),
            curves.table(),
        ),
    )
