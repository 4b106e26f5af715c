"""Section 2.2 of the source: GRR and its worked example."""

from __future__ import annotations

from sudare.mechanisms import GRR
from sudare.studies.grr_oue.worked import (
    EPSILON,
    GRR_PRINTED,
    GRR_REPORTS,
    TRUTH,
    K,
    N,
    deviations,
    estimates,
    example_table,
    law,
)
from sudare.studies.parts import Claim, Section, Verdict
from sudare.studies.words import Text


def grr_section() -> Section:
    """Return section 2.2: GRR and its example."""
    m = GRR(K, EPSILON)
    p, q = law(m)
    found = estimates(m, GRR_REPORTS)
    slipped = [(c * 2 - N * (1 - 0.737)) / (3 * 0.737 - 1) for c in GRR_REPORTS]
    shown = ", ".join(f"{x:.4f}" for x in found)
    wrong = ", ".join(f"{x:.3f}" for x in slipped)
    spread = ", ".join(f"{x:.2f}" for x in deviations(m))
    sums = N * (p + q)
    return Section(
        Text("Section 2.2: GRR", "2.2節：GRR"),
        (
            Claim(
                Text("§2.2, Algorithm 1 (with §2.1)", "2.2節 Algorithm 1（と2.1節）"),
                Text(
                    "The true value is kept with p = e^ε/(e^ε+d−1) and each other one is reported "
                    "with q = 1/(e^ε+d−1); that is ε-LDP.",
                    "真の値を p = e^ε/(e^ε+d−1) で維持し、他の各値を q = 1/(e^ε+d−1) で出力すれば "
                    "ε-LDP を満たす。",
                ),
                "",
                Text(
                    f"d = 3, ε = 2: p + 2q = 1; realised ε = {m.epsilon:.9f}",
                    f"d = 3、ε = 2 のとき p + 2q = 1、実現した ε = {m.epsilon:.9f}",
                ),
                Verdict.HOLDS,
                Text(
                    "The largest ratio of two probabilities of one report is p/q = e^ε. Sudare's "
                    "integers stay at or just below it.",
                    "1つの出力に対する確率の比は最大で p/q = e^ε である。Sudare の整数の重みは"
                    "この値を超えない。",
                ),
            ),
            Claim(
                Text("§2.2, expected count of f′", "2.2節 f′ の期待値の式"),
                Text(
                    "E[f′] = f p + (n−f) q/(d−1), beside Algorithm 1's q = 1/(e^ε+d−1).",
                    "E[f′] = f p + (n−f) q/(d−1)。Algorithm 1 では q = 1/(e^ε+d−1)。",
                ),
                "",
                Text(
                    f"with Algorithm 1's q the expected counts of the example sum to {sums:.2f} "
                    f"of {N} reports",
                    f"Algorithm 1 の q では、例の期待度数の和が {N} 件中 {sums:.2f} 件になる",
                ),
                Verdict.FAILS,
                Text(
                    "q has two meanings: in the derivation it is 1−p, the probability of any "
                    "other value, in Algorithms 1 and 2 that of each one other value.",
                    "q が2つの意味で使われている。導出では「他のいずれかの値」の確率 1−p、"
                    "Algorithm 1・2 では「他の各値」の確率である。",
                ),
            ),
            Claim(
                Text("§2.2, Algorithm 2, line 9", "2.2節 Algorithm 2 の9行目"),
                "L[f] = (f′(d−1) − n(1−p)) / (dp − 1)",
                "",
                "(f′ − nq) / (p − q)",
                Verdict.HOLDS,
                Text(
                    "Equal to the unbiased inversion: multiply by d−1 and use (d−1)q = 1−p. "
                    "The two meanings of q do no harm here.",
                    "d−1 を掛けて (d−1)q = 1−p を使えば不偏な逆変換と一致する。"
                    "q の2つの意味はここでは影響しない。",
                ),
            ),
            Claim(
                Text("§2.2, “maximum likelihood”", "2.2節「最尤推定」"),
                Text("L[f] is the maximum likelihood estimate.", "L[f] は最尤推定値である。"),
                "",
                Text(
                    "true while no L[f] is negative, as in the example",
                    "どの L[f] も負でなければ正しい（例では正しい）",
                ),
                Verdict.ROUGHLY,
                Text(
                    "A negative L[f] is no count. Then the likelihood has its maximum on the "
                    "border, and L[f] is the unbiased estimate, not the most likely one.",
                    "負の L[f] は度数になり得ない。その場合、尤度の最大点は境界にあり、L[f] は"
                    "不偏推定値だが最尤推定値ではない。",
                ),
            ),
            Claim(
                Text("§2.2.1, step 2: p", "2.2.1節 ステップ2：p"),
                Text("For d = 3 and ε = 2, p ≈ 0.737.", "d = 3、ε = 2 のとき p ≈ 0.737。"),
                "0.737",
                f"{p:.5f}",
                Verdict.FAILS,
                Text(
                    "A slip of one digit: e²/(e²+2) = 0.78699.",
                    "1桁の誤記。e²/(e²+2) = 0.78699 である。",
                ),
            ),
            Claim(
                Text("§2.2.1, step 2: q", "2.2.1節 ステップ2：q"),
                "q ≈ 0.107",
                "0.107",
                f"{q:.5f}",
                Verdict.HOLDS,
                Text("Rounded to three places.", "小数第3位までで一致する。"),
            ),
            Claim(
                Text("§2.2.1, step 4", "2.2.1節 ステップ4"),
                Text(
                    "From the counts (3, 2, 5), written with p = 0.737, follow the estimates.",
                    "度数 (3, 2, 5) から（式には p = 0.737 と書いて）推定値を得る。",
                ),
                "2.843, 1.374, 5.78",
                shown,
                Verdict.HOLDS,
                Text(
                    f"Right, and only with p = 0.787: the printed 0.737 would give {wrong}.",
                    f"正しいが、p = 0.787 のときに限る。印字どおり 0.737 なら {wrong} になる。",
                ),
            ),
            Claim(
                Text("§2.2.1, step 5, table", "2.2.1節 ステップ5の表"),
                Text("Errors of the three estimates.", "3つの推定値の誤差。"),
                "−0.157, −0.626, +0.78",
                ", ".join(f"{x - t:+.4f}" for x, t in zip(found, TRUTH, strict=True)).replace(
                    "-", "−"
                ),
                Verdict.HOLDS,
                Text("To the digits printed.", "印字された桁まで一致する。"),
            ),
            Claim(
                Text("§2.2.1, step 6", "2.2.1節 ステップ6"),
                Text(
                    "The estimates come rather close to the truth.",
                    "推定値は真の値に比較的近い。",
                ),
                "",
                Text(f"standard errors {spread}", f"標準誤差は {spread}"),
                Verdict.ROUGHLY,
                Text(
                    "True of this output, whose counts happen to equal the true ones. "
                    "Another output of the same ten people is off by one to two answers.",
                    "この出力は度数がたまたま真の度数と等しいので、その通りである。同じ10人でも"
                    "別の出力では1〜2件ずれる。",
                ),
            ),
            example_table(
                "example-grr",
                Text(
                    "GRR with d = 3, ε = 2, n = 10. The standard error is that of an estimated "
                    "count when the ten respondents randomise anew.",
                    "GRR（d = 3、ε = 2、n = 10）。標準誤差は、同じ10人が改めてランダム化した"
                    "ときの推定度数のもの。",
                ),
                m,
                GRR_REPORTS,
                GRR_PRINTED,
            ),
        ),
    )
