"""The tables of operators, in a collector's SQLite file or in PostgreSQL.

========== ======================================================================
token      the hash of a secret, its name, scopes, when it ends, the hour of its last use
session    a browser that has signed in: the hash of its cookie, from when until when, as whom,
           and for a person what their provider has stated: issuer, subject, values of a claim
flow       sign-ins elsewhere that are spent, until when nobody can begin to finish them
audit      what operators did, as whom and by what, one row each: rows are only ever added
text       survey files that operators have uploaded: as edited, and as served
visibility who sees a collection's results, where it is not everybody
meta       the version of these tables, and a number that grows with text and visibility
========== ======================================================================
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from sudare.errors import StorageError

VERSION = 4
VIA_SINCE = 4
"""The version from which the record says by what an act was done."""
KEY = 7346288
"""Of PostgreSQL's lock for a transaction that writes."""
SCHEMA = "sudare_collector"
"""In PostgreSQL: that of the collector's own tables."""

METADATA = sa.MetaData()


def _table(name: str, *columns: str | sa.Column[Any]) -> sa.Table:
    """Return a table; a column that is only named is text, in every row."""
    known = [sa.Column(one, sa.Text, nullable=False) if isinstance(one, str) else one
             for one in columns]  # fmt: skip
    return sa.Table(f"sudare_operator_{name}", METADATA, *known)


def _id(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, primary_key=True)


def _maybe(name: str) -> sa.Column[str | None]:
    return sa.Column(name, sa.Text)


TOKEN = _table(
    "token",
    _id("id"),
    *("mark", "name", "scopes"),
    _maybe("collections"),
    "created",
    _maybe("expires"),
    _maybe("used"),
    sa.Column("revoked", sa.Boolean, nullable=False),
    "issuer",
    _maybe("session"),
)
SESSION = _table(
    "session",
    _id("id"),
    *("mark", "name", "scopes"),
    _maybe("collections"),
    *("begun", "expires"),
    _maybe("token"),
    sa.Column("secure", sa.Boolean, nullable=False),
    *map(_maybe, ("issuer", "subject", "claim", "held")),
)
FLOW = _table("flow", _id("id"), sa.Column("expires", sa.Text, nullable=False, index=True))
AUDIT = _table(
    "audit",
    sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    *("at", "who"),
    _maybe("token"),
    "act",
    _maybe("collection"),
    "detail",
    _maybe("via"),
)
TEXT = _table("text", _id("name"), _maybe("edited"), _maybe("served"))
VISIBILITY = _table("visibility", _id("name"), "visibility")
META = _table("meta", _id("name"), sa.Column("value", sa.BigInteger, nullable=False))

_KEPT = {
    "sqlite": tuple(
        f"CREATE TRIGGER sudare_operator_audit_no_{act} BEFORE {act} ON {AUDIT.name} "
        "BEGIN SELECT RAISE(ABORT, 'rows are only ever added'); END"
        for act in ("UPDATE", "DELETE")
    ),
    "postgresql": (
        "CREATE OR REPLACE FUNCTION sudare_operator_kept() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'rows are only ever added'; END $$",
        f"CREATE TRIGGER sudare_operator_audit_kept BEFORE UPDATE OR DELETE ON {AUDIT.name} "
        "FOR EACH ROW EXECUTE FUNCTION sudare_operator_kept()",
        f"ALTER TABLE {TEXT.name} ALTER edited SET STATISTICS 0, ALTER served SET STATISTICS 0",
    ),
}
"""What keeps the rows of ``audit`` as they are, against mistakes of this program too; and files
out of the statistics that PostgreSQL makes of a table's columns."""


def reach(engine: sa.Engine) -> None:
    """Look whether a database is there; in PostgreSQL all tables are looked for in one schema."""
    if engine.dialect.name == "postgresql":

        @sa.event.listens_for(engine, "connect", insert=True)
        def _choose(connection: Any, _record: Any) -> None:
            before, connection.autocommit = connection.autocommit, True
            connection.execute(f"SET search_path TO {SCHEMA}")
            connection.autocommit = before

    engine.connect().close()


def version_of(connection: Any) -> int | None:
    """Return the version of the tables that a database has; None where it has none."""
    if not sa.inspect(connection).has_table(META.name):
        return None
    chosen = sa.select(META.c.value).where(META.c.name == "version")
    return int(connection.execute(chosen).scalar_one())


def prepare(connection: Any) -> None:
    """Make the tables that are not there (in the caller's transaction).

    Raises:
        StorageError: they are of a newer version.
    """
    found = version_of(connection)
    if found is None:
        if connection.dialect.name == "postgresql" and not connection.scalar(
            sa.text(f"SELECT to_regnamespace('{SCHEMA}') IS NOT NULL")
        ):
            connection.exec_driver_sql(f"CREATE SCHEMA {SCHEMA}")
        METADATA.create_all(connection)
        for statement in _KEPT[connection.dialect.name]:
            connection.exec_driver_sql(statement)
        connection.execute(
            META.insert(), [{"name": "version", "value": VERSION}, {"name": "changes", "value": 0}]
        )
        return
    if found > VERSION:
        raise StorageError(
            "database",
            f"must have operators' tables of at most version {VERSION}, these are {found}",
            "use the version of Sudare that wrote it, or a newer one",
        )
    if found < 3:  # nothing said for whom a session is: all have ended
        METADATA.drop_all(connection, [SESSION, FLOW])
        METADATA.create_all(connection, [SESSION, FLOW])
        connection.exec_driver_sql(f"ALTER TABLE {TOKEN.name} ADD COLUMN session TEXT")
    if found < VIA_SINCE:  # what acts of before were done by stays unsaid: rows are only ever added
        connection.exec_driver_sql(f"ALTER TABLE {AUDIT.name} ADD COLUMN via TEXT")
    if found < VERSION:
        connection.execute(META.update().where(META.c.name == "version").values(value=VERSION))


def wipe(connection: Any, table: sa.Table) -> None:
    """Leave no trace of rows that were deleted or changed (in the caller's transaction).

    SQLite overwrites them. PostgreSQL keeps them where they were: the table is written anew.
    """
    if connection.dialect.name == "postgresql":
        kept = f"CREATE TEMP TABLE kept ON COMMIT DROP AS SELECT * FROM {table.name}"  # noqa: S608
        connection.exec_driver_sql(kept)
        connection.exec_driver_sql(f"TRUNCATE {table.name}")
        connection.exec_driver_sql(f"INSERT INTO {table.name} SELECT * FROM kept")  # noqa: S608
