"""What PostgreSQL must be told to do, so that what it has committed outlasts a power cut."""

from __future__ import annotations

from sudare.collector.database import Reader
from sudare.errors import StorageError
from sudare.ledger.engine import STANDBY

_WANTED = ("fsync", "full_page_writes", "synchronous_commit")
_UNSAFE = "SELECT name FROM unnest(?::text[]) AS one (name) WHERE current_setting(name) = 'off'"


def require_writable(connection: Reader) -> None:
    """Refuse a server that can only be read.

    Raises:
        StorageError: it is a standby, or takes no writing.
    """
    ((fixed,),) = connection.execute("SELECT current_setting('transaction_read_only')").fetchall()
    if fixed == "on":
        raise StorageError("database", *STANDBY)


def unsafe(connection: Reader) -> str:
    """Return the settings without which an acknowledgement means nothing; "" where all are on.

    ``synchronous_commit`` may be anything else: every other value waits for this server's disk.
    """
    return ", ".join(name for (name,) in connection.execute(_UNSAFE, (list(_WANTED),)))


def require_durable(connection: Reader) -> None:
    """Refuse a database that acknowledges what it may lose.

    Raises:
        StorageError: a setting is off; for the server, the database or the role.
    """
    if off := unsafe(connection):
        raise StorageError(
            "database",
            f"must keep what it has committed through a power cut, and has {off} off",
            "set it on for the server, and for this role and database (ALTER ROLE ... RESET)",
        )
