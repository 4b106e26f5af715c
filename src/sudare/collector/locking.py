"""One server a file: a lock of the operating system, gone with the process that holds it."""

from __future__ import annotations

import contextlib
import os
import sys

from sudare.errors import StorageError

SUFFIX = "-lock"

_held: set[int] = set()
"""Descriptors of this process's locks: a forked child must not keep them from the next server."""


class ServerLock:
    """The right to serve a database, until it is released or the process ends.

    Args:
        database: the file; the lock is an empty one beside it.

    Raises:
        StorageError: another server has it, or no lock can be made there.
    """

    def __init__(self, database: str) -> None:
        self._path = database + SUFFIX
        try:
            self._descriptor = self._take()
        except OSError as error:
            raise StorageError(
                "database", "must lie where files can be made and locked", "give another path"
            ) from error
        self._held = True
        _held.add(self._descriptor)

    def __enter__(self) -> ServerLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Give the file free; a second call does nothing."""
        if self._held:
            self._held = False
            _held.discard(self._descriptor)
            with contextlib.suppress(OSError):  # whoever takes it next sees that it is gone
                os.unlink(self._path)
            os.close(self._descriptor)

    def _take(self) -> int:
        while True:
            descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
            try:
                _lock(descriptor, self._path.removesuffix(SUFFIX))
                with contextlib.suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(descriptor), os.stat(self._path)):
                        return descriptor
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)  # whoever had it has removed it meanwhile


def _lock(descriptor: int, database: str) -> None:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        raise StorageError(
            "database",
            "must be served by one process at a time, and another one serves it",
            "end that one first, or give this one a file of its own, also to serve held data: "
            "--database, or database in its settings",
            got=os.path.basename(database),
        ) from None


def _leave_to_the_parent() -> None:
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_the_parent)
