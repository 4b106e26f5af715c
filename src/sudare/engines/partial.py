"""Counting one unit, wherever it lies: the part of the counts that comes back."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import add
from pathlib import Path
from typing import Any, TypeVar

from sudare.engines.formats import FORMATS
from sudare.engines.jobs import AnyCounts, Job
from sudare.engines.units import Unit, check_unchanged
from sudare.errors import DomainError, ReportError, SudareError, WrongTypeError
from sudare.files.blocks import TEXT, check_names
from sudare.files.places import arrow

R = TypeVar("R")

BATCH_BYTES = 1 << 24
BATCH_ROWS = 1 << 20
TYPED = (".parquet", ".arrow")
"""Formats whose columns have a type that their files declare."""


@dataclass(frozen=True, slots=True)
class Partial:
    """The counts of one unit. Frozen, can be pickled: it travels as data.

    Attributes:
        unit: that was counted.
        job: fingerprint of what was counted.
        rows: how many there were.
        counts: one, or one for each question of a collection.
    """

    unit: Unit
    job: str
    rows: int
    counts: tuple[AnyCounts, ...]


def count_unit(unit: Unit, job: Job) -> Partial:
    """Count the reports of one unit.

    Raises:
        ReportError: a cell that is none of this job's reports: its file, row group, row and column
            are named, the cell is not.
        DomainError: the file is gone, broken, changed since it was planned, or without the column.

    Examples:
        >>> import pyarrow as pa
        >>> from pyarrow import parquet
        >>> import sudare as sd
        >>> parquet.write_table(pa.table({"report": [0, 1, 1, 2]}), "reports.parquet")
        >>> job = Job.of(sd.GRR(3, 1.0))
        >>> one, = sd.engines.plan("reports.parquet", job).units
        >>> count_unit(one, job).counts
        (Counts(support=[1, 2, 1], n=4),)
    """
    total: tuple[AnyCounts, ...] = ()
    rows = 0
    if job.tables:
        tally = job.tally()
        for n, own_rows in each_batch(unit, job, job.rows):
            rows += n
            tally.add(own_rows)
        return Partial(unit, job.fingerprint, rows, tally.counts())
    for n, own in each_batch(unit, job, job.count):
        rows += n
        total = tuple(map(add, total, own)) if total else own
    return Partial(unit, job.fingerprint, rows, total)


def each_batch(unit: Unit, job: Job, work: Callable[[Sequence[Any]], R]) -> Iterator[tuple[int, R]]:
    """Yield for each batch of a unit its number of rows, and what is made of its columns.

    Args:
        unit: a part of a file.
        job: names the columns.
        work: gets an Arrow array for each column; raises ReportError where a cell is wrong.

    Raises:
        ReportError, DomainError: as :func:`count_unit`.
    """
    arrow("to read files")
    rows = 0
    with unquoted(unit.path):
        check_unchanged(unit)
        form = FORMATS[unit.kind]
        names = form.names(unit.path, unit.stamp, unit.encoding)
        check_names(job.columns, names, unit.name, is_schema=unit.kind not in TEXT)
        size = max(1, min(BATCH_ROWS, BATCH_BYTES // job.report_bytes))
        for batch in form.batches(unit, job, size):
            cells = [batch.column(name) for name in job.columns]
            try:
                made = work(cells)
            except (ReportError, WrongTypeError):
                if unit.kind in TYPED:
                    check_types(job, cells, unit.name)
                wrong, column = first_wrong(job, cells, work)
                before = form.rows_before(unit) + rows
                place = form.place(unit, rows + wrong)
                raise refusal(job, column, before + wrong, unit.name, place) from None
            yield batch.num_rows, made
            rows += batch.num_rows


@contextmanager
def unquoted(path: str) -> Iterator[None]:
    """Turn every complaint of a reader, which may quote a cell, into one that does not."""
    try:
        yield
    except SudareError as error:
        name = Path(path).name
        is_bare = error.argument == "file" or error.argument.startswith("line ")
        raise error.within(name) if is_bare and name not in str(error) else error from None
    except (ValueError, OSError, LookupError, RuntimeError, EOFError):
        raise DomainError("file", "cannot be read as a table", "check the file", got=path) from None


def check_types(job: Job, cells: Sequence[Any], name: str) -> None:
    """Refuse columns whose type holds none of the job's reports: no row of it is to blame.

    Raises:
        ReportError: column and type are named.
    """
    for column, own in zip(job.columns, cells, strict=True):
        if not job.takes(column, own.type):
            rule = f"must hold {reports_of(job)}, and is of the type {own.type} in {name}"
            raise ReportError(column, rule, "name the column that has them")


def reports_of(job: Job) -> str:
    """Return in words what a job counts."""
    if job.whole:
        return f"submissions of {job.collection.name}"
    return f"reports of {job.mechanism!r}"


def refusal(job: Job, column: str, row: int, name: str, place: str = "") -> ReportError:
    """Return the error of a cell that is none of the job's reports: it tells where it is."""
    if place.startswith("line"):
        where = f"look at {place} of {name}"
    else:
        where = f"look at row {row + 1} of {name}" + (place and f", {place}")
    return ReportError(column, f"must hold {reports_of(job)} alone", where)


def first_wrong(
    job: Job, cells: Sequence[Any], work: Callable[[Sequence[Any]], object]
) -> tuple[int, str]:
    """Return the place of the first row with which the cells cannot be counted, and its column."""

    def fails(own: Sequence[Any]) -> bool:
        try:
            work(own)
        except (ReportError, WrongTypeError):
            return True
        return False

    found = range(1, len(cells[0]))
    wrong = bisect_left(found, True, key=lambda stop: fails([one.slice(0, stop) for one in cells]))
    others = [[one.slice(i, 1) for one in cells] for i in _fine_row(fails, cells, wrong)]
    for i, name in enumerate(job.columns):
        if any(fails([*own[:i], cells[i].slice(wrong, 1), *own[i + 1 :]]) for own in others):
            return wrong, name
    return wrong, ", ".join(job.columns)


def _fine_row(
    fails: Callable[[Sequence[Any]], bool], cells: Sequence[Any], wrong: int
) -> list[int]:
    """Return a row with nothing wrong, beside which a column's cell can be judged alone."""
    rows = range(wrong) if wrong else range(1, min(len(cells[0]), 100))
    return [i for i in rows[:100] if not fails([one.slice(i, 1) for one in cells])][:1]
