"""Rewriting stored reports in the order of their ids, so that no place tells when one came.

SQLite fills a page from its end in the order in which rows come: of reports that are folded a few
at a time, their places on the page would tell the order of arrival. So neighbours are taken out
and put back in the order of the random ids, in one transaction: of few new reports those that may
lie on a page with them, after many the whole table, slice after slice. Unlike ``VACUUM`` that needs
no second copy of the file and lets folds and the end of the collector come between two slices.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from sudare.collector.database import transaction
from sudare.collector.inbox import ID_BYTES
from sudare.collector.schema import Connection

SLICE = 65_536
SLICE_BYTES = 16 << 20
FEW = 200
"""New reports whose neighbours are rewritten; after more of them the whole table is."""
PAGE_BYTES = 4096
ROW_BYTES = 20
"""What a row takes beside its payload, at the least."""

Place: TypeAlias = tuple[int, bytes]
"""A collection's number and an id: where a row stands in the order."""

_TABLE = "CREATE TEMP TABLE IF NOT EXISTS moved (collection, id, payload)"
_WIDTH = """
SELECT length(payload) FROM report WHERE (collection, id) > (?, ?) ORDER BY collection, id LIMIT 1
"""
_BEFORE = """
SELECT collection, id FROM report WHERE (collection, id) <= (?, ?)
ORDER BY collection DESC, id DESC LIMIT 1 OFFSET ?
"""
_TAKE = """
INSERT INTO temp.moved SELECT collection, id, payload FROM report
WHERE (collection, id) > (?, ?) ORDER BY collection, id LIMIT ?
"""
_LAST = "SELECT collection, id FROM temp.moved ORDER BY rowid DESC LIMIT 1"
_DELETE = "DELETE FROM report WHERE (collection, id) > (?, ?) AND (collection, id) <= (?, ?)"
_PUT = "INSERT INTO report SELECT collection, id, payload FROM temp.moved ORDER BY rowid"

_BEGIN: Place = (0, b"")


class PageErasure:
    """What is still to be rewritten in one database.

    Args:
        connection: that writes the database.
    """

    def __init__(self, connection: Connection) -> None:
        connection.execute(_TABLE)
        (settled,) = connection.execute("SELECT settled FROM fold").fetchone()
        self._place = _BEGIN
        self._ends = 0 if settled else 1
        self._fresh: list[Place] = []
        self._small = True

    @property
    def done(self) -> bool:
        """Tell whether every report lies where its id puts it."""
        return not (self._ends or self._fresh)

    @property
    def small(self) -> bool:
        """Tell whether a step takes no longer than a fold."""
        return bool(self._fresh) or self._small

    def scatter(self, connection: Connection, reports: Iterable[tuple[int, bytes]]) -> None:
        """Note reports that are being put in (within the caller's transaction).

        Args:
            connection: to the database.
            reports: collections' numbers with their ids, one after the other.
        """
        connection.execute("UPDATE fold SET settled = 0 WHERE settled")
        for number, ids in reports:
            if len(self._fresh) + len(ids) // ID_BYTES <= FEW:
                starts = range(0, len(ids), ID_BYTES)
                self._fresh.extend((number, ids[at : at + ID_BYTES]) for at in starts)
            else:  # to the end of the table, and once from its begin
                self._fresh.clear()
                self._ends = 1 if self._place == _BEGIN else 2

    def step(self, connection: Connection) -> None:
        """Rewrite what lies beside new reports, or one slice of the table."""
        if self._fresh:
            with transaction(connection):
                self._rewrite_neighbours(connection)
                if not self._ends:
                    connection.execute("UPDATE fold SET settled = 1")
            self._fresh.clear()
            return
        with transaction(connection):
            last = _rewrite(connection, self._place, SLICE)
            if last is None and self._ends == 1:
                connection.execute("UPDATE fold SET settled = 1")
        self._small = last is None and self._place == _BEGIN
        if last is None:
            self._ends -= 1
        self._place = last or _BEGIN

    def _rewrite_neighbours(self, connection: Connection) -> None:
        reached: Place | None = _BEGIN
        for place in sorted(self._fresh):
            if reached is None:
                return
            if place > reached:
                (width,) = connection.execute(_WIDTH, (place[0], b"")).fetchone() or (0,)
                page = PAGE_BYTES // (ROW_BYTES + width) + 1
                start = connection.execute(_BEFORE, (*place, page)).fetchone() or _BEGIN
                reached = _rewrite(connection, max(start, reached), 2 * page)


def _rewrite(connection: Connection, after: Place, most: int) -> Place | None:
    """Rewrite the next rows (caller's transaction); return the last one, None at the end."""
    connection.execute("DELETE FROM temp.moved")
    (width,) = connection.execute(_WIDTH, after).fetchone() or (0,)
    most = max(1, min(most, SLICE_BYTES // (width + 1)))
    moved = connection.execute(_TAKE, (*after, most)).rowcount
    last: Place | None = connection.execute(_LAST).fetchone()
    if last is not None:
        connection.execute(_DELETE, (*after, *last))
        connection.execute(_PUT)
        connection.execute("DELETE FROM temp.moved")
    return last if moved == most else None
