"""What the study comes to, in the numbers of a run."""

from __future__ import annotations

from sudare.studies.laplace import (
    section_example,
    section_floats,
    section_maximum,
    section_right,
    section_sensitivity,
)
from sudare.studies.laplace.exam import DELTA, EPSILON, RIGHT, N, laplace_bound
from sudare.studies.laplace.section_floats import CASES
from sudare.studies.laplace.section_next import first_better
from sudare.studies.words import Text, Words


def findings(
    example: section_example.Outcome,
    attacked: section_sensitivity.Outcome,
    right: section_right.Outcome,
    maximum: section_maximum.Outcome,
    floats: section_floats.Outcome,
) -> tuple[Words, ...]:
    """Return the results in a few sentences."""
    bound = laplace_bound(RIGHT)
    told = attacked.told
    quantile = maximum.quantile(N)
    error = quantile.bound(quantile.law(float(EPSILON)), DELTA)
    once = first_better()
    share = floats.given[CASES[0]]
    return (
        Text(
            "The script's arithmetic is right: scale 1/(nε) = 1e-4, bound 2.9957e-4 at δ = 0.05, "
            f"and {example.share:.5f} of our answers within it (printed 0.95073).",
            "スクリプトの計算は正しい。尺度 1/(nε) = 1e-4、δ = 0.05 の上限 2.9957e-4、上限以内の"
            f"割合は {example.share:.5f}（印字は 0.95073）である。",
        ),
        Text(
            f"Its sensitivity is not: for scores in 0..100 it is 100/n. What it calls ε = "
            f"{float(EPSILON):g} is ε = {float(attacked.ratio['stated']):g}: from one answer a "
            f"score of 0 is told from 100 in {told['stated']:.1%} of trials, against "
            f"{told['right']:.1%} at the right scale.",
            f"敏感度は誤りで、0〜100点なら 100/n である。ε = {float(EPSILON):g} としたものは実際は "
            f"ε = {float(attacked.ratio['stated']):g} であり、1回の応答から0点と100点を "
            f"{told['stated']:.1%} の確率で見分けられる（正しい尺度では {told['right']:.1%}）。",
        ),
        Text(
            f"Done right, with exact whole-number noise on the sum: bound {bound:,} points, "
            f"{bound / N:.4e} on the mean, {right.share:.5f} of the answers within it. That is "
            f"still below the sampling error ({1.96 * right.spread:.3f} at 95 %).",
            f"正しくは、合計に整数ノイズを厳密に加える。上限は {bound:,} 点（平均で "
            f"{bound / N:.4e}）、以内の割合 {right.share:.5f}。それでも標本誤差（95 % で "
            f"{1.96 * right.spread:.3f}）より小さい。",
        ),
        Text(
            "The maximum cannot be released with Laplace noise: the noise is wider than the range "
            f"for every n. A 99 % quantile by the exponential mechanism has a bound of {error} at "
            "95 %, in points.",
            "最大値はラプラスノイズでは公開できない。n によらずノイズが範囲より広い。指数メカニズム"
            f"による99 % 分位点なら、誤差は95 % の確率で {error} 点以下である。",
        ),
        Text(
            f"For one answer take Laplace; from {once} answers under one (1, 1e-6) on, take the "
            "Gaussian. Either way answers must be counted: averaging repeated ones undoes the "
            "noise.",
            f"応答が1回ならラプラス、(1, 1e-6) を {once} 回以上の応答で分けるならガウスが良い。"
            "どちらでも応答回数の管理が要る。同じ問い合わせの応答を平均すればノイズは消える。",
        ),
        Text(
            f"With R's float noise {share:.1%} of the answers are impossible for a neighbouring "
            "data set, so that no ε holds; whole-number noise has no such answers.",
            f"R の浮動小数点のノイズでは、応答の {share:.1%} が隣接データからは出せない値であり、"
            "どの ε も成り立たない。整数ノイズにはそのような応答がない。",
        ),
    )
