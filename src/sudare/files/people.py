"""A file of people as a table: no cell is rounded, and no two of them become one."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from sudare.errors import DomainError, StorageError, SudareError
from sudare.files.blocks import csv_form
from sudare.files.places import Where, arrow, arrow_input, opened, source
from sudare.files.stores import opened_store

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


def read_people(path: Where) -> Any:
    """Return a file, a folder of Parquet files, or standard input (``-``), as a data set reads it.

    A folder is its path, and a URI a data set of PyArrow: these are read again for each question.

    Args:
        path: for :class:`~sudare.release.Dataset`, which says what a column is for.

    Raises:
        DomainError: no such file, or another format.
        StorageError: a broken one, or text that is not UTF-8; no cell of it is shown.
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
        return Path(path)
    found = source(path)
    name = str(found.path)
    pa = arrow("to read files", "parquet")
    read = {
        ".jsonl": _json_lines,
        ".jsonl.gz": _json_lines,
        ".parquet": _parquet,
        ".arrow": _arrow,
    }.get(found.kind, _csv)
    try:
        return read(name)
    except SudareError:
        raise
    except (OSError, pa.ArrowException, ValueError, RecursionError):
        if not found.path.stat().st_size:
            raise StorageError("file", "must not be empty", "give a row a person") from None
        kind = found.kind.split(".")[1].upper()
        raise StorageError("file", f"must be a table in {kind}", "and UTF-8") from None


def _parquet(path: str) -> Any:
    """Read a table whose text comes by codes, as Parquet has it."""
    from pyarrow import parquet

    schema = parquet.read_schema(path)
    text = [field.name for field in schema if str(field.type) in ("string", "large_string")]
    return parquet.read_table(path, read_dictionary=text)


def _arrow(path: str) -> Any:
    from pyarrow import feather

    return feather.read_table(path)


def _csv(path: str) -> Cells:
    import pyarrow as pa
    from pyarrow import csv

    names, form = csv_form(path)
    if len(set(names)) < len(names):
        raise DomainError("frame", "must have columns of different names", "rename one")
    table = csv.read_csv(
        arrow_input(path),
        parse_options=form,
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), check_utf8=False
        ),
    )
    for name in names:
        try:
            table[name].validate(full=True)
        except pa.ArrowInvalid:
            raise StorageError(
                f"column {name}", "must be UTF-8", "convert the file first"
            ) from None
    return Cells({name: table[name] for name in names})


def _json_lines(path: str) -> dict[str, list[Any]]:
    """Read an object a line; numbers are exact, and what an object lacks is missing."""
    with opened(path) as raw, io.TextIOWrapper(raw, encoding="utf-8-sig") as stream:
        # Infinity too: one float among decimals makes floats of all
        read = partial(json.loads, parse_float=Decimal, parse_constant=Decimal, parse_int=_integer)
        rows = [read(line) for line in stream if line.strip()]
    if not all(isinstance(row, dict) for row in rows):
        raise ValueError("no objects")
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _integer(text: str) -> int | Decimal:
    """Return a whole number: one of 4,301 digits, which no int reads, must not refuse the file."""
    return int(text) if len(text) <= 400 else Decimal(text)
