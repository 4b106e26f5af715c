"""The life of collections in the store: a table that only grows, of which the last rows hold.

Each row is a change: when, what led to it, and where the collection stands since. It is the owner's
record, and says nothing about any report. Whoever wants to know where a collection stands asks
here; a server asks twice a second (:meth:`sudare.collector.service.Service.refresh`), and its
writer in the transaction that stores reports.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sudare.collection import Collection, schema
from sudare.collector.database import Database, Reader
from sudare.collector.lifecycle import Standing
from sudare.errors import CollectionError

_COLUMNS = "state, opens, closes, act, at"
_LAST = f"SELECT {_COLUMNS} FROM life WHERE collection = ? ORDER BY seq DESC LIMIT 1"  # noqa: S608
_FILE = (
    f"SELECT {_COLUMNS} FROM life WHERE collection = ? "  # noqa: S608
    "AND act IN ('created', 'file', 'served') ORDER BY seq DESC LIMIT 1"
)
_SERVED = (
    "SELECT collection FROM life JOIN collection ON number = collection "
    "WHERE name = ? AND act IN ('created', 'file', 'served') ORDER BY seq DESC LIMIT 1"
)
_TAKES = "SELECT state FROM life WHERE collection = ? ORDER BY seq DESC LIMIT 1"


class NotTakenError(CollectionError):
    """Reports came when their collection took none: nothing was stored."""

    def __init__(self) -> None:
        super().__init__("collection", "is closed", "no reports are taken any more")


def standing(connection: Reader, number: int) -> Standing | None:
    """Return where a collection stands; None where it was never served."""
    return _read(connection.execute(_LAST, (number,)).fetchone())


def served_last(connection: Reader, name: str) -> int | None:
    """Return which version of a name was taken up last; None for none."""
    row = connection.execute(_SERVED, (name,)).fetchone()
    return None if row is None else int(row[0])


def takes(connection: Reader, number: int) -> bool:
    """Tell whether reports may be stored, whatever the time (in the caller's transaction)."""
    row = connection.execute(_TAKES, (number,)).fetchone()
    return row is None or row[0] == "published"


def is_deleted(connection: Reader, number: int) -> bool:
    """Tell whether its owner has deleted a collection."""
    row = connection.execute(_TAKES, (number,)).fetchone()
    return row is not None and row[0] == "deleted"


def is_emptied(connection: Reader, number: int) -> bool:
    """Tell whether the reports of a collection are deleted, or about to be."""
    row = connection.execute(_TAKES, (number,)).fetchone()
    return row in (("archived",), ("deleted",))


def is_unseen(connection: Reader, number: int) -> bool:
    """Tell whether nobody may see a collection: a draft, a deleted one, or one never served."""
    row = connection.execute(_TAKES, (number,)).fetchone()
    return row in (None, ("draft",), ("deleted",))


def history(connection: Reader, number: int) -> list[Standing]:
    """Return all changes, oldest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM life WHERE collection = ? ORDER BY seq",  # noqa: S608
        (number,),
    )
    return [found for row in rows if (found := _read(row))]


def append(connection: Database, number: int, change: Standing) -> Standing:
    """Add a change (in the caller's transaction)."""
    connection.hold_intake()
    connection.execute(
        f"INSERT INTO life (collection, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",  # noqa: S608
        (
            number,
            change.state,
            schema.moment_text(change.opens),
            schema.moment_text(change.closes),
            change.act,
            schema.moment_text(change.at),
        ),
    )
    return change


def enrol(connection: Database, number: int, collection: Collection, now: datetime) -> Standing:
    """Take up what a survey file says that is served from now on (in the caller's transaction).

    Its times count where they are others than it had said before: the last change wins. The other
    versions of its name end, and go on where their own file is served again.
    """
    for (other,) in connection.execute(
        "SELECT number FROM collection WHERE name = ? AND number <> ?", (collection.name, number)
    ).fetchall():
        _supersede(connection, other, now)
    before = standing(connection, number)
    told = _read(connection.execute(_FILE, (number,)).fetchone())
    change = _enrolled(collection, before, told, now)
    return append(connection, number, change) if change != before else change


def _enrolled(
    collection: Collection, before: Standing | None, told: Standing | None, now: datetime
) -> Standing:
    """Return where it stands once its file is served: as before, unless the file says otherwise."""
    now = now.replace(microsecond=0)
    stated = Standing("published", collection.opens, collection.closes, "file", now)
    if before is None or told is None:
        return replace(stated, state="draft" if collection.draft else "published", act="created")
    if before.state in ("archived", "deleted"):
        return before
    if before.act == "superseded":
        return replace(stated, act="served")
    if before.state == "draft" and not collection.draft:
        return stated
    if (told.opens, told.closes) == (stated.opens, stated.closes):
        return before
    over = before.state == "closed" and stated.stage(now) == "closed"
    return replace(stated, state=before.state if over or before.state == "draft" else "published")


def _supersede(connection: Database, number: int, now: datetime) -> None:
    before = standing(connection, number)
    if before is not None and before.state == "published":
        now = now.replace(microsecond=0)
        closes = now if before.closes is None else min(before.closes, now)
        change = replace(before, state="closed", closes=closes, act="superseded", at=now)
        append(connection, number, change)


def _read(row: tuple[object, ...] | None) -> Standing | None:
    if row is None:
        return None
    state, opens, closes, act, at = row
    return Standing(
        state,  # type: ignore[arg-type] # as it was written
        schema.moment(opens, "life.opens"),
        schema.moment(closes, "life.closes"),
        str(act),
        schema.moment(at, "life.at"),
    )
