"""Whole submissions as Parquet: a column for each question, the collection in the metadata."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from sudare.collection import Collection
from sudare.errors import DomainError, ReportError
from sudare.files.logs import check_above
from sudare.files.manifests import SUBMISSIONS
from sudare.files.parquet import naming_groups, open_file, write
from sudare.files.places import Where, arrow, kind_of
from sudare.files.replacing import make_private
from sudare.files.wire import wire_of


def write_submissions(path: Where, collection: Collection, submissions: bytes) -> int:
    """Write submissions as Parquet: a column of bytes for each question, a row for each person.

    A new file is its owner's alone to read.

    Args:
        path: of the file.
        collection: what was asked; it is kept in the file's metadata.
        submissions: as :func:`~sudare.collector.own_reports` returns them.

    Returns:
        How many there are.

    Raises:
        ReportError: they are not of this collection.
        MissingExtraError: PyArrow is not installed.
    """
    pa = arrow("to write Parquet", "parquet")
    pieces = collection.program.split(submissions)
    widths = [part.report_bytes for part in collection.program.parts]
    n = len(pieces[0]) // widths[0]
    columns = [
        pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), n, [None, pa.py_buffer(piece)])
        for width, piece in zip(widths, pieces, strict=True)
    ]
    described = json.dumps(collection.compiled(), ensure_ascii=False).encode()
    schema = pa.schema(
        [(q.id, one.type) for q, one in zip(collection.questions, columns, strict=True)],
        metadata={SUBMISSIONS: described},
    )
    make_private(path)
    write(path, pa.Table.from_arrays(columns, schema=schema))
    return n


def are_submissions(path: Where) -> bool:
    """Tell whether that is a file of submissions: a Parquet file whose metadata has a collection.

    Raises:
        MissingExtraError: PyArrow is not installed, and it is a Parquet file.
    """
    if not (kind_of(path) == ".parquet" and Path(path).is_file()):
        return False
    pa = arrow("to read Parquet", "parquet")
    try:
        return SUBMISSIONS in (pa.parquet.read_schema(Path(path)).metadata or {})
    except (OSError, pa.ArrowException):
        return False  # what it is instead is said by who reads it


def read_submissions(path: Where) -> tuple[Collection, bytes]:
    """Return the collection of a file of submissions, and these.

    Raises:
        ReportError: it is no such file.
        CollectionError: its collection does not compile to itself.
        MissingExtraError: PyArrow is not installed.

    Examples:
        >>> collection, submissions = read_submissions("reports.parquet")     # doctest: +SKIP
        >>> collection.tally(submissions)[0].n                                # doctest: +SKIP
        212
    """
    pa = arrow("to read Parquet", "parquet")
    check_above([Path(path)])
    refusal = ReportError(
        "path", "must be a file of submissions", "write one by `sudare export --what reports`"
    )
    try:
        with open_file(path) as file:
            described = json.loads((file.schema_arrow.metadata or {})[SUBMISSIONS])
            with naming_groups(file, Path(path).name, file.schema_arrow.names):
                table = file.read()
    except DomainError:
        raise
    except (OSError, KeyError, ValueError, pa.ArrowException):
        raise refusal from None
    collection = Collection.from_compiled(described)
    if table.column_names != [question.id for question in collection.questions]:
        raise refusal
    columns = []
    for part, column in zip(collection.program.parts, table.columns, strict=True):
        width = part.report_bytes
        if column.null_count or column.type != pa.binary(width):
            raise refusal
        joined = b"".join(wire_of(chunk, width) for chunk in column.chunks)
        columns.append(np.frombuffer(joined, dtype=np.uint8).reshape(-1, width))
    return collection, np.concatenate(columns, axis=1).tobytes()
