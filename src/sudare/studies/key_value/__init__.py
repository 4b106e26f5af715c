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
from sudare.studies.key_value.answers import findings
from sudare.studies.key_value.populations import N, films
from sudare.studies.parts import Report, Setting, Study
from sudare.studies.words import Text


def build(setting: Setting) -> Report:
    """Run everything, in the source's order."""
    real = section_real.run(setting)
    accuracy = section_accuracy.run(setting)
    attacked = films(real.people, N) if real.people is not None else accuracy.populations[1]
    poisoning = section_poisoning.run(attacked, setting)
    return Report(
        findings=findings(accuracy, real, poisoning),
        sections=(
            section_protocol.section(section_protocol.run(setting)),
            section_accuracy.section(accuracy),
            section_em.section(section_em.run(setting)),
            section_better.section(accuracy),
            section_real.section(real),
            section_poisoning.section(poisoning),
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
