"""Making invites, beside a collector that runs or without one."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from sudare.collection import Collection
from sudare.collection.invite import CODE_BYTES, write_code
from sudare.collector import invites
from sudare.collector.database import Place, transaction
from sudare.collector.databases import waiting, writing
from sudare.collector.invites import InviteCounts
from sudare.collector.versions import register
from sudare.errors import CollectionError, WrongTypeError
from sudare.exact.parameters import as_integer

MOST_AT_ONCE = 100_000
"""Invites of one transaction, for which a running collector waits."""


def issue_invites(collection: Collection, database: Place, number: int) -> list[str]:
    """Make one-time invites and return their codes. They are kept nowhere: hand them out.

    Args:
        collection: one with ``admission = "invited"``.
        database: the collector's SQLite file or ``postgresql://`` address, created where there is
            none. A collector may run.
        number: how many, 1 to 100,000; call again for more.

    Raises:
        WrongTypeError, CollectionError: not a collection that asks those invited.
        WrongTypeError, DomainError: not a number of invites.
        StorageError: the database cannot be used.
    """
    with issuing(collection, database, number) as (codes, _):
        return codes


@contextmanager
def issuing(
    collection: Collection, database: Place, number: int
) -> Iterator[tuple[list[str], InviteCounts]]:
    """Do what :func:`issue_invites` does; the invites hold once the block has ended well.

    Yields:
        The codes, and how many invites there are with them.
    """
    _require_invited(collection)
    wanted = as_integer(number, "number", low=1, high=MOST_AT_ONCE)
    with writing(database, new=True) as connection:
        own = register(connection, collection).number
        with transaction(connection):
            office = invites.open_office(connection, own, collection)
        codes = [secrets.token_bytes(CODE_BYTES) for _ in range(wanted)]
        marks, texts = [office.mark(code) for code in codes], [write_code(code) for code in codes]
        with transaction(connection):  # a running collector waits from here on
            invites.issue(connection, own, marks)
            rows = waiting(database, connection)
            yield texts, invites.invite_counts(connection, own, rows)


def count_invites(collection: Collection, database: Place) -> InviteCounts:
    """Return how many invites of a collection there are, and how many of them are spent.

    Args:
        collection: one with ``admission = "invited"``.
        database: the collector's SQLite file or ``postgresql://`` address. A collector may run.

    Raises:
        WrongTypeError, CollectionError: not a collection that asks those invited.
        StorageError: there is no such database, or it cannot be used.
    """
    _require_invited(collection)
    with writing(database) as connection:
        number = register(connection, collection).number
        with transaction(connection):  # nothing is folded between the two looks
            rows = waiting(database, connection)
            return invites.invite_counts(connection, number, rows)


def _require_invited(collection: object) -> None:
    if not isinstance(collection, Collection):
        raise WrongTypeError("collection", "must be a sudare.Collection", "load it first")
    if not collection.invited:
        raise CollectionError(
            "collection.admission",
            'must be "invited" for invites to be made',
            "set it in the survey file before it opens",
        )
