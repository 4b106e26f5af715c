"""The operator's own view: everything that is stored, beside what is public of it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import NamedTuple

from sudare.collection import Collection
from sudare.collector.schema import SCHEMA_VERSION, open_reader, version_of
from sudare.collector.tallies import CollectionTally, Snapshot
from sudare.errors import StorageError, WrongTypeError

_WRONG = ("must be a collector's file that is there and can be read", "give its path")


class OwnView(NamedTuple):
    """What a file holds of a collection.

    Attributes:
        stored: the counts of every acknowledged report, and all invites, whatever is public.
        public: what everybody sees.
    """

    stored: Snapshot
    public: Snapshot


def own_view(collection: Collection, database: str | os.PathLike[str]) -> OwnView:
    """Read what is stored of a collection, for its operator alone: steps do not hold here.

    Whoever sees it twice, with one report between, sees that report.

    Args:
        collection: what was served, under this very definition.
        database: the collector's SQLite file. A collector may run; nothing is changed.

    Raises:
        WrongTypeError: no collection.
        StorageError: there is no such file, it is of another version, or does not hold the
            collection.

    Examples:
        >>> own_view(collection, "tea.sqlite3").stored.n        # doctest: +SKIP
        73
    """
    if not isinstance(collection, Collection):
        raise WrongTypeError("collection", "must be a sudare.Collection", "load it first")
    with _opened(database) as connection:
        connection.execute("BEGIN")  # one state of the file, while a collector goes on
        _require_version(connection)
        book = CollectionTally(_number(connection, collection), collection)
        return OwnView(book.present(connection), book.published(connection))


@contextmanager
def _opened(database: str | os.PathLike[str]) -> Iterator[sqlite3.Connection]:
    try:
        connection = open_reader(database)
    except (sqlite3.Error, OSError, TypeError, ValueError) as error:
        raise StorageError("database", *_WRONG) from error
    with closing(connection):
        try:
            yield connection
        except sqlite3.Error as error:
            raise StorageError("database", *_WRONG) from error


def _require_version(connection: sqlite3.Connection) -> None:
    if version_of(connection) != SCHEMA_VERSION:
        raise StorageError(
            "database",
            f"must be a collector's file of schema version {SCHEMA_VERSION}",
            "give its path, and let a collector of this version open it once",
        )


def _number(connection: sqlite3.Connection, collection: Collection) -> int:
    found = connection.execute(
        "SELECT number FROM collection WHERE fingerprint = ?", (collection.fingerprint,)
    ).fetchone()
    if found is None:
        raise StorageError(
            "database",
            f"must hold the collection {collection.name!r} under this definition",
            "give the survey file as it was served, or another database",
        )
    return int(found[0])
