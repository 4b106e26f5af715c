"""From files to units: who counts what."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sudare.collection import Collection
from sudare.engines.formats import FORMATS
from sudare.engines.jobs import Job
from sudare.engines.partial import unquoted
from sudare.engines.units import Unit, stamp_of
from sudare.errors import DomainError, ReportError
from sudare.files.blocks import TEXT, check_names
from sudare.files.folders import files_in
from sudare.files.logs import check_above
from sudare.files.manifests import Stated, common_categories, stated_in_file
from sudare.files.places import (
    STANDARD,
    Where,
    arrow,
    identity,
    kind_to_read,
    source as found_source,
)
from sudare.files.stores import opened_store

UNIT_ROWS = 1 << 20

Source: TypeAlias = Where | Sequence[Where]


@dataclass(frozen=True, slots=True)
class Plan:
    """Units that are counted once each, and what is counted in them. Frozen, can be pickled.

    Attributes:
        job: what is counted.
        units: in the order of the files and their rows.
        categories: what the manifests call them; None where none does.
    """

    job: Job
    units: tuple[Unit, ...]
    categories: tuple[str, ...] | None = None

    @property
    def rows(self) -> int | None:
        """How many rows there are, as the footers say; None where one says nothing."""
        each = [unit.rows for unit in self.units]
        return None if None in each else sum(filter(None, each))


def plan(source: Source, job: Job, *, rows: int = UNIT_ROWS, encoding: str | None = None) -> Plan:
    """Divide files into units.

    Args:
        source: a file, a folder, or a list of them; of a folder all tables, but for those whose
            name begins with ``.`` or ``_``: a LeftOutWarning names these.
        job: what is counted.
        rows: about how many a unit has at least; a row group is never divided.
        encoding: of CSV files; None for UTF-8, or UTF-16 with a mark.

    Raises:
        DomainError: no such file, a format that is not read, a file without the column, a broken
            one, or one that is named twice; a folder with other files than tables, or a file of a
            table whose log says which rows are left, such as one of Delta Lake.
        ReportError: a file's manifest or metadata name another mechanism or collection, or two
            files other categories.
        MissingExtraError: PyArrow is not installed.

    Examples:
        >>> import pyarrow as pa
        >>> from pyarrow import parquet
        >>> import sudare as sd
        >>> parquet.write_table(pa.table({"report": [0, 1] * 50}), "r.parquet", row_group_size=40)
        >>> [one.rows for one in plan("r.parquet", Job.of(sd.GRR(2, 1.0)), rows=40).units]
        [40, 40, 20]
    """
    arrow("to read files", "parquet")
    units: list[Unit] = []
    said: list[tuple[Stated, str]] = []
    for name in files_of(source):
        path = str(found_source(name).path) if name == STANDARD else name
        kind = kind_to_read(path)
        with unquoted(path):
            stamp = stamp_of(path, kind)
            names = FORMATS[kind].names(path, stamp, encoding)
            check_names(job.columns, names, is_schema=kind not in TEXT)
            said.append((stated_in_file(path), Path(path).name))
            check_stated(said[-1][0], job, said[-1][1])
            units += FORMATS[kind].divide(path, stamp, rows, encoding)
    return Plan(job, tuple(units), common_categories(said))


def files_of(source: Source) -> list[str]:
    """Return the files that a source names, each once."""
    named = [source] if isinstance(source, str | os.PathLike) else list(source)
    named = [opened_store(one) for one in named]
    if not all(isinstance(one, str | os.PathLike) for one in named):
        remedy = "give it to sudare.estimate_from, or what Spark reads to sudare.spark.counts"
        raise DomainError("file", "must be one of this machine's for a plan", remedy)
    if not named:
        raise DomainError("source", "must name a file at least", "such as reports.parquet")
    check_above(Path(one) for one in named if str(one) != STANDARD)
    found = [file for one in named for file in _expanded(Path(one))]
    check_above({*found}.difference(map(Path, named)))  # links in a folder lead out of it
    seen = set()
    for path in found:
        if (one := identity(path)) in seen:
            twice = str(path)
            raise DomainError("reports", "must not name a file twice", "leave one out", got=twice)
        seen.add(one)
    return list(map(str, found))


def check_stated(stated: Stated, job: Job, name: str) -> None:
    """Refuse a source that says that its reports are of something else.

    Args:
        stated: what it says.
        job: what is counted.
        name: of the source, for messages.

    Raises:
        ReportError: it names another mechanism or collection.
    """
    if job.whole:
        if stated.collection is not None and (
            stated.collection["fingerprint"] != job.collection.fingerprint
        ):
            rule = f"must be the one that {name} is of"
            raise ReportError("collection", rule, "its fingerprint is another")
        if not any(stated.is_of(question.mechanism) for question in job.collection.questions):
            rule = f"must have a question with the mechanism that {name} is of"
            raise ReportError("collection", rule, "give the collection of these reports")
        return
    if not stated.is_of(job.mechanism):
        named = "that of the fingerprint" if stated.mechanism is None else "the manifest's"
        shown = "" if stated.mechanism is None else f", {stated.mechanism!r}"
        rule, mine = f"must be {named}{shown}, as {name} says", repr(job.mechanism)
        remedy = "give that" if stated.mechanism is None else "leave mechanism= out"
        raise ReportError("mechanism", rule, remedy, got=mine)
    if stated.collection is not None:
        asked = Collection.from_compiled(stated.collection).questions
        for question in asked:
            if question.id in job.columns and question.mechanism != job.mechanism:
                rule = f"must be that of question {question.id}, {question.mechanism!r}"
                raise ReportError("mechanism", rule, "give that", got=repr(job.mechanism))


def _expanded(path: Path) -> list[Path]:
    if str(path) == STANDARD or path.is_file():
        return [path]
    if not path.is_dir():
        raise DomainError("file", "does not exist", "check the path", got=str(path))
    return files_in(path)
