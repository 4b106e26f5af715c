"""The source's first two questions: is EM more accurate, and at which ε?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sudare.studies.judging import judged
from sudare.studies.key_value.accuracy import EPSILONS, Points, measure
from sudare.studies.key_value.curves import (
    AT,
    TITLES,
    Curves,
    between,
    both_sides,
    every_point,
    listed,
)
from sudare.studies.key_value.palette import line
from sudare.studies.key_value.populations import N, Population, synthetic, worst
from sudare.studies.key_value.rules import CLEAR, FEWEST, Estimate, everywhere, frequencies
from sudare.studies.key_value.schemes import FEW
from sudare.studies.parts import (
    Block,
    Claim,
    Column,
    Figure,
    Say,
    Section,
    Setting,
    Table,
    Verdict,
)
from sudare.studies.words import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

COMPARED = ("PrivKV", "PrivKVM c=2", "PrivKVM c=3", "EM 1e-4", "EM")
"""What the source compares."""
SYNTHETIC = Text("synthetic data, n = 1e5", "合成データ、n = 1e5")
PEOPLE = (10_000, 30_000, 100_000, 300_000, 1_000_000)
CONTROL = (0.5, 1.0, 2.0, 4.0)
CLEARLY = Text(
    f"by more than {CLEAR} standard errors of at least {FEWEST} trials",
    f"{FEWEST}回以上の試行の標準誤差の{CLEAR}倍を超える差で",
)
EVERY = Text(
    f"the error is smaller at every ε on every population, {CLEARLY.en}; one that is as clearly "
    "larger refutes it",
    f"どの ε、どの分布でも誤差が小さい（{CLEARLY.ja}）。同じく明らかに大きい所があれば不成立",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Synthetic data.

    Attributes:
        populations: Gaussian, power law, linear.
        points: n = 1e5 at all ε.
        people: the Gaussian with other numbers of people.
        control: all means 0, PrivKV and MLE.
    """

    populations: tuple[Population, ...]
    points: Points
    people: Points
    control: Points


def run(setting: Setting) -> Outcome:
    """Simulate everything."""
    populations = synthetic()
    jobs = [(population, epsilon) for population in populations for epsilon in EPSILONS]
    points = [
        point
        for population, epsilon in setting.progress(jobs, len(jobs), "synthetic data")
        for point in measure(population, N, epsilon, setting)
    ]
    sizes = [(n, epsilon) for n in PEOPLE for epsilon in AT]
    people = [
        point
        for n, epsilon in setting.progress(sizes, len(sizes), "numbers of people")
        for point in measure(populations[0], n, epsilon, setting)
    ]
    control = [
        point
        for epsilon in CONTROL
        for point in measure(worst(), N, epsilon, setting, ("PrivKV", "MLE"))
    ]
    return Outcome(populations, Points(points), Points(people), Points(control))


def section(found: Outcome) -> Section:
    """Return what the source compares."""
    curves = Curves("mse", SYNTHETIC, found.populations, found.points, COMPARED)
    return Section(
        Text("RQ1 and RQ2: accuracy (slides 13 and 14)", "RQ1・RQ2：推定精度（スライド13・14）"),
        (
            Text(
                "d = 50 keys, n = 1e5 people, keys held independently: key k with frequency s, "
                "values with mean 2s − 1 (only the sign of a value's state can be told, so that "
                "their spread is of no account). Gaussian s = exp(−(k−24.5)²/200), power law "
                "s = (1+0.1k)⁻¹·¹, linear s = (k+1)/50; the source names the shapes alone. "
                "Counts are drawn from their exact law. The source's mechanism is PrivKV with the "
                "half split, and so is EM's here. A mean of no estimated holder counts as 0. "
                f"PrivKVM and Bayes: at most {FEW} trials.",
                "d = 50、n = 1e5、各 key は独立に保有する。key k の度数を s、value の平均を 2s − "
                "1 とする（報告からは符号しか分からないので、value の散らばりは影響しない）。"
                "ガウス s = exp(−(k−24.5)²/200)、べき s = (1+0.1k)⁻¹·¹、線形 s = (k+1)/50。"
                "原典にあるのは分布の名前だけである。集計値を厳密な分布から生成した。"
                "原典の機構は半分ずつの分割の PrivKV で、EM も同じ報告を使う。"
                "保有者がいないと推定された key の平均値は 0 として数える。PrivKVM "
                f"とベイズの試行は最大 {FEW} 回。",
            ),
            curves.figure(
                "mean",
                Text(
                    "Converged EM lies above PrivKV at ε = 0.5 and far below it from ε = 2 on.",
                    "収束した EM は ε = 0.5 で PrivKV より高く、ε = 2 以上でははるかに低い。",
                ),
            ),
            _question_one(found),
            _frequency(found),
            _question_two(found),
            _rounds(found),
            curves.figure(
                "clipped",
                Text("The lines of all methods nearly coincide.", "どの手法の線もほぼ重なる。"),
            ),
            *_control(found),
            _sizes(found),
            every_point(
                "accuracy",
                found.points,
                Text("All points on synthetic data.", "合成データの全数値。"),
            ),
            every_point(
                "people",
                found.people,
                Text("All points against n (Gaussian).", "人数を変えた全数値（ガウス分布）。"),
            ),
        ),
    )


def _question_one(found: Outcome) -> Claim:
    def over(base: str, what: str) -> list[Estimate]:
        return [found.points.compared(p, 4.0, "EM", base, what) for p in found.populations]

    ratios = {
        (base, what): over(base, what)
        for what in ("mean", "rare")
        for base in ("PrivKV", "PrivKVM c=2", "PrivKVM c=3")
    }
    told = [
        listed(
            [
                max(ratio.value for ratio in each)
                for each in zip(*(ratios[base, what] for base in bases), strict=True)
            ]
        )
        for what in ("mean", "rare")
        for bases in (("PrivKV",), ("PrivKVM c=2", "PrivKVM c=3"))
    ]
    return judged(
        Text("RQ1, means at ε = 4 (slide 13)", "RQ1 ε = 4 の平均値（スライド13）"),
        Text(
            "EM estimates the means more accurately than PrivKV and PrivKVM, those of rare keys "
            "too.",
            "提案手法（EM）は低頻度の key でも PrivKV、PrivKVM より高精度。",
        ),
        Text("picture only", "図のみ"),
        Text(
            f"mean-MSE of converged EM over PrivKV's: {told[0]}; over PrivKVM's (the better of "
            f"c = 2, 3): {told[1]}; of the rarest fifth of the keys: {told[2]}; {told[3]} "
            "(Gaussian, power law, linear)",
            f"平均値の MSE、収束した EM ÷ PrivKV：{told[0]}、÷ PrivKVM（c = 2、3 の良い方）："
            f"{told[1]}。度数の低い方の5分の1の key では {told[2]} と {told[3]}"
            "（ガウス、べき、線形）",
        ),
        everywhere(ratio for each in ratios.values() for ratio in each),
        Verdict.HOLDS,
        Text(
            f"all ratios below 1, {CLEARLY.en}",
            f"すべての比が1より小さい（{CLEARLY.ja}）",
        ),
        Text(
            "At ε = 4. It takes the reports of people without the key into account, where PrivKV "
            "does not.",
            "ε = 4 では成り立つ。PrivKV と違い、key を持たない人の報告を考慮するためである。",
        ),
    )


def _frequency(found: Outcome) -> Claim:
    raw, clipped = (
        [
            found.points.compared(p, e, "EM", "PrivKV", what)
            for p in found.populations
            for e in EPSILONS
        ]
        for what in ("frequency", "clipped")
    )
    told = [between([ratio.value for ratio in ratios]) for ratios in (raw, clipped)]
    return judged(
        Text("RQ1, frequencies", "RQ1 度数"),
        Text("EM is more accurate.", "提案手法の方が高精度。"),
        "",
        Text(
            f"frequency-MSE of converged EM over PrivKV's: {told[0]}; over clipped PrivKV's, as "
            f"EM's frequencies are in [0, 1]: {told[1]}",
            f"度数の MSE、収束した EM ÷ PrivKV：{told[0]}、EM と同じく [0, 1] に丸めた PrivKV "
            f"との比：{told[1]}",
        ),
        frequencies(raw, clipped),
        Verdict.ROUGHLY,
        Text(
            f"both ratios below 1 at every ε, {CLEARLY.en}; approximately: the first nowhere "
            "clearly above 1, the second clearly below 1.1",
            f"どの ε でも両方の比が1より小さい（{CLEARLY.ja}）、"
            "「ほぼ」は前者が1より明らかに大きい所がなく、後者が1.1より明らかに小さい",
        ),
        Text(
            "What EM gains is little more than what bringing PrivKV's frequencies into [0, 1] "
            "gains.",
            "EM の利得は、PrivKV の度数を [0, 1] に丸めて得られるものとほぼ同じである。",
        ),
    )


def _question_two(found: Outcome) -> Claim:
    def all_of(method: str) -> list[str]:
        ratios = {
            e: [found.points.ratio(p, e, method, "PrivKV") for p in found.populations]
            for e in EPSILONS
        }
        return [f"{e:g}: {between(each)}" for e, each in ratios.items()]

    ratios = {
        e: [found.points.compared(p, e, "EM", "PrivKV") for p in found.populations]
        for e in EPSILONS
    }
    early = found.points.ratio(found.populations[0], EPSILONS[0], "EM 1e-4", "PrivKV")
    half = "; ".join(all_of("EM 1e-4"))
    whole = "; ".join(all_of("EM"))
    sides = both_sides(ratios)
    return judged(
        Text("RQ2, figures of result 2 (slide 14)", "RQ2 実験結果2の図（スライド14）"),
        Text("EM's error is smaller at every ε.", "いかなる ε でも提案手法の誤差が小さい。"),
        Text("picture only", "図のみ"),
        Text(
            f"mean-MSE over PrivKV's (least and largest of three), converged: {whole}; "
            f"{sides.en}. Stopped at 1e-4: {half}",
            f"平均値の MSE ÷ PrivKV（3分布の最小〜最大）、収束まで：{whole}、{sides.ja}。"
            f"1e-4 で停止：{half}",
        ),
        everywhere(ratio for each in ratios.values() for ratio in each),
        Verdict.FAILS,
        EVERY,
        Text(
            "Up to ε = 1 the maximum of the likelihood is the noisier estimate: at ε = 0.5 "
            "PrivKV's pull to 0 is worth more than being right on average. An EM stopped early "
            f"is itself drawn to its start ({early:.2f} of PrivKV's error at ε = 0.1): a hidden "
            "prior, not a better use of the reports. The source does not say when it stops.",
            "ε = 1 までは尤度の最大点の方がばらつきが大きい。ε = 0.5 では、"
            "平均的に正しいことより PrivKV の 0 への偏りの方が得になる。早く止めた EM "
            f"も初期値に引き寄せられる（ε = 0.1 で PrivKV の {early:.2f} 倍）。"
            "これは隠れた事前分布であり、報告をよりよく使っているのではない。"
            "原典に停止条件の記載はない。",
        ),
    )


def _rounds(found: Outcome) -> Claim:
    best = {
        e: [
            min(
                (found.points.compared(p, e, f"PrivKVM c={c}", "PrivKV") for c in (2, 3)),
                key=lambda ratio: ratio.value,
            )
            for p in found.populations
        ]
        for e in EPSILONS
    }
    told = "; ".join(
        f"{e:g}: {between([ratio.value for ratio in each])}" for e, each in best.items()
    )
    sides = both_sides(best)
    return judged(
        Text("PrivKVM, the other method compared (slide 11)", "比較対象の PrivKVM（スライド11）"),
        Text(
            "PrivKVM, which the source takes from Ye et al., improves on PrivKV.",
            "（原典が比較する Ye らの手法）PrivKVM は PrivKV を改良する。",
        ),
        "",
        Text(
            f"mean-MSE, the better of c = 2, 3 over PrivKV: {told}; {sides.en}",
            f"平均値の MSE、c = 2、3 の良い方 ÷ PrivKV：{told}、{sides.ja}",
        ),
        everywhere(ratio for each in best.values() for ratio in each),
        Verdict.FAILS,
        EVERY,
        Text(
            "At n = 1e5 the rounds cost more ε than the fed back means give where ε is small; "
            "where it is large the two differ little.",
            "n = 1e5 で ε が小さいと、ラウンドに割く ε の損が平均値の還元による得を上回る。ε "
            "が大きい所では差は小さい。",
        ),
    )


def _control(found: Outcome) -> tuple[Block, ...]:
    ratios = [found.control.ratio(worst(), e, "MLE", "PrivKV") for e in CONTROL]
    return (
        Text(
            "A control that EM must lose: linear frequencies, all means 0. There PrivKV's pull to "
            "0 is a pull to the truth. Mean-MSE of the MLE over PrivKV's: "
            + "; ".join(f"ε = {e:g}: {r:.1f}" for e, r in zip(CONTROL, ratios, strict=True))
            + ". Which estimator wins depends on the means that there are.",
            "EM が必ず負ける対照：度数は線形、平均値はすべて 0。PrivKV の 0 "
            "への偏りが真値への偏りになる。最尤推定の平均値の MSE ÷ PrivKV は "
            + "、".join(f"ε = {e:g}：{r:.1f}" for e, r in zip(CONTROL, ratios, strict=True))
            + "。どちらが勝つかは、真の平均値による。",
        ),
        Table(
            "control",
            Text("The control with all means 0.", "平均値がすべて 0 の対照。"),
            (
                Column("ε", "g"),
                Column("PrivKV", ".2e"),
                Column("MLE", ".2e"),
                Column(Text("ratio", "比"), ".2f"),
            ),
            tuple(
                (
                    e,
                    *(
                        float(found.control.of(worst(), e, m).mean.mean())
                        for m in ("PrivKV", "MLE")
                    ),
                    r,
                )
                for e, r in zip(CONTROL, ratios, strict=True)
            ),
        ),
    )


def _sizes(found: Outcome) -> Figure:
    return Figure(
        "people",
        Text(
            "Gaussian data: MSE of the means against the number of people.",
            "ガウス分布：平均値の MSE と人数。",
        ),
        Text(
            "At ε = 1 EM overtakes PrivKV between 1e5 and 3e5 people; at ε = 4 PrivKV's line is "
            "flat, as it is biased.",
            "ε = 1 では 1e5〜3e5 人の間で EM が上回る。ε = 4 の PrivKV は偏りのため横ばいになる。",
        ),
        lambda canvas, say: _draw_people(canvas, say, found),
        (8.4, 4.0),
    )


def _draw_people(canvas: Canvas, say: Say, found: Outcome) -> None:
    for axes, epsilon in zip(canvas.subplots(1, len(AT)), AT, strict=True):
        for method in ("PrivKV", "PrivKVM c=2", "EM 1e-4", "EM", "MLE tight", "PCKV-GRR"):
            points = [found.people.of(found.populations[0], epsilon, method, n) for n in PEOPLE]
            line(axes, say, method, PEOPLE, [float(point.mean.mean()) for point in points])
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(f"ε = {epsilon:g}")
        axes.set_xlabel(say(Text("people n", "人数 n")))
        axes.set_ylabel(say(TITLES["mean"]))
    canvas.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
