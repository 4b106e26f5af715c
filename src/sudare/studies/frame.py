"""What both writers work on: a study's report in one language."""

from __future__ import annotations

from dataclasses import dataclass

from sudare._version import __version__
from sudare.studies.parts import Claim, Figure, Report, Setting, Study, Table
from sudare.words import Language, Words, say


@dataclass(frozen=True, slots=True)
class Frame:
    """A report about to be written.

    Attributes:
        same_letters: False where the figures had to be drawn in English.
        short: whether the grids are those of a first look.
    """

    study: Study
    report: Report
    setting: Setting
    language: Language
    same_letters: bool
    short: bool = False

    def say(self, words: Words) -> str:
        """Return words in the report's language."""
        return say(words, self.language)

    @property
    def title(self) -> str:
        """Title of the report."""
        return self.say(self.study.title)

    @property
    def maker(self) -> str:
        """What made the report: the command that makes it again in any folder, with ``--out``."""
        return (
            f"Sudare {__version__}: sudare study {self.study.name}"
            f" --language {self.language} --repetitions {self.setting.repetitions}"
            f" --seed {self.setting.seed!a}{' --short' if self.short else ''}"
        )

    def number(self, part: Claim | Figure | Table) -> int:
        """Return the number of a claim, figure or table in the report, from 1."""
        if isinstance(part, Claim):
            same: tuple[Claim | Figure | Table, ...] = self.report.claims
        else:
            same = self.report.figures if isinstance(part, Figure) else self.report.tables
        return next(i for i, other in enumerate(same, 1) if other is part)
