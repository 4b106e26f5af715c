"""End what a collection's stage ends: its figures, and the taking of its reports."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sudare.collector import lifecycle_table
from sudare.collector.database import Database, Reader, transaction
from sudare.collector.lifecycle import Standing
from sudare.collector.tallies import CollectionTally


def settle(book: CollectionTally, connection: Database, now: datetime) -> Standing:
    """Bring what is public in line with where a collection stands; return that.

    One that is past its end is closed: a clock that is set back does not open it again. With its
    end what is left becomes public if it is enough; of one that was opened again the steps go on.
    """
    with transaction(connection):
        stands = _standing(connection, book)
        if stands.state == "published" and stands.stage(now) == "closed":
            ended = replace(stands, state="closed", act="clock", at=now.replace(microsecond=0))
            stands = lifecycle_table.append(connection, book.number, ended)
    closed = stands.state in ("closed", "archived")
    if closed and not book.public.last:
        book.finish(connection)
    elif stands.state == "published" and book.public.last:
        book.resume(connection)
    return stands


def archive(book: CollectionTally, connection: Database, now: datetime) -> Standing:
    """Close a collection for good: its reports, all of them folded, may be deleted from now on."""
    with transaction(connection):
        stands = _standing(connection, book)
        if stands.state == "closed":
            ended = replace(stands, state="archived", act="archive", at=now.replace(microsecond=0))
            stands = lifecycle_table.append(connection, book.number, ended)
    return stands


def _standing(connection: Reader, book: CollectionTally) -> Standing:
    return lifecycle_table.standing(connection, book.number) or Standing("published")
