"""A file of people as a table: no cell is rounded, and no two of them become one."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import Any

from sudare.encodings import Utf8Stream
from sudare.errors import DomainError
from sudare.files.blocks import JSON_LINES, unquoted
from sudare.files.buffers import is_binary, is_text, plain
from sudare.files.folders import files_in
from sudare.files.parquet import naming_groups, open_file
from sudare.files.places import Where, arrow, kind_of, source
from sudare.files.stores import opened_store
from sudare.files.text_tables import TextTable

BLANK = frozenset(
    ("", "na", "n/a", "#n/a", "#na", "#n/a n/a", "nan", "-nan", "null", "none", "nat", "<na>")
)
"""How a cell says that it has no value, in small letters."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A CSV file: all cells are text; what a column holds is said by the data set.

    ``docs/decisions/cells.md`` says why.

    Attributes:
        columns: Arrow arrays of text by name.
    """

    columns: Mapping[str, Any]


def read_people(path: Where, encoding: str | None = None) -> Any:
    """Return a file, a folder of files, or standard input (``-``), as a data set reads it.

    A folder of Parquet files is its path, and a URI a data set of PyArrow: these are read again for
    each question. A folder of CSV files is one table, in the order of their names.

    Args:
        path: for :class:`~sudare.release.Dataset`, which says what a column is for.
        encoding: of text; None for UTF-8, or UTF-16 with a mark.

    Raises:
        DomainError: no such file, another format, a broken one, or text in another encoding; no
            cell of it is shown.
        MissingExtraError: PyArrow is not installed.

    Examples:
        >>> from pathlib import Path
        >>> path = Path("people.csv")
        >>> _ = path.write_text("who,score\\n007,70\\n7,80\\n")
        >>> read_people(path).columns["who"].to_pylist()
        ['007', '7']
    """
    path = opened_store(path)
    if not isinstance(path, str | os.PathLike):
        return path
    if os.path.isdir(path):
        return _folder(Path(path), encoding)
    found = source(path)
    arrow("to read files", "parquet")
    with unquoted(found):
        if not found.path.stat().st_size:
            raise DomainError("file", "must not be empty", "give it a head and rows")
        if found.kind == ".parquet":
            return _parquet(str(found.path))
        if found.kind == ".arrow":
            from pyarrow import feather

            return filled(feather.read_table(found.path))
        return (_json_lines if found.kind in JSON_LINES else _text)(found.path, encoding)


def _folder(path: Path, encoding: str | None) -> Path | Cells:
    """Return the path of Parquet files, or the cells of CSV files."""
    import pyarrow as pa

    names = files_in(path)
    kinds = {kind_of(name) for name in names}
    if not kinds <= {".csv", ".csv.gz"}:
        return path  # of Parquet files alone, or refused where they are read
    tables = [read_people(name, encoding).columns for name in names]
    for name, table in zip(names, tables, strict=True):
        if set(table) != set(tables[0]):
            rule = f"must have the same columns in all files, and {name.name} has others"
            raise DomainError("folder", rule, f"than {names[0].name}: write one head into all")

    def joined(name: str) -> Any:
        chunks = [chunk for table in tables for chunk in table[name].chunks]
        return pa.chunked_array(chunks, type=pa.string())

    return Cells({name: joined(name) for name in tables[0]})


def _parquet(path: str) -> Any:
    """Read a table whose text comes by codes, as Parquet has it."""
    from pyarrow import parquet

    schema = parquet.read_schema(path)
    text = [field.name for field in schema if is_text(field.type)]
    with (
        open_file(path, read_dictionary=text) as file,
        naming_groups(file, Path(path).name, schema.names),
    ):
        return filled(file.read())


def filled(rows: Any) -> Any:
    """Return a table or a record batch of a file: empty cells of text are missing, as in CSV."""
    import pyarrow as pa

    columns = [_filled_column(plain(one)) for one in rows.columns]
    fields = [own.with_type(one.type) for own, one in zip(rows.schema, columns, strict=True)]
    schema = pa.schema(fields, metadata=rows.schema.metadata)
    return type(rows).from_arrays(columns, schema=schema)


def _filled_column(cells: Any) -> Any:
    import pyarrow as pa
    from pyarrow import compute as pc

    if isinstance(cells, pa.ChunkedArray):
        return pa.chunked_array([_filled_column(one) for one in cells.chunks], type=cells.type)
    is_coded = pa.types.is_dictionary(cells.type)
    texts = cells.dictionary if is_coded else cells
    if not (is_text(texts.type) or is_binary(texts.type)):
        return cells
    full = pc.binary_length(texts).cast(pa.bool_())  # a scalar to compare with loads pandas
    if not full.false_count:
        return cells
    if not is_coded:
        return pc.if_else(full, cells, pa.nulls(len(cells), cells.type))
    codes = cells.indices
    codes = pc.if_else(full.take(codes), codes, pa.nulls(len(codes), codes.type))
    is_ordered = cells.type.ordered
    return pa.DictionaryArray.from_arrays(codes, cells.dictionary, ordered=is_ordered)


def _text(path: Path, encoding: str | None) -> Cells:
    import pyarrow as pa

    table = TextTable.of(path, encoding)
    table.check_rows()
    schema = pa.schema([(name, pa.string()) for name in table.columns])
    whole = pa.Table.from_batches(table.blocks(table.columns), schema)
    return Cells(dict(zip(table.columns, whole.columns, strict=True)))


def _json_lines(path: Path, encoding: str | None) -> dict[str, list[Any]]:
    """Read an object a line; numbers are exact, and what an object lacks is missing."""
    # Infinity too: one float among decimals makes floats of all
    read = partial(json.loads, parse_float=Decimal, parse_constant=Decimal, parse_int=_integer)
    with BufferedReader(Utf8Stream(path, encoding)) as stream:
        rows = [read(line) for line in stream if line.strip()]
    if not all(isinstance(row, dict) for row in rows):
        raise ValueError("no objects")
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [_filled_cell(row.get(name)) for row in rows] for name in names}


def _integer(text: str) -> int | Decimal:
    """Return a whole number: one of 4,301 digits, which no int reads, must not refuse the file."""
    return int(text) if len(text) <= 400 else Decimal(text)


def _filled_cell(cell: object) -> object:
    return None if cell == "" else cell
