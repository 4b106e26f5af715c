"""The answers to the source's three questions, in the numbers of a run."""

from __future__ import annotations

from sudare.studies.key_value import section_accuracy, section_poisoning, section_real
from sudare.studies.key_value.accuracy import EPSILONS
from sudare.studies.key_value.attacks import BASE
from sudare.studies.key_value.curves import between, scale
from sudare.studies.key_value.populations import Population, worst
from sudare.studies.key_value.rules import CLEAR, FEWEST
from sudare.studies.key_value.section_poisoning import NOTED
from sudare.studies.words import Text, Words, say

LARGE = 2.0
"""The ε from which synthetic data speak for EM."""


def findings(
    accuracy: section_accuracy.Outcome,
    real: section_real.Outcome,
    poisoning: section_poisoning.Outcome,
) -> tuple[Words, ...]:
    """Return the results in a few sentences."""
    return (_more_accurate(accuracy, real), _of_epsilon(accuracy, real), _safe(poisoning), BETTER)


def _more_accurate(accuracy: section_accuracy.Outcome, real: section_real.Outcome) -> Text:
    def ratios(method: str, what: str, low: float) -> str:
        return between(
            [
                accuracy.points.ratio(p, e, "EM", method, what)
                for p in accuracy.populations
                for e in EPSILONS
                if e >= low
            ]
        )

    means, rounds = (ratios(method, "mean", LARGE) for method in ("PrivKV", "PrivKVM c=2"))
    shares = ratios("PrivKV", "clipped", 0)
    losses = _losses(real)
    return Text(
        "RQ1, is EM more accurate than PrivKV and PrivKVM? For the means of synthetic data at "
        f"ε ≥ {LARGE:g}: {means} of PrivKV's MSE and {rounds} of PrivKVM's (c = 2). For "
        f"frequencies hardly more than clipping ({shares} of clipped PrivKV's). {losses.en} EM "
        "comes to the maximum likelihood estimate, for which three counts a key have a closed "
        "form.",
        "RQ1（EM は PrivKV、PrivKVM より高精度か）：合成データの平均値では、ε ≥ "
        f"{LARGE:g} の MSE は PrivKV の {means} 倍、PrivKVM（c = 2）の {rounds} 倍である。"
        f"度数では [0, 1] に丸める効果とほぼ同じである（丸めた PrivKV の {shares} 倍）。"
        f"{losses.ja}EM の行き着く最尤推定には閉じた式がある。",
    )


def _losses(real: section_real.Outcome) -> Text:
    """Say for each of the real populations at which ε EM's means are worse than PrivKV's."""
    if not real.populations:
        return Text("The real data are not here.", "実データは手元にない。")
    told = [_loss(real, population) for population in real.populations]
    if min(point.mean.size for point in real.points.all) < FEWEST:
        return Text(
            f"Where it loses on real data is not told by fewer than {FEWEST} trials.",
            f"実データのどこで負けるかは、{FEWEST}回未満の試行では分からない。",
        )
    en = "; ".join(text.en for text in told)
    ja = "；".join(text.ja for text in told)
    return Text(
        f"On real data it loses (mean-MSE over PrivKV's, beyond {CLEAR} standard errors): {en}.",
        f"実データで EM が負ける所（平均値の MSE ÷ PrivKV、差は標準誤差の{CLEAR}倍超）は、{ja}。",
    )


def _loss(real: section_real.Outcome, population: Population) -> Text:
    ratios = {e: real.points.compared(population, e, "EM", "PrivKV") for e in EPSILONS}
    lost = {e: ratio.value for e, ratio in ratios.items() if ratio.above(1)}
    en, ja = say(population.name, "en"), say(population.name, "ja")
    if not lost:
        return Text(f"{en}, at no ε", f"{ja}：なし")
    span = between(list(lost.values()))
    if len(lost) == len(ratios):
        return Text(f"{en}, at every ε ({span})", f"{ja}：すべての ε（{span}）")
    at = scale(list(lost))
    return Text(f"{en}, at ε = {at} ({span})", f"{ja}：ε = {at}（{span}）")


def _of_epsilon(accuracy: section_accuracy.Outcome, real: section_real.Outcome) -> Text:
    small, large = min(EPSILONS), max(EPSILONS)
    told = {
        e: between([accuracy.points.ratio(p, e, "EM", "PrivKV") for p in accuracy.populations])
        for e in (0.5, 1.0, large)
    }
    early, late = (
        accuracy.points.ratio(accuracy.populations[0], small, method, "PrivKV")
        for method in ("EM 1e-4", "EM")
    )
    control = between(
        [accuracy.control.ratio(worst(), e, "MLE", "PrivKV") for e in section_accuracy.CONTROL]
    )
    ends = [
        (population.name, real.points.ratio(population, large, "EM", "PrivKV"))
        for population in real.populations
    ]
    en = "; ".join(f"{say(name, 'en')}, {ratio:.2f}" for name, ratio in ends)
    ja = "、".join(f"{say(name, 'ja')} {ratio:.2f}" for name, ratio in ends)
    listed = ", ".join(f"{each} at ε = {e:g}" for e, each in told.items())
    beside = "、".join(f"ε = {e:g} で {each}" for e, each in told.items())
    return Text(
        "RQ2, does ε change that? Yes. Converged EM's mean-MSE over PrivKV's on synthetic data: "
        f"{listed}; where all means are 0, {control} at every ε tried."
        + (f" On real data a large ε need not help; at ε = {large:g}: {en}." if ends else "")
        + " An EM stopped early stays near its start, "
        f"which at ε = {small:g} makes {late:.2f} into {early:.2f} (Gaussian).",
        "RQ2（ε の影響はあるか）：ある。合成データで収束した EM の平均値の MSE ÷ PrivKV は "
        f"{beside}。平均値がすべて 0 なら、試したどの ε でも {control}。"
        + (
            f"実データでは ε が大きくても改善するとは限らない。ε = {large:g} で {ja}。"
            if ends
            else ""
        )
        + f"早く止めた EM は初期値の近くにとどまり、ε = {small:g} の比は {late:.2f} から "
        f"{early:.2f} に変わる（ガウス分布）。",
    )


def _safe(poisoning: section_poisoning.Outcome) -> Text:
    chosen, drawn = (
        poisoning.noted.gains[case][0] for case in ("G_f, PrivKV", "G_f, PrivKV, drawn")
    )
    f = float(poisoning.population.frequency.min())
    ends = {
        one.victim: f + one.limit[0]
        for one in poisoning.gained
        if one.attack == "M2GA" and one.place == BASE
    }
    beta = f"{100 * BASE.beta:g}"
    return Text(
        f"RQ3, is EM safe from poisoning? No: while the device chooses the key, {beta} % of fakes "
        f"take the rarest key from f = {f:.3f} to {ends['PrivKV']:.3f} under PrivKV and to "
        f"{ends['MLE']:.3f} under EM. Where the collector draws the key, they gain {drawn:.2f} in "
        f"frequency instead of {chosen:.2f} (ε = {BASE.epsilon:g}, f = {NOTED[0]}), at no cost in "
        "privacy; means stay easier to move.",
        "RQ3（EM はポイズニングに安全か）：安全でない。key を端末が選ぶ限り、"
        f"{beta} % の偽ユーザにより最も度数の小さい key の f は {f:.3f} から PrivKV で "
        f"{ends['PrivKV']:.3f}、EM で {ends['MLE']:.3f} になる。key をサーバが抽選すれば、"
        f"度数の利得は {chosen:.2f} から {drawn:.2f} に下がり（ε = {BASE.epsilon:g}、f = "
        f"{NOTED[0]}）、プライバシーの損失はない。平均値はなお動かされやすい。",
    )


BETTER = Text(
    "Better at the same ε: the tight split (the source's half split leaves up to two fifths "
    "of ε unspent), its likelihood, or empirical Bayes over the keys.",
    "同じ ε でより良い方法：tight 分割（原典の半分ずつの分割は ε の最大4割前後を使い残す）"
    "と、その最尤推定または key 全体にわたる経験ベイズ。",
)
"""What the section on better methods comes to."""
