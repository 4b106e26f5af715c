"""Which news processes have told, so that each is told once by all of them together."""

from __future__ import annotations

import hashlib
import secrets
from contextlib import closing

from sudare.collector.postgres.connection import PostgresConnection

LEASE = "3 minutes"
"""How long nobody else tells what a process has taken: longer than all of its tries."""
KEPT = "1 hour"
"""How long it is known what was told: other processes see the same publication within seconds."""

_OLD = "DELETE FROM told WHERE until < now() - CAST(? AS interval)"
_TAKE = """
INSERT INTO told AS known (news, teller, until, finished)
VALUES (?, ?, now() + CAST(? AS interval), false)
ON CONFLICT (news) DO UPDATE SET teller = excluded.teller, until = excluded.until
WHERE NOT known.finished AND (known.until < now() OR known.teller = excluded.teller)
RETURNING news
"""
_LOOK = "SELECT finished FROM told WHERE news = ?"
_FINISH = "UPDATE told SET finished = true, until = now() WHERE news = ?"


class PostgresTelling:
    """What processes tell, in the table ``told``; a connection is open for a moment only.

    Args:
        address: of the collector's database.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._teller = secrets.token_hex(8)

    def take(self, id: str, address: str) -> bool | None:
        """Take it upon oneself to tell an address; False where it was told, None where another
        process has taken it.

        Raises:
            StoreUnavailable: the database cannot be used.
        """
        news = _news(id, address)
        with closing(PostgresConnection(self._address)) as connection:
            connection.execute(_OLD, (KEPT,))
            if connection.execute(_TAKE, (news, self._teller, LEASE)).fetchall():
                return True
            ((finished,),) = connection.execute(_LOOK, (news,)).fetchall() or ((True,),)
            return False if finished else None

    def finish(self, id: str, address: str) -> None:
        """Note that an address was told, or is not told any more.

        Raises:
            StoreUnavailable: the database cannot be used.
        """
        with closing(PostgresConnection(self._address)) as connection:
            connection.execute(_FINISH, (_news(id, address),))


def _news(id: str, address: str) -> str:
    """Return what stands for a message to an address, which may be a secret itself."""
    return hashlib.sha256(f"{id} {address}".encode()).hexdigest()
