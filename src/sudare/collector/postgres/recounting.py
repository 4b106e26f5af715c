"""Distrust of the tables: once a start, one process counts what is stored anew.

All reports of a collection are counted in one state of the database, in a connection of its own, so
that folds and acknowledgements go on. Of processes that start together one has the lock of a
collection; the others wait for what it finds, and go on where it dies.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import closing

from sudare.collector.checking import Recount
from sudare.collector.faults import log_fault
from sudare.collector.jobs import StoreUnavailable
from sudare.collector.postgres.connection import PostgresConnection
from sudare.collector.postgres.copy_detection import CopyDetection
from sudare.collector.postgres.tally import PostgresTally

LOCK_CLASS = 0x5D4A
PAUSE = 1.0
"""Seconds after which a collection that another process counts is looked at again."""
MOST = 60.0
"""Up to which the pauses between two attempts grow."""

_SLICE = """
SELECT (array_agg(id ORDER BY id DESC))[1], coalesce(string_agg(encode(payload, 'hex'), ''), '')
FROM (SELECT id, payload FROM report WHERE collection = ? AND id > ? ORDER BY id LIMIT ?) AS slice
"""
_TIMES = "SELECT coalesce((SELECT times FROM recounted WHERE collection = ?), 0)"
_DONE = """
INSERT INTO recounted (collection, times) VALUES (?, 1)
ON CONFLICT (collection) DO UPDATE SET times = recounted.times + 1
"""
_READ = ("report", "tally", "life")


class Recounting:
    """A thread that recounts every collection, unless another process does.

    Args:
        address: ``postgresql://…``.
        books: of the collections that are served.
        witness: tells everybody what was found.
    """

    def __init__(
        self, address: str, books: Iterable[PostgresTally], witness: CopyDetection
    ) -> None:
        self._address = address
        self._witness = witness
        self._left: dict[PostgresTally, int | None] = dict.fromkeys(books)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sudare-recounting", daemon=True)

    @property
    def done(self) -> bool:
        """Tell whether every tally has been looked at."""
        return not self._left

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Give up what is not finished."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        pause = PAUSE
        while self._left and not self._stopped.wait(pause - PAUSE):
            try:
                with closing(PostgresConnection(self._address)) as connection:
                    self._go_through(connection)
            except StoreUnavailable as error:  # it is away
                log_fault("a recount", error)
            pause = min(2 * pause, MOST)

    def _go_through(self, connection: PostgresConnection) -> None:
        while self._left and not self._stopped.is_set():
            for book in list(self._left):
                ((times,),) = connection.execute(_TIMES, (book.number,)).fetchall()
                asked = self._left[book] = times if self._left[book] is None else self._left[book]
                if times != asked:  # another process has counted it since
                    del self._left[book]
                elif self._locked(connection, book):
                    if self._recount(connection, book):
                        del self._left[book]
                    connection.execute("SELECT pg_advisory_unlock_all()")
            if self._left:
                self._stopped.wait(PAUSE)

    def _locked(self, connection: PostgresConnection, book: PostgresTally) -> bool:
        ((got,),) = connection.execute(
            "SELECT pg_try_advisory_lock(?::int4, ?::int4)", (LOCK_CLASS, book.number)
        ).fetchall()
        return bool(got)

    def _recount(self, connection: PostgresConnection, book: PostgresTally) -> bool:
        """Count the reports of a collection; tell whether all were."""
        found: list[tuple[str, str]] = []
        recount = Recount([book], lambda *told: found.append(told), _SLICE)
        connection.begin_reading(_READ)
        try:
            while not recount.done:
                if self._stopped.is_set():
                    return False
                recount.step(connection)
        finally:
            connection.rollback()
        for why, more in found:
            self._witness.end(connection, why, more)
        connection.execute(_DONE, (book.number,))
        return True
