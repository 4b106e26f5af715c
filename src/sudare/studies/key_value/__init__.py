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
from sudare.studies.key_value.setting import Grids
from sudare.studies.parts import Report
from sudare.studies.study_text import StudyText

BOOK = StudyText(__name__)


def build(setting: Grids) -> Report:
    """Run everything, in the source's order."""
    real, people, provenance = section_real.run(setting)
    accuracy = section_accuracy.run(setting)
    attacked = films(people, N) if people else accuracy[0].populations[1]
    sections = (
        ("section_protocol", section_protocol.compute(setting)),
        ("section_accuracy", section_accuracy.compute(*accuracy)),
        ("section_em", section_em.compute(setting)),
        ("section_better", section_better.compute(accuracy[0])),
        ("section_real", section_real.compute(real)),
        ("section_poisoning", section_poisoning.compute(attacked, setting)),
    )
    return BOOK.report(setting.repetitions, sections, provenance)


STUDY = BOOK.study("key-value", 200, build, Grids)
