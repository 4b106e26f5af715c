"""The study ``laplace``: a tutorial on the Laplace mechanism, claim by claim."""

from __future__ import annotations

from sudare.studies.laplace import (
    section_example,
    section_floats,
    section_maximum,
    section_neighbours,
    section_next,
    section_right,
    section_sensitivity,
)
from sudare.studies.laplace.exam import scores
from sudare.studies.laplace.setting import Grids
from sudare.studies.parts import Report
from sudare.studies.study_text import StudyText

BOOK = StudyText(__name__)


def build(setting: Grids) -> Report:
    """Run everything, in the source's order."""
    held = scores(setting)
    sections = (
        ("section_example", section_example.compute(held, setting)),
        ("section_sensitivity", section_sensitivity.compute(held, setting)),
        ("section_right", section_right.compute(held, setting)),
        ("section_neighbours", section_neighbours.compute(held, setting)),
        ("section_maximum", section_maximum.compute(held, setting)),
        ("section_next", section_next.compute(held, setting)),
        ("section_floats", section_floats.compute(held, setting)),
    )
    return BOOK.report(setting.repetitions, sections)


STUDY = BOOK.study("laplace", 100_000, build, Grids)
