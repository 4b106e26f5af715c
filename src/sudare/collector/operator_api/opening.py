"""Opening the operators' register of a collector, and what it tells before the collector starts."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from sudare.collection import Collection
from sudare.collector.database import Place
from sudare.collector.databases import is_there, reading, writing
from sudare.errors import CollectionError, StorageError, SudareError
from sudare.operators import Register, Texts
from sudare.operators.texts import Known, Text

_NOTHING = Known(0, {}, {})

_log = logging.getLogger("sudare.collector")


def open_register(database: Place, *, new: bool = True) -> Register:
    """Open the register in a collector's database.

    Args:
        database: the SQLite file or ``postgresql://`` address.
        new: whether a database is made where there is none.

    Raises:
        StorageError: the database cannot be used.
    """
    with writing(database, new=new):
        return Register(database)


def begun(database: Place) -> Known | None:
    """Return what operators have told servers; None where there are no operators yet.

    Nothing is made. Whether the database can be used is for others to say.
    """
    if not is_there(database):
        return None
    try:
        with Register(database) as register:
            return Texts(register).known() if register.is_begun() else None
    except StorageError:
        return None


def require_name(database: Place, register: Register, name: str) -> None:
    """Refuse the name of a collection that a database does not hold.

    Raises:
        CollectionError: there is none.
    """
    if Texts(register).find(name) != Text(None, None):
        return
    with reading(database) as (connection, _):
        known = connection.execute("SELECT 1 FROM collection WHERE name = ?", (name,)).fetchone()
    if known is None:
        raise CollectionError("collection", "must be one that this database holds", "see its list")


def uploaded(served: Mapping[str, str], others: Iterable[str]) -> list[Collection]:
    """Return the collections that operators have published, but for those of the server's files."""
    taken, found = set(others), []
    for name, text in served.items():
        if name in taken:
            _log.warning("collection %r is served from its file, not as it was uploaded", name)
            continue
        try:
            found.append(parsed(text))
        except SudareError:
            _log.warning("collection %r cannot be read as it was uploaded: it is left out", name)
    return found


@lru_cache(64)
def parsed(text: str, *, new: bool = False) -> Collection:
    """Return the collection of a survey file's text; published, whatever the file says.

    Args:
        text: of the file.
        new: whether an operator hands it in; else the register has it, and it stays readable.

    Raises:
        SudareError: its definition is broken.
    """
    return replace(Collection.from_toml(text, served=not new), draft=False)
