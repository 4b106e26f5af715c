"""Whether a database knows a collection under an earlier definition."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing

from sudare.collection import Collection
from sudare.collector.schema import open_reader


def earlier_definitions(collection: Collection, database: str | os.PathLike[str]) -> int:
    """Return under how many other definitions the file knows the collection's name.

    Whoever changes a survey file that has been served changes its fingerprint: its old reports and
    invites stay, and are none of the new one's. 0 where there is no such file.
    """
    try:
        with closing(open_reader(database)) as connection:
            (number,) = connection.execute(
                "SELECT count(*) FROM collection WHERE name = ? AND fingerprint <> ?",
                (collection.name, collection.fingerprint),
            ).fetchone()
    except (sqlite3.Error, OSError, TypeError, ValueError):
        return 0
    return int(number)


def warning_of_earlier(collection: Collection, database: str | os.PathLike[str]) -> str | None:
    """Return a sentence about earlier definitions; None where there are none."""
    if not earlier_definitions(collection, database):
        return None
    return (
        f"the database knows {collection.name!r} under another definition too (another "
        "fingerprint): its reports and invites are not those of this survey file"
    )
