"""The tables of a ledger, in SQLite or PostgreSQL.

======= ==========================================================================
account a name, its unit, its budget and what is spent of it, as exact fractions; whom
        the answers protect that it has paid for
event   what happened, one row each, never changed: accounts opened, budgets set,
        queries paid for with their answers; each row holds the hash of the one before,
        what it is found by, and where the ledger is sealed a seal of its own
token   who may ask: the hash of a secret, an account, scopes, when it ends
meta    the version of these tables, and the seal of a ledger that has one
======= ==========================================================================

A ledger of an older version gets what it lacks when it is opened; events stay as they are.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any

from sudare.errors import MissingExtraError, StorageError

try:
    import sqlalchemy as sa
except ImportError:
    raise MissingExtraError("sqlalchemy", "release", "for a ledger") from None

from sudare.ledger import engine

VERSION = 4
"""Of the tables. 1 (Sudare 0.1.0) had no ``meta``, no account's ``neighbours``, no event's key; 2
had no event's seal; 3 had no units but ε and ρ: its programs would misread others.
"""

METADATA = sa.MetaData()


def _table(name: str, *columns: str | sa.Column[Any]) -> sa.Table:
    """Return a table; a column that is only named is text, in every row."""
    known = [sa.Column(one, sa.Text, nullable=False) if isinstance(one, str) else one
             for one in columns]  # fmt: skip
    return sa.Table(f"sudare_{name}", METADATA, *known)


_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")

ACCOUNT = _table(
    "account",
    sa.Column("name", sa.Text, primary_key=True),
    *("unit", "budget", "spent"),
    sa.Column("neighbours", sa.Text),
)
EVENT = _table(
    "event",
    sa.Column("number", _NUMBER, primary_key=True),
    *("kind", "at", "body"),
    sa.Column("query", sa.Text, index=True),
    "link",
    sa.Column("once", sa.Text, index=True),
    sa.Column("part", sa.Text),
    sa.Column("seal", sa.Text),
)
TOKEN = _table(
    "token",
    sa.Column("mark", sa.Text, primary_key=True),
    *("holder", "scopes"),
    sa.Column("expires", sa.Text),
    sa.Column("revoked", sa.Boolean, nullable=False),
)
META = _table("meta", sa.Column("name", sa.Text, primary_key=True), "value")

_SECOND = (
    "ALTER TABLE sudare_account ADD COLUMN neighbours TEXT",
    "ALTER TABLE sudare_event ADD COLUMN once TEXT",
    "ALTER TABLE sudare_event ADD COLUMN part TEXT",
    "CREATE INDEX ix_sudare_event_once ON sudare_event (once)",
)
_THIRD = ("ALTER TABLE sudare_event ADD COLUMN seal TEXT",)
_SINCE = {0: (), 1: _SECOND + _THIRD, 2: _THIRD, 3: ()}
"""What the tables of each version lack."""


def open_engine(where: str | os.PathLike[str]) -> sa.Engine:
    """Open a ledger's database: a path or ``sqlite:///`` URL, or a ``postgresql://`` URL."""
    return engine.open_engine(where, "ledger", _prepare)


def _prepare(opened: sa.Engine) -> None:
    try:
        with opened.begin() as connection:
            lock(connection)  # two that start at once create one table
            before = _bring_up_to_date(connection)
    except BaseException:
        opened.dispose()
        raise
    if before == 1:
        _own(opened.url)


def _bring_up_to_date(connection: Any) -> int:
    """Make the tables, or add what older ones lack; returns the version before, 0 for none."""
    there = set(sa.inspect(connection).get_table_names())
    before = 1 if ACCOUNT.name in there else 0
    if META.name in there:
        chosen = META.select().where(META.c.name == "version")
        before = int(connection.execute(chosen).one().value)
    if before > VERSION:
        raise StorageError(
            "ledger",
            f"must have at most schema version {VERSION}, this one has version {before}",
            "use the version of Sudare that wrote it, or a newer one",
        )
    if before < VERSION:
        METADATA.create_all(connection)
        for statement in _SINCE[before]:
            connection.execute(sa.text(statement))
        if before == 1:
            _bind(connection)
        connection.execute(META.delete().where(META.c.name == "version"))
        connection.execute(META.insert().values(name="version", value=str(VERSION)))
    return before


def _bind(connection: Any) -> None:
    """Note of each account whom its first payment protected: version 1 says it in events alone."""
    paid = EVENT.select().where(EVENT.c.kind == "query").order_by(EVENT.c.number.desc())
    bound: dict[str, str] = {}
    for event in connection.execute(paid):
        body = json.loads(event.body)
        whom = body["query"].get("neighbours")
        bound |= dict.fromkeys(body["accounts"], whom) if isinstance(whom, str) else {}
    for name, whom in bound.items():
        connection.execute(ACCOUNT.update().where(ACCOUNT.c.name == name).values(neighbours=whom))


def _own(url: sa.URL) -> None:
    """Make the files of an older ledger readable by its owner alone, as new ones are."""
    for suffix in ("", "-wal", "-shm"):
        if url.get_backend_name() == "sqlite" and url.database:
            with contextlib.suppress(OSError):  # another one's file: it stays as it is
                os.chmod(url.database + suffix, 0o600)


def lock(connection: Any) -> None:
    """Give a transaction the ledger to itself; SQLite's has it from its beginning."""
    engine.lock(connection, 7346287)
