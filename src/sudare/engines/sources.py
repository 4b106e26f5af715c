"""Counts and estimates from whatever holds reports: files, folders, streams of Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from sudare.collection import Collection
from sudare.engines.embedded import tally, threads_of
from sudare.engines.jobs import COLUMN, AnyCounts, Job
from sudare.engines.partial import (
    BATCH_BYTES,
    BATCH_ROWS,
    check_types,
    first_wrong,
    refusal,
)
from sudare.engines.planning import Source, check_stated, files_of, plan
from sudare.errors import EstimationError, ReportError, WrongTypeError
from sudare.estimation import Counts
from sudare.estimation.conclude import AnyEstimate
from sudare.estimation.estimate import Estimate, Target
from sudare.files.blocks import check_names
from sudare.files.manifests import Stated, common_categories, stated_in_file
from sudare.files.places import Progress, arrow, no_progress
from sudare.files.stores import is_named, opened_stores
from sudare.files.streams import (
    as_dataset,
    as_reader,
    naming_files,
    stated_in_stream,
    unquoted_table,
)
from sudare.mechanisms import Mechanism
from sudare.threads import in_threads_ahead

Anything: TypeAlias = Any
"""A :data:`~sudare.engines.planning.Source`, or what gives a stream of Arrow's."""


def counts_from(
    source: Source | Anything,
    what: Mechanism | Collection | None = None,
    *,
    column: str | Sequence[str] = COLUMN,
    encoding: str | None = None,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> tuple[AnyCounts, ...]:
    """Count reports over the threads of this process, in memory that does not grow.

    Args:
        source: a file (Parquet, Arrow, CSV, JSON lines), a folder, a list of them; or anything
            with ``__arrow_c_stream__``, such as tables of PyArrow, frames of polars, relations of
            DuckDB; a data set or scanner of PyArrow, a table of deltalake or pyiceberg; or a lazy
            frame.
        what: mechanism of any family, or a collection for whole submissions; None for the
            mechanism that the manifest or the metadata of the first file or the stream name.
        column: where the reports are; a list for those of several numbers.
        encoding: of CSV files; None for UTF-8, or UTF-16 with a mark.
        threads: how many; None for one a processor. The counts are the same.
        progress: shows how far it is.

    Returns:
        One Counts, or one for each question of a collection.

    Raises:
        ReportError: a cell that is no such report: its place is named, the cell is not; a file of
            another mechanism; no report at all.
        DomainError: no such file or column.
        WrongTypeError: something else than a source or a mechanism.
        MissingExtraError: PyArrow is not installed.

    Examples:
        >>> import pyarrow as pa
        >>> import sudare as sd
        >>> counts_from(pa.table({"report": [0, 1, 1]}), sd.GRR(2, 1.0))
        (Counts(support=[1, 2], n=3),)
    """
    how: Any = {"encoding": encoding, "threads": threads, "progress": progress}
    return _counted(source, what, column, **how)[1]


def estimate_from(
    source: Source | Anything,
    mechanism: Mechanism | None = None,
    *,
    column: str | Sequence[str] = COLUMN,
    method: str = "unbiased",
    target: Target = "population",
    encoding: str | None = None,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> AnyEstimate | tuple[AnyEstimate, ...]:
    """Estimate from files, folders or streams of reports, as :func:`counts_from` reads them.

    Args:
        source, mechanism, column, encoding, threads, progress: as there.
        method, target: as the mechanism's ``estimate`` takes them.

    Returns:
        What the mechanism's ``estimate`` returns; ``labels`` are the categories in the manifest.

    Raises:
        SudareError: as there.
        EstimationError: counts over too many cells for an estimate of all.

    Examples:
        >>> import pyarrow as pa
        >>> import sudare as sd
        >>> m = sd.GRR(2, 1.0)
        >>> sd.estimate_from(pa.table({"report": [0, 1, 1]}), m).n
        3
    """
    if isinstance(mechanism, Collection):
        raise WrongTypeError("mechanism", "must be a mechanism", "use sudare.engines.counts_from")
    how: Any = {"encoding": encoding, "threads": threads, "progress": progress}
    mechanism, (counts,), categories = _counted(source, mechanism, column, **how)
    if not isinstance(counts, Counts):
        remedy = "estimate tables of some attributes by joint_tables"
        raise EstimationError("counts", "have too many cells for one estimate", remedy)
    estimate = mechanism.estimate(counts, method, target)
    if not isinstance(estimate, Estimate) or estimate.labels is not None:
        return estimate
    numbered = categories is None or categories == tuple(map(str, range(len(categories))))
    return estimate if numbered else replace(estimate, labels=categories)


def _counted(
    source: Any,
    what: Any,
    column: str | Sequence[str],
    *,
    encoding: str | None,
    threads: int | None,
    progress: Progress,
) -> tuple[Any, tuple[AnyCounts, ...], tuple[str, ...] | None]:
    """Return what is counted, its counts, and what manifests call the categories."""
    arrow("to read files")
    source = opened_stores(source)
    if is_named(source):
        if what is None:
            what = _mechanism((stated_in_file(one), Path(one).name) for one in files_of(source))
        todo = plan(source, _job(what, column), encoding=encoding)
        return what, tally(todo, threads=threads, progress=progress), todo.categories
    source = as_dataset(source)
    reader = as_reader(source)  # once: it may be a stream
    stated = list(stated_in_stream(source, reader.schema))
    what = _mechanism(stated) if what is None else what
    job = _job(what, column)
    for one, name in stated:
        check_stated(one, job, name)
    categories = common_categories(stated)
    return what, _tally_stream(reader, source, job, threads, progress), categories


def _job(what: Any, column: str | Sequence[str]) -> Job:
    return Job.of_collection(what) if isinstance(what, Collection) else Job.of(what, column)


def _mechanism(stated: Iterable[tuple[Stated, str]]) -> Mechanism:
    """Return the mechanism that a source names, in all of its files."""
    named = [(one.mechanism, name) for one, name in stated if one.mechanism is not None]
    if not named:
        raise ReportError("mechanism", "is not told by a manifest", "give mechanism=")
    first, where = named[0]
    for mechanism, name in named:
        if mechanism != first:
            rule = f"must be of one mechanism, and {where} is of {first!r}, {name} of {mechanism!r}"
            raise ReportError("reports", rule, "estimate each on its own")
    return first


def _tally_stream(
    reader: Any, source: Any, job: Job, threads: int | None, progress: Progress
) -> tuple[AnyCounts, ...]:
    check_names(job.columns, reader.schema.names, is_schema=True)
    size = max(1, min(BATCH_ROWS, BATCH_BYTES // job.report_bytes))

    def count(part: tuple[int, Any]) -> tuple[AnyCounts, ...]:
        before, batch = part
        cells = [batch.column(name) for name in job.columns]
        try:
            return job.count(cells)
        except (ReportError, WrongTypeError):
            check_types(job, cells, "the stream")
            wrong, column = first_wrong(job, cells, job.count)
            raise refusal(job, column, before + wrong, "the stream") from None

    batches = naming_files(reader, source)
    parts = in_threads_ahead(count, _sliced(batches, size), threads_of(threads))
    total: tuple[AnyCounts, ...] = ()
    for own in progress(parts, None, "counting reports"):
        total = tuple(a + b for a, b in zip(total, own, strict=True)) if total else own
    if not total or total[0].n == 0:
        raise ReportError(", ".join(job.columns), "must hold at least one report")
    return total


def _sliced(reader: Iterable[Any], size: int) -> Iterator[tuple[int, Any]]:
    before = 0
    with unquoted_table(remedy="check its files and its filter"):
        for batch in reader:
            for start in range(0, batch.num_rows, size):
                yield before + start, batch.slice(start, size)
            before += batch.num_rows
