"""The study ``location``: places at the edge of the map, claim by claim."""

from __future__ import annotations

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
from sudare.studies.location.answers import findings
from sudare.studies.parts import Report, Setting, Study
from sudare.studies.words import Text


def build(setting: Setting) -> Report:
    """Run everything, in the source's order."""
    points = toy.points(setting)
    definitions = section_definitions.run(setting)
    base, varied = section_chaos.run(setting)
    better = section_better.run(points, setting)
    coasts = section_coast.run(setting)
    places, levels, ways = section_future.run(setting)
    people = section_people.run(setting)
    return Report(
        findings=findings(points, varied, better, coasts, places, people),
        sections=(
            section_definitions.section(definitions),
            section_edge.section(points),
            section_weights.section(section_weights.run(points)),
            section_chaos.section(base, varied),
            section_better.section(better),
            section_coast.section(coasts),
            section_future.section(places, levels, ways),
            section_people.section(people),
        ),
        data=coasts.provenance,
    )


STUDY = Study(
    name="location",
    title=Text(
        "Location privacy at the edge of the map: a paper checked claim by claim",
        "地図の端での位置情報の保護：論文の主張を1つずつ確かめる",
    ),
    source=Text(
        "R. Hiraishi (平石亮太), M. Yoshikawa, Y. Cao, S. Fujita, H. Gomi, mitigating the "
        "weakening of differential privacy that the asymmetry of maps causes (in Japanese), Kyoto "
        "University and Yahoo! JAPAN Research.",
        "平石亮太、吉川正俊、曹洋、藤田澄男、五味秀仁「地図の非対称性に起因する差分プライバシー"
        "脆弱化の軽減」京都大学、Yahoo! JAPAN 研究所。",
    ),
    repetitions=100,
    build=build,
)
