"""The store: submissions go in and are on disk when it says so; counts come out."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from types import TracebackType
from typing import TypeVar

from sudare.collection import Collection
from sudare.collector import invites
from sudare.collector.schema import open_database
from sudare.collector.tallies import ID_BYTES, CollectionTally, Snapshot, register
from sudare.collector.tickets import TicketOffice
from sudare.collector.writer import Job, StoreUnavailable, Submission, Writer
from sudare.errors import CollectionError, ReportError, StorageError
from sudare.estimation import Counts

__all__ = ["Store", "StoreUnavailable"]

T = TypeVar("T")


class Store:
    """A collector's SQLite file with its writer thread.

    Args:
        path: the file; created where there is none. It may hold any number of collections.
        collections: what is served now. A collection whose definition changed has another
            fingerprint: its counts are kept apart.
        queue_bytes: how much may wait for the disk before submissions are refused.
        idle: seconds without work after which the inbox is folded.

    Raises:
        StorageError: the file cannot be used.

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
    ) -> None:
        connection = open_database(path)
        try:
            books = tuple(register(connection, collection) for collection in collections)
            self._books: dict[str, CollectionTally] = {
                book.collection.fingerprint: book for book in books
            }
            self._writer = Writer(connection, books, queue_bytes=queue_bytes, idle=idle)
        except sqlite3.Error as error:
            connection.close()
            raise StorageError(
                "database", "must be free to be written", "end what else uses the file"
            ) from error
        except BaseException:
            connection.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def commits(self) -> int:
        """Return how many groups have been committed since the store was opened."""
        return self._writer.commits

    @property
    def alive(self) -> bool:
        """Tell whether submissions can be taken."""
        return self._writer.open

    def add(
        self, fingerprint: str, ids: bytes, payloads: bytes, code: bytes | None = None
    ) -> Future[None]:
        """Queue validated reports; the future is done when they are on the disk.

        Args:
            fingerprint: the collection's.
            ids: n random ids of 16 bytes, one after the other.
            payloads: the n payloads in the same order.
            code: of the invite, where the collection asks those invited; then n is 1.

        Raises:
            StoreUnavailable: too much is waiting, or the store is closed. Also the future's
                exception where the disk refused; nothing was stored then.
            ReportError: not whole reports, or not about what the invite fixes.
            InviteError: the future's exception where the invite is unknown or spent; nothing was
                stored. The same report again under its spent invite is no error.
        """
        future: Future[None] = Future()
        self._put(fingerprint, ids, payloads, code, future, None)
        return future

    def add_soon(
        self, fingerprint: str, ids: bytes, payloads: bytes, code: bytes | None = None
    ) -> asyncio.Future[None]:
        """Do what :meth:`add` does, with a future of the running event loop."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        self._put(fingerprint, ids, payloads, code, future, loop)
        return future

    def tickets(self, fingerprint: str, code: bytes) -> Future[dict[str, int]]:
        """Return what an unspent invite fixes: the index of each question that picks a part.

        Raises:
            InviteError: the future's exception where the invite is unknown or spent.
        """
        book = self._book(fingerprint)
        office = _office(book)

        def run(connection: sqlite3.Connection) -> dict[str, int]:
            if invites.is_spent(connection, book.number, office.mark(code)):
                raise invites.InviteError(spent=True)
            return office.tickets(code)

        return self._ask(run)

    def public(self, fingerprint: str) -> Snapshot:
        """Return what the public sees: the same object until the next step."""
        return self._book(fingerprint).public

    def finish(self, fingerprint: str) -> Future[Snapshot]:
        """End a collection: what is left becomes public if it is enough. See :meth:`resume`."""

        def finish(book: CollectionTally, connection: sqlite3.Connection) -> Snapshot:
            book.finish(connection)
            return book.public

        return self._after_fold(fingerprint, finish)

    def resume(self, fingerprint: str) -> Future[Snapshot]:
        """Take up the steps of a collection that has not ended after all."""

        def resume(book: CollectionTally, connection: sqlite3.Connection) -> Snapshot:
            book.resume(connection)
            return book.public

        return self._after_fold(fingerprint, resume)

    def counts(self, fingerprint: str) -> Future[tuple[Counts, ...]]:
        """Return counts of everything acknowledged so far, by question: the operator's own view."""
        return self._after_fold(fingerprint, CollectionTally.counts)

    def recount(self, fingerprint: str) -> Future[tuple[Counts, ...]]:
        """Tally all stored reports anew: equals :meth:`counts`, or the file is damaged."""
        return self._after_fold(fingerprint, CollectionTally.recount)

    def close(self) -> None:
        """Write what is queued, fold the inbox, close the file. A second call does nothing."""
        self._writer.stop()

    def _book(self, fingerprint: str) -> CollectionTally:
        try:
            return self._books[fingerprint]
        except KeyError:
            raise CollectionError(
                "fingerprint", "must be one of a served collection", "open the store with it"
            ) from None

    def _put(
        self,
        fingerprint: str,
        ids: bytes,
        payloads: bytes,
        code: bytes | None,
        future: asyncio.Future[None] | Future[None],
        loop: asyncio.AbstractEventLoop | None,
    ) -> None:
        book = self._book(fingerprint)
        n, rest = divmod(len(ids), ID_BYTES)
        if rest or n < 1 or len(payloads) != n * book.width:
            raise ReportError(
                "payloads", "must be as many as the ids, of one length each", "send whole reports"
            )
        mark = b""
        if book.office is not None or code is not None:
            office = _office(book)
            if code is None or n != 1:
                raise ReportError(
                    "invite", "must come with each report", "send one report with its invite"
                )
            office.check(code, payloads)
            mark = office.mark(code)
        self._writer.put(Submission(book, ids, payloads, future, loop, mark))

    def _after_fold(
        self, fingerprint: str, read: Callable[[CollectionTally, sqlite3.Connection], T]
    ) -> Future[T]:
        book = self._book(fingerprint)

        def run(connection: sqlite3.Connection) -> T:
            self._writer.fold_all(connection, book)
            return read(book, connection)

        return self._ask(run)

    def _ask(self, run: Callable[[sqlite3.Connection], T]) -> Future[T]:
        future: Future[T] = Future()
        self._writer.put(Job(run, future))
        return future


def _office(book: CollectionTally) -> TicketOffice:
    if book.office is None:
        raise CollectionError(
            "invite", "is for collections that ask those invited", "send the report without it"
        )
    return book.office
