"""The operators' register: transactions on the tables, in a file or in PostgreSQL."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from sudare.errors import StorageError, WrongTypeError
from sudare.ledger.engine import begun, empty_log, lock, open_engine
from sudare.operators import tables


class Register:
    """Open the tables of operators; they are made by the first who needs them.

    Args:
        where: the path of a collector's file, or a ``postgresql://`` URL.

    Raises:
        WrongTypeError, StorageError: the database cannot be used.
        MissingExtraError: SQLAlchemy is not installed, or psycopg for PostgreSQL.

    Examples:
        >>> from sudare.operators import Tokens
        >>> with Register("operators.db") as register:
        ...     secret = Tokens(register).issue("ann", ["run"])
        ...     Tokens(register).check(secret).scopes
        ('read', 'run')
    """

    def __init__(self, where: str | os.PathLike[str]) -> None:
        if not isinstance(where, str | os.PathLike):
            raise WrongTypeError("database", "must be a path or a URL", "such as survey.sqlite3")
        self._engine = open_engine(where, "database", tables.reach)
        self._version: int | None = None

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> Register:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def is_begun(self) -> bool:
        """Tell whether there are any tables: nothing is made."""
        if self._version is None:
            with begun(self._engine, "database", write=False) as connection:
                self._version = tables.version_of(connection)
        return self._version is not None

    @property
    def version(self) -> int | None:
        """The version of the tables, as it was seen last: older in a file that stays as it is."""
        return self._version

    @contextmanager
    def writing(self) -> Iterator[Any]:
        """Yield a connection in a transaction that has the tables to itself.

        Raises:
            StorageError: the database cannot be used; nothing was changed.
        """
        with begun(self._engine, "database", write=True) as connection:
            lock(connection, tables.KEY)
            tables.prepare(connection)
            yield connection
        self._version = tables.VERSION

    @contextmanager
    def replacing(self, table: Any) -> Iterator[Any]:
        """Yield as :meth:`writing` does; of rows of a table that go no byte is left in its files.

        Raises:
            StorageError: as :meth:`writing`.
        """
        with self.writing() as connection:
            yield connection
            tables.wipe(connection, table)
        empty_log(self._engine)

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """Yield a connection in a transaction that waits for nobody.

        Raises:
            StorageError: the database cannot be used.
        """
        if not self.is_begun():
            with self.writing():
                pass
        elif self._version != tables.VERSION:
            with contextlib.suppress(StorageError), self.writing():
                pass  # a file that can only be read keeps its older tables
        with begun(self._engine, "database", write=False) as connection:
            yield connection


def as_text(moment: datetime) -> str:
    """Return a moment as the tables have it: UTC, to the second."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def as_hour(moment: datetime) -> str:
    """Return the hour of a moment: no more is kept of a use."""
    return as_text(moment.replace(minute=0, second=0))


def as_moment(text: str | None) -> datetime | None:
    """Return the moment of such a text."""
    return None if text is None else datetime.fromisoformat(text)
