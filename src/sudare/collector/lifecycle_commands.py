"""Changing a collection's stage, beside a collector that runs or without one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from sudare.collection import Collection
from sudare.collection.definition import utc_now
from sudare.collector import erasing, lifecycle_table
from sudare.collector.database import Database, Place, Reader, transaction
from sudare.collector.databases import clear_inbox, writing
from sudare.collector.lifecycle import COMMANDS, Standing
from sudare.collector.versions import find, register
from sudare.errors import CollectionError, StorageError, WrongTypeError, as_one_of

PATIENCE = 20.0
"""Seconds that a deletion waits for others who read, and for a collector's inbox."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What a command has led to.

    Attributes:
        name, fingerprint: of the version that was changed.
        standing: where it stands now.
        history: all its changes, oldest first, the last one included.
        deleted: how many reports and invites were deleted, of all versions; empty but for that.
    """

    name: str
    fingerprint: str
    standing: Standing
    history: tuple[Standing, ...]
    deleted: dict[str, int] = field(default_factory=dict)


def change_life(
    collection: Collection | str,
    database: Place,
    command: str,
    until: datetime | None = None,
    *,
    clock: Callable[[], datetime] = utc_now,
) -> Changed:
    """Publish, open, close, extend or delete a collection; a running collector sees it at once.

    Args:
        collection: as its survey file defines it, or its name: then the version served last.
        database: the collector's SQLite file or ``postgresql://`` address.
        command: ``"publish"``, ``"open"``, ``"close"``, ``"extend"`` or ``"delete"``. The last
            one deletes all versions of the name.
        until: a new end, with a time zone; needed to extend, possible to open.
        clock: returns an aware datetime.

    Raises:
        CollectionError: the database does not hold it, or it is in no stage for this command;
            nothing was changed.
        StorageError: the database cannot be used, or could not be emptied to the end: delete again.

    Examples:
        >>> change_life("tea", "tea.sqlite3", "close").standing.state      # doctest: +SKIP
        'closed'
    """
    as_one_of(command, "command", COMMANDS)
    if not isinstance(collection, Collection | str):
        raise WrongTypeError("collection", "must be a sudare.Collection, or a name")
    if until is not None and (not isinstance(until, datetime) or until.tzinfo is None):
        raise WrongTypeError("until", "must be a moment with its time zone")
    named = collection if isinstance(collection, str) else collection.name
    if "." in named:
        raise CollectionError(
            "collection", "must be a whole one, not a round", f"name {named.partition('.')[0]}"
        )
    new = command == "publish" and isinstance(collection, Collection)
    with writing(database, new=new) as connection:
        number = _number(connection, collection, new=new, now=clock())
        if command == "delete":
            return _delete(connection, database, number, clock())
        with transaction(connection):
            stands = _standing(connection, number)
            if stands.act == "superseded" and command in ("open", "extend"):
                raise CollectionError(
                    "collection", "was followed by another version", "serve its own file again"
                )
            ends = '"publish":"end"' in _text(connection, number, "definition")
            change = stands.after(command, clock(), until, ends=ends)
            if command == "publish" and isinstance(collection, Collection):
                change = replace(change, opens=collection.opens, closes=collection.closes)
            lifecycle_table.append(connection, number, change)
            if command == "close":
                _close_rounds(connection, number, clock())
        return _changed(connection, number)


def _close_rounds(connection: Database, number: int, now: datetime) -> None:
    """Close those rounds of a collection that are open: what is left becomes public as of it."""
    name = _text(connection, number, "name")
    for one, own in _with_rounds(connection, name):
        stands = lifecycle_table.standing(connection, one)
        if own != name and stands is not None and stands.stage(now) == "open":
            lifecycle_table.append(connection, one, stands.after("close", now))


def _with_rounds(connection: Database, name: str) -> list[tuple[int, str]]:
    """Return numbers and names of all versions and their rounds."""
    rounds = f"{name}."  # no name has a point but those of its rounds
    rows = connection.execute(
        "SELECT number, name FROM collection WHERE name = ? OR substr(name, 1, ?) = ?",
        (name, len(rounds), rounds),
    ).fetchall()
    return [(one, own) for one, own in rows]


def _delete(connection: Database, database: Place, number: int, now: datetime) -> Changed:
    """Mark every version as deleted, then delete; one that was interrupted is taken up again."""
    name = _text(connection, number, "name")
    rows = _with_rounds(connection, name)
    numbers = [one for one, _ in rows]
    with transaction(connection):
        found = [erasing.held(connection, one) for one in numbers]
        before = _standing(connection, number)
        for one, own in rows:
            stands = lifecycle_table.standing(connection, one) or Standing("draft")
            if own != name and stands.stage(now) == "open":  # a round goes with its survey
                stands = stands.after("close", now)
                lifecycle_table.append(connection, one, stands)
            if stands.state != "deleted":
                lifecycle_table.append(connection, one, stands.after("delete", now))
    for one in numbers:
        while erasing.erase_slice(connection, one):
            pass
    _patiently(lambda: clear_inbox(database, connection, numbers))
    _patiently(connection.wipe)
    if before.state == "deleted" and not any(map(any, found)):
        before.after("delete", now)  # refused, as there was nothing left
    reports, codes = map(sum, zip(*found, strict=True))
    return replace(_changed(connection, number), deleted={"reports": reports, "invites": codes})


def _patiently(done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > end:
            raise StorageError(
                "database",
                "is rid of them, but its logs could not be emptied",
                "end what else reads it, then delete again",
            )
        time.sleep(0.1)


def _number(connection: Database, collection: Collection | str, *, new: bool, now: datetime) -> int:
    """Return the number of the version that is meant; a new one is made of a file to publish."""
    if isinstance(collection, str):
        found = lifecycle_table.served_last(connection, collection)
    else:
        found = find(connection, collection)
        if found is None and new:
            found = register(connection, collection).number
        if found is not None and new and lifecycle_table.standing(connection, found) is None:
            with transaction(connection):
                lifecycle_table.enrol(connection, found, replace(collection, draft=True), now)
    if found is None:
        raise CollectionError(
            "collection",
            "must be one that this database holds",
            "give the survey file as it was served, or its name",
            got=collection if isinstance(collection, str) else collection.name,
        )
    return found


def _standing(connection: Reader, number: int) -> Standing:
    stands = lifecycle_table.standing(connection, number)
    if stands is None:
        raise CollectionError("collection", "was never served or published", "publish it first")
    return stands


def _text(connection: Reader, number: int, column: str) -> str:
    (text,) = connection.execute(
        f"SELECT {column} FROM collection WHERE number = ?",  # noqa: S608
        (number,),
    ).fetchone()
    return str(text)


def _changed(connection: Reader, number: int) -> Changed:
    history = tuple(lifecycle_table.history(connection, number))
    name, fingerprint = (_text(connection, number, one) for one in ("name", "fingerprint"))
    return Changed(name, fingerprint, history[-1], history)
