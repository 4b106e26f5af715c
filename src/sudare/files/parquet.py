"""Parquet: pages carry checksums, which are verified, and a row group that is damaged is named.

Of Arrow's own files, which have no checksums, the record batch is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

from sudare.errors import DomainError
from sudare.files.places import Where, arrow

_ROWS = 1 << 16

SOUND: dict[str, Any] = {"page_checksum_verification": True}
"""How PyArrow reads: a page that was changed on its way is refused, and never read as another."""


def open_writer(path: Where, schema: Any) -> Any:
    """Return a writer of a file whose pages have checksums."""
    pa = arrow("to write Parquet", "parquet")
    return pa.parquet.ParquetWriter(path, schema, write_page_checksum=True)


def write(path: Where, table: Any) -> None:
    """Write a table of Arrow to a file whose pages have checksums."""
    with open_writer(path, table.schema) as writer:
        writer.write_table(table)


def open_file(path: Where, **how: Any) -> Any:
    """Return a ``ParquetFile`` that verifies checksums where there are some."""
    pa = arrow("to read Parquet", "parquet")
    return pa.parquet.ParquetFile(path, **SOUND, **how)


def read_batches(
    file: Any,
    name: str,
    columns: Sequence[str],
    rows: int,
    groups: Iterable[int] | None = None,
    **how: Any,
) -> Iterator[Any]:
    """Yield record batches of an open file.

    Args:
        file: of :func:`open_file`.
        name: of the file, for messages.
        columns: their names.
        rows: of a batch, at most.
        groups: row groups; None for all.
        how: further options of ``iter_batches``.

    Raises:
        DomainError: a row group cannot be read; it is named.
    """
    chosen = list(range(file.num_row_groups) if groups is None else groups)
    with naming_groups(file, name, columns, chosen):
        yield from file.iter_batches(rows, row_groups=chosen, columns=list(columns), **how)


@contextmanager
def naming_groups(
    file: Any, name: str, columns: Sequence[str], groups: Sequence[int] | None = None
) -> Iterator[None]:
    """Turn what PyArrow says of a damaged file into an error that names the row group.

    Raises:
        DomainError: a row group cannot be read.
    """
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError):
        for group in range(file.num_row_groups) if groups is None else groups:
            try:
                file.read_row_group(group, columns=list(columns), use_threads=False)
            except (pa.ArrowException, OSError):
                raise _damaged(f"row group {group}", name) from None
        raise


def check_sound(filesystem: Any, path: str) -> None:
    """Refuse a file of a file system of PyArrow of which a row group cannot be read.

    Raises:
        DomainError: it is named.
    """
    try:
        with filesystem.open_input_file(path) as raw, open_file(raw) as file:
            for _ in read_batches(file, PurePosixPath(path).name, file.schema_arrow.names, _ROWS):
                pass
    except DomainError:
        raise
    except (OSError, ValueError):  # it is gone, or has no footer: that was said already
        return


def read_batch(reader: Any, number: int, name: str) -> Any:
    """Return a record batch of an open file of Arrow's.

    Raises:
        DomainError: it cannot be read.
    """
    import pyarrow as pa

    try:
        return reader.get_batch(number)
    except (pa.ArrowException, OSError):
        raise _damaged(f"record batch {number}", name) from None


def _damaged(part: str, name: str) -> DomainError:
    rule = f"must be sound, and {part} (the first is 0) of {name} cannot be read"
    return DomainError("file", rule, "get it again")
