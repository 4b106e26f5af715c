"""From files to units: who counts what."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sudare.engines.formats import FORMATS
from sudare.engines.jobs import Job
from sudare.engines.partial import unquoted
from sudare.engines.units import Unit, stamp_of
from sudare.errors import DomainError, ReportError
from sudare.files.blocks import check_names
from sudare.files.manifests import metadata, stated_mechanism
from sudare.files.places import STANDARD, Where, arrow, source as found_source
from sudare.files.submissions import METADATA as SUBMISSIONS

UNIT_ROWS = 1 << 20

Source: TypeAlias = Where | Sequence[Where]


@dataclass(frozen=True, slots=True)
class Plan:
    """Units that are counted once each, and what is counted in them. Frozen, can be pickled.

    Attributes:
        job: what is counted.
        units: in the order of the files and their rows.
    """

    job: Job
    units: tuple[Unit, ...]

    @property
    def rows(self) -> int | None:
        """How many rows there are, as the footers say; None where one says nothing."""
        each = [unit.rows for unit in self.units]
        return None if None in each else sum(filter(None, each))


def plan(source: Source, job: Job, *, rows: int = UNIT_ROWS) -> Plan:
    """Divide files into units.

    Args:
        source: a file, a folder, or a list of them; of a folder all files that can be read, but
            for those whose name begins with ``.`` or ``_``.
        job: what is counted.
        rows: about how many a unit has at least; a row group is never divided.

    Raises:
        DomainError: no such file, a format that is not read, a file without the column, a broken
            one, or one that is named twice.
        ReportError: a file's manifest or metadata name another mechanism or collection.
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
    for name in files_of(source):
        path = str(found_source(name).path) if name == STANDARD else name
        kind = _kind(path)
        with unquoted(path):
            stamp = stamp_of(path, kind)
            check_names(job.columns, FORMATS[kind].names(path, stamp))
            _check_stated(path, job)
            units += FORMATS[kind].divide(path, stamp, rows)
    return Plan(job, tuple(units))


def files_of(source: Source) -> list[str]:
    """Return the files that a source names, each once."""
    named = [source] if isinstance(source, str | os.PathLike) else list(source)
    if not named:
        raise DomainError("source", "must name a file at least", "such as reports.parquet")
    found = [file for one in named for file in _expanded(Path(one))]
    real = [path.resolve() for path in found]
    for i, path in enumerate(real):
        if path in real[:i]:
            twice = str(found[i])
            raise DomainError("reports", "must not name a file twice", "leave one out", got=twice)
    return list(map(str, found))


def _check_stated(path: str, job: Job) -> None:
    """Refuse a file that says that its reports are of something else."""
    within = metadata(Path(path))
    if job.whole:
        stated = _collection_of(within)
        if stated is not None and stated != job.collection.fingerprint:
            rule = f"must be the one that {Path(path).name} is of"
            raise ReportError("collection", rule, "its fingerprint is another")
        return
    mechanism = stated_mechanism(path)
    if mechanism is not None and mechanism != job.mechanism:
        remedy, mine = "leave it out", repr(job.mechanism)
        raise ReportError("mechanism", f"must be the manifest's, {mechanism!r}", remedy, got=mine)


def _collection_of(within: Mapping[bytes, bytes]) -> str | None:
    try:
        return str(json.loads(within[SUBMISSIONS])["fingerprint"])
    except (LookupError, ValueError, TypeError):
        return None


def _expanded(path: Path) -> list[Path]:
    if str(path) == STANDARD or path.is_file():
        return [path]
    if not path.is_dir():
        raise DomainError("file", "does not exist", "check the path", got=str(path))
    found = [
        one
        for one in sorted(path.rglob("*"))
        if one.name.endswith(tuple(FORMATS))
        and not any(part.startswith((".", "_")) for part in one.relative_to(path).parts)
    ]
    if not found:
        rule = f"must hold files that end in {', '.join(FORMATS)}"
        raise DomainError("folder", rule, got=str(path))
    return found


def _kind(path: str) -> str:
    for known in FORMATS:
        if path.endswith(known):
            return known
    raise DomainError("file", f"must end in {', '.join(FORMATS)}", got=path)
