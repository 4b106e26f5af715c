"""What a study consists of: claims with verdicts, tables, figures, sections, a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, TypeVar

from sudare.data.files import DataFile, is_here
from sudare.exact import Entropy
from sudare.progress import Progress, no_progress
from sudare.studies.palette import Canvas
from sudare.studies.repetitions import at, needed
from sudare.words import Text, Words

Data = TypeVar("Data")


class Verdict(Enum):
    """What became of a claim of the source."""

    HOLDS = "holds"
    ROUGHLY = "holds approximately"
    FAILS = "does not hold"
    UNCHECKABLE = "the source gives nothing to check"
    OPEN = "too few repetitions to tell"

    @property
    def words(self) -> Text:
        """The verdict in both languages."""
        return Text(self.value, _SAID[self][0])

    @property
    def sign(self) -> str:
        """A sign beside the word, so that nothing rests on colour."""
        return _SAID[self][1]


_SAID = {
    Verdict.HOLDS: ("成り立つ", "✓"),
    Verdict.ROUGHLY: ("ほぼ成り立つ", "≈"),
    Verdict.FAILS: ("成り立たない", "✗"),
    Verdict.UNCHECKABLE: ("原典に照合できるものがない", "–"),
    Verdict.OPEN: ("反復が足りず判定できない", "?"),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """How a claim got its verdict: a rule, the facts that it was asked about, its parameters.

    Attributes:
        by: name of the rule.
        rule: facts and parameters to verdict.
        facts: what the run found.
        parameters: what the source prints, and how near is near enough.
    """

    by: str
    rule: Callable[..., Verdict]
    facts: tuple[Any, ...]
    parameters: Mapping[str, Any]

    @property
    def verdict(self) -> Verdict:
        """What the rule says of the facts."""
        return self.rule(*self.facts, **self.parameters)

    def needed(self, repetitions: int) -> int | None:
        """Return about how many repetitions the rule needs, by the standard errors of so many."""

        def decided(times: float) -> bool:
            facts = (at(fact, times) for fact in self.facts)
            return self.rule(*facts, **self.parameters) is not Verdict.OPEN

        return needed(decided, repetitions)


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of the source and what we make of it.

    Attributes:
        place: where in the source (section, step, figure, equation).
        claim: what it says, in our words.
        printed: the figure that it prints; empty where it prints none.
        ours: what we get.
        verdict: one of five.
        reason: why.
        rule: how the verdict comes from the numbers; empty where it is not stated.
        judged: the rule and the facts themselves.
        needed: about how many repetitions would tell, where a run had too few; None where the
            study takes no number that would.
    """

    place: Words
    claim: Words
    printed: Words
    ours: Words
    verdict: Verdict
    reason: Words
    rule: Words = ""
    judged: Judged | None = field(default=None, compare=False, repr=False)
    needed: int | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its title, and the format of its numbers (``".3f"``)."""

    title: Words
    form: str = ""


Cell = Text | str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the CSV file has full precision, the report the columns' formats.

    Attributes:
        name: stem of the CSV file.
        caption: what it shows.
        columns: the first one names the rows.
        rows: one cell a column; None is an empty cell.
        in_report: False for a long table that only the CSV file holds.
    """

    name: str
    caption: Words
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    in_report: bool = True


Say = Callable[[Words], str]


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture.

    Attributes:
        name: stem of the PNG and SVG files.
        caption: what it shows and how to read it.
        alt: the same for people who do not see it: what the picture tells.
        draw: puts it on a matplotlib figure; ``say`` gives words in the report's language.
        size: width and height in inches.
    """

    name: str
    caption: Words
    alt: Words
    draw: Callable[[Canvas, Say], None]
    size: tuple[float, float] = (7.2, 4.0)


Block = Text | str | Claim | Table | Figure


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it: paragraphs, claims, tables, figures."""

    title: Words
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What a study found, before it is written in one language.

    Attributes:
        findings: the results in a few sentences.
        sections: in the source's order where there is one.
        data: provenance of each data set, as a manifest tells it.
        missing: forms of each data set that was left out, as it is not here.
    """

    findings: tuple[Words, ...]
    sections: tuple[Section, ...]
    data: tuple[dict[str, Any], ...] = ()
    missing: tuple[tuple[DataFile, ...], ...] = ()

    def _blocks(self, kind: type[Any]) -> Iterator[Any]:
        return (b for section in self.sections for b in section.blocks if isinstance(b, kind))

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All claims, in order; their numbers in the report count from 1."""
        return tuple(self._blocks(Claim))

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """How many claims got each verdict."""
        counts = Counter(claim.verdict for claim in self.claims)
        return {verdict: counts[verdict] for verdict in Verdict}

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables, in order."""
        return tuple(self._blocks(Table))

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures, in order."""
        return tuple(self._blocks(Figure))


@dataclass(frozen=True, slots=True)
class Setting:
    """How a study is run.

    Attributes:
        SHORT: grids of a first look, by field.
        repetitions: how often each experiment is repeated.
        seed: text; the same seed gives the same report.
        download: whether data that are not here may be fetched from their provider.
        progress: shows how far long work has come.
        missing: forms of each data set that was wanted, is not here, and may not be fetched.
    """

    SHORT: ClassVar[Mapping[str, Any]] = {}
    repetitions: int
    seed: str
    download: bool = False
    progress: Progress = no_progress
    missing: list[tuple[DataFile, ...]] = field(default_factory=list)

    def rng(self, purpose: str) -> Entropy:
        """Return the stream of one experiment: another experiment does not move it."""
        label = f"{self.seed}/{purpose}"
        return Entropy.seeded(label.encode(errors="surrogateescape"))

    def loaded(self, load: Callable[..., Data], *forms: DataFile) -> Data | None:
        """Return data whose files are here in one of these forms, or may be fetched.

        Else None: they are missing, which the report and the command say.
        """
        fetched = self.download and any(form.url for form in forms)
        if not (fetched or is_here(*forms)):
            self.missing.append(forms)
            return None
        return load(download=self.download, progress=self.progress)


@dataclass(frozen=True, slots=True)
class Study:
    """A study: its name on the command line, its source, and the function that runs it.

    Attributes:
        name: as in ``sudare study NAME``.
        title: of the report.
        source: the work that is checked.
        repetitions: of each experiment, unless asked otherwise.
        printed: how often the source repeats its experiments.
        build: runs everything and returns the report.
        setting: class of its settings, which hold its grids; their defaults are the full run.
    """

    name: str
    title: Text
    source: Text
    repetitions: int
    build: Callable[[Any], Report]
    setting: type[Setting] = Setting
    printed: Words = "–"
