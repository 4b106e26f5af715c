"""Databases of what is not on the hot path: an SQLite file, or PostgreSQL."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from sudare.errors import MissingExtraError, StorageError

if TYPE_CHECKING:
    from sqlalchemy import Engine

try:
    import sqlalchemy as sa
except ImportError:
    raise MissingExtraError("sqlalchemy", "release", "for tables beside the reports") from None

READ_ONLY = "25006"
"""SQLSTATE of whatever would write where nothing can be written."""

STANDBY = (
    "must be PostgreSQL that takes writing, and this server can only be read: a standby, or "
    "default_transaction_read_only is on",
    "give the primary's address, or several with target_session_attrs=read-write",
)

BUSY_SECONDS = 30
"""How long a transaction waits for another one that has the database."""


def open_engine(
    where: str | os.PathLike[str], argument: str, prepare: Callable[[Engine], object]
) -> Engine:
    """Open a database: a path or ``sqlite:///`` URL, or a ``postgresql://`` URL.

    No message shows the URL, which may hold a password.

    Args:
        where: the path or URL; a file is created where there is none.
        argument: what errors call it.
        prepare: called with the engine; what it raises of the database's is told as an error.

    Raises:
        StorageError: it is none, or cannot be used.
        MissingExtraError: PostgreSQL is asked for and psycopg not installed.
    """
    text = os.fsdecode(where)
    if "\0" in text:
        raise StorageError(argument, "must be a path or a URL", f"such as {argument}.db")
    if "://" not in text:
        text = f"sqlite:///{os.path.abspath(text)}"
    text = text.replace("postgres://", "postgresql://", 1)
    text = text.replace("postgresql://", "postgresql+psycopg://", 1)
    try:
        url = sa.make_url(text)
        if url.get_backend_name() not in ("sqlite", "postgresql"):
            raise StorageError(
                argument, "must be SQLite or PostgreSQL", "give a path or such a URL"
            )
        if url.get_backend_name() == "sqlite":
            engine = _sqlite(url)
        else:  # statements see all that was committed before they got the lock
            engine = sa.create_engine(
                url,
                isolation_level="READ COMMITTED",
                connect_args={"prepare_threshold": None},  # a pooler lends another connection
            )
        prepare(engine)
    except MissingExtraError:
        raise
    except ImportError:
        raise MissingExtraError("psycopg", "postgres", "for PostgreSQL") from None
    except sa.exc.SQLAlchemyError as error:
        if getattr(getattr(error, "orig", None), "sqlstate", None) == READ_ONLY:
            raise StorageError(argument, *STANDBY) from None
        rule = f"must be a {argument}'s database: check the path or URL"
        raise StorageError(argument, rule, f"the database says {reason(error)}") from None
    return engine


@contextlib.contextmanager
def begun(engine: Engine, argument: str, *, write: bool) -> Iterator[Any]:
    """Yield a connection in a transaction, committed at the end of the block.

    Args:
        engine: of :func:`open_engine`.
        argument: what errors call the database.
        write: whether it takes SQLite's lock from its beginning.

    Raises:
        StorageError: the database cannot be used; nothing was changed.
    """
    chosen = engine if write else engine.execution_options(reads=True)
    try:
        with chosen.begin() as connection:
            yield connection
    except sa.exc.SQLAlchemyError as error:
        raise _told(error, argument) from None


def _told(error: Exception, argument: str) -> StorageError:
    if getattr(getattr(error, "orig", None), "sqlstate", None) == READ_ONLY:
        return StorageError(argument, *STANDBY)
    rule = f"could not be used: {reason(error)}"
    return StorageError(argument, rule, "try again; nothing was answered")


def lock(connection: Any, key: int) -> None:
    """Give a transaction the tables to itself; SQLite's has them from its beginning."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text(f"SET LOCAL lock_timeout TO '{BUSY_SECONDS}s'"))
        connection.execute(sa.text("SET LOCAL synchronous_commit TO on"))
        connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({key})"))


def empty_log(engine: Engine, seconds: float = 2.0) -> bool:
    """Empty SQLite's write-ahead log, which holds pages as they were before a deletion.

    Returns:
        Whether no reader was in the way for so many seconds.
    """
    if engine.dialect.name != "sqlite":
        return True
    end = time.monotonic() + seconds
    with contextlib.closing(engine.raw_connection()) as connection:
        connection.execute("PRAGMA busy_timeout=0")  # else it waits for who writes, not who reads
        try:
            while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if time.monotonic() > end:
                    return False
                time.sleep(0.02)
        finally:
            connection.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
    return True


def _sqlite(url: sa.URL) -> Engine:
    """Return an engine whose writing transactions take the lock at once; all are synced to disk."""
    if url.database and url.database != ":memory:":
        with contextlib.suppress(OSError):  # it is there; or it cannot be made, as SQLite will say
            os.close(os.open(url.database, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_SECONDS})

    @sa.event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions are begun below
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA secure_delete=ON")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        reads = connection.get_execution_options().get("reads", False)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine


def reason(error: Exception) -> str:
    """Return what a database complains of, in a word that shows no data."""
    inner = getattr(error, "orig", None)
    return str(getattr(inner, "sqlite_errorname", type(inner or error).__name__))
