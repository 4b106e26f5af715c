"""Small tables to files: CSV, JSON, JSON lines, Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sudare.errors import DomainError, MissingExtraError

TABLES = (".csv", ".json", ".jsonl", ".parquet")


def as_folder(text: str) -> Path:
    """Return the path of a folder, there or not yet; DomainError for the name of a file."""
    path = Path(text)
    if path.is_file() or (path.suffix in (*TABLES, ".gz") and not path.is_dir()):
        raise DomainError("--out", "must be a folder", "the files in it have fixed names", got=text)
    return path


def write_csv(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    """Write a table of records that all have the same fields; None is an empty cell."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(records[0]))
        writer.writeheader()
        writer.writerows(records)
    return path


def write_table(path: Path, kind: str, records: Sequence[dict[str, Any]]) -> None:
    """Write a table in the format of one of :data:`TABLES`."""
    if kind == ".parquet":
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError:
            raise MissingExtraError("pyarrow", "frames", "to write Parquet") from None
        parquet.write_table(pa.Table.from_pylist(list(records)), path)
    elif kind == ".csv":
        write_csv(path, records)
    else:
        lines = [json.dumps(record, ensure_ascii=False) for record in records]
        text = "\n".join(lines) if kind == ".jsonl" else "[\n" + ",\n".join(lines) + "\n]"
        path.write_text(text + "\n", encoding="utf-8")
