"""One-time invites: made, looked up, spent; no row says when, in which order, by which report.

The file keeps a mark of each code and whether it is spent. A mark becomes "spent" in the place
where it stands, so that the order of rows tells nothing.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from sudare.collection import Collection
from sudare.collector.tickets import KEY_BYTES, TicketOffice
from sudare.errors import CollectionError


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


def open_office(
    connection: sqlite3.Connection, number: int, collection: Collection
) -> TicketOffice:
    """Return the office of an invited collection; its key is drawn once (caller's transaction)."""
    connection.execute(
        "INSERT OR IGNORE INTO secret (collection, key) VALUES (?, ?)",
        (number, secrets.token_bytes(KEY_BYTES)),
    )
    (key,) = connection.execute("SELECT key FROM secret WHERE collection = ?", (number,)).fetchone()
    return TicketOffice(collection, bytes(key))


def is_spent(connection: sqlite3.Connection, number: int, mark: bytes) -> bool:
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


def spend(connection: sqlite3.Connection, number: int, mark: bytes) -> None:
    """Mark an invite as spent (within the caller's transaction)."""
    connection.execute(
        "UPDATE invite SET spent = 1 WHERE collection = ? AND mark = ?", (number, mark)
    )


def invite_counts(connection: sqlite3.Connection, number: int) -> InviteCounts:
    """Count a collection's invites."""
    return InviteCounts(
        *connection.execute(
            "SELECT count(*), coalesce(sum(spent), 0) FROM invite WHERE collection = ?", (number,)
        ).fetchone()
    )


def issue(connection: sqlite3.Connection, number: int, marks: Iterable[bytes]) -> None:
    """Keep the marks of new invites, in an order that tells nothing (caller's transaction)."""
    connection.executemany(
        "INSERT INTO invite (collection, mark, spent) VALUES (?, ?, 0)",
        [(number, mark) for mark in sorted(marks)],
    )
