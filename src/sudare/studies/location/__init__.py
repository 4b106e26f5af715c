"""The study ``location``: places at the edge of the map, claim by claim."""

from __future__ import annotations

from sudare.data.tokyo import SQUARES
from sudare.studies.location import (
    section_better,
    section_chaos,
    section_coast,
    section_definitions,
    section_edge,
    section_future,
    section_people,
    section_weights,
    toy,
)
from sudare.studies.location.setting import Grids
from sudare.studies.parts import Report
from sudare.studies.study_text import StudyText

BOOK = StudyText(__name__)


def build(setting: Grids) -> Report:
    """Run everything, in the source's order."""
    points = toy.points(setting)
    squares = setting.squares(setting)
    sections = (
        ("section_definitions", section_definitions.compute(setting)),
        ("section_edge", section_edge.compute(points)),
        ("section_weights", section_weights.compute(points)),
        ("section_chaos", section_chaos.compute(setting)),
        ("section_better", section_better.compute(points, setting)),
        ("section_coast", section_coast.compute(squares, setting)),
        ("section_future", section_future.compute(setting)),
        ("section_people", section_people.compute(setting)),
    )
    provenance = () if squares is None else (SQUARES.provenance(),)
    return BOOK.report(setting.repetitions, sections, provenance)


STUDY = BOOK.study("location", 100, build, Grids)
