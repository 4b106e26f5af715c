"""Tables that are read again for each question, batch by batch: they may be larger than memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from sudare.arrays import Booleans
from sudare.engines.planning import files_of
from sudare.engines.units import stamp_of
from sudare.errors import DomainError, StorageError, WrongTypeError
from sudare.files.buffers import is_text, plain
from sudare.files.logs import check_above
from sudare.files.parquet import open_file, read_batches
from sudare.files.people import filled
from sudare.files.places import READ, arrow, kind_of
from sudare.files.stores import opened_store
from sudare.files.streams import as_dataset, as_reader, naming_files, unquoted_table
from sudare.release.arrow_columns import from_arrow
from sudare.release.column import Column, first_rows
from sudare.release.persons import first_of_each, long_ids

BATCH_ROWS = 1 << 17

Scan = Callable[[list[str], bool], Iterator[Any]]
"""Yields the record batches of named columns, all rows of them; text by codes, or as it is."""

_CODE_BYTES = 4
"""So many bytes a row, at most, takes text by codes; where most words are new that is no help."""

_UNREADABLE = "must be a Parquet file that can be read"
_CHANGED = "must not change while it is asked"


@dataclass(frozen=True, eq=False)
class Stored:
    """A table that stays where it is; a question reads the columns that it is about.

    Attributes:
        scan: reads some of its columns.
        heads: its columns without their rows: what a column is follows from its type.
        is_ordered: whether its rows come in one order each time, so that those of a person that
            count are always the same.
        keep: for each row whether it counts; None for all.
        rows: how many there are, counting or not, once that is known.
        only: tells of columns which of the rows that count are wanted; None for all.
        needs: the columns that it looks at.
        check: refuses a table that has changed, where that can be seen.
        types: what columns are read as; others are as their type in the schema.
    """

    scan: Scan
    heads: Mapping[str, Column]
    is_ordered: bool
    keep: Booleans | None = None
    rows: int | None = None
    only: Callable[[Mapping[str, Column]], Booleans] | None = None
    needs: tuple[str, ...] = ()
    check: Callable[[], None] = lambda: None
    types: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, scan: Scan, schema: Any, rows: int | None = None, *, is_ordered: bool = False
    ) -> Stored:
        """Return a table with this schema of Arrow's, and so many rows where that is known."""
        import pyarrow as pa

        if len(set(schema.names)) < len(schema.names):
            raise DomainError("frame", "must have columns of different names", "rename one")
        nothing = pa.Table.from_batches([], schema)
        heads = {name: from_arrow(name, nothing[name]) for name in schema.names}
        if not heads:
            raise WrongTypeError("frame", "must have columns with names", "give it some")
        return cls(scan, heads, is_ordered, rows=rows)

    @property
    def size(self) -> int:
        """How many rows count."""
        return int(self.rows or 0) if self.keep is None else int(self.keep.sum())

    def typed(self, types: Mapping[str, str]) -> Stored:
        """Return the table with columns read as of types."""
        heads = {name: one.typed(types.get(name)) for name, one in self.heads.items()}
        return replace(self, heads=heads, types=types)

    def read(self) -> Any:
        """Return all of it as a table of Arrow."""
        import pyarrow as pa

        batches = list(self._batches(list(self.heads)))
        if not batches:
            raise DomainError("frame", "must have at least one row", "there is nobody to count")
        return pa.Table.from_batches(batches)

    def checked(self) -> Stored:
        """Return the table with its number of rows.

        Raises:
            DomainError: it has none.
        """
        rows = self.rows
        if rows is None:
            rows = sum(batch.num_rows for batch in self._batches(list(self.heads)[:1]))
        if not rows:
            raise DomainError("frame", "must have at least one row", "there is nobody to count")
        return replace(self, rows=rows)

    def column(self, name: str) -> Column:
        """Return a whole column, of the rows that count."""
        import pyarrow as pa

        chunks, kept = [], []
        for batch, keep in self._kept([name]):
            chunks.append(batch.column(name))
            if keep is not None:
                kept.append(keep)
        whole = self._as_head(name, pa.chunked_array(chunks) if chunks else None)
        return whole.where(np.concatenate(kept)) if kept else whole

    def kept(self, whose: str, most: int) -> Stored:
        """Return the table with the rows that count: the first so many of each person.

        Raises:
            DomainError, WrongTypeError: as :func:`~sudare.release.column.first_rows`.
        """
        chunks = [plain(batch.column(whose)) for batch in self._batches([whose], coded=False)]
        words = long_ids(chunks)
        if words is None or str(chunks[0].type).startswith("decimal"):  # they must be whole
            return replace(self, keep=first_rows(self.column(whose), most))
        return replace(self, keep=first_of_each(words, most))

    def parts(self, names: Sequence[str]) -> Iterator[dict[str, Column]]:
        """Yield columns of some rows at a time, of those that count."""
        wanted = list(dict.fromkeys(names)) or list(self.heads)[:1]
        for batch, keep in self._kept(wanted):
            some = {name: self._as_head(name, batch.column(name)) for name in wanted}
            if keep is not None:
                some = {name: column.where(keep) for name, column in some.items()}
            yield some

    def _kept(self, names: list[str]) -> Iterator[tuple[Any, Booleans | None]]:
        """Yield record batches with these columns, and which rows count and are wanted."""
        start = 0
        for batch in self._batches(list(dict.fromkeys([*names, *self.needs]))):
            rows = slice(start, start + batch.num_rows)
            start = rows.stop
            keep = None if self.keep is None else self.keep[rows]
            if self.only is not None:
                own = self.only({one: self._as_head(one, batch.column(one)) for one in self.needs})
                keep = own if keep is None else keep & own
            yield batch, keep

    def _as_head(self, name: str, cells: Any) -> Column:
        head = self.heads[name]
        column = head if cells is None else from_arrow(name, cells).typed(self.types.get(name))
        if column.kind != head.kind:
            raise StorageError("frame", _CHANGED, "open it again")
        return column

    def _batches(self, names: list[str], *, coded: bool = True) -> Iterator[Any]:
        rows = 0
        with unquoted_table("frame"):
            for batch in self.scan(names, coded):
                if batch.num_rows:
                    rows += batch.num_rows
                    yield batch
        if self.rows is not None and rows != self.rows:
            raise StorageError("frame", _CHANGED, "open it again")


def stored(frame: Any) -> Stored | None:
    """Return the table that is read again for each question; None for one that is in memory.

    Args:
        frame: the path or URI of a Parquet file or of a folder of such, a data set of PyArrow, a
            table of deltalake or pyiceberg, or a lazy frame that narwhals knows, of polars, DuckDB,
            Ibis and others.
    """
    if isinstance(frame, str | os.PathLike):
        frame = opened_store(frame)
    if isinstance(frame, str | os.PathLike):
        return _files(frame)
    frame = as_dataset(frame)
    if callable(getattr(frame, "to_arrow_batch_reader", None)):  # of a snapshot of pyiceberg's
        return Stored.of(
            lambda names, coded: as_reader(frame.select(*names)), as_reader(frame).schema
        )
    if callable(getattr(frame, "scanner", None)) and hasattr(frame, "schema"):
        return Stored.of(
            lambda names, coded: naming_files(
                map(filled, frame.to_batches(columns=names, batch_size=BATCH_ROWS)), frame
            ),
            frame.schema,
        )
    try:
        import narwhals as nw
    except ImportError:
        return None
    try:
        lazy = nw.from_native(frame, pass_through=True)
    except nw.exceptions.NarwhalsError:  # told where frames in memory are read
        return None
    if not isinstance(lazy, nw.LazyFrame):
        return None
    arrow("for lazy frames")
    with unquoted_table("frame"):
        schema = lazy.head(0).collect(backend="pyarrow").to_native().schema
    return Stored.of(lambda names, coded: _of_lazy(lazy.select(*names)), schema)


def _of_lazy(lazy: Any) -> Iterator[Any]:
    """Yield record batches of a lazy frame: as it makes them, where its library can."""
    import pyarrow as pa

    native = lazy.to_native()
    if hasattr(native, "collect_batches"):  # polars
        for frame in native.collect_batches(chunk_size=BATCH_ROWS, maintain_order=True):
            yield from frame.to_arrow().to_batches(max_chunksize=BATCH_ROWS)
    elif hasattr(native, "__arrow_c_stream__"):  # DuckDB
        yield from pa.RecordBatchReader.from_stream(native)
    else:
        table = lazy.collect(backend="pyarrow").to_native()
        yield from table.to_batches(max_chunksize=BATCH_ROWS)


def _files(path: str | os.PathLike[str]) -> Stored:
    """Return a Parquet file, or all of a folder, in the order of their names."""
    pa = arrow("for Parquet", "parquet")
    stamps: dict[str, str] = {}
    about, schemas = [], []
    for name in parquet_files(path):
        try:
            stamps[name] = _stamp(name)
            about.append(pa.parquet.read_metadata(name))
            schemas.append(about[-1].schema.to_arrow_schema())
        except (OSError, pa.ArrowException):
            kind, remedy = kind_of(name), "check the file"
            if not Path(name).exists():
                remedy = "there is no such file: check the path"
            elif kind is None:
                remedy = f"files that are read end in {', '.join(READ)}"
            elif kind != ".parquet":
                remedy = "give sudare.files.read_people(path)"
            raise StorageError("frame", _UNREADABLE, remedy, got=Path(name).name) from None
    if not all(one.equals(schemas[0], check_metadata=False) for one in schemas):
        raise DomainError("frame", "must have the same columns in all files", "of the same types")
    few = [_few_words(one) for one in about]
    text = {field.name for field in schemas[0] if is_text(field.type)}.intersection(*few)

    def scan(wanted: list[str], coded: bool) -> Iterator[Any]:
        by_codes = [name for name in wanted if name in text] if coded else None
        for name, stamp in stamps.items():
            _check_same(name, stamp)
            with open_file(
                name, read_dictionary=by_codes, buffer_size=1 << 20, pre_buffer=False
            ) as file:
                called = Path(name).name
                for batch in read_batches(file, called, wanted, BATCH_ROWS, use_threads=False):
                    yield filled(batch)
            _check_same(name, stamp)

    def check() -> None:
        for name, stamp in stamps.items():
            _check_same(name, stamp)

    rows = sum(one.num_rows for one in about)
    return replace(Stored.of(scan, schemas[0], rows, is_ordered=True), check=check)


def parquet_files(path: str | os.PathLike[str]) -> list[str]:
    """Return a Parquet file, or all files of a folder.

    Raises:
        StorageError: a folder of other tables too.
        DomainError: as :func:`~sudare.engines.planning.files_of`.
    """
    if not Path(path).is_dir():
        check_above([Path(path)])
        return [os.fspath(path)]
    names = files_of(path)
    for name in names:
        if kind_of(name) != ".parquet":
            rule = (
                f"must be a folder of Parquet or of CSV files alone, and {Path(name).name} is none"
            )
            raise StorageError("frame", rule, "make one of it, or move it")
    return names


def _few_words(about: Any) -> set[str]:
    """Return the columns of a file that take few bytes a row: if they are text, words repeat."""
    sizes: dict[str, int] = {}
    for group in range(about.num_row_groups):
        row_group = about.row_group(group)
        for i in range(about.num_columns):
            one = row_group.column(i)
            sizes[one.path_in_schema] = (
                sizes.get(one.path_in_schema, 0) + one.total_uncompressed_size
            )
    return {name for name, size in sizes.items() if size <= _CODE_BYTES * about.num_rows}


def _stamp(name: str) -> str:
    """Return what tells a file from one that is written in its place.

    Rows in another order leave size and footer as they are, and other rows of a person would count.
    """
    found = os.stat(name)
    return f"{stamp_of(name, '.parquet')}:{found.st_mtime_ns}:{found.st_ctime_ns}:{found.st_ino}"


def _check_same(name: str, stamp: str) -> None:
    try:
        same = _stamp(name) == stamp
    except OSError:
        same = False
    if not same:
        raise StorageError("frame", _CHANGED, "open it again")
