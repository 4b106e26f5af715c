"""The writer: one thread that owns the inbox and commits for everybody (group commit).

Whether an invite is spent and whether a report is stored already it looks up in the database, by a
connection that only reads; what is folded meanwhile does not keep it waiting.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from sudare.collector import lifecycle_table
from sudare.collector.database import transaction
from sudare.collector.faults import log_fault
from sudare.collector.grouping import GroupWriter, Submission, resolve
from sudare.collector.health import Health
from sudare.collector.inbox import ID_BYTES, Inbox
from sudare.collector.invites import InviteError
from sudare.collector.jobs import Job, StoreUnavailable
from sudare.collector.merge_thread import MergeThread
from sudare.collector.schema import Connection
from sudare.collector.tallies import CollectionTally
from sudare.errors import CollectionError


@dataclass(slots=True)
class _Group:
    """What a commit appends, and what is taken back if it fails."""

    refused: dict[Submission, CollectionError]
    expected: dict[CollectionTally, tuple[set[bytes], set[bytes]]]
    reports: int = 0


class Writer(GroupWriter):
    """Own the inbox's connection, and serve the queue until it is told to stop.

    Args:
        inbox: to be written by this thread alone.
        reader: a connection to the database.
        folder: is told what has come, and folds.
        health: what this thread finds and minds.
        queue_bytes: how much may wait.
    """

    def __init__(
        self,
        inbox: Inbox,
        reader: sqlite3.Connection,
        folder: MergeThread,
        health: Health,
        *,
        queue_bytes: int,
    ) -> None:
        super().__init__(health, queue_bytes=queue_bytes)
        self._inbox = inbox
        self._reader = reader
        self._folder = folder

    def _answer(self, job: Job) -> None:
        job.answer(self._reader)

    def _end(self) -> None:
        self._reader.close()

    def _commit(self, group: list[Submission]) -> None:
        """Append a group in one transaction and resolve its futures, whichever way it went.

        Whose invite is refused, or whose collection takes nothing, learns so; the others are stored
        all the same.
        """
        failure: StoreUnavailable | None = None
        done = _Group({}, {})
        try:
            with transaction(self._inbox.connection):
                self._append(group, done)
        except sqlite3.Error as error:
            log_fault("a commit", error)
            self._health.damaged(error)
            failure = StoreUnavailable("cannot write to its disk")
            for book, (ids, marks) in done.expected.items():
                book.forget(ids, marks)
            done.refused.clear()
            self._note(failing=True)
        else:
            self.commits += 1
            self._folder.arrived(done.reports)
            self._note(failing=False)
            self._health.look()
            if self._health.ended:
                failure = StoreUnavailable(self._health.reason() or "")
        self._release(group)
        for submission, refusal in done.refused.items():
            resolve([submission], refusal)
        admitted = [one for one in group if one not in done.refused] if done.refused else group
        if failure is None and (full := [book for book in done.expected if book.full]):
            self._take_steps(full, lambda: resolve(admitted, None))
        else:
            resolve(admitted, failure)

    def _append(self, group: list[Submission], done: _Group) -> None:
        """Append what is admitted, by collection (within the caller's transaction)."""
        books: dict[CollectionTally, list[Submission]] = {}
        for submission in group:
            books.setdefault(submission.book, []).append(submission)
        for book, some in books.items():
            if not lifecycle_table.takes(self._reader, book.number):
                done.refused.update(dict.fromkeys(some, lifecycle_table.NotTakenError()))
                continue
            marks: set[bytes] = set()
            done.expected[book] = (set(), marks)
            fresh = some if book.office is None else self._admit(book, some, marks, done.refused)
            if fresh:
                ids = b"".join([submission.ids for submission in fresh])
                payloads = b"".join([submission.payloads for submission in fresh])
                done.expected[book] = (book.expect(self._reader, ids), marks)
                self._inbox.append(book.number, ids, payloads, b"".join(sorted(marks)))
                done.reports += len(ids) // ID_BYTES

    def _take_steps(self, books: list[CollectionTally], then: Callable[[], None]) -> None:
        """Publish the steps that are complete: whoever completed one finds it.

        Where much waits for the fold nobody waits with it: the disk has the reports.
        """
        prompt = self._folder.prompt
        begun = [book for book in books if not book.stepping]
        if not (prompt and begun):
            then()
        if not begun:
            return
        for book in begun:
            book.stepping = True

        def step(connection: Connection) -> None:
            for book in begun:
                book.stepping = False
            self._folder.fold_all(connection)

        job = Job(step, Future())
        if prompt:
            job.future.add_done_callback(lambda _: then())  # the inbox has them, if that failed too
        try:
            self._folder.put(job)
        except StoreUnavailable:  # it ends, and folds everything
            job.refuse()

    def _admit(
        self,
        book: CollectionTally,
        some: list[Submission],
        marks: set[bytes],
        refused: dict[Submission, CollectionError],
    ) -> list[Submission]:
        """Spend invites and return the submissions that are new, each once."""
        fresh: dict[bytes, Submission] = {}
        for submission in some:
            try:
                if book.admit(self._reader, submission.mark, submission.ids):
                    marks.add(submission.mark)
                    fresh.setdefault(submission.ids, submission)
            except InviteError as refusal:
                if submission.ids not in fresh or not refusal.spent:
                    refused[submission] = refusal
        return list(fresh.values())

    def _probe(self) -> None:
        try:
            self._inbox.probe()
        except sqlite3.Error:
            return
        self._note(failing=False)
