"""The tallies of a collection in PostgreSQL, where other processes write beside this one."""

from __future__ import annotations

from dataclasses import dataclass

from sudare.collector import invites
from sudare.collector.database import Database, Reader
from sudare.collector.inbox import ID_BYTES
from sudare.collector.postgres.connection import PostgresConnection
from sudare.collector.tallies import CollectionTally, Published, first_payloads

_INSERT = """
INSERT INTO report (collection, id, payload)
SELECT ?1, substring(?2::bytea FROM 16 * i + 1 FOR 16), substring(?3::bytea FROM ?5 * i + 1 FOR ?5)
FROM generate_series(0, ?4 - 1) AS place (i)
ON CONFLICT DO NOTHING RETURNING id
"""
_SEEN = """
SELECT coalesce((SELECT max(n) FROM public WHERE collection = ?1), 0),
       coalesce((SELECT last FROM step WHERE collection = ?1), 0),
       coalesce((SELECT n FROM base WHERE collection = ?1), 0)
"""
_SPENT = """
SELECT spent = 1 OR EXISTS (SELECT 1 FROM taken WHERE collection = ?1 AND mark = ?2)
FROM invite WHERE collection = ?1 AND mark = ?2
"""


@dataclass(slots=True, eq=False)
class PostgresTally(CollectionTally):
    """What one collection has in the database; nothing of it is known in this process alone."""

    def refresh(self, connection: PostgresConnection) -> None:  # type: ignore[override]
        """Take up what another process has published: one state of it."""
        ((n, last, base),) = connection.execute(_SEEN, (self.number,)).fetchall()
        if (n, bool(last), base) != (self.public.n, self.public.last, self.public.base):
            connection.begin_reading(("public", "earlier", "step", "base", "timeline"))
            try:
                found, position = self.published(connection), self.timeline.position(connection)
            finally:
                connection.rollback()
            self._note(Published(found, max(self.n, found.n), position))

    def take_up(self, connection: Database) -> None:
        """Take up what the database holds (within the caller's transaction)."""
        self._note(self._publish(connection, ended=False))

    def is_spent(self, connection: Reader, mark: bytes) -> bool:
        """Tell whether an invite is spent, folded or not, by whichever process.

        Raises:
            InviteError: there is no such invite.
        """
        row = connection.execute(_SPENT, (self.number, mark)).fetchone()
        if row is None:
            raise invites.InviteError(spent=False)
        return bool(row[0])

    def insert(self, connection: Database, ids: bytes, payloads: bytes) -> tuple[bytes, bytes]:
        """Store and tally what is new, the first payload of each id (caller's transaction)."""
        some = dict(first_payloads(ids, payloads, self.width))
        joined = b"".join(some), b"".join(some.values())
        rows = connection.execute(_INSERT, (self.number, *joined, len(some), self.width))
        fresh = sorted(bytes(one) for (one,) in rows)
        if len(fresh) < len(some):
            joined = b"".join(fresh), b"".join([some[one] for one in fresh])
        if fresh:
            self._add(connection, joined[1])
            connection.execute("UPDATE fold SET fresh = fresh + ?", (len(fresh),))
        return joined

    def holds(self, connection: Reader, report_id: bytes) -> bool:
        """Tell whether a report is stored, folded or not: it may be folded between two looks."""
        rows = connection.execute(
            "SELECT ids FROM inbox WHERE collection = ? AND position(? IN ids) > 0",
            (self.number, report_id),
        ).fetchall()
        if any(ids.find(report_id, at) == at for (ids,) in rows for at in _starts(ids)):
            return True
        return self._holds(connection, report_id)


def _starts(ids: bytes) -> range:
    return range(0, len(ids), ID_BYTES)
