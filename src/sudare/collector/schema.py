"""The tables of a collector's SQLite file, and how the file is opened.

========== ======================================================================
schema     one row: the version of these tables
collection a number for each fingerprint ever served, with its name and definition, its
           wordings, and the times under which an earlier version of Sudare knew it
inbox      acknowledged reports of collections that are not served now, and of files of an
           earlier version; others wait in a file of their own (inbox.py)
fold       one row: which inbox file belongs to this one, up to which of its rows this file has
           them, and whether no row of report lies where it came
report     deduplicated reports, keyed by (collection, random id)
tally      per collection and question: n and the support as little-endian int64
secret     the key of an invited collection's tickets
invite     a mark of each code that was handed out, and whether it is spent
step       per collection: whether its public figures are the last, and how many invites
           there were
public     the tallies that the public sees: those of the last step
earlier    tallies that the public has seen before, to be compared with what came after
life       per collection, each change of its stage and its times: the last one holds
timeline   one row: a random id, how many publications there have been, and the anchor's mark, so
           that a copy is known for one (timeline.py)
base       per collection that an older copy held: how many reports count as if they had
           been public
========== ======================================================================

A new version adds a step below; a file is brought up to date when it is opened.

Where there are operators their tables lie beside (:mod:`sudare.operators.tables`).
Nothing else is stored: no address, no user agent, no time but those of ``life``. What is deleted is
overwritten (``secure_delete``), so that the order of arrival does not outlive the fold.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

from sudare.collector.database import transaction
from sudare.errors import StorageError

_TALLIES = """
CREATE TABLE {table} (
    collection INTEGER NOT NULL REFERENCES collection (number),
    question   TEXT NOT NULL,
    n          INTEGER NOT NULL,
    support    BLOB NOT NULL,
    PRIMARY KEY (collection, question)
) WITHOUT ROWID;
"""
"""Counts by question: of what is folded, of what is public, and of what was public before."""

_REPORTS = """
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
INSERT INTO schema (version) VALUES (1);
"""

_INVITES = """
CREATE TABLE secret (
    collection INTEGER PRIMARY KEY REFERENCES collection (number),
    key        BLOB NOT NULL
);
CREATE TABLE invite (
    collection INTEGER NOT NULL REFERENCES collection (number),
    mark       BLOB NOT NULL,
    spent      INTEGER NOT NULL,
    PRIMARY KEY (collection, mark)
) WITHOUT ROWID;
"""

_PUBLIC = """
CREATE TABLE step (
    collection INTEGER PRIMARY KEY REFERENCES collection (number),
    last       INTEGER NOT NULL,
    issued     INTEGER NOT NULL
);
INSERT INTO step SELECT number, 0, (SELECT count(*) FROM invite WHERE collection = number)
    FROM collection;
INSERT INTO public SELECT * FROM tally;
"""
"""An earlier version had shown each report at once: what it had is public, the next step begins."""

_FOLD = """
CREATE TABLE fold (
    inbox   BLOB,
    folded  INTEGER NOT NULL,
    settled INTEGER NOT NULL
);
INSERT INTO fold VALUES (NULL, 0, 0);
"""
"""An earlier version had its inbox in the same file: it belongs to no other yet."""

_LIFE = """
ALTER TABLE collection ADD COLUMN texts TEXT NOT NULL DEFAULT '';
ALTER TABLE collection ADD COLUMN former TEXT NOT NULL DEFAULT '[]';
CREATE TABLE life (
    seq        INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL REFERENCES collection (number),
    state      TEXT NOT NULL,
    opens      TEXT,
    closes     TEXT,
    act        TEXT NOT NULL,
    at         TEXT
);
CREATE INDEX life_of ON life (collection, seq);
INSERT INTO life (collection, state, act) SELECT number, 'published', 'created' FROM collection;
"""
"""What an earlier version had served was public from the first second."""

_TIMELINE = """
CREATE TABLE timeline (id BLOB, steps INTEGER NOT NULL);
INSERT INTO timeline VALUES (x'', 0);
CREATE TABLE base (
    collection INTEGER PRIMARY KEY REFERENCES collection (number),
    n          INTEGER NOT NULL
);
"""

_MARK = "ALTER TABLE timeline ADD COLUMN mark TEXT NOT NULL DEFAULT '';"
"""No anchor has this mark: what was served without one counts for a copy, once."""

_STEPS = (
    _REPORTS + _TALLIES.format(table="tally"),
    _INVITES,
    _TALLIES.format(table="public") + _PUBLIC,
    _TALLIES.format(table="earlier"),
    _FOLD,
    _LIFE,
    _TIMELINE,
    _MARK,
)
"""What leads from each version to the next; an empty file has version 0."""

SCHEMA_VERSION = len(_STEPS)

BUSY_MILLISECONDS = 5000
"""How long a connection waits for another process that has the file's lock."""


class Connection(sqlite3.Connection):
    """The write connection of a collector: explicit transactions, every commit synced to disk."""

    def begin(self) -> None:
        """Begin a transaction that has the file's lock."""
        self.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """End the transaction, synced to the disk."""
        self.execute("COMMIT")

    def rollback(self) -> None:
        """Undo the transaction."""
        self.execute("ROLLBACK")

    def hold_intake(self) -> None:
        """Do nothing: whoever acknowledges looks at the stage in the same transaction."""

    def wipe(self) -> bool:
        """Empty the write-ahead log: deleted rows are overwritten in the file itself."""
        return truncate_log(self)


def open_database(path: str | os.PathLike[str]) -> Connection:
    """Open a collector's file, creating it (readable by its owner alone) where there is none.

    A file of an older version gets the tables that it lacks, all at once.

    Returns:
        A connection in WAL mode with ``synchronous=FULL`` and explicit transactions.

    Raises:
        StorageError: the file cannot be opened, is not a collector's database, or was written by
            a newer version of Sudare. Nothing in it is changed.
    """
    try:
        connection = connect(os.path.abspath(path))
    except (OSError, sqlite3.Error) as error:
        raise StorageError(
            "database", "must be a file that can be written", "give another path"
        ) from error
    try:
        _require_known_version(connection)
        configure(connection)
        _bring_up_to_date(connection)
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


def connect(name: str) -> Connection:
    """Return a connection to a file, created where there is none, for any thread.

    Raises:
        OSError, sqlite3.Error: it cannot be made or opened.
    """
    _create_file(name)
    return sqlite3.connect(
        name,
        timeout=BUSY_MILLISECONDS / 1000,
        isolation_level=None,
        check_same_thread=False,
        factory=Connection,
        cached_statements=32,
    )


def open_reader(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """Open a file that is there to read it alone, beside whoever writes it; nothing is changed.

    Raises:
        sqlite3.Error, OSError, TypeError, ValueError: there is no such file, or it cannot be read.
    """
    address = Path(path).resolve(strict=True).as_uri() + "?mode=ro"
    return sqlite3.connect(
        address, uri=True, timeout=1.0, isolation_level=None, check_same_thread=False
    )


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
    version = version_of(connection)
    if version is None:
        raise StorageError(
            "database", "must be empty or a collector's own file", "give another path"
        )
    if version > SCHEMA_VERSION:
        raise StorageError(
            "database",
            f"must have at most schema version {SCHEMA_VERSION}, the file has version {version}",
            "use the version of Sudare that wrote it, or a newer one",
        )


def version_of(connection: sqlite3.Connection) -> int | None:
    """Return the version of the file's tables: 0 where there are none, None for foreign ones."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    if not tables:
        return 0
    if "schema" not in tables:
        return None
    (version,) = connection.execute("SELECT max(version) FROM schema").fetchone()
    return version if isinstance(version, int) and version > 0 else None


def truncate_log(connection: sqlite3.Connection) -> bool:
    """Empty the write-ahead log; tell whether no reader was in the way.

    Its commits, one after the other, say in which order reports came, and which came with which
    invite. Whoever reads is not waited for: reports are.
    """
    connection.execute("PRAGMA busy_timeout=0")
    try:
        ((busy, _, _),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
    return not busy


def configure(connection: sqlite3.Connection) -> None:
    """Set what holds for every connection that writes."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA secure_delete=ON")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA temp_store=MEMORY")
    connection.execute("PRAGMA cache_size=-65536")


def _bring_up_to_date(connection: Connection) -> None:
    """Create the tables, or add what an older file lacks: all in one transaction."""
    if version_of(connection) == SCHEMA_VERSION:
        return
    with transaction(connection):
        version = version_of(connection) or 0
        for step in _STEPS[version:]:
            for statement in step.split(";"):
                if statement.strip():
                    connection.execute(statement)
        connection.execute("UPDATE schema SET version = ?", (SCHEMA_VERSION,))
