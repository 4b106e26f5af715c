"""Reports to files and back: one report a row, or one a column of several that were randomised.

A single column is named ``report``. A report that is an index is a number; packed bits are
hexadecimal text in CSV and JSON lines, and bytes in Parquet. The manifest beside a file (and in the
metadata of a Parquet file) says which mechanism made it and what its categories are called.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from sudare.collection.canonical import fingerprint
from sudare.errors import DomainError, ReportError, WrongTypeError
from sudare.estimation import Counts
from sudare.files.lines import Field, columns, frame_of, lines
from sudare.files.manifests import (
    FINGERPRINT,
    METADATA,
    ReportsManifest,
    common,
    described_by,
    has_manifest,
    manifested,
    read_column_manifest,
    read_manifests,
    replacing_manifested,
    write_beside,
)
from sudare.files.parquet import open_writer
from sudare.files.places import (
    STANDARD,
    Progress,
    Where,
    arrow,
    ending,
    no_progress,
    writing,
)
from sudare.files.stores import is_named, opened_stores
from sudare.files.streams import stated_in_files
from sudare.files.wire import is_as_sent
from sudare.manifest import as_text, manifest
from sudare.mechanisms import FrequencyOracle, JointRR, Mechanism
from sudare.mechanisms.joint.rows import as_reports
from sudare.mechanisms.picked import OneOfParts
from sudare.mechanisms.reports import as_indices
from sudare.mechanisms.values import as_array
from sudare.samplers.base import index_dtype

COLUMN = "report"

Values: TypeAlias = npt.NDArray[Any]
Write: TypeAlias = Callable[[Values], None]


@dataclass(frozen=True, slots=True)
class Reports:
    """What files of reports hold.

    Attributes:
        mechanism: as the manifests say, of any family.
        categories: what those of one answer are called; none where the mechanism has none.
        counts: the tally of all reports.
    """

    mechanism: Mechanism
    categories: tuple[str, ...]
    counts: Counts


@dataclass(frozen=True, slots=True)
class Written:
    """A file of reports that was written.

    Attributes:
        parameters: of its manifest.
        files: it, and its manifest unless that is within; empty for standard output.
    """

    parameters: dict[str, Any]
    files: tuple[str, ...]


def write_reports(
    path: Where,
    mechanism: Mechanism,
    parts: Iterable[Values],
    *,
    categories: Sequence[Any] | None = None,
    columns: Sequence[str] = (),
    about: Mapping[str, Any] | None = None,
    entropy: str = "operating system",
) -> Written:
    """Write reports and their manifest: both, or neither.

    A Parquet file has it in its metadata, so that a folder holds nothing but tables; beside each
    other file it stands in one of its own.

    Args:
        path: ``.csv``, ``.csv.gz``, ``.jsonl`` or ``.parquet``; ``-`` for CSV to standard output,
            without a manifest.
        mechanism: that made them, of reports of one number or of bytes; or a
            :class:`~sudare.JointRR`.
        parts: arrays of reports, as ``perturb`` returns them.
        categories: what its categories are called; of several columns a list for each.
        columns: names of the columns of a :class:`~sudare.JointRR`.
        about: what else the manifest says, before all that.
        entropy: its label of the randomness.

    Raises:
        DomainError: another format, a folder, or a mechanism without a form in such files.
        WrongTypeError, ReportError: no mechanism, or parts that are no reports of it.
        MissingExtraError: PyArrow is not installed, for Parquet.

    Examples:
        >>> import sudare as sd
        >>> m = sd.GRR(k=2, epsilon=1.0)
        >>> parts = [m.perturb([0, 1] * 50)]
        >>> done = write_reports("reports.csv", m, parts, categories=["tea", "coffee"])
        >>> back = read_reports(["reports.csv"])
        >>> back.categories, back.counts.n, done.parameters["n"]
        (('tea', 'coffee'), 100, 100)
    """
    kind = ending(path, "path")
    fields = _fields(mechanism, columns)
    parameters = {**(about or {}), **_parameters(mechanism, fields, categories)}
    n = 0

    def append_all(target: Where) -> None:
        nonlocal n
        description = as_text(manifest("perturb", parameters, entropy))
        with _writer(target, kind, fields, description) as write:
            for part in parts:
                own = _checked(part, mechanism, fields)
                write(own)
                n += len(own)

    if path == STANDARD:
        append_all(path)
        return Written({**parameters, "n": n}, ())
    out = Path(path)
    with replacing_manifested(out) as files:
        append_all(files[0])
        parameters["n"] = n
        write_beside(files, "perturb", parameters, entropy)
    return Written(parameters, tuple(map(str, manifested(out))))


def _fields(mechanism: Mechanism, columns: Sequence[str]) -> list[Field]:
    """Return the columns of a file of reports.

    Raises:
        WrongTypeError, DomainError: as :func:`write_reports`.
    """
    if not isinstance(mechanism, Mechanism):
        raise WrongTypeError("mechanism", "must be a mechanism", "such as sudare.GRR(3, 1.0)")
    if mechanism.studies_only:
        rule = "must give a local privacy guarantee"
        raise DomainError("mechanism", rule, "take another one", got=mechanism.name)
    if isinstance(mechanism, JointRR):
        kinds = [np.dtype(index_dtype(k)) for k in mechanism.sizes]
        if len(columns) != len(kinds):
            rule = f"must name {len(kinds)} columns, one for each attribute"
            raise DomainError("columns", rule, 'such as columns=["age", "sex"]')
        return [Field(name, kind) for name, kind in zip(columns, kinds, strict=True)]
    empty, width = mechanism.program.decode(b""), mechanism.report_bytes
    if isinstance(empty, np.ndarray) and empty.dtype.kind in "iu" and empty.ndim == 1:
        return [Field(COLUMN, empty.dtype)]
    is_wire = isinstance(mechanism, OneOfParts) or is_as_sent(empty)
    if is_wire or (getattr(empty, "dtype", None) == np.uint8 and empty.shape[1:] == (width,)):
        return [Field(COLUMN, np.dtype(np.uint8), width)]
    rule = "must have reports of one number or of bytes, or be sudare.JointRR"
    remedy = "write a table with a column for each number, which engines.counts_from reads"
    raise DomainError("mechanism", rule, remedy, got=mechanism.name)


def _checked(part: Any, mechanism: Mechanism, fields: list[Field]) -> Values:
    """Return reports as an array that the fields can hold.

    Raises:
        ReportError: they are not of the mechanism.
    """
    array, packed = as_array(part), fields[0].packed
    wide = (packed or len(fields),) if packed or isinstance(mechanism, JointRR) else ()
    refusal = ReportError("parts", "must be arrays of this mechanism's reports", "see perturb")
    if array is None or array.dtype.kind not in "iu" or array.shape[1:] != wide or not array.ndim:
        raise refusal
    if isinstance(mechanism, JointRR):
        return as_reports(array, mechanism.sizes)
    if not packed:
        return as_indices(array, mechanism.program.outputs)
    rows = np.ascontiguousarray(array, dtype=np.uint8)
    decoded = mechanism.program.decode(rows.tobytes())
    if not np.array_equal(rows, array):
        raise refusal
    if isinstance(decoded, np.ndarray) and not np.array_equal(decoded, array):
        raise refusal  # its rows are not what is sent
    return rows


def _parameters(
    mechanism: Mechanism, fields: list[Field], categories: Sequence[Any] | None
) -> dict[str, Any]:
    about: dict[str, Any] = {
        "mechanism": mechanism.to_json(),
        "epsilon": mechanism.epsilon,
        "covers": mechanism.covers,
    }
    if isinstance(mechanism, JointRR):
        named = categories or [list(map(str, range(k))) for k in mechanism.sizes]
        return {
            "columns": [field.name for field in fields],
            **about,
            "attribute_epsilons": list(mechanism.attribute_epsilons),
            "categories": [list(one) for one in named],
        }
    categories = categories or _undescribed(mechanism).categories
    return {
        **about,
        **({"categories": list(categories)} if categories else {}),
        "report": "hexadecimal" if fields[0].packed else "number",
        "report_bytes": mechanism.report_bytes,
    }


@contextmanager
def _writer(path: Where, kind: str, fields: list[Field], description: str) -> Iterator[Write]:
    """Yield what appends reports; a Parquet file carries the manifest in its metadata too."""
    if kind == ".parquet":
        with _parquet(path, fields, description) as write:
            yield write
        return
    with writing(path) as raw, _compressed(raw, kind) as stream:
        if kind != ".jsonl":
            head = io.StringIO(newline="")
            csv.writer(head, lineterminator="\n").writerow([field.name for field in fields])
            stream.write(head.getvalue().encode())
        frame = frame_of(kind, fields)
        yield lambda part: stream.write(lines(part, fields, frame))


@contextmanager
def _compressed(raw: Any, kind: str) -> Iterator[Any]:
    """Yield the stream of a text file: as it is, or gzip without a time or a name in it."""
    if kind != ".csv.gz":
        yield raw
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0) as stream:
        yield stream


@contextmanager
def _parquet(path: Where, fields: list[Field], description: str) -> Iterator[Write]:
    pa = arrow("to write Parquet", "parquet")
    kinds = [pa.binary(f.packed) if f.packed else pa.from_numpy_dtype(f.dtype) for f in fields]
    named = [(field.name, kind) for field, kind in zip(fields, kinds, strict=True)]
    stated = fingerprint(json.loads(description)["parameters"]["mechanism"])
    metadata = {METADATA: description.encode(), FINGERPRINT: stated.encode()}
    schema = pa.schema(named, metadata=metadata)

    def cells(column: Values, field: Field, kind: Any) -> Any:
        if not field.packed:
            return pa.array(column.astype(field.dtype, copy=False), type=kind)
        buffer = pa.py_buffer(np.ascontiguousarray(column))
        return pa.FixedSizeBinaryArray.from_buffers(kind, len(column), [None, buffer])

    with open_writer(path, schema) as writer:
        yield lambda part: writer.write_batch(
            pa.record_batch(list(map(cells, columns(part, fields), fields, kinds)), schema=schema)
        )


def read_reports(
    paths: Sequence[Where],
    mechanism: Mechanism | None = None,
    *,
    column: str = COLUMN,
    encoding: str | None = None,
    progress: Progress = no_progress,
) -> Reports:
    """Read files of reports of one mechanism and tally them, over threads.

    Args:
        paths: files or folders of them, each once, or URIs of such; ``-`` for standard input.
        mechanism: that made them; None for what the manifests say.
        column: where the reports are.
        encoding: of CSV files; None for UTF-8, or UTF-16 with a mark.
        progress: shows how far it is.

    Raises:
        ReportError: no manifest and no mechanism, or two; no report at all; or a cell that is none
            of this mechanism's: the row is named, the cell is not.
        DomainError: no such file or column, a broken file, or one that is named twice.

    Examples:
        >>> from pathlib import Path
        >>> import sudare as sd
        >>> path = Path("reports.csv")
        >>> _ = path.write_text("report\\n" + "0\\n1\\n1\\n" * 100)
        >>> read_reports([path], sd.GRR(2, 1.0)).counts.support.tolist()
        [100, 200]
    """
    from sudare.engines import Job, counts_from, plan, tally
    from sudare.engines.planning import files_of

    if not paths:
        raise DomainError("paths", "must name a file at least", "such as reports.csv")
    source = opened_stores(list(paths))
    if not is_named(source):
        what = _described_in(source, mechanism)
        total = counts_from(source, what.mechanism, column=column, progress=progress)
        return Reports(what.mechanism, what.categories, cast(Counts, total[0]))
    files = files_of(source)
    what = described(files, mechanism)
    total = tally(plan(files, Job.of(what.mechanism, column), encoding=encoding), progress=progress)
    return Reports(what.mechanism, what.categories, cast(Counts, total[0]))  # of k cells: dense


def described(paths: Sequence[Where], mechanism: Mechanism | None) -> ReportsManifest:
    """Return mechanism and categories of files: as their manifests say, or as given.

    Raises:
        ReportError: no manifest and no mechanism, or two that differ.
    """
    if mechanism is None:
        return read_manifests(paths)
    if not any(has_manifest(path) for path in paths):
        return _undescribed(mechanism)
    return _of(mechanism, read_manifests(paths))


def _described_in(source: Any, mechanism: Mechanism | None) -> ReportsManifest:
    """Return the same of the files of a data set of PyArrow."""
    stated = [(one.text, name) for one, name in stated_in_files(source)]
    if mechanism is not None and not any(text for text, _ in stated):
        return _undescribed(mechanism)
    names = [name for _, name in stated]
    return _of(mechanism, common(names, [described_by(*one) for one in stated]))


def _undescribed(mechanism: Mechanism) -> ReportsManifest:
    if not isinstance(mechanism, FrequencyOracle):
        return ReportsManifest(mechanism, ())
    named = mechanism.labels or tuple(str(value) for value in range(mechanism.k))
    return ReportsManifest(mechanism, named)


def _of(mechanism: Mechanism | None, what: ReportsManifest) -> ReportsManifest:
    if mechanism is not None and what.mechanism != mechanism:
        raise ReportError(
            "mechanism",
            f"must be the manifest's, {what.mechanism!r}",
            "leave mechanism= out",
            got=repr(mechanism),
        )
    return what


@dataclass(frozen=True, slots=True, eq=False)
class ReportRows:
    """Reports of several columns, side by side.

    Attributes:
        mechanism: of all columns.
        columns: their names.
        categories: of each; None where no manifest says.
        rows: (n, columns).
    """

    mechanism: JointRR
    columns: tuple[str, ...]
    categories: tuple[tuple[str, ...], ...] | None
    rows: npt.NDArray[np.unsignedinteger[Any]]


def read_report_rows(
    path: Where,
    mechanism: JointRR | None = None,
    columns: Sequence[str] = (),
    *,
    progress: Progress = no_progress,
) -> ReportRows:
    """Read a file of several columns, each randomised on its own.

    Args:
        path: of the file, or ``-``.
        mechanism, columns: that made them, and their names; None for what the manifest says.
        progress: shows how far it is.

    Raises:
        ReportError: no manifest, or another one's; a cell outside its alphabet: the row is named.
        DomainError: no such file or column.
    """
    from sudare.engines import Job, plan
    from sudare.engines.rows import read_rows

    categories = None
    if mechanism is None:
        mechanism, columns, categories = read_column_manifest(path)
    todo = plan(path, Job.of(mechanism, list(columns)))
    return ReportRows(mechanism, tuple(columns), categories, read_rows(todo, progress=progress))
