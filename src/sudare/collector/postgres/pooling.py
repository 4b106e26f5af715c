"""Whether a connection is one's own: a pooler that lends it for a transaction breaks what holds.

Between two statements another server could answer without the connection being lost, so that
nothing would look whether it is another copy
(:mod:`sudare.collector.postgres.copy_detection`); and locks and settings of a session would be
somebody else's.
"""

from __future__ import annotations

from contextlib import closing

from sudare.collector.postgres.connection import PostgresConnection
from sudare.errors import StorageError

TRIES = 20
"""Where others use the pool too, one try can miss."""

_WHO = "SELECT pg_backend_pid()"


def require_session(connection: PostgresConnection, address: str) -> None:
    """Refuse an address at which connections share what serves them.

    A pooler names another process at the start of a connection than the one that serves it. One
    that keeps a process for a connection, however, never has the same one for two.

    Args:
        connection: open, outside of a transaction.
        address: of it.

    Raises:
        StorageError: it is such a pooler.
        DatabaseFault: it is not reached.
    """
    if _who(connection) == connection.promised:
        return
    with closing(PostgresConnection(address)) as other:
        for _ in range(TRIES):
            first = _who(connection)
            if _who(other) == first or _who(connection) != first:
                raise StorageError(
                    "database",
                    "must be PostgreSQL itself, or a pooler that keeps a connection for a session "
                    "(this one lends it for a transaction, as pgbouncer's pool_mode = transaction)",
                    "give PostgreSQL's own address, or set pool_mode = session for this database",
                )


def _who(connection: PostgresConnection) -> int:
    ((found,),) = connection.execute(_WHO).fetchall()
    return int(found)
