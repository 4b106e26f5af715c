"""What every store is asked, whichever database keeps it: reports go in, counts come out.

Two threads of its own: one acknowledges (:mod:`~sudare.collector.grouping`), one folds. Neither
waits for the other.
"""

from __future__ import annotations

import asyncio
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from sudare.collection import Collection
from sudare.collector import closing, erasing, invites, lifecycle_table
from sudare.collector.database import Database, Reader
from sudare.collector.grouping import GroupWriter, Submission
from sudare.collector.health import Readiness
from sudare.collector.inbox import ID_BYTES
from sudare.collector.jobs import Job
from sudare.collector.lifecycle import Standing
from sudare.collector.tallies import CollectionTally, Snapshot
from sudare.collector.tickets import TicketOffice
from sudare.collector.versions import enrolled, followed, former_times
from sudare.errors import CollectionError, ReportError
from sudare.estimation import Counts

T = TypeVar("T")


class Merging(Protocol):
    """The thread that takes into the tallies what has been acknowledged."""

    def put(self, job: Job) -> None:
        """Queue a job; it gets a connection that writes."""

    def fold_all(self, connection: Any) -> None:
        """Fold everything that is there."""

    def take_up(self, book: CollectionTally) -> CollectionTally:
        """Tend the book of one more collection, as this database has it; called by a job."""

    def stop(self) -> None:
        """Answer what is queued, fold, and end the thread."""


class BaseStore(ABC):
    """A store; those that follow say how it is opened and closed."""

    _books: dict[str, CollectionTally]
    _writer: GroupWriter
    _folder: Merging
    _hour: tuple[int, bytes] = (-1, b"")
    _clock: Callable[[], datetime]

    def __enter__(self) -> Self:
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
    @abstractmethod
    def ready(self) -> Readiness:
        """Tell whether submissions are taken, and why not."""

    @abstractmethod
    def close(self) -> None:
        """Write what is queued, fold, end. A second call does nothing."""

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
            StoreUnavailable: too much is waiting, the store is closed, or not :attr:`ready`. Also
                the future's exception where the disk refused.
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

        def run(connection: Reader) -> dict[str, int]:
            if book.is_spent(connection, office.mark(code)):
                raise invites.InviteError(spent=True)
            return office.tickets(code)

        job = Job(run, Future())
        self._writer.put(job)
        return job.future

    def public(self, fingerprint: str) -> Snapshot:
        """Return what the public sees: the same object until the next step."""
        return self._book(fingerprint).public

    def versions(self, name: str) -> list[Collection]:
        """Return the public versions of a name, oldest first, the one that is served last."""
        return [b.collection for b in self._books.values() if b.collection.name == name]

    def newer(self) -> Future[list[Collection]]:
        """Return the versions that other processes serve in the place of those here."""
        alone: Future[list[Collection]] = Future()
        alone.set_result([])
        return alone

    def adopt(self, collection: Collection, *, follow: bool = False) -> Future[None]:
        """Serve one more collection, or one of them under another definition or other words.

        Args:
            collection: what is served.
            follow: whether another process has taken it up: its life stays as it is.
        """

        def run(connection: Database) -> None:
            self._folder.fold_all(connection)
            books = dict(self._books)
            for book in (
                followed(connection, collection)
                if follow
                else enrolled(connection, [collection], self._clock())
            ):
                fingerprint = book.collection.fingerprint
                known = books.pop(fingerprint, None)
                if known is None:
                    known = self._folder.take_up(book)
                elif book.collection is collection:
                    known.collection = collection
                books[fingerprint] = known
            self._books = books

        job = Job(run, Future())
        self._folder.put(job)
        return job.future

    def lives(self) -> Future[dict[str, tuple[Standing, Any]]]:
        """Return where each collection stands, and its former times, by fingerprint."""

        def run(connection: Reader) -> dict[str, tuple[Standing, Any]]:
            for book in self._books.values():
                book.refresh(connection)
            return {
                fingerprint: (stands, former_times(connection, book.number))
                for fingerprint, book in self._books.items()
                for stands in [lifecycle_table.standing(connection, book.number)]
                if stands is not None
            }

        job = Job(run, Future())
        self._writer.put(job)
        return job.future

    def count_marks(
        self, hour: int, counted: Mapping[bytes, int]
    ) -> Future[tuple[bytes, dict[bytes, int]]]:
        """Tell what was counted of addresses (:mod:`~sudare.collector.limits`) within an hour.

        Returns:
            The key of the hour, and what others have counted too.
        """
        if self._hour[0] != hour:
            self._hour = hour, secrets.token_bytes(32)
        alone: Future[tuple[bytes, dict[bytes, int]]] = Future()
        alone.set_result((self._hour[1], {}))
        return alone

    def settle(self, fingerprint: str, now: datetime) -> Future[Standing]:
        """Close a collection that is past its end, and bring in line what is public of it."""
        return self._after_fold(fingerprint, partial(closing.settle, now=now))

    def archive(self, fingerprint: str, now: datetime) -> Future[Standing]:
        """Close a collection for good: its reports may be deleted, its counts stay."""
        return self._after_fold(fingerprint, partial(closing.archive, now=now))

    def erase(self, fingerprint: str) -> Future[bool]:
        """Delete a slice of what its stage asks for; tell whether nothing is left, nor logged."""
        number = self._book(fingerprint).number
        job = Job(lambda connection: erasing.erase(connection, number), Future())
        self._folder.put(job)
        return job.future

    def counts(self, fingerprint: str) -> Future[tuple[Counts, ...]]:
        """Return counts of everything acknowledged so far, by question: the operator's own view."""
        return self._after_fold(fingerprint, CollectionTally.counts)

    def recount(self, fingerprint: str) -> Future[tuple[Counts, ...]]:
        """Tally all stored reports anew: equals :meth:`counts`, or the file is damaged."""
        return self._after_fold(fingerprint, CollectionTally.recount)

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

    def _after_fold(self, fingerprint: str, read: Callable[[CollectionTally, Any], T]) -> Future[T]:
        book = self._book(fingerprint)

        def run(connection: Database) -> T:
            self._folder.fold_all(connection)
            found = read(book, connection)
            if book.full:  # reports came meanwhile, and where it was over none completed a step
                self._folder.fold_all(connection)
            return found

        job = Job(run, Future())
        self._folder.put(job)
        return job.future


def _office(book: CollectionTally) -> TicketOffice:
    if book.office is None:
        raise CollectionError(
            "invite", "is for collections that ask those invited", "send the report without it"
        )
    return book.office
