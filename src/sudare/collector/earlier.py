"""Whether a database knows a collection under an earlier definition."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from sudare.collection import Collection
from sudare.collector import life
from sudare.collector.database import Place, Reader, is_address
from sudare.collector.databases import reading
from sudare.collector.schema import SCHEMA_VERSION, open_reader, version_of
from sudare.collector.versions import SHORT, find
from sudare.errors import StorageError


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
                if number != own and not (dated and life.is_unseen(connection, number))
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
