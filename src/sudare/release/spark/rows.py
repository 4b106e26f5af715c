"""What executors do: sums over some rows, by the same code as here.

Rows of persons with several go through one shuffle: each batch is cut by whose its rows are into
buckets, which travel as Arrow has them; who gets a bucket has all rows of its persons, puts them in
their order and keeps the first ones of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from sudare.arrays import Booleans
from sudare.engines.planning import UNIT_ROWS
from sudare.engines.spark.wire import Answer, Counted, answer, batched
from sudare.engines.spark.worker import joined
from sudare.engines.units import Unit, check_unchanged
from sudare.errors import EngineError, EstimationError, SudareError
from sudare.release.column import Column
from sudare.release.spark.buckets import buckets
from sudare.release.spark.sums import Sum
from sudare.release.stored import BATCH_ROWS, Scan, Stored

if TYPE_CHECKING:
    from sudare.release.held import Held

PIECES = {
    "place": "int64",
    "bucket": "int64",
    "cells": "binary",
    "refused": "string",
}
"""What travels between executors: some rows of a bucket, or a refusal."""

DIGEST = "sudare digest"
"""A column of data frames, by which the rows of a person are put in order."""

R = TypeVar("R")


@dataclass(frozen=True)
class Task:
    """What is worked out, without any row. It is pickled by value.

    Attributes:
        of: the data set without its rows.
        work: gets the data set with some of its rows.
        heads: the columns that are read, without rows.
        only, needs: as of :class:`~sudare.release.elsewhere.Elsewhere`.
        whose: the column of persons; None where each row is one.
        most: rows of a person that count.
        buckets: how many there are.
        units: of files; none of a data frame.
    """

    of: Held
    work: Callable[[Held], Any]
    heads: Mapping[str, Column]
    only: Callable[[Mapping[str, Column]], Booleans] | None = None
    needs: tuple[str, ...] = ()
    whose: str | None = None
    most: int = 1
    buckets: int = 1
    units: Sequence[Unit] = ()

    def sums(self, scan: Scan, rows: int) -> Counted:
        """Return the number of rows that a scan yields, and the sum of those that count."""
        if not rows:
            return 0, ()
        table = Stored(scan, self.heads, True, None, rows)
        if self.whose is not None:
            table = table.kept(self.whose, self.most)
        table = replace(table, only=self.only, needs=self.needs)
        return rows, (Sum(_quietly(lambda: self.work(replace(self.of, stored=table)))),)


def of_units(task: Task, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield answers for the units whose places stand in the batches."""

    def counted(unit: Unit) -> Counted:
        return task.sums(_scan(unit), unit.rows or 0)

    yield from batched(_answer(place, counted, task.units[place]) for place in _places(batches))


def of_partition(task: Task, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the answer of a partition of a data frame."""
    yield from batched([_answer(_partition(), _summing(task), list(batches))])


def unit_pieces(task: Task, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the rows of units by buckets of persons."""
    for place in _places(batches):
        unit = task.units[place]
        table = Stored(_scan(unit), task.heads, True, None, unit.rows)
        yield from _cut(task, place, lambda table=table: list(table.batches([*task.heads])))


def frame_pieces(task: Task, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the rows of a partition of a data frame by buckets of persons."""
    for table in joined(batches, UNIT_ROWS):
        yield from _cut(task, _partition(), lambda table=table: table.to_batches())


def of_pieces(task: Task, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the answer of all pieces of some buckets: whole persons."""
    import pyarrow as pa

    pieces = []
    for batch in batches:
        for piece in batch.to_pylist():
            if piece["refused"] is not None:
                yield from batched([(piece["place"], None, piece["refused"])])
                return
            pieces.append((piece["place"], piece["bucket"], piece["cells"]))
    seen = {(place, bucket) for place, bucket, _ in pieces}

    def counted(pieces: list[tuple[int, int, bytes]]) -> Counted:
        if task.units and len(seen) < len(pieces):
            raise EstimationError("parts", "must be of each unit once", "ask again")
        pieces.sort(key=lambda one: one[:2])  # of a person they come in the order of the rows
        read = [one for _, _, cells in pieces for one in pa.ipc.open_stream(cells)]
        return _summing(task)(read)

    yield from batched([_answer(_partition(), counted, pieces)])


def _summing(task: Task) -> Callable[[list[Any]], Counted]:
    """Return what sums the rows of batches; those of a data frame by their digest, if any."""
    import pyarrow as pa

    def counted(batches: list[Any]) -> Counted:
        if not batches:
            return 0, ()
        table = pa.Table.from_batches(batches)
        if DIGEST in table.schema.names:
            table = table.sort_by(DIGEST)
        table = table.combine_chunks()

        def scan(names: list[str], coded: bool) -> Iterator[Any]:
            yield from table.select(names).to_batches(BATCH_ROWS)

        return task.sums(scan, table.num_rows)

    return counted


def _cut(task: Task, place: int, read: Callable[[], list[Any]]) -> Iterator[Any]:
    """Yield the pieces of some batches, or a refusal."""
    import pyarrow as pa

    schema = pa.schema(PIECES.items())
    try:
        for piece in _quietly(lambda: list(_pieces(task, place, read()))):
            yield pa.RecordBatch.from_pylist([piece], schema=schema)
    except SudareError as error:
        _, _, refused = answer(place, partial(_raised, error))
        row = dict.fromkeys(PIECES) | {"place": place, "bucket": 0, "refused": refused}
        yield pa.RecordBatch.from_pylist([row], schema=schema)


def _pieces(task: Task, place: int, batches: list[Any]) -> Iterator[dict[str, Any]]:
    import pyarrow as pa

    if not batches:
        return
    table = pa.Table.from_batches(batches).combine_chunks()
    ids = pa.concat_arrays(table.column(task.whose).chunks)
    found = buckets(ids, task.buckets)
    order = np.argsort(found, kind="stable")
    table, found = table.take(order), found[order]
    ends = np.flatnonzero(np.append(np.diff(found) != 0, True)) + 1
    start = 0
    for stop in ends.tolist():
        some = table.slice(start, stop - start).combine_chunks()
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, some.schema) as writer:
            writer.write_table(some)
        cells = sink.getvalue().to_pybytes()
        yield {"place": place, "bucket": int(found[start]), "cells": cells, "refused": None}
        start = stop


def _scan(unit: Unit) -> Scan:
    """Return what reads columns of a unit."""

    def scan(names: list[str], coded: bool) -> Iterator[Any]:
        from pyarrow import parquet

        check_unchanged(unit)
        groups = list(range(unit.start, unit.stop))
        with parquet.ParquetFile(unit.path, buffer_size=1 << 20, pre_buffer=False) as file:
            yield from file.iter_batches(
                BATCH_ROWS, row_groups=groups, columns=names, use_threads=False
            )

    return scan


def _answer(place: int, counted: Callable[[Any], Counted], of: Any) -> Answer:
    return answer(place, lambda: _quietly(lambda: counted(of)))


def _quietly(work: Callable[[], R]) -> R:
    """Turn every complaint of another library, which may show a value, into one that does not."""
    try:
        return work()
    except SudareError:
        raise
    except Exception:  # noqa: BLE001 - what another library raises may show a value
        raise EngineError("executors", "could not work on the rows", "look at the data") from None


def _raised(error: SudareError) -> NoReturn:
    raise error


def _places(batches: Iterable[Any]) -> Iterator[int]:
    return (place for batch in batches for place in batch.column(0).to_pylist())


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())
