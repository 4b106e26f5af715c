"""Which versions of a collection a file knows: a number for each fingerprint.

Versions of Sudare before 0.2 covered the times of a collection by its fingerprint. A row of theirs
is known by its definition and brought over: it gets the fingerprint of today, keeps its number, and
with it reports, counts and invites; the times that it had are told to devices, which know it under
that fingerprint.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from sudare.collection import Collection
from sudare.collection.canonical import canonical_json, fingerprint
from sudare.collection.definition import COMPILED_FORMAT
from sudare.collection.lifecycle import TIMES, Lifecycle, timed
from sudare.collector import invites, lifecycle_table
from sudare.collector.database import Database, Reader, transaction
from sudare.collector.lifecycle import Standing
from sudare.collector.tallies import CollectionTally
from sudare.errors import CollectionError, SudareError

SHORT = 16
"""Digits of a fingerprint that name a version in an address."""

_log = logging.getLogger("sudare.collector")


def find(connection: Reader, collection: Collection) -> int | None:
    """Return the collection's number in this file, under whichever fingerprint; None for none.

    Of several rows that differ by their times alone, the one with the times of now comes first,
    then the latest.
    """
    found = connection.execute(
        "SELECT number FROM collection WHERE fingerprint = ?", (collection.fingerprint,)
    ).fetchone()
    if found is not None:
        return int(found[0])
    wanted, own = collection.definition(), timed(collection.opens, collection.closes)
    rows = connection.execute(
        "SELECT number, definition FROM collection WHERE name = ? ORDER BY number",
        (collection.name,),
    ).fetchall()
    alike = [
        (all(data[name] == own[name] for name in TIMES), number)
        for number, text in rows
        for data in [json.loads(text)]
        if {**data, **timed(None, None)} == wanted
    ]
    return max(alike)[1] if alike else None


def register(connection: Database, collection: Collection) -> CollectionTally:
    """Find or give the collection's number in this file; another fingerprint is another number."""
    with transaction(connection):
        number = find(connection, collection)
        if number is None:
            number = _add(connection, collection)
        _bring_over(connection, number, collection)
        if not lifecycle_table.is_deleted(connection, number):
            connection.execute(
                "UPDATE collection SET texts = ? WHERE number = ?",
                (canonical_json(collection.compiled()["texts"]), number),
            )
    return open_book(connection, number, collection)


def open_book(connection: Database, number: int, collection: Collection) -> CollectionTally:
    """Return the book of a collection that has a number."""
    office = None
    if collection.invited:
        with transaction(connection):
            office = invites.open_office(connection, number, collection)
    return CollectionTally(number, collection, office)


def enrolled(
    connection: Database, collections: Iterable[Collection], now: datetime
) -> Iterator[CollectionTally]:
    """Yield the book of each collection that is served, after those of its other versions."""
    for collection in collections:
        own = register(connection, collection)
        with transaction(connection):
            lifecycle_table.enrol(connection, own.number, collection, now)
        yield from _books(connection, own)


def followed(connection: Database, collection: Collection) -> Iterator[CollectionTally]:
    """Yield the books of a collection that another process has taken up (see :func:`newer`)."""
    yield from _books(connection, register(connection, collection))


def _books(connection: Database, own: CollectionTally) -> Iterator[CollectionTally]:
    for number, version in others(connection, own.collection):
        yield open_book(connection, number, version)
    yield own


def require_newest(connection: Reader, collections: Iterable[Collection], now: datetime) -> None:
    """Refuse versions that were followed by another one, which still takes reports.

    Where several processes serve one database, one with an older file would end the version of all
    others by its start.

    Raises:
        CollectionError: it was followed.
    """
    for collection in collections:
        number, last = (
            find(connection, collection),
            lifecycle_table.served_last(connection, collection.name),
        )
        if (
            number is None
            or last in (None, number)
            or lifecycle_table.standing(connection, number) is None
        ):
            continue
        stands = lifecycle_table.standing(connection, last)
        if stands is not None and stands.stage(now) in ("published", "open"):
            raise CollectionError(
                "collection",
                "must not be older than what other processes serve: another version has followed "
                "this one",
                "give this process the survey file of that version, or end that one first "
                f"(sudare close {collection.name})",
                got=collection.name,
            )


def newer(connection: Reader, own: CollectionTally) -> Collection | None:
    """Return the version that another process has taken up since; None where there is none.

    What is no part of it stays as this process has it: how long reports are kept, and which sites
    may show it.
    """
    collection = own.collection
    last = lifecycle_table.served_last(connection, collection.name)
    if last in (None, own.number) or lifecycle_table.is_unseen(connection, last):
        return None
    found = dict(others(connection, collection)).get(last)
    return found and replace(
        found, keep_reports_days=collection.keep_reports_days, embedding=collection.embedding
    )


def others(connection: Reader, collection: Collection) -> list[tuple[int, Collection]]:
    """Return the other versions of a name that have been public, oldest first.

    One that this version of Sudare cannot read, as its mechanism is not installed, is left out.
    """
    rows = connection.execute(
        "SELECT number, fingerprint, definition, texts FROM collection "
        "WHERE name = ? AND fingerprint <> ? ORDER BY number",
        (collection.name, collection.fingerprint),
    ).fetchall()
    found = []
    for number, known, definition, texts in rows:
        stands = lifecycle_table.standing(connection, number)
        if stands is None or stands.state in ("draft", "deleted"):
            continue
        try:
            version = _restored(json.loads(definition), texts, stands)
        except SudareError:
            _warn_of_unread(known, collection.name)
            continue
        if version.fingerprint != collection.fingerprint:  # the same under times of before 0.2
            found.append((number, version))
    return found


@lru_cache(256)
def _warn_of_unread(fingerprint: str, name: str) -> None:
    """Say once what a look twice a second finds."""
    _log.warning("version %.16s of %r cannot be read", fingerprint, name)


def former_times(connection: Reader, number: int) -> Any:
    """Return the times under whose fingerprints devices may know a collection."""
    (text,) = connection.execute(
        "SELECT former FROM collection WHERE number = ?", (number,)
    ).fetchone()
    return json.loads(text)


def effective(collection: Collection, stands: Standing, former: Any) -> Collection:
    """Return a collection as it is told to everybody now: with the times that hold."""
    told = {
        **{name: getattr(stands, name) for name in TIMES},
        "closed": stands.state in ("closed", "archived"),
    }
    return replace(collection, life=Lifecycle.read(told, "life", former))


def _add(connection: Database, collection: Collection) -> int:
    (number,) = connection.execute(
        "INSERT INTO collection (fingerprint, name, definition) VALUES (?, ?, ?) RETURNING number",
        (collection.fingerprint, collection.name, canonical_json(collection.definition())),
    ).fetchone()
    return int(number)


def _bring_over(connection: Database, number: int, collection: Collection) -> None:
    (text,) = connection.execute(
        "SELECT definition FROM collection WHERE number = ?", (number,)
    ).fetchone()
    data = json.loads(text)
    if data == collection.definition():
        return
    connection.execute(
        "UPDATE collection SET fingerprint = ?, definition = ?, former = ? WHERE number = ?",
        (
            collection.fingerprint,
            canonical_json(collection.definition()),
            canonical_json([[data[name] for name in TIMES]]),
            number,
        ),
    )


def _restored(definition: dict[str, Any], texts: str, stands: Standing) -> Collection:
    """Return a version as the file has it; of one from before 0.2 the wordings are identifiers."""
    untimed = {**definition, **timed(None, None)}
    wordings = json.loads(texts) if texts else {
        "languages": ["en"], "title": {"en": definition["name"]}, "intro": {}, "questions": {}
    }  # fmt: skip
    told = Lifecycle(stands.opens, stands.closes, closed=True).to_json()
    return Collection.from_compiled(
        {
            "format": COMPILED_FORMAT,
            "fingerprint": fingerprint(untimed),
            "definition": untimed,
            "life": told,
            "texts": wordings,
        }
    )
