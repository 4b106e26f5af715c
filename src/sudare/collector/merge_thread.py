"""The folder: one thread that owns the database, and takes into it what the inbox holds.

It folds when nothing has come for a moment, when the oldest report has waited for some seconds,
when the inbox is large, before counts are read, and where a step of the public figures is
complete. After a fold it has the rows deleted from the inbox, puts reports where their ids
belong, and empties both write-ahead logs: the order of arrival lives for ten seconds at the most.
Acknowledgements are another thread's, in another file, and do not wait for any of it.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import closing

from sudare.collector import lifecycle_table
from sudare.collector.checking import Recount
from sudare.collector.database import transaction
from sudare.collector.faults import log_fault
from sudare.collector.health import RESTORE, Health
from sudare.collector.inbox import Inbox, Row, rows_after
from sudare.collector.jobs import Job, StoreUnavailable
from sudare.collector.page_erasure import PageErasure
from sudare.collector.schema import Connection, open_reader, truncate_log
from sudare.collector.tallies import CollectionTally, Folded, keep
from sudare.collector.timeline import Timeline
from sudare.collector.worker_thread import WorkerThread

SLICE_REPORTS = 8_192
SLICE_BYTES = 4 << 20
"""Of one transaction of the fold: while its pages are written, other files wait for the disk."""
SHORT_REPORTS = 2 * SLICE_REPORTS
LARGE_INBOX = 65_536
OLDEST = 5.0
"""Seconds that a report waits for the fold while others keep coming."""
PAUSE_AFTER_FAILURE = 1.0
REST = 4.0
"""How many times as long as it worked the thread rests before the next slice of the recount."""
SETTLE_PAUSE = 5.0
"""Seconds between two slices of a large table that is rewritten in the order of its ids."""
END_SECONDS = 2.0
"""How long the end of the collector may go on folding; the inbox keeps what is left."""

_OWN = "SELECT inbox, folded FROM fold"
_LAST = "SELECT coalesce(max(seq), 0) FROM inbox"


class MergeThread(WorkerThread[Connection]):
    """Own the database's write connection, and tend it until told to stop.

    Args:
        database: the path.
        connection: that writes it.
        inbox: what is folded; another thread writes it until this one ends.
        books: of the collections that are served.
        timeline: of the database.
        health: what this thread finds and minds.
        idle: seconds without a report after which the inbox is folded.
    """

    def __init__(
        self,
        database: str,
        connection: Connection,
        inbox: Inbox,
        books: Iterable[CollectionTally],
        timeline: Timeline,
        health: Health,
        *,
        idle: float,
    ) -> None:
        self._database = database
        super().__init__(connection, health)
        self._inbox = inbox
        self._rows = open_reader(inbox.path)
        self._books = {book.number: book for book in books}
        self._timeline = timeline
        self._idle = idle
        self._own: tuple[bytes, int] = connection.execute(_OWN).fetchone()
        self._recount = Recount(
            self._books.values(), lambda why, more: health.end(why, f"{more}; {RESTORE}")
        )
        self._settling = PageErasure(connection)
        self._ask: Callable[[Job], None] = _nobody
        self._unread = True
        self._reports = self._take_up()
        self._traces = True
        self._folding = False
        self._first = self._last = time.monotonic()
        self._not_before = self._slice_at = 0.0

    def start(self, ask: Callable[[Job], None]) -> None:
        """Begin to tend the database; ``ask`` hands a job to the thread that writes the inbox."""
        self._ask = ask
        self._thread.start()

    def arrived(self, reports: int) -> None:
        """Learn that so many reports have come into the inbox."""
        with self._lock:
            self._last = time.monotonic()
            if not (self._unread or self._traces):
                self._first = self._last
            wake = not self._unread or self._reports < LARGE_INBOX <= self._reports + reports
            self._unread = True
            self._reports += reports
        if wake:
            self._queue.put(None)

    @property
    def prompt(self) -> bool:
        """Whether a fold that is asked for now is short: a sender may wait for it."""
        with self._lock:
            return not self._folding and self._reports <= SHORT_REPORTS

    def take_up(self, book: CollectionTally) -> CollectionTally:
        """Tend the book of one more collection; called in this thread, by a job."""
        book.timeline = self._timeline
        book.open(self._connection)
        self._books[book.number] = book
        return book

    def stop(self) -> None:
        """Answer what is queued, fold, part from the inbox if it is empty, and end the thread.

        The thread that writes the inbox must have ended.
        """
        self._ask = _nobody
        super().stop()

    def fold_all(self, connection: Connection) -> None:
        """Fold what the inbox holds when this begins: what comes meanwhile is for the next fold.

        Raises:
            StoreUnavailable: the file is not the one that was opened.
            sqlite3.Error: it cannot be read or written; the inbox keeps the reports.
        """
        with self._lock:
            self._folding, self._unread, self._reports = True, False, 0
        try:
            self._verify()
            (last,) = self._rows.execute(_LAST).fetchone()
            while self._own[1] < last and self._fold():
                pass
        except Exception as error:
            with self._lock:
                self._unread = True
            self._fail(error)
            raise
        finally:
            self._folding = False
        self._health.mend("fold")

    def _take_up(self) -> int:
        """Note in the books what a crash has left in the inbox; return how many reports."""
        rows = rows_after(self._rows, self._own[1], sys.maxsize, sys.maxsize)
        for number, book in self._books.items():
            book.await_rows(self._connection, [row for row in rows if row.collection == number])
        return sum(row.reports for row in rows)

    def _pause(self) -> float | None:
        """Return the seconds after which there is work without a job; None for never."""
        times = []
        if self._unread or self._traces:
            times.append(self._due())
        if not (self._recount.done and self._settling.done):
            times.append(self._slice_at)
        if self._health.ended or not times:
            return None
        return max(0.0, max(min(times), self._not_before) - time.monotonic())

    def _due(self) -> float:
        """Return when the next fold is due, if there is something to fold or to wipe."""
        if self._reports >= LARGE_INBOX:
            return 0.0
        return min(self._last + self._idle, self._first + max(OLDEST, self._idle))

    def _tend(self) -> None:
        """Do what is due: fold and wipe, or a slice of what goes on beside."""
        now = time.monotonic()
        if now < self._not_before:
            return
        if (self._unread or self._traces) and now >= self._due():
            with contextlib.suppress(Exception):  # it is noted: the inbox keeps the reports
                self.fold_all(self._connection)
                self._beside(self._wipe)
        elif now >= self._slice_at:
            if not self._recount.done:
                self._beside(lambda: self._recount.step(self._connection))
                self._slice_at = time.monotonic() + REST * (time.monotonic() - now)
            elif not self._settling.done:
                self._beside(self._settle)
                self._slice_at = time.monotonic() + SETTLE_PAUSE

    def _beside(self, work: Callable[[], None]) -> None:
        """Do what intake does not depend on; where that fails it is tried again later."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - nothing is lost by it
            log_fault("the care of the file", error)
            self._not_before = time.monotonic() + PAUSE_AFTER_FAILURE
            self._health.damaged(error)

    def _settle(self) -> None:
        self._settling.step(self._connection)
        self._traces |= not truncate_log(self._connection)

    def _wipe(self) -> None:
        """Leave no trace of the order of arrival, unless a reader is in the way."""
        if not self._settling.done and self._settling.small:
            self._settling.step(self._connection)
        folded, gone = self._own[1], Future[bool]()
        try:
            self._ask(Job(lambda _: self._inbox.delete(folded), gone))
            wiped = gone.result()
        except StoreUnavailable:  # its disk fails, or it ends
            wiped = False
        wiped &= truncate_log(self._connection)
        with self._lock:
            self._traces = not wiped
            self._first = time.monotonic()
        if not wiped:
            self._not_before = time.monotonic() + PAUSE_AFTER_FAILURE

    def _verify(self) -> None:
        """Look whether the path still leads to what this thread has written.

        Raises:
            StoreUnavailable: it does not.
        """
        self._health.look()
        if not self._health.ended:
            with closing(open_reader(self._database)) as fresh:
                if fresh.execute(_OWN).fetchone() != self._own:
                    self._health.end("finds another copy in the place of its file", RESTORE)
        if self._health.ended:
            raise StoreUnavailable(self._health.reason() or "")

    def _fail(self, error: Exception) -> None:
        self._not_before = time.monotonic() + PAUSE_AFTER_FAILURE
        if self._health.ended:
            return
        log_fault("a fold", error)
        if not self._health.damaged(error):
            self._health.fail("fold", "cannot take reports into its database")

    def _close(self) -> None:
        self._rows.close()
        self._connection.close()

    def _fold(self) -> bool:
        """Fold one slice of the inbox; tell whether there was one.

        In one transaction the database gets the reports and the number of their last row.
        """
        rows = rows_after(self._rows, self._own[1], SLICE_REPORTS, SLICE_BYTES)
        if not rows:
            return False
        by_book: dict[int, list[Row]] = {}
        for row in rows:
            by_book.setdefault(row.collection, []).append(row)
        done: dict[CollectionTally, Folded] = {}
        with transaction(self._connection):
            for number, some in by_book.items():
                if lifecycle_table.is_emptied(self._connection, number):  # deleted since they came
                    continue
                if book := self._books.get(number):
                    done[book] = book.fold(self._connection, some)
                else:  # it was served before a crash, and is not now
                    keep(self._connection, some)
            self._connection.execute("UPDATE fold SET folded = ?", (rows[-1].seq,))
            if fresh := [(book.number, one.ids) for book, one in done.items() if one.ids]:
                self._settling.scatter(self._connection, fresh)
        self._own = (self._own[0], rows[-1].seq)
        self._traces = True
        for book, folded in done.items():
            book.settle(folded)
            self._recount.note(book, folded)
        return True

    def _end(self) -> None:
        """Fold what is left while time allows, and part from an inbox that is empty."""
        end = time.monotonic() + END_SECONDS
        with closing(self._inbox.connection):
            if self._health.ended:
                return
            try:
                self._verify()
                while (more := self._fold()) and time.monotonic() < end:
                    pass
                while (
                    self._settling.small
                    and not self._settling.done
                    and time.monotonic() < end - 0.75 * END_SECONDS
                ):
                    self._settling.step(self._connection)
                truncate_log(self._connection)
                if not more:
                    self._inbox.remove(self._connection, self._own[1])
            except (sqlite3.Error, OSError, StoreUnavailable) as error:
                log_fault("the last fold", error)


def _nobody(job: Job) -> None:
    raise StoreUnavailable("is closed")
