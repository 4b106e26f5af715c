"""The store: submissions go in and are on disk when it says so; counts come out.

Two threads of its own: one acknowledges (:mod:`~sudare.collector.writer`, the inbox), one folds
(:mod:`~sudare.collector.merge_thread`, the database). Neither waits for the other's disk.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import datetime

from sudare.collection import Collection
from sudare.collection.definition import utc_now
from sudare.collector.checking import Inspection
from sudare.collector.database import transaction
from sudare.collector.health import RESTORE, Health, Readiness
from sudare.collector.inbox import Inbox, rows_after
from sudare.collector.jobs import StoreUnavailable
from sudare.collector.locking import ServerLock
from sudare.collector.merge_thread import MergeThread
from sudare.collector.schema import Connection, open_database, open_reader
from sudare.collector.store_interface import BaseStore
from sudare.collector.tallies import CollectionTally
from sudare.collector.timeline import SUFFIX, Timeline
from sudare.collector.versions import enrolled, register
from sudare.collector.writer import Writer
from sudare.errors import StorageError

__all__ = ["Readiness", "Store", "StoreUnavailable", "examine"]

CHECK_SECONDS = 0.3
"""How long a start waits for the check of its file; a longer one goes on beside."""


class Store(BaseStore):
    """A collector's SQLite file, with the inbox beside it, served by this process alone.

    Args:
        path: the file; created where there is none. It may hold any number of collections.
        collections: what is served now. A collection whose definition changed has another
            fingerprint: its counts are kept apart.
        queue_bytes: how much may wait for the disk before submissions are refused.
        idle: seconds without work after which the inbox is folded.
        clock: returns an aware datetime: when a collection was first served, or followed another.
        anchor: file that notes what has been public, by which an older copy of the database is
            known; None for one beside it.

    Raises:
        StorageError: the file cannot be used, is damaged, is served by another process, or does
            not belong to the inbox beside it.

    Examples:
        >>> with Store("tea.sqlite3", [collection]) as store:        # doctest: +SKIP
        ...     store.add(collection.fingerprint, ids, payloads).result()
        ...     counts, = store.counts(collection.fingerprint).result()
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        collections: Iterable[Collection],
        *,
        queue_bytes: int = 32 << 20,
        idle: float = 0.25,
        clock: Callable[[], datetime] = utc_now,
        anchor: str | None = None,
    ) -> None:
        self._path = os.path.realpath(path)
        self._anchor = anchor or self._path + SUFFIX
        self._clock = clock
        self._health = Health()
        with contextlib.ExitStack() as opened:
            self._lock = ServerLock(self._path)
            opened.callback(self._lock.release)
            connection = opened.enter_context(closing(open_database(self._path)))
            try:
                books = tuple(enrolled(connection, collections, clock()))
                self._begin(connection, books, opened, idle, queue_bytes)
            except (sqlite3.Error, OSError) as error:
                raise _busy() from error
            opened.pop_all()
        self._start_folding(self._writer.put)
        self._writer.start()

    def _begin(
        self,
        connection: Connection,
        books: tuple[CollectionTally, ...],
        opened: contextlib.ExitStack,
        idle: float,
        queue_bytes: int,
    ) -> None:
        """Look at the files and make the threads, which are not started yet."""
        self._inspection = Inspection(self._path, self._health)
        opened.callback(self._inspection.stop)
        self._inspection.wait(CHECK_SECONDS)
        if self._health.ended:
            raise StorageError("database", "must be a sound file", RESTORE)
        self._books: dict[str, CollectionTally] = {
            book.collection.fingerprint: book for book in books
        }
        inbox = Inbox(self._path, connection)
        opened.enter_context(closing(inbox.connection))
        timeline = Timeline(self._anchor, connection)
        with transaction(connection):
            timeline.verify(connection, rows_after(inbox.connection, 0, sys.maxsize, sys.maxsize))
        timeline.begin(timeline.position(connection))
        for book in books:
            book.timeline = timeline
            book.open(connection)
        for path in (self._path, inbox.path):
            self._health.watch(path)
        reader = opened.enter_context(closing(open_reader(self._path)))
        folder = MergeThread(
            self._path, connection, inbox, books, timeline, self._health, idle=idle
        )
        self._writer = Writer(inbox, reader, folder, self._health, queue_bytes=queue_bytes)
        self._folder, self._start_folding = folder, folder.start

    @property
    def ready(self) -> Readiness:
        """Tell whether submissions are taken, and why not: looks at the files as they are now."""
        if not self._writer.open:
            return Readiness("is closed")
        self._health.look()
        return Readiness(self._health.reason())

    def close(self) -> None:
        """Write what is queued, fold, close the files. A second call does nothing.

        What two seconds do not suffice to fold stays in the inbox, for the next start.
        """
        if self._writer.open:
            self._inspection.stop()
            self._writer.stop()
            self._folder.stop()
            self._lock.release()


def examine(path: str | os.PathLike[str], collections: Iterable[Collection]) -> None:
    """Look whether a store could be opened: a wrong file is refused before anything is served.

    Raises:
        StorageError: the file cannot be used, or is served by another process.
    """
    name = os.path.realpath(path)
    with ServerLock(name), closing(open_database(name)) as connection:
        try:
            for collection in collections:
                register(connection, collection)
        except sqlite3.Error as error:
            raise _busy() from error


def _busy() -> StorageError:
    return StorageError("database", "must be free to be written", "end what else uses the file")
