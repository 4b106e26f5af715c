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
        StorageError: a broken one; no cell of it is shown.
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
        return read(name)
    except (OSError, pa.ArrowException):
        raise StorageError("file", "must be a table that can be read") from None
