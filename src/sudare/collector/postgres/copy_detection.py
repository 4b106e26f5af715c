"""What a process remembers of its database, and holds against it: another copy is noticed.

A database that is put back from an older copy, or a standby that takes over before it has
everything, lacks the end of what was acknowledged. So before a connection that was lost is used
again, the last report that this process has acknowledged must be there: commits of one process are
in the log one after another, and whoever has the last one has all. The number of folds only grows,
whoever folds; it is looked at twice a second.

What one process finds, all learn, those that are started later too: it is a row of ``fault``.
"""

from __future__ import annotations

import contextlib
import threading

from sudare.collector import lifecycle_table
from sudare.collector.health import Health
from sudare.collector.inbox import ID_BYTES
from sudare.collector.jobs import StoreUnavailable
from sudare.collector.postgres.connection import SCHEMA, PostgresConnection
from sudare.collector.postgres.durability import unsafe
from sudare.collector.postgres.tally import PostgresTally

RESTORE = (
    "end every process, put back a copy of the database that is sound (or mend this one, and empty "
    f"the table {SCHEMA}.fault), and start them again"
)
ANOTHER = "finds another copy in the place of its database"

_LOOK = "SELECT folds, (SELECT min(why) FROM fault) FROM fold"


class CopyDetection:
    """What the threads of a process know of their database.

    Args:
        health: learns what is found.
    """

    def __init__(self, health: Health) -> None:
        self._health = health
        self._lock = threading.Lock()
        self._folds = 0
        self._last: tuple[PostgresTally, bytes] | None = None

    def stored(self, book: PostgresTally, ids: bytes) -> None:
        """Remember what has been committed."""
        self._last = book, ids[-ID_BYTES:]

    def folding(self, connection: PostgresConnection) -> int:
        """Count a fold (in its transaction); return the number, to be learnt once it is committed.

        Raises:
            StoreUnavailable: this is another copy.
        """
        known = self._folds
        ((folds,),) = connection.execute("UPDATE fold SET folds = folds + 1 RETURNING folds")
        if folds <= known:
            self._other(connection)
        return int(folds)

    def learn(self, folds: int) -> None:
        """Learn how many folds there have been, at the least."""
        with self._lock:
            self._folds = max(self._folds, folds)

    def look(self, connection: PostgresConnection) -> None:
        """Look whether anything was found, and whether commits are safe.

        Raises:
            StoreUnavailable: this is another copy, or they are not.
        """
        known = self._folds
        ((folds, why),) = connection.execute(_LOOK).fetchall()
        if why is not None:
            self._health.end(why, RESTORE)
        if folds < known:
            self._other(connection)
        self.learn(folds)
        if off := unsafe(connection):
            why = f"finds {off} off in its database"
            self._health.fail("durability", why)
            raise StoreUnavailable(why)
        self._health.mend("durability")

    def verify(self, connection: PostgresConnection) -> None:
        """Look at a connection that was made again, before anything else is asked of it.

        Raises:
            StoreUnavailable: as :meth:`look`.
        """
        last = self._last
        self.look(connection)
        if last is not None:
            book, report_id = last
            there = book.holds(connection, report_id) or lifecycle_table.is_emptied(
                connection, book.number
            )
            if not there:
                self._other(connection)

    def end(self, connection: PostgresConnection, why: str, more: str = "") -> None:
        """Let nobody take reports any more.

        Args:
            connection: outside of a transaction, or in one that is undone.
            why: what was found, to follow "the store".
            more: for the operator.
        """
        self._health.end(why, f"{more}; {RESTORE}" if more else RESTORE)
        with contextlib.suppress(StoreUnavailable):  # a copy may have no such table
            if connection.in_transaction:
                connection.rollback()
            connection.execute("INSERT INTO fault (why) VALUES (?)", (why,))

    def _other(self, connection: PostgresConnection) -> None:
        self.end(connection, ANOTHER)
        raise StoreUnavailable(ANOTHER)
