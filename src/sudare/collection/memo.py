"""A device's memory: the reports it has drawn, what they cost, and the ids they went under.

A person who gives the same answer again sends the same report: repeating a question teaches
nothing new. Reports and charges are on disk before anything leaves the device.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Protocol, runtime_checkable

from sudare.collection.device import DeviceCharge
from sudare.errors import StorageError


@runtime_checkable
class Memo(Protocol):
    """Where a device remembers. All changes inside :meth:`transaction` happen, or none."""

    def transaction(self) -> AbstractContextManager[None]:
        """Open a transaction; an exception undoes it."""
        ...

    def recall(self, account: str, question: str, value: str) -> bytes | None:
        """Return the report once drawn for this answer, or None."""
        ...

    def remember(self, account: str, question: str, value: str, report: bytes) -> None:
        """Keep the report drawn for this answer."""
        ...

    def charges(self) -> Sequence[DeviceCharge]:
        """Return all charges, oldest first."""
        ...

    def charge(self, charges: Sequence[DeviceCharge]) -> None:
        """Append charges."""
        ...

    def claim(self, version: str, origin: str, name: str) -> None:
        """Say whose the charges of a version are, where an old memory has not kept that."""
        ...

    def rename(self, former: str, version: str) -> None:
        """Keep under a version what was kept under another fingerprint of the same definition."""
        ...

    def submission_id(self, account: str, values: str, fresh: str) -> str:
        """Return the id under which these answers go: the one they had, or ``fresh``."""
        ...


class MemoryMemo:
    """A memo in memory: for simulations, where thousands of devices live in one process."""

    def __init__(self) -> None:
        self._reports: dict[tuple[str, str, str], bytes] = {}
        self._charges: list[DeviceCharge] = []
        self._ids: dict[tuple[str, str], str] = {}
        self._lock = threading.RLock()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the lock, and restore the state from before where the block raises."""
        with self._lock:
            before = dict(self._reports), list(self._charges), dict(self._ids)
            try:
                yield
            except BaseException:
                self._reports, self._charges, self._ids = before
                raise

    def recall(self, account: str, question: str, value: str) -> bytes | None:
        """See :class:`Memo`."""
        return self._reports.get((account, question, value))

    def remember(self, account: str, question: str, value: str, report: bytes) -> None:
        """See :class:`Memo`."""
        self._reports[account, question, value] = report

    def charges(self) -> Sequence[DeviceCharge]:
        """See :class:`Memo`."""
        return tuple(self._charges)

    def charge(self, charges: Sequence[DeviceCharge]) -> None:
        """See :class:`Memo`."""
        self._charges.extend(charges)

    def claim(self, version: str, origin: str, name: str) -> None:
        """See :class:`Memo`; each charge has its name from the start."""

    def rename(self, former: str, version: str) -> None:
        """See :class:`Memo`."""
        self._charges = [
            replace(one, account=version + one.account.removeprefix(former))
            if one.version == former
            else one
            for one in self._charges
        ]
        for account, answers in [key for key in self._ids if key[0] == former]:
            self._ids.setdefault((version, answers), self._ids.pop((account, answers)))

    def submission_id(self, account: str, values: str, fresh: str) -> str:
        """See :class:`Memo`."""
        return self._ids.setdefault((account, values), fresh)


_SCHEMA = """
CREATE TABLE IF NOT EXISTS memo (
    account TEXT NOT NULL, question TEXT NOT NULL, value TEXT NOT NULL, report BLOB NOT NULL,
    PRIMARY KEY (account, question, value)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS charge (
    sequence INTEGER PRIMARY KEY, account TEXT NOT NULL, purpose TEXT NOT NULL,
    epsilon TEXT NOT NULL, origin TEXT NOT NULL DEFAULT '', name TEXT);
CREATE TABLE IF NOT EXISTS submission (
    account TEXT NOT NULL, answers TEXT NOT NULL, id TEXT NOT NULL,
    PRIMARY KEY (account, answers)) WITHOUT ROWID;
"""


class FileMemo:
    """A memo in an SQLite file on the device; every transaction is on disk when it ends.

    The file holds the person's true answers (it must recognise them): it belongs to the
    person, like the browser's own storage, and is never sent.

    Raises:
        StorageError: the file cannot be opened as a memo.
    """

    def __init__(self, path: str | Path) -> None:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # for its owner alone
            self._lock = threading.RLock()  # one transaction at a time, whichever thread asks
            self._db = sqlite3.connect(
                path, isolation_level=None, timeout=10, check_same_thread=False
            )
            # A memo that nobody holds any more is closed: Python 3.13 warns of an open file.
            weakref.finalize(self, self._db.close).atexit = False
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.executescript(_SCHEMA)
            self._upgrade()
        except (sqlite3.Error, OSError, ValueError):
            raise StorageError(
                "memo", "cannot be opened as a device's memory", "name another file", got=str(path)
            ) from None

    def _upgrade(self) -> None:
        """Add what version 0.1 did not keep: the origin and the name of the survey."""
        if self._has_names():
            return
        with self.transaction():
            if not self._has_names():  # another process may have been quicker
                self._db.execute("ALTER TABLE charge ADD COLUMN origin TEXT NOT NULL DEFAULT ''")
                self._db.execute("ALTER TABLE charge ADD COLUMN name TEXT")

    def _has_names(self) -> bool:
        return any(row[1] == "name" for row in self._db.execute("PRAGMA table_info(charge)"))

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the file's write lock: two clients of one device cannot overspend together.

        Raises:
            StorageError: the file is locked, full or damaged; nothing was remembered.
        """
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    yield
                    self._db.execute("COMMIT")
                except BaseException:
                    if self._db.in_transaction:
                        self._db.execute("ROLLBACK")
                    raise
            except sqlite3.Error:
                remedy = "close other programs that use it, or free some space"
                raise StorageError("memo", "cannot be written", remedy) from None

    def recall(self, account: str, question: str, value: str) -> bytes | None:
        """See :class:`Memo`."""
        row = self._db.execute(
            "SELECT report FROM memo WHERE account = ? AND question = ? AND value = ?",
            (account, question, value),
        ).fetchone()
        return None if row is None else bytes(row[0])

    def remember(self, account: str, question: str, value: str, report: bytes) -> None:
        """See :class:`Memo`."""
        self._db.execute("INSERT INTO memo VALUES (?, ?, ?, ?)", (account, question, value, report))

    def charges(self) -> Sequence[DeviceCharge]:
        """See :class:`Memo`."""
        with self._lock:
            rows = self._db.execute(
                "SELECT account, purpose, epsilon, origin, name FROM charge ORDER BY sequence"
            ).fetchall()
        return [
            DeviceCharge(account, purpose, Fraction(epsilon), origin, name)
            for account, purpose, epsilon, origin, name in rows
        ]

    def charge(self, charges: Sequence[DeviceCharge]) -> None:
        """See :class:`Memo`."""
        self._db.executemany(
            "INSERT INTO charge (account, purpose, epsilon, origin, name) VALUES (?, ?, ?, ?, ?)",
            [(c.account, c.purpose, str(c.epsilon), c.origin, c.name) for c in charges],
        )

    def claim(self, version: str, origin: str, name: str) -> None:
        """See :class:`Memo`."""
        self._db.execute(
            "UPDATE charge SET origin = ?, name = ? "
            "WHERE name IS NULL AND (account = ? OR account LIKE ? || '/%')",
            (origin, name, version, version),
        )

    def rename(self, former: str, version: str) -> None:
        """See :class:`Memo`."""
        for table in ("memo", "charge", "submission"):  # what is there under both stays apart
            self._db.execute(
                f"UPDATE OR IGNORE {table} SET account = ? || substr(account, ?) "  # noqa: S608
                "WHERE account = ? OR account LIKE ? || '/%'",
                (version, len(former) + 1, former, former),
            )

    def submission_id(self, account: str, values: str, fresh: str) -> str:
        """See :class:`Memo`."""
        self._db.execute(
            "INSERT OR IGNORE INTO submission VALUES (?, ?, ?)", (account, values, fresh)
        )
        row = self._db.execute(
            "SELECT id FROM submission WHERE account = ? AND answers = ?", (account, values)
        ).fetchone()
        return str(row[0])
