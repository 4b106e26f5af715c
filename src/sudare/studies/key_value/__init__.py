"""The study ``key-value``: PrivKV, EM and poisoned reports, claim by claim."""

from __future__ import annotations

from sudare.studies.key_value import (
    section_accuracy,
    section_better,
    section_em,
    section_poisoning,
    section_protocol,
    section_real,
)
from sudare.studies.key_value.populations import N, films
from sudare.studies.parts import Report, Setting, Study
from sudare.studies.words import Text

FINDINGS = (
    Text(
        "RQ1, is EM more accurate than PrivKV and PrivKVM? For means at ε ≥ 2, yes, by factors of "
        "2 to 10; for frequencies hardly more than clipping. It is the maximum likelihood "
        "estimate, for which three counts a key have a closed form.",
        "RQ1（EM は PrivKV、PrivKVM より高精度か）：ε ≥ 2 の平均値では2〜10倍の改善で、成り立つ。"
        "度数では [0, 1] に丸める効果とほぼ同じである。EM の行き着く最尤推定には閉じた式がある。",
    ),
    Text(
        "RQ2, does ε change that? Yes: at ε = 0.5 converged EM has almost twice PrivKV's error, "
        "and with all means 0 it loses at every ε. An EM stopped early looks better because it "
        "stays near its start.",
        "RQ2（ε の影響はあるか）：ある。ε = 0.5 では収束した EM の誤差は PrivKV のほぼ2倍で、"
        "平均値がすべて 0 ならどの ε でも負ける。早く止めた EM がよく見えるのは、"
        "初期値の近くにとどまるからである。",
    ),
    Text(
        "RQ3, is EM safe from poisoning? No: while the device chooses the key, a few fake reports "
        "take a target to f = 1 under PrivKV and EM alike. Where the collector draws the key, 5 % "
        "of fakes gain 0.11 in frequency instead of 0.70 (ε = 1, f = 0.3), at no cost in privacy; "
        "means stay easier to move.",
        "RQ3（EM はポイズニングに安全か）：安全でない。key を端末が選ぶ限り、PrivKV でも EM "
        "でも、わずかな偽の報告でターゲットは f = 1 になる。key をサーバが抽選すれば、5 % "
        "の偽ユーザによる度数の利得は 0.70 から 0.11 に下がり（ε = 1、f = 0.3）、"
        "プライバシーの損失はない。平均値はなお動かされやすい。",
    ),
    Text(
        "Better at the same ε: the tight split (the source's half split leaves up to two fifths "
        "of ε unspent), its likelihood, or empirical Bayes over the keys.",
        "同じ ε でより良い方法：tight 分割（原典の半分ずつの分割は ε の最大4割前後を使い残す）"
        "と、その最尤推定または key 全体にわたる経験ベイズ。",
    ),
)


def build(setting: Setting) -> Report:
    """Run everything, in the source's order."""
    real = section_real.run(setting)
    accuracy = section_accuracy.run(setting)
    attacked = films(real.people, N) if real.people is not None else accuracy.populations[1]
    return Report(
        findings=FINDINGS,
        sections=(
            section_protocol.section(section_protocol.run(setting)),
            section_accuracy.section(accuracy),
            section_em.section(section_em.run(setting)),
            section_better.section(accuracy),
            section_real.section(real),
            section_poisoning.section(section_poisoning.run(attacked, setting)),
        ),
        data=real.provenance,
    )


STUDY = Study(
    name="key-value",
    title=Text(
        "Key-value data with EM: a thesis checked claim by claim",
        "Key-Value データと EM：修士論文の主張を1つずつ確かめる",
    ),
    source=Text(
        "H. Horigome (堀込光), a local differential privacy protocol for key-value data with the "
        "EM algorithm (in Japanese), master's thesis presentation, 12 February 2023.",
        "堀込光「EMアルゴリズムを用いたKey-Valueデータについての局所差分プライバシープロトコルの"
        "提案」修士論文発表会、2023年2月12日。",
    ),
    repetitions=200,
    build=build,
)
