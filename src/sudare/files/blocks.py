"""One column of a file, block by block: CSV, JSON lines, Parquet."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from sudare.errors import DomainError, SudareError, nearest
from sudare.files.places import Progress, Where, arrow, arrow_input, no_progress, opened, source
from sudare.files.plain_json import plain_cells
from sudare.threads import in_threads_ahead

BLOCK_ROWS = 1 << 18
BLOCK_BYTES = 1 << 20


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


def read_blocks(path: Where, name: str, *, encoded: bool = False) -> Blocks:
    """Open one column of a file, or of standard input (``-``).

    Cells are text (CSV), text (JSON lines: strings, numbers and booleans as they are written) or
    the file's own type (Parquet). Empty cells are null.

    Args:
        path: of the file.
        name: of the column.
        encoded: text may come as Arrow's dictionaries: for those who look at each kind once.

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
    found = source(path)
    arrow("to read files")  # every format comes as Arrow arrays
    size = math.ceil(found.path.stat().st_size / BLOCK_BYTES)
    read, total = {
        ".parquet": (_parquet, None),
        ".arrow": (_arrow, None),
        ".jsonl": (_json_lines, size),
        ".jsonl.gz": (_json_lines, None),
        ".csv": (_csv, size),
        ".csv.gz": (_csv, None),
    }[found.kind]
    return Blocks(_guarded(read, str(found.path), name, encoded), total)


def _guarded(
    read: Callable[[str, str, bool], Iterator[Any]], path: str, name: str, encoded: bool
) -> Iterator[Any]:
    """Turn every complaint of a reader, which may quote a cell, into one that does not."""
    try:
        yield from read(path, name, encoded)
    except SudareError:
        raise
    except (ValueError, OSError, LookupError, RuntimeError):
        raise DomainError("file", "cannot be read as a table", "check the file", got=path) from None


def check_names(columns: Sequence[str], known: Sequence[str]) -> None:
    """Refuse columns that a file does not have, or has twice.

    The names are listed only where one is like what was asked for: without a header they are a
    person's row, in CSV and in what was made of it.
    """
    for name in columns:
        if name not in known:
            rule = f"must be a name of the file's header, which has {len(known)}"
            raise DomainError("column", rule, _which(name, known), got=name)
        if list(known).count(name) > 1:
            raise DomainError("column", "must be the name of one column", "rename one", got=name)


_MOST_NAMES = 30


def _which(name: str, known: Sequence[str]) -> str:
    """Return which columns there are, as a remedy; none where they may be a person's row."""
    if not nearest(name, known):
        return "check its first line"
    more = f", and {len(known) - _MOST_NAMES} more" if len(known) > _MOST_NAMES else ""
    return nearest(name, known, f"the columns are {', '.join(known[:_MOST_NAMES])}{more}")


def csv_form(path: str) -> tuple[list[str], Any]:
    """Return the names in a CSV file's header, and how its lines are read.

    Of one column, each line is a row: an empty one is a respondent without an answer.
    """
    from pyarrow import csv

    between = "\t" if path.lower().removesuffix(".gz").endswith(".tsv") else ","
    with csv.open_csv(arrow_input(path), parse_options=csv.ParseOptions(delimiter=between)) as head:
        names = list(head.schema.names)
    return names, csv.ParseOptions(
        delimiter=between, newlines_in_values=True, ignore_empty_lines=len(names) > 1
    )


def _csv(path: str, name: str, encoded: bool) -> Iterator[Any]:
    import pyarrow as pa
    from pyarrow import csv

    known, form = csv_form(path)
    check_names([name], known)
    reader = csv.open_csv(
        arrow_input(path),
        read_options=csv.ReadOptions(block_size=BLOCK_BYTES),
        parse_options=form,
        convert_options=csv.ConvertOptions(
            include_columns=[name],
            column_types={name: pa.dictionary(pa.int32(), pa.string()) if encoded else pa.string()},
            null_values=[""],
            strings_can_be_null=True,
        ),
    )
    with reader:
        for batch in reader:
            yield batch.column(0)


def _json_lines(path: str, name: str, encoded: bool) -> Iterator[Any]:
    def read(lines: bytes) -> tuple[bytes, Any]:
        return lines, plain_cells(lines, name)

    row = 0
    for lines, cells in in_threads_ahead(read, whole_lines(path)):
        if cells is None:
            cells = json_cells(json_records(BytesIO(lines).readlines(), [name], row), name)
        yield cells
        row += len(cells)


def whole_lines(path: str) -> Iterator[bytes]:
    """Yield the file in pieces that end with a line."""
    with opened(path) as stream:
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
                fields = _which(name, list(record)) if isinstance(record, dict) else ""
                raise DomainError("column", f"must be a field of row {i}", fields, got=name)
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


def _arrow(path: str, name: str, encoded: bool) -> Iterator[Any]:
    import pyarrow as pa

    with pa.memory_map(path) as data:
        reader = pa.ipc.open_file(data)
        check_names([name], reader.schema.names)
        for number in range(reader.num_record_batches):
            yield reader.get_batch(number).column(name)


def _parquet(path: str, name: str, encoded: bool) -> Iterator[Any]:
    import pyarrow as pa
    from pyarrow import parquet

    schema = parquet.read_schema(path)
    check_names([name], schema.names)
    kinds = (
        [name] if encoded and schema.field(name).type in (pa.string(), pa.large_string()) else []
    )
    with parquet.ParquetFile(path, read_dictionary=kinds) as file:
        for batch in file.iter_batches(batch_size=BLOCK_ROWS, columns=[name]):
            yield batch.column(0)
