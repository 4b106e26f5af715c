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
from sudare.studies.laplace.answers import findings
from sudare.studies.laplace.exam import scores
from sudare.studies.parts import Report, Setting, Study
from sudare.studies.words import Text


def build(setting: Setting) -> Report:
    """Run everything, in the source's order."""
    held = scores(setting)
    example = section_example.run(held, setting)
    attacked = section_sensitivity.run(held, setting)
    right = section_right.run(held, setting)
    neighbours = section_neighbours.run(held, setting)
    maximum = section_maximum.run(held, setting)
    after = section_next.run(held, setting)
    floats = section_floats.run(held, setting)
    return Report(
        findings=findings(example, attacked, right, maximum, floats),
        sections=(
            section_example.section(example),
            section_sensitivity.section(attacked),
            section_right.section(right),
            section_neighbours.section(neighbours),
            section_maximum.section(maximum),
            section_next.section(after),
            section_floats.section(floats),
        ),
    )


STUDY = Study(
    name="laplace",
    title=Text(
        "The Laplace mechanism: a tutorial checked claim by claim",
        "ラプラスメカニズム：入門記事の主張を1つずつ確かめる",
    ),
    source=Text(
        "Differential privacy by the Laplace mechanism in R (in Japanese), a tutorial on Qiita, "
        "3 January 2017.",
        "「Rでラプラスメカニズムに基づく差分プライバシー」Qiita、2017年1月3日。",
    ),
    repetitions=100_000,
    build=build,
)
