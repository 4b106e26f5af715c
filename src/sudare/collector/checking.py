"""Distrust of the file: SQLite's own check, and a recount of what the tallies say, once a start.

Both run beside the intake. The recount goes through the stored reports in slices, in the thread
that folds; what is folded behind it is added, so that at its end it has counted every report once
and is held against the tallies at that moment.
"""

from __future__ import annotations

import bisect
import sqlite3
import threading
from collections.abc import Callable, Iterable
from contextlib import closing

from sudare.collector import lifecycle_table
from sudare.collector.database import Reader
from sudare.collector.faults import log_fault
from sudare.collector.health import RESTORE, Health
from sudare.collector.inbox import ID_BYTES
from sudare.collector.schema import open_reader
from sudare.collector.tallies import SLICE_BYTES, SLICE_REPORTS, CollectionTally, Folded
from sudare.errors import SudareError
from sudare.estimation import Counts

_SLICE = """
SELECT max(id), coalesce(group_concat(hex(payload), ''), '')
FROM (SELECT id, payload FROM report WHERE collection = ? AND id > ? ORDER BY id LIMIT ?)
"""
"""One row for a slice, so that other threads run meanwhile."""


class Inspection:
    """SQLite's ``quick_check`` of a database, in a thread and a connection of its own.

    Args:
        database: the path.
        health: learns what was found.
    """

    def __init__(self, database: str, health: Health) -> None:
        self._database = database
        self._health = health
        self._stopped = False
        self._connection: sqlite3.Connection | None = None
        self._thread = threading.Thread(target=self._run, name="sudare-inspector", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> None:
        """Wait for the result, so long at the most."""
        self._thread.join(seconds)

    def stop(self) -> None:
        """Give up what is not finished."""
        self._stopped = True
        while self._thread.is_alive():
            if self._connection is not None:
                self._connection.interrupt()
            self._thread.join(0.01)

    def _run(self) -> None:
        try:
            with closing(open_reader(self._database)) as connection:
                self._connection = connection
                try:
                    sound = self._stopped or connection.execute("PRAGMA quick_check(1)").fetchone()
                finally:
                    self._connection = None
            if sound not in (True, ("ok",)):
                self._health.end("finds its file damaged", RESTORE)
        except (sqlite3.Error, OSError) as error:
            if not self._stopped:
                log_fault("a check of the file", error)
                self._health.end("cannot check its file", RESTORE)


class Recount:
    """A tally of stored reports made anew, slice by slice, beside the folds.

    Args:
        books: of the collections that are served.
        tell: learns that a tally is not that of its reports, and which.
        statement: returns the last id of a slice, and its payloads in hexadecimal digits.
    """

    def __init__(
        self,
        books: Iterable[CollectionTally],
        tell: Callable[[str, str], object],
        statement: str = _SLICE,
    ) -> None:
        self._books = list(books)
        self._tell = tell
        self._statement = statement
        self._place = b""
        self._begin()

    @property
    def done(self) -> bool:
        """Tell whether every tally has been looked at."""
        return not self._books

    def note(self, book: CollectionTally, folded: Folded) -> None:
        """Count what was folded behind the place that has been reached."""
        if not self._books or book is not self._books[0]:
            return
        ids = range(0, len(folded.ids), ID_BYTES)
        behind = bisect.bisect_right(
            ids, self._place, key=lambda at: folded.ids[at : at + ID_BYTES]
        )
        self._count(folded.payloads[: behind * book.width])

    def step(self, connection: Reader) -> None:
        """Count one slice; at the end of a collection hold the sums against its tally."""
        book = self._books[0]
        most = max(1, min(SLICE_REPORTS, SLICE_BYTES // book.width))
        last, text = connection.execute(
            self._statement, (book.number, self._place, most)
        ).fetchone()
        try:
            if last is not None:
                self._count(bytes.fromhex(text))
                self._place = last
                return
            wrong = self._differing(book.counts(connection))
        except (SudareError, ValueError):  # what is stored is no report, or no tally
            wrong = "every question"
        if wrong and not lifecycle_table.is_emptied(connection, book.number):
            self._tell(
                "finds a tally that is not that of its reports",
                f"the reports stored to {book.collection.name!r} and the tally of {wrong} differ, "
                "so it was changed by something else",
            )
        self._books.pop(0)
        self._begin()

    def _begin(self) -> None:
        self._place = b""
        self._sums: tuple[Counts, ...] = self._books[0].zero if self._books else ()

    def _count(self, payloads: bytes) -> None:
        if payloads:
            part = self._books[0].collection.tally(payloads)
            self._sums = tuple(a + b for a, b in zip(self._sums, part, strict=True))

    def _differing(self, counts: tuple[Counts, ...]) -> str:
        questions = self._books[0].collection.questions
        return ", ".join(
            repr(question.id)
            for question, own, told in zip(questions, self._sums, counts, strict=True)
            if own != told
        )
