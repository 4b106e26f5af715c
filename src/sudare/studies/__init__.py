"""Studies: a source's experiments run again, its figures drawn, each of its claims judged.

``run("grr-oue", out="results/")`` writes a report that a reader can check against the source.
"""

from sudare.studies.catalogue import names, study
from sudare.studies.output import Results, run
from sudare.studies.parts import (
    Claim,
    Column,
    Figure,
    Report,
    Section,
    Setting,
    Study,
    Table,
    Verdict,
)
from sudare.words import Text

__all__ = [
    "Claim",
    "Column",
    "Figure",
    "Report",
    "Results",
    "Section",
    "Setting",
    "Study",
    "Table",
    "Text",
    "Verdict",
    "names",
    "run",
    "study",
]
