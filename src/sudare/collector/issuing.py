"""Making invites, beside a collector that runs or without one."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from sudare.collection import Collection
from sudare.collection.invite import CODE_BYTES, write_code
from sudare.collector import invites
from sudare.collector.invites import InviteCounts
from sudare.collector.schema import open_database, transaction
from sudare.collector.tallies import register
from sudare.errors import CollectionError, StorageError, WrongTypeError
from sudare.exact.parameters import as_integer

MOST_AT_ONCE = 100_000
"""Invites of one transaction, for which a running collector waits."""


def issue_invites(
    collection: Collection, database: str | os.PathLike[str], number: int
) -> list[str]:
    """Make one-time invites and return their codes. They are kept nowhere: hand them out.

    Args:
        collection: one with ``admission = "invited"``.
        database: the collector's SQLite file, created where there is none. A collector may run.
        number: how many, 1 to 100,000; call again for more.

    Raises:
        WrongTypeError, CollectionError: not a collection that asks those invited.
        WrongTypeError, DomainError: not a number of invites.
        StorageError: the database cannot be used.
    """
    with issuing(collection, database, number) as codes:
        return codes


@contextmanager
def issuing(
    collection: Collection, database: str | os.PathLike[str], number: int
) -> Iterator[list[str]]:
    """Do what :func:`issue_invites` does; the invites hold once the block has ended well."""
    _require_invited(collection)
    wanted = as_integer(number, "number", low=1, high=MOST_AT_ONCE)
    with _opened(database) as connection:
        own = register(connection, collection).number
        with transaction(connection):
            office = invites.open_office(connection, own, collection)
        codes = [secrets.token_bytes(CODE_BYTES) for _ in range(wanted)]
        marks, texts = [office.mark(code) for code in codes], [write_code(code) for code in codes]
        with transaction(connection):  # a running collector waits from here on
            invites.issue(connection, own, marks)
            yield texts


def count_invites(collection: Collection, database: str | os.PathLike[str]) -> InviteCounts:
    """Return how many invites of a collection there are, and how many of them are spent.

    Args:
        collection: one with ``admission = "invited"``.
        database: the collector's SQLite file. A collector may run.

    Raises:
        WrongTypeError, CollectionError: not a collection that asks those invited.
        StorageError: there is no such database, or it cannot be used.
    """
    _require_invited(collection)
    try:
        there = os.path.isfile(database)
    except (TypeError, ValueError):
        there = False
    if not there:
        raise StorageError("database", "must be a collector's file that is there", "give its path")
    with _opened(database) as connection:
        return invites.invite_counts(connection, register(connection, collection).number)


def _require_invited(collection: object) -> None:
    if not isinstance(collection, Collection):
        raise WrongTypeError("collection", "must be a sudare.Collection", "load it first")
    if not collection.invited:
        raise CollectionError(
            "collection.admission",
            'must be "invited" for invites to be made',
            "set it in the survey file before it opens",
        )


@contextmanager
def _opened(database: str | os.PathLike[str]) -> Iterator[sqlite3.Connection]:
    with closing(open_database(database)) as connection:
        try:
            yield connection
        except sqlite3.Error as error:
            raise StorageError(
                "database", "must be free to be written", "try again, or end what else uses it"
            ) from error
