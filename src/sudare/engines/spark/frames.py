"""Counts of a column of a Spark data frame: Delta, Hive, JDBC, Spark Connect."""

from __future__ import annotations

from collections.abc import Sequence
from operator import add
from typing import Any

from sudare.collection import Collection
from sudare.engines.jobs import COLUMN, AnyCounts, Job
from sudare.engines.spark.sessions import spoken
from sudare.engines.spark.wire import SCHEMA, read_answers, work
from sudare.errors import DomainError, EstimationError, ReportError, WrongTypeError
from sudare.mechanisms import Mechanism


def counts(
    frame: Any,
    mechanism: Mechanism | Collection,
    *,
    column: str | Sequence[str] = COLUMN,
    rows: int | None = None,
) -> AnyCounts | tuple[AnyCounts, ...]:
    """Count the reports in a column of a Spark data frame, where its partitions are.

    ::

        counts = Σ over partitions of mechanism.aggregate(the partition's reports)

    The data frame comes from wherever Spark reads: ``spark.read.table("hive.reports")``,
    ``spark.read.format("delta").load(path)``, ``spark.read.jdbc(...)``, or a session of Spark
    Connect. One row of counts a partition goes to the driver; no report does.

    Args:
        frame: a ``pyspark.sql.DataFrame``.
        mechanism: that made the reports, or a collection, whose questions are the columns.
        column: where the reports are: whole numbers, or bytes in their wire form; a list of
            columns for reports of several numbers.
        rows: how many there must be, where that is known, such as from the log of an export.

    Returns:
        Counts, as ``mechanism.aggregate`` of all rows; of a collection one for each question.

    Raises:
        WrongTypeError, DomainError: no data frame of Spark, no mechanism, no such column.
        ReportError: a cell that is none of the mechanism's reports, or no row at all.
        EstimationError: a partition that came back twice, or other rows than ``rows``.
        EngineError: Spark could not finish, or an executor lacks this version of Sudare.

    Examples:
        >>> import sudare as sd
        >>> m = sd.GRR(k=3, epsilon=1.0)
        >>> sd.spark.counts({"report": [0, 1]}, m)
        Traceback (most recent call last):
        ...
        sudare.errors.WrongTypeError: frame must be a data frame of Spark; use sudare.estimate_from
    """
    if not hasattr(frame, "mapInArrow"):
        raise WrongTypeError("frame", "must be a data frame of Spark", "use sudare.estimate_from")
    if isinstance(mechanism, Collection):
        job = Job.of_collection(mechanism)
    else:
        job = Job.of(mechanism, column)
    for name in job.columns:
        if frame.columns.count(name) != 1:
            raise DomainError("column", "must be the name of one of the frame's columns", got=name)
    with spoken():
        chosen = frame.select(*map(quoted, job.columns))
        # PySpark asks the frame for its columns by name, in which a dot leads into a structure
        chosen = chosen.toDF(*(f"column{i}" for i in range(len(job.columns))))
        answers = chosen.mapInArrow(work("count_rows", job), SCHEMA).collect()
    total = _sum(answers, job, rows)
    return total if job.whole else total[0]


def quoted(name: str) -> str:
    """Return the name of a column as Spark reads it, whatever stands in it.

    Examples:
        >>> quoted("a.b"), quoted("`a`")
        ('`a.b`', '```a```')
    """
    return f"`{name.replace('`', '``')}`"


def _sum(answers: Sequence[Any], job: Job, rows: int | None) -> tuple[AnyCounts, ...]:
    total: tuple[AnyCounts, ...] = ()
    seen: set[int] = set()
    n = 0
    for place, (number, own) in read_answers(answers):
        if place in seen:
            rule = f"must be of each partition once; partition {place} came back twice"
            raise EstimationError("parts", rule, "count the data frame again")
        seen.add(place)
        n += number
        if own:
            total = tuple(map(add, total, own)) if total else own
    if rows is not None and n != rows:
        raise EstimationError("rows", f"must be those counted, {n}", "count again", got=rows)
    if not total:
        remedy = "choose another data frame"
        raise ReportError(", ".join(job.columns), "must hold at least one report", remedy)
    return total
