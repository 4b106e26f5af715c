"""Section 2.3 of the source: OUE and its worked example."""

from __future__ import annotations

from sudare.mechanisms import OUE
from sudare.studies.grr_oue.theory import exact_crossing, grr_noise, oue_noise, unary_excess
from sudare.studies.grr_oue.worked import (
    EPSILON,
    OUE_PRINTED,
    OUE_REPORTS,
    TRUTH,
    K,
    N,
    as_many_ones,
    deviations,
    estimates,
    example_table,
    law,
)
from sudare.studies.parts import Claim, Section, Verdict
from sudare.studies.words import Text


def oue_section() -> Section:
    """Return section 2.3: OUE and its example."""
    m = OUE(K, EPSILON)
    _, q = law(m)
    found = estimates(m, OUE_REPORTS)
    shown = ", ".join(f"{x:.4f}" for x in found)
    expected = [t * 0.5 + (N - t) * q for t in TRUTH]
    chance = as_many_ones(OUE_REPORTS)
    ratio = oue_noise(K, EPSILON) / grr_noise(K, EPSILON)
    large = max(100 * (unary_excess(43, e) - 1) for e in (0.5, 1.0, 2.0, 3.0))
    small = 100 * (unary_excess(3, 2.0) - 1)
    crossing = exact_crossing(43)
    spread = ", ".join(f"{x:.2f}" for x in deviations(m))
    means = ", ".join(f"{x:.2f}" for x in expected)
    return Section(
        Text("Section 2.3: OUE", "2.3節：OUE"),
        (
            Claim(
                Text("§2.3, paragraph 1", "2.3節 第1段落"),
                Text(
                    "The probabilities 1/2 and 1/(e^ε+1) are optimised for the least error "
                    "variance.",
                    "確率 1/2 と 1/(e^ε+1) は誤差分散を最小にするように最適化されている。",
                ),
                "",
                Text(
                    f"error above that of the best unary encoding: k = 43, ε ≤ 3 at most "
                    f"{large:.1f} %; k = 3, ε = 2: {small:.0f} %",
                    f"最良の単項符号化に対する誤差の超過：k = 43、ε ≤ 3 で最大 {large:.1f} %、"
                    f"k = 3、ε = 2 で {small:.0f} %",
                ),
                Verdict.ROUGHLY,
                Text(
                    "Optimal for a category that nobody holds (f → 0). With the f-terms another "
                    "pair is better, the more so the larger ε and the smaller k.",
                    "誰も選ばない選択肢（f → 0）に対して最適である。f の項も含めると別の組の"
                    "方が良く、差は ε が大きく k が小さいほど広がる。",
                ),
            ),
            Claim(
                Text("§2.3, paragraph 2 (after [11])", "2.3節 第2段落（[11] による）"),
                Text(
                    "For d > 3e^ε + 2 the error of OUE is smaller than that of GRR.",
                    "d > 3e^ε + 2 のとき OUE の誤差は GRR より小さい。",
                ),
                "d > 3e^ε + 2",
                Text(
                    f"e² + 2de + 1 = (d−1)(d−2) with e = e^ε; d = 43: ε = {crossing:.3f}",
                    f"e = e^ε として e² + 2de + 1 = (d−1)(d−2)。d = 43 では ε = {crossing:.3f}",
                ),
                Verdict.ROUGHLY,
                Text(
                    "The rule leaves the f-terms out. With them OUE wins for longer (up to 2.818, "
                    "not 2.615, at d = 43), whatever the histogram: the terms sum to n. Both rules "
                    "agree that for d ≤ 5 GRR always wins.",
                    "この規則は f の項を省いている。含めると OUE の優位はさらに続く（d = 43 では "
                    "2.615 ではなく 2.818 まで）。f の項の和は n なので度数分布によらない。"
                    "d ≤ 5 なら常に GRR が勝つ点は両者とも同じ。",
                ),
            ),
            Claim(
                Text("§2.3, Algorithm 3", "2.3節 Algorithm 3"),
                Text(
                    "A 1 stays 1 with 1/2, a 0 becomes 1 with q = 1/(e^ε+1).",
                    "1 は確率 1/2 で 1 のまま、0 は確率 q = 1/(e^ε+1) で 1 になる。",
                ),
                "",
                Text(f"realised ε = {m.epsilon:.9f}", f"実現した ε = {m.epsilon:.9f}"),
                Verdict.HOLDS,
                Text(
                    "Two one-hot vectors differ in two bits; the ratio is (1−q)/q = e^ε at most.",
                    "2つの one-hot ベクトルは2ビットだけ異なり、確率の比は最大で (1−q)/q = e^ε。",
                ),
            ),
            Claim(
                Text("§2.3, Algorithm 4, “maximum likelihood”", "2.3節 Algorithm 4「最尤推定」"),
                Text(
                    "(f′ − nq)/(p − q) is the maximum likelihood estimate.",
                    "(f′ − nq)/(p − q) は最尤推定値である。",
                ),
                "",
                Text(
                    f"the example's estimates sum to {sum(found):.2f} for {N} respondents",
                    f"例では推定度数の和が {N} 人に対して {sum(found):.2f}",
                ),
                Verdict.FAILS,
                Text(
                    "It is unbiased, from each column on its own. The likelihood uses whole "
                    "reports, and its maximum sums to n; column sums alone do not hold it.",
                    "各列を個別に使う不偏推定である。尤度は出力ベクトル全体を使い、その最大点の"
                    "和は n になる。列の和だけからは求められない。",
                ),
            ),
            Claim(
                Text("§2.3.1, step 2", "2.3.1節 ステップ2"),
                "q = 1/(e²+1) ≈ 0.119",
                "0.119",
                f"{q:.6f}",
                Verdict.HOLDS,
                Text("Rounded to three places.", "小数第3位までで一致する。"),
            ),
            Claim(
                Text("§2.3.1, step 4", "2.3.1節 ステップ4"),
                Text(
                    "From the counts (6, 4, 7) follow the estimates.",
                    "度数 (6, 4, 7) から推定値を得る。",
                ),
                "12.62, 7.374, 15.25",
                shown,
                Verdict.HOLDS,
                Text(
                    "The arithmetic is right (12.62 with q rounded to 0.119).",
                    "計算は正しい（12.62 は q を 0.119 に丸めた場合）。",
                ),
            ),
            Claim(
                Text("§2.3.1, step 5, table", "2.3.1節 ステップ5の表"),
                Text("Estimate of A and the errors.", "A の推定値と各誤差。"),
                "12.32; +9.32, +5.374, +10.52",
                f"{found[0]:.2f}; "
                + ", ".join(f"{x - t:+.2f}" for x, t in zip(found, TRUTH, strict=True)),
                Verdict.FAILS,
                Text(
                    "Slips: step 4 has 12.62, and 15.25 − 5 = 10.25. The middle row is right.",
                    "誤記。ステップ4では 12.62 であり、15.25 − 5 = 10.25 である。"
                    "中央の行は正しい。",
                ),
            ),
            Claim(
                Text("§2.3.1, step 6", "2.3.1節 ステップ6"),
                Text(
                    "The large errors show that OUE is inefficient on few categories.",
                    "誤差が大きいのは、OUE が小さなカテゴリサイズに対して効率的でないためである。",
                ),
                "",
                Text(
                    f"expected counts {means}; counts as large as (6, 4, 7) or larger: "
                    f"1 in {round(1 / chance):,}",
                    f"出力度数の期待値は {means}。(6, 4, 7) 以上になるのは "
                    f"{round(1 / chance):,} 回に1回",
                ),
                Verdict.FAILS,
                Text(
                    "The counts were chosen, and OUE hardly ever yields them: they are no "
                    f"evidence. The standard errors are {spread}. It is true for another reason "
                    f"that GRR is better here: its expected MSE is {ratio:.1f} times smaller.",
                    "この度数は仮定されたもので、OUE からはまず得られないので根拠にならない。"
                    f"標準誤差は {spread}。ただし、ここで GRR "
                    "の方が良いこと自体は別の理由で正しく、"
                    f"GRR の期待 MSE は {ratio:.1f} 分の1である。",
                ),
            ),
            example_table(
                "example-oue",
                Text("OUE with d = 3, ε = 2, n = 10.", "OUE（d = 3、ε = 2、n = 10）。"),
                m,
                OUE_REPORTS,
                OUE_PRINTED,
            ),
        ),
    )
