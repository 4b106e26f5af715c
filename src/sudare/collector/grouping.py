"""Group commit: one thread that commits for everybody what has gathered meanwhile.

While one group is being synced to the disk, the next one gathers in the queue. A submission's
future is resolved only after ``COMMIT`` has returned, thus after the disk has it.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass

from sudare.collector.health import Health
from sudare.collector.jobs import Job, StoreUnavailable, settle
from sudare.collector.tallies import CollectionTally
from sudare.errors import SudareError

GROUP_SUBMISSIONS = 8_192
GROUP_BYTES = 32 << 20
PROBE_SECONDS = 1.0
"""How often a disk that has failed is tried without a submission."""


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


class GroupWriter(ABC):
    """Serve the queue until told to stop.

    Args:
        health: what this thread finds and minds.
        queue_bytes: how much may wait.

    Attributes:
        commits: how many groups have been committed.
    """

    def __init__(self, health: Health, *, queue_bytes: int) -> None:
        self._health = health
        self._room = queue_bytes
        self._open = True
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[Submission | Job | None] = queue.SimpleQueue()
        self._failing = False
        self._thread = threading.Thread(target=self._run, name="sudare-writer", daemon=True)
        self.commits = 0

    @abstractmethod
    def _commit(self, group: list[Submission]) -> None:
        """Store a group in one transaction and resolve its futures, whichever way it went."""

    @abstractmethod
    def _probe(self) -> None:
        """Look whether a disk that has failed takes something again."""

    @abstractmethod
    def _answer(self, job: Job) -> None:
        """Answer a job."""

    @abstractmethod
    def _end(self) -> None:
        """Close what the thread has open."""

    @property
    def open(self) -> bool:
        """Tell whether items are taken."""
        return self._open

    def start(self) -> None:
        """Begin to serve the queue."""
        self._thread.start()

    def put(self, item: Submission | Job) -> None:
        """Queue an item; its future is resolved later.

        Raises:
            StoreUnavailable: too much is waiting already, the writer has ended, or the database
                does not take what is acknowledged.
        """
        weight = 0
        if isinstance(item, Submission):
            weight = item.weight
            if reason := self._health.reason(besides="commit"):
                raise StoreUnavailable(reason)
        with self._lock:
            if not self._open:
                raise StoreUnavailable("is closed")
            if self._room < weight:
                raise StoreUnavailable("has too many reports waiting")
            self._room -= weight
            self._queue.put(item)

    def stop(self) -> None:
        """Serve what is queued and end the thread."""
        with self._lock:
            if self._open:
                self._open = False
                self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        stopping = False
        try:
            while not stopping:
                submissions, jobs, stopping = self._gather()
                if submissions:
                    self._commit(submissions)
                elif self._failing:
                    self._probe()
                for job in jobs:
                    self._answer(job)
        finally:
            with self._lock:
                self._open = False
            self._refuse_the_rest()
            self._end()

    def _gather(self) -> tuple[list[Submission], list[Job], bool]:
        """Wait for the first item, then take what else is there, within the size of a group."""
        submissions: list[Submission] = []
        jobs: list[Job] = []
        weight = 0
        try:
            item = self._queue.get(timeout=PROBE_SECONDS if self._failing else None)
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

    def _release(self, group: Iterable[Submission]) -> None:
        """Give back the room that a group took."""
        with self._lock:
            self._room += sum(submission.weight for submission in group)

    def _note(self, *, failing: bool) -> None:
        self._failing = failing
        if failing:
            self._health.fail("commit", "cannot write to its disk")
        else:
            self._health.mend("commit")

    def _refuse_the_rest(self) -> None:
        rest: list[Submission] = []
        while not self._queue.empty():
            item = self._queue.get_nowait()
            if isinstance(item, Submission):
                rest.append(item)
            elif isinstance(item, Job):
                item.refuse()
        resolve(rest, StoreUnavailable("is closed"))


def resolve(group: list[Submission], failure: SudareError | None) -> None:
    """Resolve a group's futures, waking each event loop once."""
    loops: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for submission in group:
        if submission.loop is None:
            settle(submission.future, failure)
        elif isinstance(submission.future, asyncio.Future):
            loops.setdefault(submission.loop, []).append(submission.future)
    for loop, futures in loops.items():
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle_all, futures, failure)


def _settle_all(futures: list[asyncio.Future[None]], failure: SudareError | None) -> None:
    for future in futures:
        settle(future, failure)
