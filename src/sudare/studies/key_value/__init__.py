"""The study ``key-value``: PrivKV, EM and poisoned reports, claim by claim."""

from __future__ import annotations

from sudare.studies.book import Book
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

BOOK = Book(__name__)


def build(setting: Grids) -> Report:
    """Run everything, in the source's order."""
    real = section_real.run(setting)
    accuracy = section_accuracy.run(setting)
    attacked = films(real.people, N) if real.people else accuracy.points.populations[1]
    sections = (
        ("section_protocol", section_protocol.compute(section_protocol.run(setting))),
        ("section_accuracy", section_accuracy.compute(accuracy)),
        ("section_em", section_em.compute(section_em.run(setting), setting)),
        ("section_better", section_better.compute(accuracy.points)),
        ("section_real", section_real.compute(real)),
        ("section_poisoning", section_poisoning.compute(section_poisoning.run(attacked, setting))),
    )
    return BOOK.report(sections, real.provenance)


STUDY = BOOK.study("key-value", 200, build, Grids)
