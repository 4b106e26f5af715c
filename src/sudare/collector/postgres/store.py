"""The store in PostgreSQL: several processes and hosts serve one database."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import closing
from datetime import datetime
from functools import partial
from typing import Any

from sudare.collection import Collection
from sudare.collection.definition import utc_now
from sudare.collector.database import Reader, transaction
from sudare.collector.health import Health, Readiness
from sudare.collector.jobs import Job
from sudare.collector.lifecycle import Standing
from sudare.collector.postgres.connection import DatabaseFault, PostgresConnection
from sudare.collector.postgres.copy_detection import CopyDetection
from sudare.collector.postgres.counting import count_marks
from sudare.collector.postgres.merge_thread import PostgresMergeThread
from sudare.collector.postgres.recounting import Recounting
from sudare.collector.postgres.tables import open_tables, refused
from sudare.collector.postgres.tally import PostgresTally
from sudare.collector.postgres.timeline import PostgresTimeline
from sudare.collector.postgres.writer import PostgresWriter
from sudare.collector.store_interface import BaseStore
from sudare.collector.versions import enrolled, newer, register, require_newest


class PostgresStore(BaseStore):
    """A collector's tables in PostgreSQL, beside other processes that serve the same.

    Args:
        address: ``postgresql://…``.
        collections: what is served.
        queue_bytes: how much may wait for the database before submissions are refused.
        idle: seconds without work after which the inbox is folded.
        clock: returns an aware datetime: when a collection was first served, or followed another.
        anchor: file that notes what has been public, by which an older copy of the database is
            known; None for none.

    Raises:
        StorageError: the database cannot be reached or used, or is of a newer version.
        CollectionError: other processes serve a newer version of one.
    """

    def __init__(
        self,
        address: str,
        collections: Iterable[Collection],
        *,
        queue_bytes: int = 32 << 20,
        idle: float = 0.25,
        clock: Callable[[], datetime] = utc_now,
        anchor: str | None = None,
    ) -> None:
        self._health = Health()
        self._witness = CopyDetection(self._health)
        self._clock = clock
        with contextlib.ExitStack() as opened:
            connection = open_tables(address)
            opened.callback(connection.close)
            try:
                given = list(collections)
                require_newest(connection, given, clock())
                known = list(enrolled(connection, given, clock()))
                timeline = PostgresTimeline(connection, anchor)
                with transaction(connection):
                    timeline.verify(connection)
                timeline.begin(timeline.position(connection))
                books = [
                    PostgresTally(one.number, one.collection, one.office, timeline) for one in known
                ]
                for book in books:
                    with transaction(connection):
                        book.take_up(connection)
                own = PostgresConnection(address)
                opened.callback(own.close)
                self._witness.look(own)
                self._recounting = Recounting(address, books, self._witness)
            except DatabaseFault as fault:
                raise refused(fault) from None
            opened.pop_all()
        self._books = {book.collection.fingerprint: book for book in books}
        shared = (self._health, self._witness)
        self._folder = PostgresMergeThread(connection, books, timeline, *shared, idle=idle)
        self._writer = PostgresWriter(own, self._folder, *shared, queue_bytes=queue_bytes)
        self._folder.start()
        self._writer.start()
        self._recounting.start()

    @property
    def ready(self) -> Readiness:
        """Tell whether submissions are taken, and why not."""
        if not self._writer.open:
            return Readiness("is closed")
        return Readiness(self._health.reason())

    def newer(self) -> Future[list[Collection]]:
        """Return the versions that other processes serve in the place of those here."""

        def run(connection: Reader) -> list[Collection]:
            served = {book.collection.name: book for book in self._books.values()}
            found = (newer(connection, book) for book in served.values())
            return [one for one in found if one is not None]

        job = Job(run, Future())
        self._writer.put(job)
        return job.future

    def lives(self) -> Future[dict[str, tuple[Standing, Any]]]:
        """Return where each collection stands, after a look at what others have found."""
        self._writer.put(Job(self._witness.look, Future()))
        return super().lives()

    def count_marks(
        self, hour: int, counted: Mapping[bytes, int]
    ) -> Future[tuple[bytes, dict[bytes, int]]]:
        """Tell other processes what was counted of addresses, and learn what they did."""
        job = Job(partial(count_marks, hour=hour, counted=counted), Future())
        self._writer.put(job)
        return job.future

    def close(self) -> None:
        """Write what is queued, fold, end the connections. A second call does nothing."""
        if self._writer.open:
            self._recounting.stop()
            self._writer.stop()
            self._folder.stop()


def examine(address: str, collections: Iterable[Collection]) -> None:
    """Look whether a store could be opened.

    Raises:
        StorageError: the database cannot be reached or used, or is of a newer version.
        CollectionError: other processes serve a newer version of one.
    """
    with closing(open_tables(address)) as connection:
        try:
            given = list(collections)
            require_newest(connection, given, utc_now())
            for collection in given:
                register(connection, collection)
        except DatabaseFault as fault:
            raise refused(fault) from None
