"""Sections 2.1 to 2.3 of the source: definitions, formulas and the two worked examples."""

from __future__ import annotations

import math

import numpy as np

from sudare.mechanisms import GRR, OUE, FrequencyOracle
from sudare.studies.grr_oue.theory import exact_crossing, grr_noise, oue_noise, unary_excess
from sudare.studies.parts import Claim, Column, Section, Table, Verdict
from sudare.studies.words import Text

K, N, EPSILON = 3, 10, 2.0
TRUTH = (3, 2, 5)
GRR_REPORTS, OUE_REPORTS = (3, 2, 5), (6, 4, 7)
GRR_PRINTED = ((2.843, -0.157), (1.374, -0.626), (5.78, 0.78))
OUE_PRINTED = ((12.32, 9.32), (7.374, 5.374), (15.25, 10.52))


def law(mechanism: FrequencyOracle) -> tuple[float, float]:
    """Return p and q by the source's formulas, in floating point.

    Sudare's integers differ from them by less than a millionth.
    """
    e = math.exp(EPSILON)
    return (e / (e + K - 1), 1 / (e + K - 1)) if mechanism.name == "GRR" else (0.5, 1 / (e + 1))


def estimates(mechanism: FrequencyOracle, reports: tuple[int, ...]) -> list[float]:
    """Return the estimated true counts by the source's formulas."""
    p, q = law(mechanism)
    return [(count - N * q) / (p - q) for count in reports]


def deviations(mechanism: FrequencyOracle) -> list[float]:
    """Return the standard error of each estimated count for these ten respondents."""
    shares = np.array(TRUTH) / N
    found: list[float] = (N * np.sqrt(mechanism.variance(shares, N, "respondents"))).tolist()
    return found


def as_many_ones(reports: tuple[int, ...]) -> float:
    """Return the probability that OUE gives each category at least so many ones."""
    p, q = law(OUE(K, EPSILON))
    total = 1.0
    for true, reported in zip(TRUTH, reports, strict=True):
        own = [math.comb(true, i) * p**i * (1 - p) ** (true - i) for i in range(true + 1)]
        rest = N - true
        other = [math.comb(rest, i) * q**i * (1 - q) ** (rest - i) for i in range(rest + 1)]
        total *= float(np.convolve(own, other)[reported:].sum())
    return total


def _table(
    name: str,
    caption: Text,
    mechanism: FrequencyOracle,
    reports: tuple[int, ...],
    printed: tuple[tuple[float, float], ...],
) -> Table:
    found, spread = estimates(mechanism, reports), deviations(mechanism)
    return Table(
        name,
        caption,
        (
            Column(Text("category", "選択肢")),
            Column(Text("true count", "真の度数")),
            Column(Text("reported", "出力の度数")),
            Column(Text("printed estimate", "原典の推定値"), "g"),
            Column(Text("ours", "本報告"), ".4f"),
            Column(Text("printed error", "原典の誤差"), "+g"),
            Column(Text("our error", "本報告の誤差"), "+.4f"),
            Column(Text("standard error", "標準誤差"), ".2f"),
        ),
        tuple(
            ("ABC"[i], TRUTH[i], reports[i], *_pair(printed[i], found[i], TRUTH[i]), spread[i])
            for i in range(K)
        ),
    )


def _pair(printed: tuple[float, float], ours: float, true: int) -> tuple[float, ...]:
    return printed[0], ours, printed[1], ours - true


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
            _table(
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
            _table(
                "example-oue",
                Text("OUE with d = 3, ε = 2, n = 10.", "OUE（d = 3、ε = 2、n = 10）。"),
                m,
                OUE_REPORTS,
                OUE_PRINTED,
            ),
        ),
    )
