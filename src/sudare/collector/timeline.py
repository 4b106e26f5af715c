"""The timeline of a database: whether it holds everything that was ever public of it.

Of two public bodies that differ by a few reports, the difference is these reports. A database that
is put back from an older copy does not hold the last public body, so that its next one must not be
counted from what the copy has as public: the reports that were lost may have completed a batch.

A database on its timeline knows every publication: there is one row with the timeline's random id
and the number of publications, and an *anchor*, a small file that is no part of the database, with
the same two. The number only grows. The row of a file also has the anchor's *mark*: a digest of its
inode and times, among them that of its last change, which no program that copies files can set. So
an anchor that is put back is not the one that the row knows. A copy begins another timeline: then
all reports that it stores count as if they had been public, and the next batch is a whole one
beyond them.

=================================================  =====================================
the id of the row is                               then the database is
=================================================  =====================================
null                                               a copy, as ``sudare backup`` writes it
empty, and there is no anchor                      new, or of an earlier version
the anchor's, with its mark and no fewer steps     the one that was served last
anything else                                      put back, or moved
=================================================  =====================================
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import secrets
import sqlite3
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from sudare.collector.database import Database, Reader
from sudare.collector.inbox import ID_BYTES, Row
from sudare.errors import StorageError

SUFFIX = "-anchor"
COPIED = "UPDATE timeline SET id = NULL, mark = ''"
"""What makes the next start take a database for a copy."""
RESTORED = "restored"
"""The mark of a copy whose tokens ``sudare restore`` has revoked: what was made since stays."""

_COUNTED = "SELECT coalesce(max(n), 0) FROM tally WHERE collection = ?"
_WAITING = "SELECT ids FROM inbox WHERE collection = ?"
_KNOWN = "SELECT 1 FROM report WHERE collection = ? AND id = ?"
_BASE = """
INSERT INTO base (collection, n) VALUES (?, ?)
ON CONFLICT (collection) DO UPDATE SET n = excluded.n
"""

_REVOKE = "UPDATE sudare_operator_token SET revoked = TRUE WHERE NOT revoked"
_VERSION = "SELECT value FROM sudare_operator_meta WHERE name = 'version'"
_MARKED = "UPDATE timeline SET mark = ?"

_log = logging.getLogger("sudare.collector")


def end_operators(connection: Database, tables: str, *, every: bool) -> bool:
    """End what an older copy would revive of operators (caller's transaction).

    The copy may hold sessions that have been ended since, and tokens that have been revoked.

    Args:
        connection: to the database.
        tables: the statement that tells whether it has operators.
        every: whether all tokens are revoked; else those alone that end with a session.

    Returns:
        Whether anything was ended.
    """
    if connection.execute(tables).fetchone()[0] == 0:
        return False
    ended = [connection.execute("DELETE FROM sudare_operator_session").rowcount]
    if every:
        ended.append(connection.execute(_REVOKE).rowcount)
    elif connection.execute(_VERSION).fetchone()[0] >= 3:  # before, no token was a session's
        ended.append(connection.execute(f"{_REVOKE} AND session IS NOT NULL").rowcount)
    return any(ended)


class Position(NamedTuple):
    """Where a database stands: its timeline's id, and how many publications there have been."""

    id: bytes | None
    steps: int


class Timeline:
    """The timeline of a database that is served.

    Args:
        anchor: the file that notes it; None for none.
        connection: that writes the SQLite file, where the anchor's mark is kept; None where
            several hosts have an anchor each.
    """

    OPERATORS = "SELECT count(*) FROM sqlite_master WHERE name = 'sudare_operator_meta'"
    """What tells whether a database has operators."""

    def __init__(self, anchor: str | None = None, connection: Database | None = None) -> None:
        self._anchor = None if anchor is None else Path(anchor)
        self._connection = connection
        self._lock = threading.Lock()
        self._noted: Position | None = None

    def position(self, connection: Reader) -> Position:
        """Return where the database stands."""
        id, steps = connection.execute("SELECT id, steps FROM timeline").fetchone()
        return Position(None if id is None else bytes(id), steps)

    def verify(self, connection: Database, waiting: Iterable[Row] = ()) -> None:
        """Begin another timeline if the database is a copy (caller's transaction).

        Args:
            connection: to the database.
            waiting: what lies in an inbox beside it.
        """
        stands = self.position(connection)
        if stands.id and self._continues(connection, stands):
            return
        if stands.id != b"" or (self._anchor is not None and self._anchor.exists()):
            _count_all_as_public(connection, waiting)
            # what only looks like a copy, as a database that was moved, keeps its tokens
            copied = stands.id is None and not self._is_restored(connection)
            if end_operators(connection, self.OPERATORS, every=copied):
                _log.warning(
                    "operators' sessions have ended, so that none comes to life again%s",
                    "; their tokens are revoked: sudare token new makes another" if copied else "",
                )
            _log.warning(
                "the database was put back, copied or moved: all reports that it stores count as "
                "if they had been public, and the next figures take a whole batch beyond them"
            )
        self._begin(connection, secrets.token_bytes(16))

    def check(self, connection: Database) -> None:
        """Look before a publication (caller's transaction): an open file stays what it was."""

    def advance(self, connection: Database) -> None:
        """Count a publication (caller's transaction)."""
        connection.execute("UPDATE timeline SET steps = steps + 1")

    def note(self, position: Position) -> bool:
        """Note where the database stands, before its figures are told; tell whether it is noted.

        The mark is known once the anchor is in its place, so it takes a commit of its own. Whoever
        is killed between the two leaves what a copy can look like too: that costs a batch.
        """
        try:
            self._note(position)
        except (OSError, sqlite3.Error):
            _log.exception("the anchor cannot be written: no new results are published")
            return False
        return True

    def begin(self, position: Position) -> None:
        """Note where the database stands when it begins to be served.

        Raises:
            StorageError: the anchor cannot be written.
        """
        try:
            self._note(position)
        except (OSError, sqlite3.Error) as error:
            raise StorageError(
                "anchor", "must be a file that can be written", f"look at {self._anchor}"
            ) from error

    def _note(self, position: Position) -> None:
        if self._anchor is None:
            return
        with self._lock:
            before = self._noted
            if before and before.id == position.id and before.steps >= position.steps:
                return
            self._write(self._anchor, position)
            if self._connection is not None:
                self._connection.execute(_MARKED, (_mark_of(self._anchor),))
            self._noted = position

    def _is_restored(self, connection: Reader) -> bool:
        """Tell whether ``sudare restore`` has put the copy here."""
        (mark,) = connection.execute("SELECT mark FROM timeline").fetchone()
        return bool(mark == RESTORED)

    def _begin(self, connection: Database, id: bytes) -> None:
        connection.execute("UPDATE timeline SET id = ?, steps = 0", (id,))

    def _continues(self, connection: Reader, stands: Position) -> bool:
        """Tell whether the anchor is that of this database, or of an earlier state of it."""
        held = self._read()
        if self._anchor is None or held is None or not self._is_of(held, stands):
            return False
        (mark,) = connection.execute("SELECT mark FROM timeline").fetchone()
        if mark != _mark_of(self._anchor):
            return False
        if held["steps"] == stands.steps:  # one that stays as it is cannot part from its mark
            self._noted = stands
        return True

    def _is_of(self, held: dict[str, Any], stands: Position) -> bool:
        try:
            same = held["timeline"] == (stands.id or b"").hex()
            return bool(same and held["steps"] <= stands.steps)
        except (KeyError, TypeError):
            return False

    def _read(self) -> dict[str, Any] | None:
        """Return what the anchor says; None where there is none."""
        if self._anchor is None:
            return None
        try:
            held = json.loads(self._anchor.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            return {}
        return held if isinstance(held, dict) else {}

    def _write(self, anchor: Path, position: Position) -> None:
        """Replace the anchor by a whole one, on the disk before this returns."""
        text = {"timeline": (position.id or b"").hex(), "steps": position.steps}
        handle, part = tempfile.mkstemp(dir=anchor.parent, prefix=anchor.name)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                json.dump(text, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, anchor)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(part)
            raise
        if os.name == "posix":
            folder = os.open(anchor.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _mark_of(anchor: Path) -> str:
    """Return what another file, or this one written again, does not have."""
    found = anchor.stat()
    # Windows has the time of creation in place of that of the change: the others are left.
    text = f"{found.st_ino} {found.st_mtime_ns} {found.st_ctime_ns}"
    return hashlib.sha256(text.encode()).hexdigest()  # the database holds no time of a report


def _count_all_as_public(connection: Database, waiting: Iterable[Row]) -> None:
    """Let the next batch of every collection count from all reports that are stored."""
    (folded,) = connection.execute("SELECT folded FROM fold").fetchone()
    beside = [row for row in waiting if row.seq > folded]
    for (number,) in connection.execute("SELECT number FROM collection").fetchall():
        (n,) = connection.execute(_COUNTED, (number,)).fetchone()
        rows = connection.execute(_WAITING, (number,)).fetchall()
        joined = b"".join(bytes(ids) for (ids,) in rows)
        joined += b"".join(row.ids for row in beside if row.collection == number)
        ids = {joined[at : at + ID_BYTES] for at in range(0, len(joined), ID_BYTES)}
        n += sum(not connection.execute(_KNOWN, (number, one)).fetchone() for one in ids)
        connection.execute(_BASE, (number, n))
