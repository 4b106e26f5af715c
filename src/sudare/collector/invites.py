"""One-time invites: made, looked up, spent; no row says when, in which order, by which report.

The file keeps a mark of each code and whether it is spent. A mark becomes "spent" by the fold, in
the place where it stands, so that the order of rows tells nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import NamedTuple

from sudare.collection import Collection
from sudare.collector.database import Database, Reader
from sudare.collector.inbox import Row
from sudare.collector.tickets import KEY_BYTES, MARK_BYTES, TicketOffice
from sudare.errors import CollectionError

_COUNTS = """
SELECT count(*), coalesce(sum(spent), 0), (SELECT folded FROM fold)
FROM invite WHERE collection = ?
"""


class InviteError(CollectionError):
    """An invite admits nobody: nothing was stored.

    Attributes:
        spent: whether it is known, and a report came under it already.
    """

    def __init__(self, *, spent: bool) -> None:
        self.spent = spent
        if spent:
            super().__init__("invite", "must not have been used", "each admits one report")
        else:
            super().__init__("invite", "must be one of this collection's", "look for a slip")


class InviteCounts(NamedTuple):
    """How many invites of a collection there are, and how many of them are spent."""

    issued: int
    spent: int


def open_office(connection: Database, number: int, collection: Collection) -> TicketOffice:
    """Return the office of an invited collection; its key is drawn once (caller's transaction)."""
    connection.execute(
        "INSERT INTO secret (collection, key) VALUES (?, ?) ON CONFLICT DO NOTHING",
        (number, secrets.token_bytes(KEY_BYTES)),
    )
    (key,) = connection.execute("SELECT key FROM secret WHERE collection = ?", (number,)).fetchone()
    return TicketOffice(collection, bytes(key))


def is_spent(connection: Reader, number: int, mark: bytes) -> bool:
    """Tell whether an invite is spent.

    Raises:
        InviteError: there is no such invite.
    """
    row = connection.execute(
        "SELECT spent FROM invite WHERE collection = ? AND mark = ?", (number, mark)
    ).fetchone()
    if row is None:
        raise InviteError(spent=False)
    return bool(row[0])


def spend(connection: Database, number: int, mark: bytes) -> None:
    """Mark an invite as spent (within the caller's transaction)."""
    connection.execute(
        "UPDATE invite SET spent = 1 WHERE collection = ? AND mark = ?", (number, mark)
    )


def invite_counts(connection: Reader, number: int, waiting: Iterable[Row] = ()) -> InviteCounts:
    """Count a collection's invites.

    Args:
        connection: to the database.
        number: the collection's.
        waiting: rows of the inbox, which spend some that the database does not know of yet.
    """
    issued, spent, folded = connection.execute(_COUNTS, (number,)).fetchone()
    own = [row for row in waiting if row.collection == number and row.seq > folded]
    return InviteCounts(issued, spent + sum(len(row.marks) // MARK_BYTES for row in own))


def issue(connection: Database, number: int, marks: Iterable[bytes]) -> None:
    """Keep the marks of new invites, in an order that tells nothing (caller's transaction)."""
    connection.executemany(
        "INSERT INTO invite (collection, mark, spent) VALUES (?, ?, 0)",
        [(number, mark) for mark in sorted(marks)],
    )
