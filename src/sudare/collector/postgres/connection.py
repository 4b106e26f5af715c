"""A connection to PostgreSQL that takes the statements of :mod:`sudare.collector.database`.

It is made again where it was lost, but never within a transaction. What goes wrong is told by its
SQLSTATE alone: a server's message could quote a row.
"""

from __future__ import annotations

import contextlib
import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from sudare.collector.jobs import StoreUnavailable
from sudare.errors import MissingExtraError, StorageError, counted

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
    from psycopg.pq import PGconn, Ping, TransactionStatus
except ImportError:
    raise MissingExtraError("psycopg", "postgres", "for a collector in PostgreSQL") from None

SCHEMA = "sudare_collector"
LOCK = 0x5D4A_7E01
"""Of the advisory lock that every transaction has which is not an acknowledgement's."""
START_SECONDS = 600.0
"""How long a server that starts is waited for: it may read a long log to recover."""
LOCK_SECONDS = 0.2
"""How long rewriting waits for others who read: reports wait behind it meanwhile."""

NOT_THERE = ("3F000", "42P01")
"""SQLSTATEs: no such schema, no such table."""

_DEFAULTS = {
    "connect_timeout": "10",
    "application_name": "sudare",
    "keepalives_idle": "30",
    "tcp_user_timeout": "20000",
}
_SESSION = f"SELECT set_config('search_path', '{SCHEMA}', false)"
_ORPHANS = """
DELETE FROM taken WHERE NOT EXISTS (
    SELECT 1 FROM invite WHERE (invite.collection, invite.mark) = (taken.collection, taken.mark))
"""
"""Marks that wait for a fold which does not come: their collection is deleted."""
_log = logging.getLogger("sudare.collector")
_VALUE = re.compile(r"\?([0-9]*)")


class _WholeLoader(psycopg.adapt.Loader):
    """Read a ``numeric`` as the whole number that SQLite gives: sums of ``bigint`` are such, and
    as ``Decimal`` they are no JSON, or text in it.
    """

    def load(self, data: psycopg.abc.Buffer) -> int:
        return int(bytes(data))


def await_start(address: str, seconds: float = START_SECONDS) -> None:
    """Wait while a server starts or recovers: after a crash of the machine it comes up later.

    Args:
        address: ``postgresql://…``; one where nobody answers is not waited for.
        seconds: the longest wait.

    Raises:
        StorageError: the address cannot be read, or it takes longer.
    """
    try:
        given: dict[str, Any] = {**_DEFAULTS, **conninfo_to_dict(address)}
        known = make_conninfo(**given).encode()
    except psycopg.Error:
        raise _no_address() from None
    end, waits = time.monotonic() + seconds, False
    while PGconn.ping(known) == Ping.REJECT:  # by SQLSTATE: texts are in the server's language
        if time.monotonic() > end:
            rule = (
                f"must take connections within {counted(seconds, 'second')}; it is "
                f"starting or recovering"
            )
            raise StorageError("database", rule, "look at PostgreSQL's log, then start again")
        if not waits:
            waits = True
            _log.warning(
                "PostgreSQL is starting or recovering: waiting for it, %g seconds at most", seconds
            )
        time.sleep(0.2)


class DatabaseFault(StoreUnavailable):
    """PostgreSQL refused, or is not reached.

    Attributes:
        sqlstate: its code; empty where there was no answer.
    """

    def __init__(self, error: Exception) -> None:
        self.sqlstate: str = getattr(error, "sqlstate", None) or ""
        super().__init__("cannot use its database")


class PostgresConnection:
    """One connection, for one thread at a time.

    Args:
        address: ``postgresql://…``.

    Attributes:
        verify: is called with this connection after it was made again; raises where it must not
            be used.

    Raises:
        StorageError: the address cannot be read.
        DatabaseFault: it is not reached.
    """

    def __init__(self, address: str) -> None:
        try:
            given: dict[str, Any] = {**_DEFAULTS, **conninfo_to_dict(address)}
        except psycopg.Error:
            raise _no_address() from None
        self._given = given
        self._begun = False
        self.verify: Callable[[PostgresConnection], None] | None = None
        self._raw = self._connect()

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is under way."""
        return self._begun

    @property
    def promised(self) -> int:
        """The process that serves this connection, by what its other end has said first."""
        return self._raw.info.backend_pid

    def execute(self, sql: str, parameters: Any = (), /) -> psycopg.Cursor[Any]:
        """Run a statement.

        Raises:
            DatabaseFault: it was refused, or the connection is lost.
        """
        with self._told() as raw:
            return raw.execute(numbered(sql), parameters)

    def executemany(self, sql: str, parameters: Any, /) -> None:
        """Run a statement once for each row of parameters."""
        with self._told() as raw, raw.cursor() as cursor:
            cursor.executemany(numbered(sql), parameters)

    def begin(self, how: str = "") -> None:
        """Begin a transaction; without further ado one that waits for others of this kind."""
        try:
            self.execute(f"BEGIN {how}")
        except DatabaseFault:  # it was lost while nothing was asked of it
            self.execute(f"BEGIN {how}")
        self._begun = True
        if not how:
            try:
                self.execute("SELECT pg_advisory_xact_lock(?)", (LOCK,))
            except BaseException:
                self.rollback()
                raise

    def commit(self) -> None:
        """End the transaction; what it wrote is on the disk."""
        with self._told() as raw:
            done = raw.execute("COMMIT").statusmessage
            self._begun = False
            if done != "COMMIT":  # a statement had failed, and nobody minded
                raise psycopg.errors.InFailedSqlTransaction

    def rollback(self) -> None:
        """Undo the transaction; one whose connection is lost is undone by the server."""
        self._begun = False
        with contextlib.suppress(psycopg.Error):
            self._raw.execute("ROLLBACK")
        if self._raw.info.transaction_status != TransactionStatus.IDLE:
            self._raw.close()

    def begin_reading(self, tables: Iterable[str]) -> None:
        """Begin a transaction that reads one state of tables.

        They are locked first: one that is emptied by ``TRUNCATE`` between the transaction's
        snapshot and its first look at the table would be seen without its rows.
        """
        self.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY")
        self.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS SHARE MODE")

    def hold_intake(self) -> None:
        """Let no report be acknowledged until the transaction has ended."""
        self.execute("LOCK TABLE inbox IN SHARE ROW EXCLUSIVE MODE")

    def wipe(self) -> bool:
        """Write every table anew without what was deleted; tell whether nobody was in the way."""
        from sudare.collector.postgres.order_erasure import EVERY, rewrite

        self.execute(_ORPHANS)
        return rewrite(self, EVERY)

    def close(self) -> None:
        """End the connection."""
        self._raw.close()

    def _connect(self) -> psycopg.Connection[Any]:
        try:
            raw = psycopg.connect(**self._given, autocommit=True, cursor_factory=psycopg.RawCursor)
        except psycopg.Error as error:
            raise DatabaseFault(error) from None
        raw.adapters.register_loader("numeric", _WholeLoader)
        try:
            raw.execute(_SESSION)
        except psycopg.Error as error:
            raw.close()
            raise DatabaseFault(error) from None
        return raw

    @contextlib.contextmanager
    def _told(self) -> Iterator[psycopg.Connection[Any]]:
        if self._raw.closed and not self._begun:
            self._raw = self._connect()
            if self.verify is not None:
                try:
                    self.verify(self)
                except BaseException:  # the next one looks again
                    self._raw.close()
                    raise
        try:
            yield self._raw
        except psycopg.Error as error:
            raise DatabaseFault(error) from None


@lru_cache(256)
def numbered(sql: str) -> bytes:
    """Return a statement with the numbered values that PostgreSQL knows."""
    places = iter(range(1, 100))
    return _VALUE.sub(lambda one: f"${one[1] or next(places)}", sql).encode()


def _no_address() -> StorageError:
    return StorageError(
        "database", "must be an address of PostgreSQL", "such as postgresql://host/name"
    )
