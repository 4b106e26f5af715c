"""A thread that owns a connection, answers jobs with it, and tends the store beside them.

What it tends, and when, is said by its children: the merge threads of SQLite and PostgreSQL.
"""

from __future__ import annotations

import queue
import threading
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from sudare.collector.database import Reader
from sudare.collector.health import Health
from sudare.collector.jobs import Job, StoreUnavailable

C = TypeVar("C", bound=Reader)


class WorkerThread(ABC, Generic[C]):
    """Own a connection, and tend what it leads to until told to stop.

    Args:
        connection: for this thread alone.
        health: what this thread finds and minds.
    """

    def __init__(self, connection: C, health: Health) -> None:
        self._connection = connection
        self._health = health
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._open = True
        self._thread = threading.Thread(target=self._run, name="sudare-folder", daemon=True)

    @abstractmethod
    def _pause(self) -> float | None:
        """Return the seconds after which there is work without a job; None for never."""

    @abstractmethod
    def _tend(self) -> None:
        """Do what is due."""

    @abstractmethod
    def _end(self) -> None:
        """Do what is left while time allows."""

    @abstractmethod
    def _close(self) -> None:
        """Close what the thread has open."""

    def put(self, job: Job) -> None:
        """Queue a job; it gets this thread's connection.

        Raises:
            StoreUnavailable: the thread has ended, or is about to.
        """
        with self._lock:
            if not self._open:
                raise StoreUnavailable("is closed")
            self._queue.put(job)

    def stop(self) -> None:
        """Answer what is queued, do what is left, and end the thread."""
        with self._lock:
            self._open = False
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        try:
            while self._open or not self._queue.empty():
                try:
                    item = self._queue.get(timeout=self._pause())
                except queue.Empty:
                    item = None
                if item is not None:
                    item.answer(self._connection)
                if self._open and self._pause() == 0.0:
                    self._tend()
            self._end()
        finally:
            with self._lock:
                died, self._open = self._open, False
            if died:
                self._health.end("has lost the thread that folds", "start it again")
            while not self._queue.empty():
                if item := self._queue.get_nowait():
                    item.refuse()
            self._close()
