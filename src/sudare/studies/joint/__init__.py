"""The study ``joint``: several attributes at once by randomised response, claim by claim."""

from __future__ import annotations

from sudare.data.adult import TEST, TRAIN
from sudare.data.counts import provenance_of
from sudare.studies.joint import (
    section_adult,
    section_analysis,
    section_cost,
    section_formulas,
    section_privacy,
    section_synthetic,
    section_time,
)
from sudare.studies.joint.setting import Grids
from sudare.studies.parts import Report
from sudare.studies.study_text import StudyText

BOOK = StudyText(__name__)


def build(setting: Grids) -> Report:
    """Run everything, in the source's order."""
    checked = section_adult.compare(setting)
    sections = (
        ("section_privacy", section_privacy.compute()),
        ("section_formulas", section_formulas.compute()),
        ("section_analysis", section_analysis.compute()),
        ("section_synthetic", section_synthetic.compute(setting)),
        ("section_adult", section_adult.compute(checked, setting)),
        ("section_time", section_time.compute(setting)),
        ("section_cost", section_cost.compute()),
    )
    provenance = {
        **provenance_of("adult.csv"),
        "compared with the data set's rows": checked,
        "origin": TRAIN.provenance(),
        "origin of the second part": TEST.provenance(),
    }
    return BOOK.report(setting.repetitions, sections, (provenance,))


STUDY = BOOK.study("joint", 100, build, Grids)
