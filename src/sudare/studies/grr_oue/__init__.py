"""The study ``grr-oue``: a thesis that compares GRR and OUE, claim by claim."""

from __future__ import annotations

from sudare.data import trousers
from sudare.data.clickstream import EXTRACT
from sudare.studies.grr_oue import advice, comparison, histograms, worked
from sudare.studies.parts import Report, Setting, Study
from sudare.studies.words import Text


def build(setting: Setting) -> Report:
    """Run everything, in the source's order."""
    data, checked = histograms.section_data(setting)
    return Report(
        findings=(),
        sections=(
            worked.grr_section(),
            worked.oue_section(),
            data,
            *histograms.sections(setting),
            *comparison.sections(setting),
            advice.section(setting),
        ),
        data=(
            {
                "name": "trousers",
                "n": trousers().n,
                "cite": trousers().attribution,
                "licence": EXTRACT.licence,
                "compared with the provider's rows": checked == "same",
                "file": EXTRACT.provenance(),
            },
        ),
    )


STUDY = Study(
    name="grr-oue",
    title=Text(
        "GRR and OUE compared: a thesis checked claim by claim",
        "GRR と OUE の精度比較：卒業研究の主張を1つずつ確かめる",
    ),
    source=Text(
        "T. Tashiro (田代大晴), Comparison of the accuracy of the local differential privacy "
        "methods GRR and OUE (in Japanese), graduation thesis, Meiji University, 2024.",
        "田代大晴「局所差分プライバシー方式 GRR と OUE の精度比較」明治大学総合数理学部 卒業研究、"
        "2024年度。",
    ),
    repetitions=100,
    build=build,
)
