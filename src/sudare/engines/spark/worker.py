"""What executors do: count units of files, or the rows of a partition."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import add
from typing import Any

from sudare.engines.jobs import Job
from sudare.engines.partial import BATCH_BYTES, BATCH_ROWS, check_types, count_unit
from sudare.engines.spark.wire import Counted, answer, batched
from sudare.engines.units import Unit
from sudare.errors import ReportError, WrongTypeError


def count_units(job: Job, units: Sequence[Unit], batches: Iterable[Any]) -> Iterator[Any]:
    """Yield answers for the places in the batches: the counts of the units that stand there."""

    def counted(unit: Unit) -> Counted:
        part = count_unit(unit, job)
        return part.rows, part.counts

    places = (place for batch in batches for place in batch.column(0).to_pylist())
    yield from batched(answer(place, partial(counted, units[place])) for place in places)


def count_rows(job: Job, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the answer of a partition: the counts of all its rows."""
    from pyspark import TaskContext

    context = TaskContext.get()
    place = 0 if context is None else context.partitionId()
    yield from batched([answer(place, lambda: _counted(job, place, batches))])


def run(payload: bytes, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield what a function yields that came with all it needs, of a room above this one."""
    function, given = pickle.loads(payload)  # noqa: S301 - from the driver, as all work is
    yield from function(given, batches)


def _counted(job: Job, place: int, batches: Iterable[Any]) -> Counted:
    rows, total = 0, None
    size = max(1, min(BATCH_ROWS, BATCH_BYTES // job.report_bytes))
    for table in _joined(batches, size):
        cells = [table.column(i).combine_chunks() for i in range(table.num_columns)]
        try:
            own = job.count(cells)
        except (ReportError, WrongTypeError):
            check_types(job, cells, f"partition {place} of the data frame")
            what = "submissions of the collection" if job.whole else f"reports of {job.mechanism!r}"
            columns = ", ".join(job.columns)
            where = f"look at partition {place} of the data frame"
            raise ReportError(columns, f"must hold {what} alone", where) from None
        rows += table.num_rows
        total = own if total is None else tuple(map(add, total, own))
    return rows, () if total is None else total


def _joined(batches: Iterable[Any], size: int) -> Iterator[Any]:
    """Yield tables of at least so many rows, but for the last: Spark's batches are small."""
    import pyarrow as pa

    kept: list[Any] = []
    held = 0
    for batch in batches:
        kept.append(batch)
        held += batch.num_rows
        if held >= size:
            yield pa.Table.from_batches(kept)
            kept, held = [], 0
    if held:
        yield pa.Table.from_batches(kept)
