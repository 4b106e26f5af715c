"""The timeline of a database in PostgreSQL: its row says where and by whom it was written.

``pg_restore`` writes the row in another transaction than the one whose number it holds; a standby
that takes over begins another timeline of PostgreSQL's own; another server has another number. All
that is compared in every transaction that may publish, whichever process it is of. A snapshot of
the server's whole disk has everything as it was: only an anchor on another disk tells it.
"""

from __future__ import annotations

from typing import Any

from sudare.collector.database import Database, Reader
from sudare.collector.postgres.connection import PostgresConnection
from sudare.collector.timeline import Position, Timeline

_MAY = "SELECT has_function_privilege(current_user, ?::text, 'execute')"
_PARTS = {
    "pg_control_system()": "(SELECT system_identifier::text FROM pg_control_system())",
    "pg_walfile_name(pg_lsn)": "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)",
}
"""Number of the server, and PostgreSQL's own timeline; a role may be kept from asking."""
_TABLE = (
    "(SELECT oid::text FROM pg_database WHERE datname = current_database())",
    "'timeline'::regclass::oid::text",
)
_XID = "(pg_current_xact_id()::text::bigint % 4294967296)"


class PostgresTimeline(Timeline):
    """The timeline of a database that several processes serve.

    Args:
        connection: to learn by which signs this role may know the server.
        anchor: the file that notes it; None for none.
    """

    OPERATORS = "SELECT count(to_regclass('sudare_operator_meta'))"

    def __init__(self, connection: PostgresConnection, anchor: str | None = None) -> None:
        super().__init__(anchor)

        def may(name: str) -> bool:
            return connection.execute(_MAY, (name,)).fetchone() == (True,)

        parts = [sql for name, sql in _PARTS.items() if may(name)]
        self._place = " || '/' || ".join((*parts, *_TABLE))

    def check(self, connection: Database) -> None:
        """Look whether the database was replaced since, in the transaction that may publish."""
        self.verify(connection)

    def advance(self, connection: Database) -> None:
        """Count a publication (caller's transaction)."""
        connection.execute(f"UPDATE timeline SET steps = steps + 1, written = {_XID}")  # noqa: S608

    def _is_restored(self, connection: Reader) -> bool:
        return False  # ``sudare restore`` is for files

    def _begin(self, connection: Database, id: bytes) -> None:
        connection.execute(
            f"UPDATE timeline SET id = ?, steps = 0, place = {self._place}, "  # noqa: S608
            f"written = {_XID}",
            (id,),
        )

    def _continues(self, connection: Reader, stands: Position) -> bool:
        """Tell whether the row lies where it was written, and what the anchor says at the start.

        A host that begins to serve has no anchor yet. One that runs takes up the timeline which
        another has begun.
        """
        same = f"SELECT place = {self._place} AND written = xmin::text::bigint FROM timeline"  # noqa: S608
        if connection.execute(same).fetchone() != (True,):
            return False
        held: dict[str, Any] | None = self._read() if self._noted is None else None
        return held is None or self._is_of(held, stands)
