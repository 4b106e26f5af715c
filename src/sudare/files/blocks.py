"""One column of a file, block by block: CSV, JSON lines, Parquet."""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from sudare.encodings import Utf8Stream
from sudare.errors import DomainError, SudareError, as_column, may_be_data, nearest
from sudare.files.buffers import is_text, plain
from sudare.files.folders import files_in
from sudare.files.parquet import open_file, read_batch, read_batches
from sudare.files.places import Progress, Source, Where, arrow, no_progress, source
from sudare.files.plain_json import plain_cells
from sudare.files.text_tables import BLOCK_BYTES, TextTable
from sudare.threads import in_threads_ahead

BLOCK_ROWS = 1 << 18
JSON_LINES = (".jsonl", ".jsonl.gz")
TEXT = (".csv", ".csv.gz")


@dataclass(frozen=True, slots=True)
class Blocks:
    """Arrow arrays of one column in the order of the rows, and how many where that is known."""

    parts: Iterator[Any]
    total: int | None

    def __iter__(self) -> Iterator[Any]:
        return self.parts

    def shown(self, what: str, progress: Progress = no_progress) -> Iterable[Any]:
        """Return the parts, shown by what shows how far a work is."""
        return progress(self.parts, self.total, what)


def read_blocks(
    path: Where,
    name: str,
    *,
    encoded: bool = False,
    encoding: str | None = None,
    part: bool = False,
) -> Blocks:
    """Open one column of a file, of the files of a folder, or of standard input (``-``).

    Cells are text (CSV), text (JSON lines: strings, numbers and booleans as they are written) or
    the file's own type (Parquet). Empty cells are null.

    Args:
        path: of the file.
        name: of the column.
        encoded: text may come as Arrow's dictionaries: for those who look at each kind once.
        encoding: of text; None for UTF-8, or UTF-16 with a mark.
        part: of a folder, whose files may be without rows.

    Raises:
        DomainError: no such file or column, another format; while reading: a broken file.
        MissingExtraError: PyArrow is not installed.

    Examples:
        >>> from pathlib import Path
        >>> path = Path("people.csv")
        >>> _ = path.write_text("name,region\\nann,north\\nbob,\\n")
        >>> [cell for part in read_blocks(path, "region") for cell in part.to_pylist()]
        ['north', None]
    """
    arrow("to read files")  # every format comes as Arrow arrays
    if os.path.isdir(path):
        how: Any = {"encoded": encoded, "encoding": encoding, "part": True}
        each = [read_blocks(one, name, **how) for one in files_in(Path(path))]
        return Blocks(chain.from_iterable(each), None)
    found = source(path)
    size = math.ceil(found.path.stat().st_size / BLOCK_BYTES)
    path = found.path
    with unquoted(found):
        if found.kind == ".parquet":
            return Blocks(_guarded(found, lambda: _parquet(str(path), name, encoded)), None)
        if found.kind == ".arrow":
            return Blocks(_guarded(found, lambda: _arrow(str(path), name)), None)
        total = None if found.kind.endswith(".gz") else size
        if found.kind in JSON_LINES:
            return Blocks(_guarded(found, lambda: _json_lines(path, name, encoding)), total)
        table = TextTable.of(path, encoding)
        check_names([name], table.columns)
        if not part:
            table.check_rows()
        return Blocks(_guarded(found, lambda: _text(table, name, encoded)), total)


def names_of(path: Where, encoding: str | None = None) -> list[str]:
    """Return the names of a table's columns; of JSON lines those that its first row has.

    Raises:
        DomainError: as :func:`read_blocks`.
    """
    arrow("to read files", "parquet")
    if os.path.isdir(path):
        return names_of(files_in(Path(path))[0], encoding)
    found = source(path)
    with unquoted(found):
        if found.kind == ".parquet":
            from pyarrow import parquet

            return list(parquet.read_schema(found.path).names)
        if found.kind == ".arrow":
            from pyarrow import ipc

            with ipc.open_file(str(found.path)) as file:
                return list(file.schema.names)
        if found.kind in JSON_LINES:
            with Utf8Stream(found.path, encoding) as stream:
                first = next((line for line in io.BufferedReader(stream) if line.strip()), b"{}")
            return list(json.loads(first))
        return list(TextTable.of(found.path, encoding).columns)


def place_of(path: Where, row: int, encoding: str | None = None) -> str:
    """Return in words where a row is, counted from 0: in which line of a table that is text."""
    if os.path.isdir(path):
        return f"row {row + 1} of all files"
    found = source(path)
    if found.kind not in TEXT:
        return f"row {row + 1}"
    with unquoted(found):
        return f"line {TextTable.of(found.path, encoding).line_of(row)}"


def note_of(path: Where, encoding: str | None = None) -> str | None:
    """Return what was found from a table's head and somebody may want to know; None for nothing.

    Raises:
        DomainError: as :func:`read_blocks`.

    Examples:
        >>> from pathlib import Path
        >>> path = Path("people.csv")
        >>> _ = path.write_text("name;region\\nann;north\\n")
        >>> note_of(path)
        'people.csv: its columns are separated by semicolons'
    """
    found = source(path)
    if found.kind not in TEXT:
        return None
    with unquoted(found):
        table = TextTable.of(found.path, encoding)
        table.check_rows()
        note = table.note
    return note and f"{found.name}: {note}"


def _guarded(found: Source, read: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    with unquoted(found):
        yield from read()


@contextmanager
def unquoted(found: Source) -> Iterator[None]:
    """Turn every complaint of a reader, which may quote a cell, into one that does not.

    A complaint of Sudare's names the file.
    """
    try:
        yield
    except SudareError as error:
        raise error.within(found.name) from None
    except EOFError:
        raise DomainError("file", "must not end early", "get it again", got=found.name) from None
    except (ValueError, OSError, LookupError, RuntimeError):
        rule, remedy = "cannot be read as a table", "check the file"
        raise DomainError("file", rule, remedy, got=found.name) from None


def check_names(
    columns: Sequence[str],
    known: Sequence[str],
    file: str = "the file",
    *,
    is_schema: bool = False,
) -> None:
    """Refuse columns that a file does not have, or has twice."""
    for name in columns:
        as_column(name, known, file, is_schema=is_schema)
        if list(known).count(name) > 1:
            raise DomainError("column", "must be the name of one column", "rename one", got=name)


def _text(table: TextTable, name: str, encoded: bool) -> Iterator[Any]:
    import pyarrow as pa

    kind = pa.dictionary(pa.int32(), pa.string()) if encoded else pa.string()
    for batch in table.blocks([name], kind):
        yield batch.column(0)


def _json_lines(path: Path, name: str, encoding: str | None) -> Iterator[Any]:
    def read(lines: bytes) -> tuple[bytes, Any]:
        return lines, plain_cells(lines, name)

    row = 0
    for lines, cells in in_threads_ahead(read, whole_lines(path, encoding)):
        if cells is None:
            cells = json_cells(json_records(io.BytesIO(lines).readlines(), [name], row), name)
        yield cells
        row += len(cells)


def whole_lines(path: Path, encoding: str | None = None) -> Iterator[bytes]:
    """Yield the file in pieces that end with a line."""
    with io.BufferedReader(Utf8Stream(path, encoding), BLOCK_BYTES) as stream:
        while piece := stream.read(BLOCK_BYTES):
            yield piece + stream.readline()


def json_records(lines: list[bytes], names: Sequence[str], before: int) -> list[dict[str, Any]]:
    """Return the rows of JSON lines, each with these fields; ``before`` rows were read before.

    Raises:
        ValueError: a line that is not one row.
        DomainError: a row without the field.
    """
    filled = [line for line in lines if not line.isspace()]
    records: list[dict[str, Any]] = json.loads(b"[" + b",".join(filled) + b"]")
    if len(records) != len(filled):
        raise ValueError("a line that is not one row")
    for i, record in enumerate(records, before + 1):
        for name in names:
            if not isinstance(record, dict) or name not in record:
                fields = list(record) if isinstance(record, dict) else []
                remedy = "" if may_be_data(fields) else nearest(name, fields)
                raise DomainError("column", f"must be a field of row {i}", remedy, got=name)
    return records


def json_cells(records: list[dict[str, Any]], name: str) -> Any:
    """Return a field of rows as text: an Arrow array."""
    import pyarrow as pa

    return pa.array((_json_text(record[name]) for record in records), type=pa.string())


def _json_text(cell: object) -> str | None:
    if isinstance(cell, str):
        return cell
    if cell is None or cell != cell:
        return None
    if type(cell) is int:
        return str(cell)
    if isinstance(cell, dict | list):
        raise DomainError("column", "must hold text or numbers", "choose another column")
    return json.dumps(cell)


def _arrow(path: str, name: str) -> Iterator[Any]:
    import pyarrow as pa

    with pa.memory_map(path) as data:
        reader = pa.ipc.open_file(data)
        check_names([name], reader.schema.names, is_schema=True)
        for number in range(reader.num_record_batches):
            yield plain(read_batch(reader, number, Path(path).name).column(name))


def _parquet(path: str, name: str, encoded: bool) -> Iterator[Any]:
    from pyarrow import parquet

    schema = parquet.read_schema(path)
    check_names([name], schema.names, is_schema=True)
    kinds = [name] if encoded and is_text(schema.field(name).type) else []
    with open_file(path, read_dictionary=kinds) as file:
        for batch in read_batches(file, Path(path).name, [name], BLOCK_ROWS):
            yield plain(batch.column(0))
