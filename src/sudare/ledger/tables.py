"""The tables of a ledger, in SQLite or PostgreSQL.

======= ==========================================================================
account a name, its unit, its budget and what is spent of it, as exact fractions
event   what happened, one row each, never changed: accounts opened, budgets set,
        queries paid for with their answers; each row holds the hash of the one before
token   who may ask: the hash of a secret, an account, scopes, when it ends
======= ==========================================================================
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from sudare.errors import MissingExtraError, StorageError

if TYPE_CHECKING:
    from sqlalchemy import Engine

try:
    import sqlalchemy as sa
except ImportError:  # pragma: no cover - the extra is installed in tests
    raise MissingExtraError("sqlalchemy", "release", "for a ledger") from None

BUSY_SECONDS = 30
"""How long a payment waits for another one that has the ledger."""

METADATA = sa.MetaData()

ACCOUNT = sa.Table(
    "sudare_account",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("unit", sa.Text, nullable=False),
    sa.Column("budget", sa.Text, nullable=False),
    sa.Column("spent", sa.Text, nullable=False),
)

EVENT = sa.Table(
    "sudare_event",
    METADATA,
    sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("query", sa.Text, nullable=True, index=True),
    sa.Column("link", sa.Text, nullable=False),
)


TOKEN = sa.Table(
    "sudare_token",
    METADATA,
    sa.Column("mark", sa.Text, primary_key=True),
    sa.Column("holder", sa.Text, nullable=False),
    sa.Column("scopes", sa.Text, nullable=False),
    sa.Column("expires", sa.Text, nullable=True),
    sa.Column("revoked", sa.Boolean, nullable=False),
)


def open_engine(where: str | os.PathLike[str]) -> Engine:
    """Open a ledger's database: a path or ``sqlite:///`` URL, or a ``postgresql://`` URL.

    Raises:
        StorageError: it cannot be opened; the message never shows the URL, which may hold a
            password.
    """
    text = os.fsdecode(where)
    if "\0" in text:
        raise StorageError("ledger", "must be a path or a URL", "such as ledger.db")
    if "://" not in text:
        text = f"sqlite:///{os.path.abspath(text)}"
    text = text.replace("postgres://", "postgresql://", 1)
    text = text.replace("postgresql://", "postgresql+psycopg://", 1)
    try:
        url = sa.make_url(text)
        if url.get_backend_name() not in ("sqlite", "postgresql"):
            raise StorageError(
                "ledger", "must be SQLite or PostgreSQL", "give a path or such a URL"
            )
        engine = _sqlite(url) if url.get_backend_name() == "sqlite" else _server(url)
        with engine.begin() as connection:
            lock(connection)  # two that start at once create one table
            METADATA.create_all(connection)
    except MissingExtraError:
        raise
    except ImportError:
        raise MissingExtraError("psycopg", "postgres", "for PostgreSQL") from None
    except sa.exc.SQLAlchemyError as error:
        raise StorageError(
            "ledger",
            "must be a ledger's database: check the path or URL",
            _reason(error),
        ) from None
    return engine


def lock(connection: Any) -> None:
    """Give a transaction the ledger to itself; SQLite's has it from its beginning.

    Raises:
        sqlalchemy.exc.OperationalError: another one has had it for :data:`BUSY_SECONDS`.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text(f"SET LOCAL lock_timeout TO '{BUSY_SECONDS}s'"))
        connection.execute(sa.text("SET LOCAL synchronous_commit TO on"))
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(7346287)"))


def _sqlite(url: sa.URL) -> Engine:
    """Return an engine whose writing transactions take the lock at once; all are synced to disk."""
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_SECONDS})

    @sa.event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions are begun below
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        reads = connection.get_execution_options().get("reads", False)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine


def _server(url: sa.URL) -> Engine:
    """Return an engine whose statements see all that was committed before they got the lock."""
    return sa.create_engine(url, isolation_level="READ COMMITTED")


def _reason(error: Exception) -> str:
    inner = getattr(error, "orig", None)
    name = getattr(inner, "sqlite_errorname", type(inner or error).__name__)
    return f"the database says {name}"
