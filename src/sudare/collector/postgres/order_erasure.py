"""Writing tables anew, in the order of their keys: no place and no row's number tells when it came.

PostgreSQL leaves a changed or deleted row where it was until the space is used again, and numbers
each row by the transaction that wrote it. A table that is written anew, in one transaction, has one
such number, one order, and new files; the old ones are removed.
"""

from __future__ import annotations

from sudare.collector.database import transaction
from sudare.collector.postgres.connection import (
    LOCK_SECONDS,
    DatabaseFault,
    PostgresConnection,
)

_ORDER = {
    "base": "collection",
    "collection": "number",
    "inbox": "seq",
    "invite": "collection, mark",
    "public": "collection, question",
    "earlier": "collection, question",
    "report": "collection, id",
    "secret": "collection",
    "step": "collection",
    "taken": "collection, mark",
    "tally": "collection, question",
}
EVERY = tuple(_ORDER)
GROWING = ("report", "invite", "tally")
"""Tables that a fold changes."""

_LOCK_NOT_AVAILABLE = "55P03"


def rewrite(connection: PostgresConnection, tables: tuple[str, ...]) -> bool:
    """Write tables anew; tell whether nobody was in the way.

    Raises:
        DatabaseFault: it failed otherwise; nothing is changed.
    """
    try:
        with transaction(connection):
            lock(connection, tables)
            for table in tables:
                _rewrite(connection, table)
            connection.execute("UPDATE fold SET fresh = 0")
    except DatabaseFault as fault:
        if is_in_the_way(fault):
            return False
        raise
    return True


def is_in_the_way(fault: DatabaseFault) -> bool:
    """Tell whether somebody else had the tables."""
    return fault.sqlstate == _LOCK_NOT_AVAILABLE


def lock(connection: PostgresConnection, tables: tuple[str, ...]) -> None:
    """Have tables alone, or give up soon (in the caller's transaction)."""
    connection.execute(f"SET LOCAL lock_timeout = '{round(1000 * LOCK_SECONDS)}ms'")
    connection.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE")


def _rewrite(connection: PostgresConnection, table: str) -> None:
    overriding = "OVERRIDING SYSTEM VALUE" if table in ("collection", "inbox") else ""
    for statement in (
        f"CREATE TEMP TABLE moved ON COMMIT DROP AS SELECT * FROM {table}",  # noqa: S608
        f"TRUNCATE {table}",
        f"INSERT INTO {table} {overriding} SELECT * FROM moved ORDER BY {_ORDER[table]}",  # noqa: S608
        "DROP TABLE moved",
    ):
        connection.execute(statement)
