"""Reports of one mechanism to files and back.

The column is named ``report``. A report that is an index is a number; packed bits are hexadecimal
text in CSV and JSON lines, and bytes in Parquet.
"""

from __future__ import annotations

import gzip
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.cli.blocks import read_blocks
from sudare.errors import DomainError, MissingExtraError, ReportError, WrongTypeError
from sudare.estimation import Counts
from sudare.mechanisms import FrequencyOracle

COLUMN = "report"
METADATA = b"sudare"
"""The key of the manifest in a Parquet file's own metadata."""

Reports = npt.NDArray[Any]
Write = Callable[[Reports], None]


def report_form(mechanism: FrequencyOracle) -> str:
    """Return how a report stands in a text file: ``"number"`` or ``"hexadecimal"``."""
    empty = np.asarray(mechanism.program.decode(b""))
    if empty.dtype == np.uint8 and empty.ndim == 2:
        return "hexadecimal"
    if empty.dtype.kind in "iu" and empty.ndim == 1:
        return "number"
    raise DomainError("--mechanism", "must have reports of one number or packed bits")


@contextmanager
def report_writer(
    path: Path, kind: str, mechanism: FrequencyOracle, manifest: str
) -> Iterator[Write]:
    """Open a file of reports; yield the function that appends an array of them.

    A Parquet file carries the manifest in its own metadata too.
    """
    if kind == ".parquet":
        with _parquet_writer(path, mechanism, manifest) as write:
            yield write
        return
    form = report_form(mechanism)
    start, end = "", "\n"
    if kind == ".jsonl":
        quote = '"' if form == "hexadecimal" else ""
        start, end = f'{{"{COLUMN}": {quote}', f"{quote}}}\n"
    with path.open("wb") as raw, compressed(raw, kind) as stream:

        def append(reports: Reports) -> None:
            lines = _texts(reports)
            stream.write((start + (end + start).join(lines) + end).encode())

        if kind != ".jsonl":
            stream.write(f"{COLUMN}\n".encode())
        yield append


@contextmanager
def compressed(raw: Any, kind: str) -> Iterator[Any]:
    """Yield the stream of a text file: as it is, or gzip without a time or a name in it."""
    if kind != ".csv.gz":
        yield raw
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0) as stream:
        yield stream


def _texts(reports: Reports) -> list[str]:
    if reports.ndim == 1:
        return [str(report) for report in reports.tolist()]
    return reports.tobytes().hex("\n", reports.shape[1]).split("\n")


@contextmanager
def _parquet_writer(path: Path, mechanism: FrequencyOracle, manifest: str) -> Iterator[Write]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "frames", "to write Parquet") from None
    empty = np.asarray(mechanism.program.decode(b""))
    packed = report_form(mechanism) == "hexadecimal"
    kind = pa.binary(empty.shape[1]) if packed else pa.from_numpy_dtype(empty.dtype)
    schema = pa.schema([(COLUMN, kind)], metadata={METADATA: manifest.encode()})
    with parquet.ParquetWriter(path, schema) as writer:

        def append(reports: Reports) -> None:
            if packed:
                buffer = pa.py_buffer(np.ascontiguousarray(reports))
                column = pa.FixedSizeBinaryArray.from_buffers(kind, len(reports), [None, buffer])
            else:
                column = pa.array(reports, type=kind)
            writer.write_batch(pa.record_batch([column], schema=schema))

        yield append


def tally_reports(path: str, column: str, mechanism: FrequencyOracle, *, quiet: bool) -> Counts:
    """Read the reports of a file, block by block, and tally them.

    Raises:
        ReportError: no report at all, or a cell that is none of this mechanism's; the row is
            named, the cell is not.
        DomainError: no such file or column, or a broken file.
    """
    packed = report_form(mechanism) == "hexadecimal"
    counts: Counts | None = None
    row = 0
    for part in read_blocks(path, column).shown(f"reading {Path(path).name}", quiet=quiet):
        try:
            tallied = _tally(part, mechanism, packed=packed)
        except (ReportError, WrongTypeError):
            wrong = row + _first_wrong(part, mechanism, packed=packed) + 1
            raise ReportError(
                column, f"must hold reports of {mechanism!r} alone", f"look at row {wrong}"
            ) from None
        row += len(part)
        counts = tallied if counts is None else counts + tallied
    if counts is None or counts.n == 0:
        raise ReportError(column, "must hold at least one report", "choose another file")
    return counts


def _tally(part: Any, mechanism: FrequencyOracle, *, packed: bool) -> Counts:
    if part.null_count:
        raise ReportError("report", "must not be empty")
    try:
        reports = _packed(part, mechanism.report_bytes) if packed else _numbers(part)
    except (ValueError, TypeError, NotImplementedError):
        raise ReportError("report", "must be a report") from None
    return mechanism.aggregate(reports)


def _numbers(part: Any) -> Reports:
    import pyarrow as pa

    whole = part.cast(pa.int64()) if pa.types.is_string(part.type) else part
    return np.asarray(whole.to_numpy(zero_copy_only=False))


def _packed(part: Any, size: int) -> Reports:
    cells = part.to_pylist()
    width = 2 * size if cells and isinstance(cells[0], str) else size
    if any(len(cell) != width for cell in cells):
        raise ValueError
    wire = bytes.fromhex("".join(cells)) if width > size else b"".join(cells)
    return np.frombuffer(wire, dtype=np.uint8).reshape(len(cells), size)


def _first_wrong(part: Any, mechanism: FrequencyOracle, *, packed: bool) -> int:
    """Return the place of the first cell with which the part cannot be tallied."""

    def fails(cells: int) -> bool:
        try:
            _tally(part.slice(0, cells), mechanism, packed=packed)
        except (ReportError, WrongTypeError):
            return True
        return False

    return bisect_left(range(1, len(part)), True, key=fails)
