"""Putting what a command does into operators' record of acts, before it is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sudare.cli import console
from sudare.errors import StorageError

if TYPE_CHECKING:
    from sudare.collector.database import Place

MAKING = ("publish", "invites")
"""The acts that make a collector's tables where there are none: others need a database."""


@contextmanager
def recorded(
    database: Place, act: str, collection: str | None = None, **detail: object
) -> Iterator[None]:
    """Record an act, then run the block that does it; a failure gets an entry of its own.

    Args:
        database: the collector's. Where the block has to make it, the act is recorded afterwards.
        act: the command.
        collection: with which.
        detail: more, as JSON data.

    Raises:
        StorageError: the record cannot be written, and nothing was done.
    """
    from sudare.collector.databases import is_there

    there = is_there(database)
    if there:
        record(database, act, collection, **detail)
    try:
        yield
    except Exception as error:  # the block may print what it makes: a full disk is no SudareError
        if there:
            record(database, "refused", collection, refused=type(error).__name__)
        raise
    if not there:
        record(database, act, collection, **detail)


def record_copy(database: Place, act: str, collection: str | None = None, **detail: object) -> None:
    """Record that data leave a database, which may be one that can only be read.

    Whoever can read a file can copy it without this program: where the record cannot be written, a
    warning says so.

    Raises:
        StorageError: there is no such database, or it is of another version.
    """
    from sudare.collector.databases import reading
    from sudare.operators import Audit, Register

    with reading(database):
        pass
    try:
        with Register(database) as register:
            Audit(register).add(None, act, collection, detail)
    except StorageError:
        console.warn(act, "the database cannot be written: this is not in its record of acts")


def record(database: Place, act: str, collection: str | None = None, **detail: object) -> None:
    """Add an entry."""
    from sudare.collector.operator_api.opening import open_register
    from sudare.operators import Audit

    with open_register(database, new=act in MAKING) as register:
        Audit(register).add(None, act, collection, detail)
