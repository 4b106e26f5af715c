"""Find a collection in a database, as it is or under an earlier definition."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sudare.collection import Collection
from sudare.collection.definition import SERVICE_NAMES, check_new_name
from sudare.collector import lifecycle_table
from sudare.collector.database import Place, Reader, is_address
from sudare.collector.databases import reading
from sudare.collector.schema import SCHEMA_VERSION, open_reader, version_of
from sudare.collector.versions import SHORT, find
from sudare.errors import CollectionError, StorageError

_log = logging.getLogger("sudare.collector")


def load_survey(path: str | Path, database: Place) -> Collection:
    """Return the collection of a survey file.

    One that the database has been collecting goes on, with a warning, where only its wordings are
    such as are refused in a new file: they are not in the fingerprint. One whose rounds it has been
    collecting keeps what it states of answers that change.

    Raises:
        CollectionError, PrivacyError: as :meth:`sudare.Collection.load`.
    """
    try:
        return _as_published(path, Collection.load(path), database)
    except CollectionError as error:
        collection = Collection.load(path, served=True)
        if not _is_collecting(collection, database) and collection.repeats is not None:
            collection = Collection.load(path, served=True, wide=True)
        if not _is_collecting(collection, database):
            raise
        _log.warning("survey %r goes on, but should be mended: %s", collection.name, error)
        return collection


def check_names(collections: Iterable[Collection], database: Place) -> None:
    """Refuse names that the service needs, but of what the database has been collecting.

    Raises:
        CollectionError: as :func:`~sudare.collection.definition.check_new_name`.
    """
    # the database is looked into only for such a name: this is asked at each start
    for collection in collections:
        if collection.name in SERVICE_NAMES and not _is_collecting(collection, database):
            check_new_name(collection.name)


def _as_published(path: str | Path, collection: Collection, database: Place) -> Collection:
    if collection.repeats is None or _is_collecting(collection, database):
        return collection
    earlier = Collection.load(path, wide=True)
    return earlier if _is_collecting(earlier, database) else collection


def _is_collecting(collection: Collection, database: Place) -> bool:
    try:
        with _looking(database) as (connection, dated):
            number = find(connection, collection)
            return number is not None and not (
                dated and lifecycle_table.is_unseen(connection, number)
            )
    except (StorageError, sqlite3.Error, OSError, TypeError, ValueError):
        return False


def earlier_definitions(collection: Collection, database: Place) -> list[str]:
    """Return the fingerprints of the other definitions under which the file knows the name.

    Whoever changes what a survey file that has been served collects changes its fingerprint: its
    old reports and invites stay, and are none of the new one's. Drafts and what was deleted do not
    count. Empty where there is no such file.
    """
    try:
        with _looking(database) as (connection, dated):
            own = find(connection, collection)
            rows = connection.execute(
                "SELECT number, fingerprint FROM collection WHERE name = ? ORDER BY number",
                (collection.name,),
            ).fetchall()
            return [
                str(fingerprint)
                for number, fingerprint in rows
                if number != own and not (dated and lifecycle_table.is_unseen(connection, number))
            ]
    except (StorageError, sqlite3.Error, OSError, TypeError, ValueError):
        return []


@contextmanager
def _looking(database: Place) -> Iterator[tuple[Reader, bool]]:
    """Open what is there, of whichever version; tell whether it knows of stages."""
    if is_address(database):
        with reading(database) as (connection, _):
            yield connection, True
    else:
        with closing(open_reader(database)) as file:
            yield file, version_of(file) == SCHEMA_VERSION


def warning_of_earlier(collection: Collection, database: Place) -> str | None:
    """Return a sentence about earlier definitions; None where there are none."""
    found = earlier_definitions(collection, database)
    if not found:
        return None
    pages = ", ".join(f"/{collection.name}/results?version={one[:SHORT]}" for one in found)
    return (
        f"the database knows {collection.name!r} under another definition too (another "
        "fingerprint): its reports and invites are not those of this survey file; its results stay "
        f"at {pages}"
    )
