"""Tables to files: records as CSV, JSON, JSON lines or Parquet, and the cells of many tables."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np

from sudare.errors import DomainError
from sudare.files.manifests import METADATA
from sudare.files.parquet import open_writer, write
from sudare.files.places import STANDARD, Where, arrow, writing
from sudare.mechanisms.joint.tables import Table

TABLES = (".csv", ".json", ".jsonl", ".parquet")


_FORMULA = re.compile(r"\s*[=+@＝＋－＠-]|[\t\r\n]")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", re.IGNORECASE)


def as_cell(value: object) -> object:
    """Return a value as a cell of a table for spreadsheets, which run text that begins a formula.

    Such text, if it is no number, gets an apostrophe before it; labels come from whoever wrote a
    survey or a file of people.

    Examples:
        >>> as_cell("=1+1"), as_cell("-5"), as_cell("tea"), as_cell(-0.5)
        ("'=1+1", '-5', 'tea', -0.5)
    """
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def write_csv(path: Where, records: Sequence[dict[str, Any]], *, data: bool = False) -> Path:
    """Write a table of records that all have the same fields; None is an empty cell.

    Args:
        path: of the file.
        records: the rows.
        data: whether programs read it back: text stays as it is. Else it is a table for people:
            see :func:`as_cell`.
    """
    with writing(path) as raw:
        stream = TextIOWrapper(raw, "utf-8", newline="", write_through=True)
        writer = csv.DictWriter(stream, fieldnames=list(records[0]) if records else [])
        writer.writeheader()
        shown = records if data else ({k: as_cell(v) for k, v in one.items()} for one in records)
        writer.writerows(shown)
        stream.detach()  # what is below it closes, or stays open
    return Path(path)


def write_table(
    path: Where,
    records: Sequence[dict[str, Any]],
    kind: str | None = None,
    *,
    data: bool = False,
    manifest: str | None = None,
) -> None:
    """Write a table of records that all have the same fields.

    Args:
        path: of the file; ``-`` for CSV to standard output.
        records: the rows.
        kind: one of :data:`TABLES`; None for the ending of the path.
        data: as of :func:`write_csv`.
        manifest: for the metadata of Parquet.

    Raises:
        DomainError: another ending.
        MissingExtraError: PyArrow is not installed, for Parquet.

    Examples:
        >>> path = Path("shares.json")
        >>> write_table(path, [{"category": "tea", "share": 0.4}])
        >>> json.loads(path.read_text())
        [{'category': 'tea', 'share': 0.4}]
    """
    kind = kind or (".csv" if path == STANDARD else Path(path).suffix)
    if kind not in TABLES:
        raise DomainError("path", f"must end in {', '.join(TABLES)}", got=str(path))
    if kind == ".parquet":
        table = arrow("to write Parquet").Table.from_pylist(list(records))
        if manifest is not None:
            table = table.replace_schema_metadata({METADATA: manifest})
        write(path, table)
    elif kind == ".csv":
        write_csv(path, records, data=data)
    else:
        lines = [json.dumps(record, ensure_ascii=False) for record in records]
        text = "\n".join(lines) if kind == ".jsonl" else "[\n" + ",\n".join(lines) + "\n]"
        Path(path).write_text(text + "\n", encoding="utf-8")


Categories = Sequence[Sequence[str]]
"""The names of each column's categories."""


@contextmanager
def write_cells(
    path: Where, order: int, categories: Categories | None
) -> Iterator[Callable[[int, Table], None]]:
    """Yield what appends a numbered table to the file, a row a cell.

    Args:
        path: of the file.
        order: columns a table: ``category_1`` to ``category_order`` hold a cell's categories.
        categories: their names; None for their indices.
    """
    pa = arrow("to write Parquet", "parquet")
    kind = pa.int32() if categories is None else pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema(
        [
            ("table", pa.int32()),
            ("cell", pa.int32()),
            *((f"category_{i + 1}", kind) for i in range(order)),
            ("reports", pa.int64()),
            *((name, pa.float64()) for name in ("share", "stderr", "low", "high")),
        ]
    )
    with open_writer(path, schema) as writer:

        def append(number: int, table: Table) -> None:
            shares = table.estimate.shares
            cells = np.arange(shares.size, dtype=np.int32)
            codes = [pa.array(code, pa.int32()) for code in np.unravel_index(cells, shares.shape)]
            if categories is not None:
                codes = [
                    pa.DictionaryArray.from_arrays(code, pa.array(categories[axis], pa.string()))
                    for axis, code in zip(table.axes, codes, strict=True)
                ]
            figures = (table.counts.support, shares, table.estimate.stderr)
            columns = [
                pa.array(np.full(shares.size, number, dtype=np.int32)),
                pa.array(cells),
                *codes,
                *(pa.array(one.ravel()) for one in (*figures, *table.estimate.interval(0.95))),
            ]
            writer.write_batch(pa.record_batch(columns, schema=schema))

        yield append
