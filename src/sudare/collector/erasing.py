"""Deleting what a stage asks for: reports of an archived collection, everything of a deleted one.

Deleted rows are overwritten (``secure_delete``), and the write-ahead log, which holds pages as they
were before, is emptied. A slice is a transaction: whoever is killed between two goes on later.
"""

from __future__ import annotations

from sudare.collector import lifecycle_table
from sudare.collector.database import Database, Place, Reader, is_address, transaction

SLICE = 20_000

BEYOND = (
    "backups, copies and exports of the database",
    "snapshots of the file system or of the machine, and blocks that a disk has set aside",
    "what respondents' own devices remember",
)
"""What a deletion cannot reach."""
LOGGED = (
    "PostgreSQL's write-ahead log until its files are used again, archived log, replicas and base "
    "backups, and blocks of removed files until the disk uses them again"
)
"""Nor that."""

_REPORTS = (
    "DELETE FROM inbox WHERE collection = ?1",
    "DELETE FROM report WHERE collection = ?1 AND id IN "
    "(SELECT id FROM report WHERE collection = ?1 LIMIT ?2)",
)
_REST = ("tally", "public", "earlier", "step", "base", "invite", "secret")
_BLANK = "UPDATE collection SET texts = '' WHERE number = ? AND texts <> ''"


def beyond(place: Place) -> tuple[str, ...]:
    """Return what a deletion from a database cannot reach."""
    return (LOGGED, *BEYOND) if is_address(place) else BEYOND


def erase_slice(connection: Database, number: int) -> bool:
    """Delete a slice of what a collection's stage asks for; tell whether there was any."""
    stands = lifecycle_table.standing(connection, number)
    if stands is None or stands.state not in ("archived", "deleted"):
        return False
    done = 0
    with transaction(connection):
        for statement in _REPORTS:
            places = (number, SLICE)[: statement.count("?2") + 1]
            done += connection.execute(statement, places).rowcount
        if stands.state == "deleted" and not done:
            for table in _REST:
                statement = f"DELETE FROM {table} WHERE collection = ?"  # noqa: S608
                connection.execute(statement, (number,))
            connection.execute(_BLANK, (number,))
    return done > 0


def erase(connection: Database, number: int) -> bool:
    """Delete a slice, and wipe its traces after the last one; tell whether nothing is left."""
    return not erase_slice(connection, number) and connection.wipe()


def held(connection: Reader, number: int) -> tuple[int, int]:
    """Return how many reports and invites the file holds of a collection."""
    (reports,) = connection.execute(
        "SELECT (SELECT count(*) FROM report WHERE collection = ?1) + "
        "(SELECT coalesce(sum(length(ids)), 0) / 16 FROM inbox WHERE collection = ?1)",
        (number,),
    ).fetchone()
    (codes,) = connection.execute(
        "SELECT count(*) FROM invite WHERE collection = ?", (number,)
    ).fetchone()
    return int(reports), int(codes)
