"""Reading a file of people as a table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sudare.errors import DomainError, MissingExtraError, StorageError

ENDINGS = (".csv", ".csv.gz", ".jsonl", ".parquet")


def read_file(path: str | os.PathLike[str]) -> Any:
    """Return a file as an Arrow table.

    Raises:
        DomainError: no such file, or another format.
        StorageError: a broken one, or text that is not UTF-8; no cell of it is shown.
        MissingExtraError: PyArrow is not installed.
    """
    name = os.fspath(path)
    if not name.endswith(ENDINGS):
        raise DomainError("file", f"must end in {', '.join(ENDINGS)}", got=name)
    if not Path(name).is_file():
        raise DomainError("file", "does not exist", "check the path", got=name)
    try:
        import pyarrow as pa
        from pyarrow import csv, json
        from pyarrow import parquet as pq
    except ImportError:
        raise MissingExtraError("pyarrow", "frames", "to read files") from None
    read = csv.read_csv
    if name.endswith(".jsonl"):
        read = json.read_json
    elif name.endswith(".parquet"):
        read = pq.read_table
    try:
        table = read(name)
    except (OSError, pa.ArrowException):
        if not Path(name).stat().st_size:
            raise StorageError("file", "must not be empty", "give a row a person") from None
        kind = name.rpartition(".")[2] if not name.endswith(".gz") else "CSV"
        raise StorageError("file", f"must be a table in {kind.upper()}", "and UTF-8") from None
    for column in table.schema if read is csv.read_csv else ():
        if pa.types.is_binary(column.type):  # what Arrow makes of text that it cannot decode
            raise StorageError(f"column {column.name}", "must be UTF-8", "convert the file first")
    return table
