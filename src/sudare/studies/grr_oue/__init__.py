"""The study ``grr-oue``: a thesis that compares GRR and OUE, claim by claim."""

from __future__ import annotations

from sudare.data.clickstream import ORIGINAL
from sudare.data.counts import provenance_of
from sudare.mechanisms import GRR, OUE
from sudare.studies.grr_oue import (
    section_advice,
    section_data,
    section_discussion,
    section_experiment,
    section_grr,
    section_histograms,
    section_oue,
)
from sudare.studies.grr_oue.setting import Grids
from sudare.studies.parts import Report
from sudare.studies.study_text import StudyText

BOOK = StudyText(__name__)


def build(setting: Grids) -> Report:
    """Run everything, in the source's order."""
    checked = section_data.compare(setting)
    large, tiny = section_experiment.run(setting)
    sections = (
        ("section_grr", section_grr.compute()),
        ("section_oue", section_oue.compute()),
        ("section_data", section_data.compute(checked)),
        ("section_histograms", section_histograms.compute(GRR, setting)),
        ("section_histograms", section_histograms.compute(OUE, setting)),
        ("section_experiment", section_experiment.compute(large, tiny, setting)),
        ("section_discussion", section_discussion.compute(large, setting)),
        ("section_advice", section_advice.compute(setting)),
    )
    provenance = {
        **provenance_of("trousers.csv"),
        "compared with the data set's rows": checked,
        "origin": ORIGINAL.provenance(),
    }
    return BOOK.report(setting.repetitions, sections, (provenance,))


STUDY = BOOK.study("grr-oue", 100, build, Grids)
