"""What executors do: sums over some rows, by the same code as here.

Rows of persons with several go through one shuffle: each unit is cut by whose its rows are into
buckets, which travel as Arrow has them; who gets a bucket has all rows of its persons, in their
order, and keeps the first ones of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from zlib import crc32

import numpy as np

from sudare.arrays import Integers
from sudare.engines.spark.wire import Answer, Counted, answer, batched, refusal
from sudare.engines.units import Unit, check_unchanged
from sudare.errors import EngineError, EstimationError, SudareError
from sudare.files.parquet import open_file, read_batches
from sudare.release.arrow_columns import from_arrow
from sudare.release.column import Column, labelled
from sudare.release.spark.sums import Sum
from sudare.release.stored import BATCH_ROWS, Scan, Stored

if TYPE_CHECKING:
    from sudare.release.private_data import PrivateData
    from sudare.release.spark.table import Spread

R = TypeVar("R")

_PRIME, _MIXER = 1_000_003, 618_035


@dataclass(frozen=True)
class Task:
    """What is worked out, without any row.

    Attributes:
        of: the data set without its rows.
        work: gets the data set with some of its rows.
        table: where the rows are, with the columns that are read alone.
        buckets: how many there are.
    """

    of: PrivateData
    work: Callable[[PrivateData], Any]
    table: Spread
    buckets: int

    def sums(self, scan: Scan, rows: int) -> Counted:
        """Return the number of rows that a scan yields, and the sum of those that count."""
        own = Stored(scan, self.table.heads, is_ordered=True, rows=rows, types=self.table.types)
        if self.table.whose is not None:
            own = own.kept(self.table.whose, self.table.most)
        own = replace(own, only=self.table.only, needs=self.table.needs)
        return rows, (Sum(self.work(replace(self.of, stored=own))),)


def of_units(task: Task, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield answers for the units whose places stand in the batches."""

    def answered(place: int) -> Answer:
        unit = task.table.units[place]
        return answer(place, _quietly(partial(task.sums, _scan(unit), unit.rows or 0), unit))

    yield from batched(map(answered, _places(batches)))


def cut_units(task: Task, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the rows of units by buckets of persons: the place says which unit and which bucket."""
    for place in _places(batches):
        unit = task.table.units[place]
        try:
            pieces = _quietly(partial(_pieces, task, unit), unit)()
        except SudareError as error:
            yield from batched([refusal(place * task.buckets, error)])
        else:
            found = ((place * task.buckets + bucket, cells, None) for bucket, cells in pieces)
            yield from batched(found)


def of_pieces(task: Task, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the answer of all pieces of some buckets: whole persons."""
    import pyarrow as pa
    from pyspark import TaskContext

    pieces: dict[int, bytes] = {}
    for place, cells, refused, _ in (tuple(one.values()) for b in batches for one in b.to_pylist()):
        if refused is not None:
            yield from batched([(place, None, refused)])
            return
        if pieces.setdefault(place, cells) is not cells:
            twice = EstimationError("parts", "must be of each unit once", "ask again")
            yield from batched([refusal(place, twice)])
            return

    def counted() -> Counted:
        if not pieces:
            return 0, ()
        read = (pa.ipc.open_stream(pieces[place]) for place in sorted(pieces))
        table = pa.Table.from_batches([batch for one in read for batch in one]).combine_chunks()

        def scan(names: list[str], coded: bool) -> Iterator[Any]:
            yield from table.select(names).to_batches(BATCH_ROWS)

        return task.sums(scan, table.num_rows)

    context = TaskContext.get()
    place = 0 if context is None else context.partitionId()
    yield from batched([answer(place, _quietly(counted))])


def buckets(column: Column, number: int) -> Integers:
    """Return the bucket of each row: of one id always the same one, whatever stands beside it.

    So is that of ids which differ by the space around them alone, that these be found.

    Args:
        column: whose each row is.
        number: how many buckets there are.

    Examples:
        >>> found = buckets(Column.of("id", ["A7", "東", " A7"]), 1000)
        >>> bool(found[0] == found[2] == buckets(Column.of("id", ["A7"]), 1000)[0])
        True
    """
    column = labelled(column)
    if column.labels is not None:
        each = [
            crc32(one.strip().encode()) if isinstance(one, str)
            else int(one) % _PRIME if isinstance(one, int | Decimal)
            else 0  # no ids: refused in any bucket
            for one in column.labels.listed()
        ]  # fmt: skip
        marks = np.array([*each, 0])[column.values]
    elif column.values.dtype.kind == "f":  # fractions are refused in any bucket
        marks = np.where(np.isfinite(column.values), column.values, 0.0) % _PRIME
    else:
        wide = np.uint64 if column.values.dtype == np.uint64 else np.int64
        marks = column.values.astype(wide) % _PRIME
    out: Integers = marks.astype(np.int64) % _PRIME * _MIXER % _PRIME % number
    return out


def _pieces(task: Task, unit: Unit) -> list[tuple[int, bytes]]:
    """Return buckets, each with its rows of a unit as a stream of Arrow's."""
    import pyarrow as pa

    table = pa.Table.from_batches(_scan(unit)(list(task.table.heads), False))
    table = table.replace_schema_metadata(None).combine_chunks()
    whose = str(task.table.whose)
    found = buckets(from_arrow(whose, table.column(whose)), task.buckets)
    order = np.argsort(found, kind="stable")
    table, found = table.take(order), found[order]
    starts = np.flatnonzero(np.append(True, np.diff(found) != 0)[: found.size])
    out = []
    for start, stop in zip(starts, [*starts[1:], found.size], strict=True):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table.slice(start, stop - start).combine_chunks())
        out.append((int(found[start]), sink.getvalue().to_pybytes()))
    return out


def _scan(unit: Unit) -> Scan:
    """Return what reads columns of a unit."""

    def scan(names: list[str], coded: bool) -> Iterator[Any]:
        check_unchanged(unit)
        groups = range(unit.start, unit.stop)
        with open_file(unit.path, buffer_size=1 << 20, pre_buffer=False) as file:
            yield from read_batches(file, unit.name, names, BATCH_ROWS, groups, use_threads=False)

    return scan


def _quietly(work: Callable[[], R], unit: Unit | None = None) -> Callable[[], R]:
    """Return work whose complaints say which part of the data they are about, and show no value."""

    def done() -> R:
        try:
            return work()
        except SudareError as error:
            raise error if unit is None else error.within(_part(unit)) from None
        except Exception:  # noqa: BLE001 - what another library raises may show a value
            part = "the rows" if unit is None else _part(unit)
            raise EngineError("executors", f"could not work on {part}", "look at them") from None

    return done


def _part(unit: Unit) -> str:
    return f"{unit.name}, row groups {unit.start + 1} to {unit.stop}"


def _places(batches: Iterable[Any]) -> Iterator[int]:
    return (place for batch in batches for place in batch.column(0).to_pylist())
