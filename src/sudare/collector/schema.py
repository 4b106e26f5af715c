"""The tables of a collector's SQLite file, and how the file is opened.

========== ======================================================================
schema     one row: the version of these tables
collection a number for each fingerprint ever served, with its name and definition
inbox      acknowledged reports in the order of arrival, one row a commit and
           collection; emptied by the fold
report     deduplicated reports, keyed by (collection, random id)
tally      per collection and question: n and the support as little-endian int64
========== ======================================================================

Nothing else is stored: no address, no user agent, no time. Rows of the inbox are overwritten
when they are deleted (``secure_delete``), so that the order of arrival does not outlive the fold.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator

from sudare.errors import StorageError

SCHEMA_VERSION = 1

_TABLES = """
CREATE TABLE schema (version INTEGER NOT NULL);
CREATE TABLE collection (
    number      INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL,
    definition  TEXT NOT NULL
);
CREATE TABLE inbox (
    seq        INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL REFERENCES collection (number),
    ids        BLOB NOT NULL,
    payloads   BLOB NOT NULL
);
CREATE TABLE report (
    collection INTEGER NOT NULL REFERENCES collection (number),
    id         BLOB NOT NULL,
    payload    BLOB NOT NULL,
    PRIMARY KEY (collection, id)
) WITHOUT ROWID;
CREATE TABLE tally (
    collection INTEGER NOT NULL REFERENCES collection (number),
    question   TEXT NOT NULL,
    n          INTEGER NOT NULL,
    support    BLOB NOT NULL,
    PRIMARY KEY (collection, question)
) WITHOUT ROWID;
"""


class Connection(sqlite3.Connection):
    """The write connection of a collector: explicit transactions, every commit synced to disk."""


def open_database(path: str | os.PathLike[str]) -> Connection:
    """Open a collector's file, creating it (readable by its owner alone) where there is none.

    Returns:
        A connection in WAL mode with ``synchronous=FULL`` and explicit transactions.

    Raises:
        StorageError: the file cannot be opened, is not a collector's database, or was written by
            a newer version of Sudare. Nothing in it is changed.
    """
    name = os.path.abspath(path)
    try:
        _create_file(name)
        connection = sqlite3.connect(
            name,
            timeout=5.0,
            isolation_level=None,
            check_same_thread=False,
            factory=Connection,
            cached_statements=32,
        )
    except (OSError, sqlite3.Error) as error:
        raise StorageError(
            "database", "must be a file that can be written", "give another path"
        ) from error
    try:
        _require_known_version(connection)
        _configure(connection)
        _create_tables(connection)
    except sqlite3.Error as error:
        connection.close()
        raise StorageError(
            "database",
            "must be a SQLite file of a collector that can be written",
            "give another path, or look at its permissions and the free space",
        ) from error
    except BaseException:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run a block in one immediate transaction: committed (and synced) at its end, or undone."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _create_file(name: str) -> None:
    """Make an empty file that others cannot read, its name synced to the disk as well."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        if os.name == "posix":
            folder = os.open(os.path.dirname(name), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _require_known_version(connection: sqlite3.Connection) -> None:
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    if not tables:
        return
    if "schema" not in tables:
        raise StorageError(
            "database", "must be empty or a collector's own file", "give another path"
        )
    (version,) = connection.execute("SELECT max(version) FROM schema").fetchone()
    if version != SCHEMA_VERSION:
        raise StorageError(
            "database",
            f"must have schema version {SCHEMA_VERSION}, the file has version {version}",
            "use the version of Sudare that wrote it, or a newer one",
        )


def _configure(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA secure_delete=ON")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA cache_size=-65536")


def _create_tables(connection: sqlite3.Connection) -> None:
    with transaction(connection):
        if connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
            return
        for statement in _TABLES.split(";"):
            if statement.strip():
                connection.execute(statement)
        connection.execute("INSERT INTO schema (version) VALUES (?)", (SCHEMA_VERSION,))
