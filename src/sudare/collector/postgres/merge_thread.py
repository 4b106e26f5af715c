"""The folder: a thread that takes what the inbox holds into the tallies, as one of several.

Every process has one. A fold is a transaction under an advisory lock, so that one is under way at
a time, and whoever has folded may die: another process goes on from what is stored. In it reports
go from the inbox into their table, each id once, and are counted where they are new, and the rows
are deleted: counts never double. What a fold leaves is wiped: the inbox is emptied by ``TRUNCATE``,
and tables that grew are written anew (:mod:`sudare.collector.postgres.order_erasure`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import NamedTuple

from sudare.collector import lifecycle_table
from sudare.collector.database import transaction
from sudare.collector.faults import log_fault
from sudare.collector.health import Health
from sudare.collector.inbox import Row
from sudare.collector.jobs import StoreUnavailable
from sudare.collector.postgres.connection import DatabaseFault, PostgresConnection
from sudare.collector.postgres.copy_detection import CopyDetection
from sudare.collector.postgres.order_erasure import (
    GROWING,
    is_in_the_way,
    lock,
    rewrite,
)
from sudare.collector.postgres.tally import PostgresTally
from sudare.collector.postgres.timeline import PostgresTimeline
from sudare.collector.tallies import CollectionTally, Folded, keep
from sudare.collector.worker_thread import WorkerThread

SLICE_BYTES = 2 << 20
"""Of one fold's reports."""
LITTLE_BYTES = 128 << 10
"""Of reports that are folded while acknowledgements wait for the inbox to be emptied."""
OLDEST = 5.0
"""Seconds after which every process looks at the inbox, whoever has filled it."""
WIPE_PAUSE = 1.0
"""Seconds between two emptyings of the inbox, for which acknowledgements wait a moment."""
REST = 20.0
"""How many times as long as it took nothing is written anew again."""
SMALL = 50_000
"""Reports that are put in order after every fold."""
GROWTH = 4
"""Of more reports, once this part of them is new, or none has come for a while."""
QUIET = 60.0
PAUSE_AFTER_FAILURE = 1.0
END_SECONDS = 2.0
"""How long the end of the collector may go on folding; the inbox keeps what is left."""

_ROWS = """
SELECT seq, collection, ids, payloads, marks FROM (
    SELECT *, sum(octet_length(ids) + octet_length(payloads)) OVER (ORDER BY seq)
        - octet_length(ids) - octet_length(payloads) AS before
    FROM inbox WHERE collection = ANY(?) AND seq <= ?
) AS ordered WHERE before < ? ORDER BY seq
"""
_LAST = "SELECT max(seq) FROM inbox WHERE collection = ANY(?)"
_WAITING = """
SELECT coalesce(sum(octet_length(ids) + octet_length(payloads)), 0)::bigint FROM inbox
WHERE collection = ANY(?)
"""
_LOOK = f"""
SELECT ({_WAITING}),
       pg_relation_size('inbox') + pg_relation_size('taken') > 0,
       (SELECT fresh FROM fold),
       (SELECT coalesce(sum(n), 0)::bigint FROM
           (SELECT max(n) AS n FROM tally GROUP BY collection) AS each)
"""  # noqa: S608


class Fold(NamedTuple):
    """What a fold has taken, to be settled once it is committed."""

    rows: list[Row]
    done: dict[PostgresTally, Folded]
    folds: int

    def settle(self, witness: CopyDetection) -> None:
        """Take it as stored."""
        witness.learn(self.folds)
        for book, folded in self.done.items():
            book.settle(folded)


def last_row(connection: PostgresConnection, books: dict[int, PostgresTally]) -> int | None:
    """Return the number of the last row that the inbox has for these collections."""
    with transaction(connection):  # which makes a lost connection again
        ((last,),) = connection.execute(_LAST, (list(books),)).fetchall()
    return None if last is None else int(last)


def fold(
    connection: PostgresConnection,
    books: dict[int, PostgresTally],
    witness: CopyDetection,
    last: int,
) -> bool:
    """Fold a slice of the inbox, no row after the last; tell whether there was one."""
    with transaction(connection):
        folded = _fold(connection, books, witness, last, SLICE_BYTES)
    folded.settle(witness)
    return bool(folded.rows)


def _fold(
    connection: PostgresConnection,
    books: dict[int, PostgresTally],
    witness: CopyDetection,
    last: int,
    size: int,
) -> Fold:
    """Do so within the caller's transaction."""
    rows = [Row(*one) for one in connection.execute(_ROWS, (list(books), last, size))]
    by_book: dict[int, list[Row]] = {}
    for row in rows:
        by_book.setdefault(row.collection, []).append(row)
    done: dict[PostgresTally, Folded] = {}
    for number, some in by_book.items():
        if not lifecycle_table.is_emptied(connection, number):  # deleted since they came
            done[books[number]] = books[number].fold(connection, some)
    if not rows:
        return Fold(rows, done, 0)
    connection.execute("DELETE FROM inbox WHERE seq = ANY(?)", ([row.seq for row in rows],))
    return Fold(rows, done, witness.folding(connection))


def empty(
    connection: PostgresConnection, books: dict[int, PostgresTally], witness: CopyDetection
) -> bool:
    """Fold what little is left, and empty the inbox; tell whether nobody was in the way.

    Acknowledgements wait meanwhile. Rows of collections that are not served here are put back, in
    the order of their ids.
    """
    try:
        with transaction(connection):
            lock(connection, ("inbox", "taken"))
            ((waiting,),) = connection.execute(_WAITING, (list(books),)).fetchall()
            if waiting > LITTLE_BYTES:
                raise _MoreError
            folded = _fold(connection, books, witness, LAST, LITTLE_BYTES)
            left = [Row(*one) for one in connection.execute(_LEFT)]
            connection.execute("TRUNCATE inbox, taken")
            keep(connection, left)
    except _MoreError:
        return False
    except DatabaseFault as fault:
        if is_in_the_way(fault):
            return False
        raise
    folded.settle(witness)
    return True


LAST = 2**63 - 1
"""The largest number of a row."""
_LEFT = "SELECT seq, collection, ids, payloads, marks FROM inbox"


class _MoreError(Exception):
    """More has come than acknowledgements should wait for."""


class PostgresMergeThread(WorkerThread[PostgresConnection]):
    """Own a connection, and tend the tables until told to stop.

    Args:
        connection: for this thread alone.
        books: of the collections that are served.
        timeline: of the database.
        health: what this thread finds and minds.
        witness: holds what it knows against the database.
        idle: seconds without a report after which the inbox is folded.
    """

    def __init__(
        self,
        connection: PostgresConnection,
        books: Iterable[PostgresTally],
        timeline: PostgresTimeline,
        health: Health,
        witness: CopyDetection,
        *,
        idle: float,
    ) -> None:
        super().__init__(connection, health)
        connection.verify = witness.verify
        self._witness = witness
        self._books = {book.number: book for book in books}
        self._timeline = timeline
        self._idle = idle
        self._unread = True
        self._first = self._last = time.monotonic()
        self._look_at = self._wipe_at = self._rewrite_at = self._not_before = 0.0

    def start(self) -> None:
        """Begin to tend the tables."""
        self._thread.start()

    def arrived(self) -> None:
        """Learn that reports have come into the inbox."""
        with self._lock:
            self._last = time.monotonic()
            wake, self._unread = not self._unread, True
            if wake:
                self._first = self._last
        if wake:
            self._queue.put(None)

    def take_up(self, book: CollectionTally) -> PostgresTally:
        """Tend the book of one more collection; called in this thread, by a job."""
        own = PostgresTally(book.number, book.collection, book.office, self._timeline)
        with transaction(self._connection):
            own.take_up(self._connection)
        self._books[own.number] = own
        return own

    def fold_all(self, connection: PostgresConnection) -> None:
        """Fold what the inbox holds when this begins, whoever has filled it.

        What comes meanwhile is for the next fold: whoever asked for this one need not wait for it.

        Raises:
            StoreUnavailable: it failed; the inbox keeps the reports.
        """
        if self._health.ended:
            raise StoreUnavailable(self._health.reason() or "")
        with self._lock:
            self._unread = False
        try:
            last = last_row(connection, self._books)
            while last is not None and fold(connection, self._books, self._witness, last):
                pass
        except BaseException:
            with self._lock:
                self._unread = True
            raise
        self._health.mend("fold")

    def _pause(self) -> float | None:
        """Return the seconds after which there is something to do; None for never."""
        return None if self._health.ended else max(0.0, self._due() - time.monotonic())

    def _due(self) -> float:
        with self._lock:
            due = self._look_at
            if self._unread:
                soon = min(self._last + self._idle, self._first + max(OLDEST, self._idle))
                due = min(due, soon)
            return max(due, self._not_before)

    def _tend(self) -> None:
        """Fold what is there, and wipe what that leaves."""
        try:
            self.fold_all(self._connection)
            self._wipe()
        except Exception as error:  # noqa: BLE001 - the inbox keeps the reports
            if not self._health.ended:
                log_fault("a fold", error)
            self._health.fail("fold", "cannot take reports into its tallies")
            self._not_before = time.monotonic() + PAUSE_AFTER_FAILURE

    def _wipe(self) -> None:
        """Empty the inbox and put in order what is due; say when to look again."""
        now = time.monotonic()
        looked = self._connection.execute(_LOOK, (list(self._books),))
        ((waiting, traces, fresh, n),) = looked.fetchall()
        again = now + OLDEST
        if waiting > LITTLE_BYTES:  # it came meanwhile: to be folded before the inbox is emptied
            again = now
        elif traces and now < self._wipe_at:
            again = self._wipe_at
        elif traces or waiting:
            if not empty(self._connection, self._books, self._witness):
                again = now + WIPE_PAUSE
            self._wipe_at = time.monotonic() + WIPE_PAUSE
        quiet = now - self._last > QUIET
        if fresh and now >= self._rewrite_at and (n <= SMALL or GROWTH * fresh >= n or quiet):
            start = time.monotonic()
            rewrite(self._connection, GROWING)
            self._rewrite_at = time.monotonic() + max(OLDEST, REST * (time.monotonic() - start))
        self._look_at = again

    def _close(self) -> None:
        self._connection.close()

    def _end(self) -> None:
        """Fold what is left while time allows."""
        if self._health.ended:
            return
        end = time.monotonic() + END_SECONDS
        try:
            while time.monotonic() < end and fold(
                self._connection, self._books, self._witness, LAST
            ):
                pass
            if time.monotonic() < end:
                self._wipe()
        except StoreUnavailable as error:
            log_fault("the last fold", error)
