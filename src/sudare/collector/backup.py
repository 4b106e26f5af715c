"""Copies of a collector's database: one file that holds everything, whatever runs meanwhile."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sudare.collector import inbox
from sudare.collector.database import transaction
from sudare.collector.databases import require_file
from sudare.collector.locking import ServerLock
from sudare.collector.schema import (
    SCHEMA_VERSION,
    Connection,
    connect,
    open_database,
    open_reader,
    version_of,
)
from sudare.collector.tallies import keep
from sudare.collector.timeline import COPIED, RESTORED, Timeline, end_operators
from sudare.errors import StorageError


def back_up(database: str | os.PathLike[str], target: str | os.PathLike[str]) -> int:
    """Write everything that is acknowledged into one new file, beside a collector that may run.

    Args:
        database: the collector's file; nothing in it is changed.
        target: the copy, readable by its owner alone. It must not be there yet.

    Returns:
        How many reports the copy holds; those that were in the inbox are folded by the collector
        that is started on it.

    Raises:
        StorageError: the database cannot be read or is of another version, or the target is there
            or cannot be written.
    """
    require_file(database)
    waiting = inbox.read_inbox(database)  # before the database, which may take them meanwhile
    with _copied(database, target, "database") as copy:
        if version_of(copy) != SCHEMA_VERSION:
            raise StorageError(
                "database",
                f"must be a collector's file of schema version {SCHEMA_VERSION}",
                "let a collector of this version open it once",
            )
        with transaction(copy):
            owner, folded = copy.execute("SELECT inbox, folded FROM fold").fetchone()
            if owner is not None:
                keep(copy, [row for row in waiting if row.seq > folded])
            copy.execute("UPDATE fold SET inbox = NULL")
            copy.execute(COPIED)
        (reports,) = copy.execute(
            "SELECT (SELECT count(*) FROM report)"
            " + (SELECT coalesce(sum(length(ids)), 0) / 16 FROM inbox)"
        ).fetchone()
        return int(reports)


def restore(backup: str | os.PathLike[str], database: str | os.PathLike[str]) -> None:
    """Put a copy where a collector is to serve it; no session or token of operators is in it.

    Those that were ended or revoked since it was made would live again.

    Args:
        backup: made by :func:`back_up`, or the file of a collector that had ended in order.
        database: where it is to be; neither it nor its inbox may be there.

    Raises:
        StorageError: something is there, is being served, or the copy is damaged or not whole.
    """
    require_file(database)
    name = os.path.realpath(database)
    with ServerLock(name):
        if os.path.exists(name + inbox.SUFFIX):
            raise _taken("the inbox beside the database", "it")
        with _copied(backup, name, "backup") as copy:
            if not 0 < (version_of(copy) or 0) <= SCHEMA_VERSION:
                raise StorageError(
                    "backup",
                    f"must be a collector's file of at most schema version {SCHEMA_VERSION}",
                    "give one that sudare backup has made, or use a newer version of Sudare",
                )
            if copy.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise StorageError("backup", "must be sound", "take another copy")
            with closing(open_database(name)) as opened:
                (owner,) = opened.execute("SELECT inbox FROM fold").fetchone()
                with transaction(opened):
                    opened.execute(COPIED)  # an earlier version has written none that says so
                    opened.execute("UPDATE timeline SET mark = ?", (RESTORED,))
                    end_operators(opened, Timeline.OPERATORS, every=True)
            if owner is not None:
                raise StorageError(
                    "backup",
                    "must be whole, and the inbox that belongs to it is another file",
                    "give a copy that sudare backup has made, or put both files back as they were",
                )


@contextmanager
def _copied(
    source: str | os.PathLike[str], target: str | os.PathLike[str], argument: str
) -> Iterator[Connection]:
    """Copy a database in one moment of it; what is new goes again if the block fails.

    Args:
        source: a collector's file.
        target: the copy.
        argument: what an error calls the source.
    """
    name = os.path.realpath(target)
    if os.path.exists(name):
        raise _taken("the file that is to be written", name)
    try:
        with closing(open_reader(source)) as found, closing(connect(name)) as copy:
            found.backup(copy)
            yield copy
    except BaseException as error:
        for ending in ("", *inbox.LOGS):
            Path(name + ending).unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error | OSError):
            raise StorageError(
                argument,
                "must be a collector's file that can be read, and the copy's folder have room",
                "look at both paths",
            ) from error
        raise


def _taken(what: str, path: str) -> StorageError:
    return StorageError("target", f"must be free: {what} is there", f"move {path} away first")
