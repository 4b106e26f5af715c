"""What the collector asks of a connection to its database: SQLite's file, or PostgreSQL.

Statements are written once, in the SQL that both know, with ``?`` or ``?1`` for their values.
What differs between the two is behind the methods of a connection.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias

from sudare.errors import DomainError

SCHEMES = ("postgresql://", "postgres://")

Place: TypeAlias = str | os.PathLike[str]
"""Of a collector's database: a file's path, or a ``postgresql://`` address."""


class Rows(Protocol):
    """What a statement has found."""

    @property
    def rowcount(self) -> int:
        """How many rows it has changed."""

    def fetchone(self) -> Any:
        """Return the next row; None where there is none."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""

    def fetchmany(self, size: int, /) -> list[Any]:
        """Return the next rows, up to so many."""

    def __iter__(self) -> Iterator[Any]: ...


class Reader(Protocol):
    """A connection that reads."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Rows:
        """Run a statement."""

    def close(self) -> None:
        """End the connection."""


class Database(Reader, Protocol):
    """A connection that writes, outside of :func:`transaction` each statement for itself."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is under way."""

    def executemany(self, sql: str, parameters: Any, /) -> object:
        """Run a statement once for each row of parameters."""

    def begin(self) -> None:
        """Begin a transaction that waits for others of this kind, in whichever process."""

    def commit(self) -> None:
        """End the transaction; what it wrote is on the disk."""

    def rollback(self) -> None:
        """Undo the transaction."""

    def hold_intake(self) -> None:
        """Let no report be acknowledged from here on until the transaction has ended."""

    def wipe(self) -> bool:
        """Leave no trace of what was deleted; tell whether nobody was in the way."""


@contextlib.contextmanager
def transaction(connection: Database) -> Iterator[None]:
    """Run a block in one transaction: committed (and synced) at its end, or undone."""
    connection.begin()
    try:
        yield
        connection.commit()
    except BaseException:
        if connection.in_transaction:
            connection.rollback()
        raise


def is_address(place: Place) -> bool:
    """Tell whether a database is PostgreSQL's, and not a file.

    Raises:
        DomainError: it is at an address of something else.
    """
    if not isinstance(place, str) or "://" not in place:
        return False
    if not place.startswith(SCHEMES):
        raise DomainError(
            "database", "must be a file or a postgresql:// address", "such as sudare.sqlite3"
        )
    return True
