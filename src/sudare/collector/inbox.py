"""The inbox: acknowledged reports in a file of their own, until the database has them.

Acknowledgements wait for this small file alone, never for the fold. SQLite makes no commit of
two files atomic, so the fold does not need one: in one transaction the database gets the reports
and the number of the last row that they came from, and only then the rows are deleted here. A
crash in between leaves rows that the database has; by their numbers they are known, and not
folded again.

========== ======================================================================
state      one row: a random name, which the database knows, and up to which number
           rows have been deleted
inbox      acknowledged reports in the order of arrival, one row a commit and
           collection; of invites the marks that they spend, sorted
========== ======================================================================

The file is made when a collector starts and removed when it ends with nothing left to fold.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from sudare.collector import schema
from sudare.collector.database import transaction
from sudare.collector.schema import Connection, connect, open_reader, truncate_log
from sudare.errors import StorageError

SUFFIX = "-inbox"
LOGS = ("-wal", "-shm")
ID_BYTES = 16
MARK_BYTES = 16

_TABLES = (
    "CREATE TABLE state (name BLOB NOT NULL, deleted INTEGER NOT NULL)",
    "CREATE TABLE inbox (seq INTEGER PRIMARY KEY, collection INTEGER NOT NULL, "
    "ids BLOB NOT NULL, payloads BLOB NOT NULL, marks BLOB NOT NULL)",
)
_ROWS = "SELECT seq, collection, ids, payloads, marks FROM inbox WHERE seq > ? ORDER BY seq"


class Row(NamedTuple):
    """What one commit has brought for one collection.

    Attributes:
        seq: larger than that of every earlier row.
        collection: its number in the database.
        ids, payloads: of the reports, one after the other.
        marks: of the invites that they spend, sorted; empty where everybody is admitted.
    """

    seq: int
    collection: int
    ids: bytes
    payloads: bytes
    marks: bytes

    @property
    def reports(self) -> int:
        """Return how many reports the row has."""
        return len(self.ids) // ID_BYTES

    @property
    def marked(self) -> list[bytes]:
        """Return the marks, each for itself."""
        return [self.marks[at : at + MARK_BYTES] for at in range(0, len(self.marks), MARK_BYTES)]


class Inbox:
    """The inbox of a database that this process serves.

    Args:
        database: the path of the file that it belongs to.
        main: the connection to it.

    Raises:
        StorageError: the inbox is missing, another database's, or damaged.
        sqlite3.Error: a file cannot be used.

    Attributes:
        path: of the inbox.
        connection: that writes it; for one thread at a time.
        folded: the number up to which the database has the rows.
    """

    def __init__(self, database: str, main: sqlite3.Connection) -> None:
        self.path = database + SUFFIX
        owner, self.folded = main.execute("SELECT inbox, folded FROM fold").fetchone()
        if owner is not None and not os.path.exists(self.path):
            raise _missing(self.path)
        try:
            self.connection: Connection = connect(self.path)
        except OSError as error:
            raise StorageError(
                "inbox", "must be a file that can be written", f"look at {self.path}"
            ) from error
        try:
            self._prepare(main, owner)
            (last,) = self.connection.execute("SELECT max(seq) FROM inbox").fetchone()
        except BaseException:
            self.connection.close()
            raise
        self._next = max(last or 0, self.folded) + 1

    def append(self, collection: int, ids: bytes, payloads: bytes, marks: bytes) -> None:
        """Add acknowledged-to-be reports (within the caller's transaction)."""
        self.connection.execute(
            "INSERT INTO inbox VALUES (?, ?, ?, ?, ?)",
            (self._next, collection, ids, payloads, marks),
        )
        self._next += 1

    def delete(self, seq: int) -> bool:
        """Delete rows that the database has; tell whether no trace of them is left."""
        with transaction(self.connection):
            self.connection.execute("DELETE FROM inbox WHERE seq <= ?", (seq,))
            self.connection.execute("UPDATE state SET deleted = max(deleted, ?)", (seq,))
        return truncate_log(self.connection)

    def drop(self, collection: int) -> None:
        """Delete what waits for a collection, in a transaction of its own."""
        with transaction(self.connection):
            self.connection.execute("DELETE FROM inbox WHERE collection = ?", (collection,))

    def close(self) -> None:
        """Close the file; it stays."""
        self.connection.close()

    def probe(self) -> None:
        """Write something, to learn whether the disk takes it."""
        with transaction(self.connection):
            self.connection.execute("UPDATE state SET deleted = deleted")

    def remove(self, main: sqlite3.Connection, seq: int) -> None:
        """Part from the database, which has every row up to the last, and remove the file."""
        self.delete(seq)
        main.execute("UPDATE fold SET inbox = NULL")
        self.connection.close()
        for ending in ("", *LOGS):
            Path(self.path + ending).unlink(missing_ok=True)

    def _prepare(self, main: sqlite3.Connection, owner: bytes | None) -> None:
        """Make the tables, or look whether what is there belongs to the database."""
        tables = {name for (name,) in self.connection.execute("SELECT name FROM sqlite_schema")}
        if tables and tables != {"state", "inbox"}:
            raise StorageError("inbox", "must be a collector's own file", f"move {self.path} away")
        for (line,) in self.connection.execute("PRAGMA quick_check(1)"):
            if line != "ok":
                raise StorageError("inbox", "must be sound", f"put back a copy of {self.path}")
        schema.configure(self.connection)
        if not tables:
            with transaction(self.connection):
                for statement in _TABLES:
                    self.connection.execute(statement)
                self.connection.execute("INSERT INTO state VALUES (?, ?)", (_name(), self.folded))
            truncate_log(self.connection)
        name, deleted = self.connection.execute("SELECT name, deleted FROM state").fetchone()
        (rows,) = self.connection.execute("SELECT count(*) FROM inbox").fetchone()
        if tables and owner is None and not rows:  # a start or an end that was not completed
            name = _name()
            self.connection.execute("UPDATE state SET name = ?, deleted = ?", (name, self.folded))
        elif tables and (name != owner or deleted > self.folded):
            raise _stranger(self.path)
        if name != owner:
            main.execute("UPDATE fold SET inbox = ?", (name,))
        self.delete(self.folded)


def rows_after(connection: sqlite3.Connection, seq: int, reports: int, size: int) -> list[Row]:
    """Return the next rows of an inbox, up to so many reports and so many bytes, or one."""
    found: list[Row] = []
    with closing(connection.execute(_ROWS, (seq,))) as rows:
        for fields in rows:
            found.append(Row(*fields))
            reports -= found[-1].reports
            size -= len(found[-1].payloads)
            if reports <= 0 or size <= 0:
                break
    return found


def read_inbox(database: str | os.PathLike[str]) -> list[Row]:
    """Return what lies in the inbox beside a database, for a reader that changes nothing.

    It is read before the database: what is folded meanwhile is known by its number.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    path = os.path.realpath(database) + SUFFIX
    if not os.path.isfile(path) or not os.path.getsize(path):
        return []
    try:
        with closing(open_reader(path)) as connection:
            return [Row(*fields) for fields in connection.execute(_ROWS, (0,))]
    except FileNotFoundError:  # its collector has ended meanwhile: the database has everything
        return []


def _name() -> bytes:
    return secrets.token_bytes(16)


def _missing(path: str) -> StorageError:
    return StorageError(
        "inbox",
        f"must be there: the last acknowledged reports are in {os.path.basename(path)}",
        "put back all files of the copy together, or use sudare restore with a copy of sudare "
        "backup; if the inbox is lost, make an empty file of that name: the collector goes on "
        "without its reports",
    )


def _stranger(path: str) -> StorageError:
    return StorageError(
        "inbox",
        f"must belong to the database beside it, and {os.path.basename(path)} belongs to another "
        "or a newer copy",
        "put back the copy that it belongs to; if that is lost, move the inbox away: the "
        "collector goes on without its reports",
    )
