"""Opening a collector's database, wherever it is: in a SQLite file or in PostgreSQL.

What only PostgreSQL needs is loaded where an address is given.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime

from sudare.collection import Collection
from sudare.collection.definition import utc_now
from sudare.collector import store
from sudare.collector.database import SCHEMES, Database, Place, Reader, is_address
from sudare.collector.inbox import SUFFIX, Inbox, Row, read_inbox
from sudare.collector.locking import ServerLock
from sudare.collector.schema import (
    SCHEMA_VERSION,
    Connection,
    open_database,
    open_reader,
    truncate_log,
    version_of,
)
from sudare.collector.store_interface import BaseStore
from sudare.errors import StorageError

_WRONG = ("must be a collector's file that is there and can be read", "give its path")


def open_store(
    place: Place,
    collections: Iterable[Collection],
    clock: Callable[[], datetime] = utc_now,
    anchor: str | None = None,
) -> BaseStore:
    """Open the store of a collector.

    Args:
        place: the SQLite file or ``postgresql://`` address.
        collections: what is served.
        clock: returns an aware datetime.
        anchor: file that notes what has been public; of a SQLite file one beside it by itself.

    Raises:
        StorageError: it cannot be used.
    """
    if is_address(place):
        from sudare.collector.postgres.store import PostgresStore

        return PostgresStore(str(place), collections, clock=clock, anchor=anchor)
    return store.Store(place, collections, clock=clock, anchor=anchor)


def await_start(*places: Place) -> None:
    """Wait for those servers of PostgreSQL, among some places, that start or recover.

    Raises:
        StorageError: one takes too long, or its address cannot be read.
    """
    for place in places:
        if str(place).startswith(SCHEMES):
            from sudare.collector.postgres import connection

            connection.await_start(str(place))


def examine(place: Place, collections: Iterable[Collection]) -> None:
    """Look whether a store could be opened: a wrong one is refused before anything is served.

    Raises:
        StorageError: it cannot be used, or is a file that is served by another process.
    """
    if is_address(place):
        from sudare.collector.postgres import store as postgres

        postgres.examine(str(place), collections)
    else:
        store.examine(place, collections)


@contextmanager
def writing(place: Place, *, new: bool = False) -> Iterator[Database]:
    """Open a database for a command that changes it, beside a collector that runs or without one.

    Args:
        place: the SQLite file or ``postgresql://`` address.
        new: whether its tables are made where there are none; else a mistyped place is refused.

    Raises:
        StorageError: it cannot be used.
    """
    if not new:
        require_there(place)
    if is_address(place):
        from sudare.collector.postgres import tables

        with tables.told(), closing(tables.open_tables(str(place), new=new)) as connection:
            yield connection
        return
    with closing(open_database(place)) as file:
        try:
            yield file
        except sqlite3.Error as error:
            raise StorageError(
                "database", "must be free to be written", "try again, or end what else uses it"
            ) from error


@contextmanager
def reading(place: Place) -> Iterator[tuple[Reader, list[Row]]]:
    """Open a database that is there for a command that reads it, in one state of it.

    Yields:
        The connection, and what lay in the inbox a moment before.

    Raises:
        StorageError: there is none, it is of another version, or cannot be read.
    """
    if is_address(place):
        from sudare.collector.postgres import tables
        from sudare.collector.postgres.order_erasure import EVERY

        with tables.told(), closing(tables.open_reading(str(place))) as connection:
            connection.begin_reading(EVERY)
            yield connection, tables.waiting(connection)
        return
    with _read_file(place) as file:
        if version_of(file) != SCHEMA_VERSION:
            raise StorageError(
                "database",
                f"must be a collector's file of schema version {SCHEMA_VERSION}",
                "give its path, and let a collector of this version open it once",
            )
        rows = read_inbox(place)
        file.execute("BEGIN")
        yield file, rows


@contextmanager
def _read_file(place: Place) -> Iterator[sqlite3.Connection]:
    try:
        connection = open_reader(place)
    except (sqlite3.Error, OSError, TypeError, ValueError) as error:
        raise StorageError("database", *_WRONG) from error
    with closing(connection):
        try:
            yield connection
        except sqlite3.Error as error:
            raise StorageError("database", *_WRONG) from error


def waiting(place: Place, connection: Database) -> list[Row]:
    """Return what lies in the inbox; of a file it may be folded already."""
    if is_address(place):
        from sudare.collector.postgres import tables

        return tables.waiting(connection)
    return read_inbox(place)


def is_there(place: Place) -> bool:
    """Tell whether there is a database at an address or a file, not an empty one, at a path."""
    try:
        return is_address(place) or (os.path.isfile(place) and os.path.getsize(place) > 0)
    except (OSError, TypeError, ValueError):
        return False


def require_there(place: Place) -> None:
    """Refuse a path that has no database: a mistyped one would be made, and hold nothing.

    Raises:
        StorageError: there is none.
    """
    if not is_there(place):
        raise StorageError("database", "must be a collector's file that is there", "give its path")


def clear_inbox(place: Place, connection: Database, numbers: list[int]) -> bool:
    """Delete what waits for collections in the inbox's file; tell whether nothing is left.

    Where a collector runs it does so itself. PostgreSQL has the inbox among the other tables.
    """
    if not isinstance(connection, Connection):
        return True
    name = os.path.realpath(place)
    try:
        lock = ServerLock(name)
    except StorageError:
        return not any(row.collection in numbers for row in read_inbox(name))
    with lock:
        if os.path.exists(name + SUFFIX):  # a collector was killed
            with closing(Inbox(name, connection)) as inbox:
                for number in numbers:
                    inbox.drop(number)
                return truncate_log(inbox.connection)
    return True


def require_file(place: Place) -> None:
    """Refuse an address where a file is copied.

    Raises:
        StorageError: PostgreSQL has tools of its own.
    """
    if is_address(place):
        raise StorageError(
            "database",
            "must be a SQLite file to be copied by Sudare",
            "copy PostgreSQL with pg_dump and pg_restore, or by its own backups",
        )
