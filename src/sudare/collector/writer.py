"""The writer: one thread that owns the write connection and commits for everybody (group commit).

While one group is being synced to the disk, the next one gathers in the queue. A submission's
future is resolved only after ``COMMIT`` has returned, thus after the disk has it. Between groups
the thread folds the inbox, a slice at a time: when nothing is waiting, when the inbox is large,
before counts are read, and where a step of the public figures is complete.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass
from typing import Any

from sudare.collector.faults import log_fault
from sudare.collector.invites import InviteError
from sudare.collector.schema import BUSY_MILLISECONDS, transaction
from sudare.collector.tallies import ID_BYTES, CollectionTally
from sudare.errors import StorageError, SudareError

GROUP_SUBMISSIONS = 8_192
GROUP_BYTES = 32 << 20
LARGE_INBOX = 100_000
PAUSE_AFTER_FAILURE = 5.0
VACUUM_PAUSE = 60.0
VACUUM_BYTES = 64 << 20
"""Largest file that is rewritten while the collector runs: it takes half a second."""


class StoreUnavailable(StorageError):  # noqa: N818 - a state that passes, told to clients as 503
    """The store cannot take or give anything right now: nothing was stored, try again later."""

    def __init__(self, why: str) -> None:
        super().__init__("store", why, "send the same report again in a few seconds")


@dataclass(slots=True, eq=False)
class Submission:
    """Validated reports of one request, and the future that learns when the disk has them."""

    book: CollectionTally
    ids: bytes
    payloads: bytes
    future: asyncio.Future[None] | Future[None]
    loop: asyncio.AbstractEventLoop | None
    mark: bytes = b""
    """Of the invite that admits it; nothing where everybody is admitted."""

    @property
    def weight(self) -> int:
        """Return the memory the submission takes while it waits, in bytes (estimated)."""
        return len(self.ids) + len(self.payloads) + 256


@dataclass(slots=True, eq=False)
class Job:
    """A question that only the writer can answer."""

    run: Callable[[sqlite3.Connection], Any]
    future: Future[Any]


class Writer:
    """Own the connection, and serve the queue until it is told to stop."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        books: tuple[CollectionTally, ...],
        *,
        queue_bytes: int,
        idle: float,
    ) -> None:
        self._connection = connection
        self._books = books
        self._idle = idle
        self._room = queue_bytes
        self._open = True
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[Submission | Job | None] = queue.SimpleQueue()
        self._inbox = sum(book.open(connection) for book in books)
        self._traces = True
        self._scattered = True
        self._vacuum_at = 0.0
        self._not_before = 0.0
        self._thread = threading.Thread(target=self._run, name="sudare-writer", daemon=True)
        self.commits = 0
        self._thread.start()

    @property
    def open(self) -> bool:
        """Tell whether items are taken."""
        return self._open

    def put(self, item: Submission | Job) -> None:
        """Queue an item; its future is resolved later.

        Raises:
            StoreUnavailable: too much is waiting already, or the writer has ended.
        """
        weight = item.weight if isinstance(item, Submission) else 0
        with self._lock:
            if not self._open:
                raise StoreUnavailable("is closed")
            if self._room < weight:
                raise StoreUnavailable("has too many reports waiting")
            self._room -= weight
            self._queue.put(item)

    def stop(self) -> None:
        """Serve what is queued, fold the inbox, close the connection, end the thread."""
        with self._lock:
            if self._open:
                self._open = False
                self._queue.put(None)
        self._thread.join()

    def fold_all(self, connection: sqlite3.Connection, book: CollectionTally) -> None:
        """Fold a book's whole inbox."""
        while handled := book.fold(connection):
            self._inbox = max(0, self._inbox - handled)
            self._traces = self._scattered = True

    def _run(self) -> None:
        stopping = False
        try:
            while not stopping:
                submissions, jobs, stopping = self._gather()
                if submissions:
                    self._commit(submissions)
                for job in jobs:
                    self._answer(job)
                if stopping:
                    self._tidy(everything=True)
                elif self._inbox >= LARGE_INBOX or not (submissions or jobs):
                    self._tidy(everything=False)
        finally:
            with self._lock:
                self._open = False
            self._refuse_the_rest()
            self._connection.close()

    def _gather(self) -> tuple[list[Submission], list[Job], bool]:
        """Wait for the first item, then take what else is there, within the size of a group."""
        submissions: list[Submission] = []
        jobs: list[Job] = []
        weight = 0
        try:
            item = self._queue.get(timeout=self._pause())
            while True:
                if isinstance(item, Submission):
                    submissions.append(item)
                    weight += item.weight
                elif isinstance(item, Job):
                    jobs.append(item)
                else:
                    return submissions, jobs, True
                if len(submissions) >= GROUP_SUBMISSIONS or weight >= GROUP_BYTES:
                    break
                item = self._queue.get_nowait()
        except queue.Empty:
            pass
        return submissions, jobs, False

    def _pause(self) -> float | None:
        """Return the seconds after which there is work without an item; None for never."""
        now = time.monotonic()
        if self._inbox or self._traces:
            return max(self._idle, self._not_before - now)
        if self._scattered:
            return max(self._idle, self._vacuum_at - now)
        return None

    def _commit(self, group: list[Submission]) -> None:
        """Append a group in one transaction and resolve its futures, whichever way it went.

        Whose invite is refused learns so; the others are stored all the same.
        """
        failure: StoreUnavailable | None = None
        refused: dict[Submission, InviteError] = {}
        books: dict[CollectionTally, list[Submission]] = {}
        for submission in group:
            books.setdefault(submission.book, []).append(submission)
        stored: dict[CollectionTally, bytes] = {}
        try:
            with transaction(self._connection):
                for book, some in books.items():
                    fresh = some if book.office is None else self._admit(book, some, refused)
                    if fresh:
                        ids = b"".join([submission.ids for submission in fresh])
                        payloads = b"".join([submission.payloads for submission in fresh])
                        book.append(self._connection, ids, payloads)
                        stored[book] = ids
        except sqlite3.Error as error:
            log_fault("a commit", error)
            failure = StoreUnavailable("cannot write to its disk")
            refused.clear()
        else:
            self.commits += 1
            self._inbox += sum(len(ids) for ids in stored.values()) // ID_BYTES
            self._take_steps(stored)
        with self._lock:
            self._room += sum(submission.weight for submission in group)
        for submission, refusal in refused.items():
            _resolve([submission], refusal)
        _resolve([one for one in group if one not in refused] if refused else group, failure)

    def _take_steps(self, stored: Mapping[CollectionTally, bytes]) -> None:
        """Publish the steps that are complete: whoever completed one finds it."""
        try:
            for book, ids in stored.items():
                book.expect(self._connection, ids)
                if book.full:
                    self.fold_all(self._connection, book)
        except Exception as error:  # noqa: BLE001 - the inbox keeps the reports, a later fold follows
            log_fault("a step", error)

    def _admit(
        self, book: CollectionTally, some: list[Submission], refused: dict[Submission, InviteError]
    ) -> list[Submission]:
        """Spend invites and return the submissions that are new, each once."""
        fresh: dict[bytes, Submission] = {}
        for submission in some:
            try:
                if book.admit(self._connection, submission.mark, submission.ids):
                    fresh.setdefault(submission.ids, submission)
            except InviteError as refusal:
                if submission.ids not in fresh or not refusal.spent:
                    refused[submission] = refusal
        return list(fresh.values())

    def _answer(self, job: Job) -> None:
        if not job.future.set_running_or_notify_cancel():
            return
        try:
            job.future.set_result(job.run(self._connection))
        except sqlite3.Error as error:
            log_fault("a read", error)
            job.future.set_exception(StoreUnavailable("cannot use its disk"))
        except Exception as error:  # noqa: BLE001 - handed to the one who asked
            job.future.set_exception(error)

    def _tidy(self, *, everything: bool) -> None:
        """Fold a slice (or everything), and wipe the traces of the order of arrival when idle."""
        if time.monotonic() < self._not_before and not everything:
            return
        try:
            for book in self._books:
                if everything:
                    self.fold_all(self._connection, book)
                elif handled := book.fold(self._connection):
                    self._inbox = max(0, self._inbox - handled)
                    self._traces = self._scattered = True
                    return
            self._inbox = 0
            if self._scattered and (everything or time.monotonic() >= self._vacuum_at):
                self._vacuum(everything=everything)
            if not self._truncate_log():
                self._not_before = time.monotonic() + PAUSE_AFTER_FAILURE
                return
            self._traces = False
        except Exception as error:  # noqa: BLE001 - the inbox keeps the reports, intake goes on
            log_fault("a fold", error)
            self._not_before = time.monotonic() + PAUSE_AFTER_FAILURE

    def _truncate_log(self) -> bool:
        """Empty the write-ahead log; tell whether no reader in another process was in the way.

        Its commits, one after the other, say which report came with which invite. Whoever reads is
        not waited for: reports are.
        """
        self._connection.execute("PRAGMA busy_timeout=0")
        try:
            ((busy, _, _),) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            self._connection.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
        return not busy

    def _vacuum(self, *, everything: bool) -> None:
        """Rewrite the file in the order of its keys.

        A page is filled from its end in the order in which rows come: of reports that are folded
        a few at a time their places on the page would tell the order of arrival.
        """
        started = time.monotonic()
        ((size,),) = self._connection.execute(
            "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
        )
        if everything or size <= VACUUM_BYTES:
            try:
                self._connection.execute("VACUUM")
                self._scattered = False
            except sqlite3.Error as error:  # another process reads, or the disk is full
                log_fault("a rewriting of the file", error)
        ended = time.monotonic()
        self._vacuum_at = ended + max(VACUUM_PAUSE, 100 * (ended - started))

    def _refuse_the_rest(self) -> None:
        rest: list[Submission] = []
        while not self._queue.empty():
            item = self._queue.get_nowait()
            if isinstance(item, Submission):
                rest.append(item)
            elif isinstance(item, Job) and item.future.set_running_or_notify_cancel():
                item.future.set_exception(StoreUnavailable("is closed"))
        _resolve(rest, StoreUnavailable("is closed"))


def _resolve(group: list[Submission], failure: SudareError | None) -> None:
    """Resolve a group's futures, waking each event loop once."""
    loops: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for submission in group:
        if submission.loop is None:
            _settle(submission.future, failure)
        elif isinstance(submission.future, asyncio.Future):
            loops.setdefault(submission.loop, []).append(submission.future)
    for loop, futures in loops.items():
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle_all, futures, failure)


def _settle_all(futures: list[asyncio.Future[None]], failure: SudareError | None) -> None:
    for future in futures:
        _settle(future, failure)


def _settle(future: asyncio.Future[None] | Future[None], failure: SudareError | None) -> None:
    with contextlib.suppress(InvalidStateError, asyncio.InvalidStateError):  # it was cancelled
        if failure is None:
            future.set_result(None)
        else:
            future.set_exception(failure)
