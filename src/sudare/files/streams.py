"""Tables of other packages as streams of Arrow: data sets, scans, tables with a log, frames."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from sudare.errors import DomainError, StorageError, SudareError, WrongTypeError
from sudare.files.logs import check_above_in, local_path
from sudare.files.manifests import Stated, check_is_of
from sudare.files.parquet import check_sound
from sudare.files.places import arrow, identity
from sudare.manifest import sidecars

_STEPS = (
    "to_native",  # narwhals
    "to_arrow_batch_reader",  # a scan of pyiceberg
    "to_reader",  # a scanner of PyArrow
    "scanner",  # a data set of PyArrow
    "collect",  # a lazy frame of polars
)


def as_reader(source: Any) -> Any:
    """Return a reader of record batches of whatever holds a table.

    Args:
        source: what has a stream of Arrow's (``__arrow_c_stream__``); a data set or a scanner of
            PyArrow, a table of deltalake or pyiceberg, a lazy frame.

    Raises:
        WrongTypeError: none of these.
        StorageError: a table that its package cannot read.
        MissingExtraError: PyArrow is not installed.

    Examples:
        >>> import pyarrow.dataset
        >>> table = pyarrow.table({"report": [0, 1, 1]})
        >>> as_reader(pyarrow.dataset.dataset(table).scanner()).read_all().num_rows
        3
    """
    pa = arrow("for streams", "dataset")
    source = as_dataset(source)
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    if isinstance(source, pa.Table):  # the C interface lacks codes of runs, and extensions in part
        return source.to_reader()
    if isinstance(source, pa.RecordBatchReader):
        return source  # through the stream's C interface an error would lose its type
    if hasattr(source, "__arrow_c_stream__"):
        try:
            return pa.RecordBatchReader.from_stream(source)
        except pa.ArrowInvalid:
            rule = "must have columns with names"
            raise WrongTypeError("source", rule, "make a table of it") from None
    if not hasattr(source, "mapInArrow"):  # a frame of Spark would bring its rows here
        for step in _STEPS:
            if callable(getattr(source, step, None)):
                return as_reader(_quietly(getattr(source, step)))
    raise WrongTypeError(
        "source",
        "must be the path of a file or a folder, or have a stream of Arrow's",
        "give a pyarrow.Table, of an open file its path, of Spark's frames sudare.spark.counts",
    )


def as_dataset(source: Any) -> Any:
    """Return a table of deltalake or pyiceberg as what PyArrow reads, as of now; else the source.

    A table of Delta Lake with deletion vectors is a stream, which is read once.

    Raises:
        StorageError: its package cannot read it.
        DomainError: a data set of PyArrow over files of a table whose log it does not read, or over
            a file twice.
    """
    if callable(getattr(source, "to_pyarrow_dataset", None)):  # deltalake.DeltaTable
        try:
            return source.to_pyarrow_dataset()
        except Exception:  # noqa: BLE001 - deltalake's own
            return _quietly(source.scan) if hasattr(source, "scan") else _quietly(None)
    if callable(getattr(source, "current_snapshot", None)):  # pyiceberg.table.Table
        snapshot = source.current_snapshot()
        return source.scan(snapshot_id=None if snapshot is None else snapshot.snapshot_id)
    seen = set()
    for part in _parts(source):
        paths, filesystem = _paths(part), part.filesystem
        check_above_in(filesystem, paths)
        for path in paths:
            place = local_path(filesystem, path)
            one = (filesystem.type_name, path) if place is None else identity(place)
            if one in seen:
                rule = "must not name a file twice"
                raise DomainError("source", rule, "leave one out", got=PurePosixPath(path).name)
            seen.add(one)
    return source


def stated_in_stream(source: Any, schema: Any) -> Iterator[tuple[Stated, str]]:
    """Yield what a source says of its reports, and what it is called.

    Args:
        source: as of :func:`as_reader`.
        schema: of its reader.

    Raises:
        ReportError: as :meth:`~sudare.files.manifests.Stated.of`.
    """
    native = source.to_native() if callable(getattr(source, "to_native", None)) else source
    own = getattr(native, "attrs", None)  # pandas' own, which its streams have as text alone
    given = {
        key.encode(): value.encode() if isinstance(value, str) else value
        for key, value in (own.items() if isinstance(own, dict) else ())
        if isinstance(key, str) and isinstance(value, str | bytes)
    }
    yield from stated_in_files(source)  # first, so that a message names the file
    yield Stated.of({**(schema.metadata or {}), **given}, "the stream"), "the stream"


def stated_in_files(source: Any) -> Iterator[tuple[Stated, str]]:
    """Yield what each file of a data set of PyArrow says of its reports, and its name.

    Raises:
        ReportError: as :meth:`~sudare.files.manifests.Stated.of`.
    """
    for part in _parts(source):
        for path in _paths(part):
            name = PurePosixPath(path).name
            # those of a filtered data set cannot be asked for its fragments
            fragment = part.format.make_fragment(path, part.filesystem)
            within = _quietly(lambda fragment=fragment: fragment.physical_schema).metadata or {}
            yield Stated.of(within, name, _beside(fragment)), name


def naming_files(batches: Iterable[Any], source: Any) -> Iterator[Any]:
    """Yield record batches of a source; where one cannot be read, look which file is damaged.

    Raises:
        DomainError: a Parquet file of a data set is; file and row group are named.
    """
    try:
        yield from batches
    except Exception as error:  # noqa: BLE001 - what another library raises is no context
        failed = error
    else:
        return
    for part in _parts(source):
        if part.format.default_extname == "parquet":
            for path in _paths(part):
                check_sound(part.filesystem, path)
    raise failed


def _parts(source: Any) -> Iterator[Any]:
    """Yield the data sets of files, or fragments, that a data set of PyArrow is made of."""
    for child in getattr(source, "children", ()):
        yield from _parts(child)
    if hasattr(source, "filesystem") and hasattr(source, "format"):
        yield source


def _paths(part: Any) -> list[str]:
    """Return the files of a data set, or of a fragment: what has no path is in memory."""
    paths = part.files if hasattr(part, "files") else [getattr(part, "path", None)]
    return [path for path in paths if path]


def _beside(fragment: Any) -> bytes | None:
    """Return the manifest beside a file of a data set; ReportError where it is of another one."""
    for beside in sidecars(Path(fragment.path)):
        if fragment.filesystem.get_file_info(path := beside.as_posix()).is_file:
            with fragment.filesystem.open_input_file(path) as file:
                text = bytes(file.read())
            opened = partial(fragment.filesystem.open_input_file, fragment.path)
            check_is_of(text, fragment.path, partial(_digest, opened), opened)
            return text
    return None


def _digest(opened: Callable[[], Any]) -> str:
    with opened() as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def unquoted_table(argument: str = "source", remedy: str = "") -> Iterator[None]:
    """Turn what another package raises, which may show a value, into an error that does not.

    An error of Sudare's passes: it names what is wrong and shows no cell.
    """
    try:
        yield
    except SudareError:
        raise
    except Exception:  # noqa: BLE001
        rule = "must be a table that its package can read"
        raise StorageError(argument, rule, remedy) from None


def _quietly(step: Any) -> Any:
    """Return what a step of another package returns."""
    with unquoted_table():
        return step()
