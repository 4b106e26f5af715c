"""What keeps a store from taking reports: faults that pass, and faults that last."""

from __future__ import annotations

import logging
import os
import threading
from dataclasses import dataclass

RESTORE = "end it, put back a copy of the file that is sound, and start it again"
_BROKEN = ("SQLITE_CORRUPT", "SQLITE_NOTADB")

_log = logging.getLogger("sudare.collector")


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether submissions are taken: true, or false with the reason.

    Attributes:
        reason: what is the matter, to follow "the store"; None where nothing is.
    """

    reason: str | None = None

    def __bool__(self) -> bool:
        return self.reason is None


class Health:
    """What the threads of a store know of its state.

    A fault of a part passes once that part has worked again; one that lasts is over when the
    operator has mended the file and started the collector anew.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._passing: dict[str, str] = {}
        self._lasting: str | None = None
        self._files: list[WatchedFile] = []

    def watch(self, path: str) -> None:
        """Watch a file that is there."""
        self._files.append(WatchedFile(path))

    def look(self) -> None:
        """Look whether the files are those that were opened; refuse from now on if not."""
        for file in self._files:
            if fault := file.fault():
                self.end(fault, "end it, put back the file that was there, and start it again")

    def reason(self, *, besides: str = "") -> str | None:
        """Return what is the matter; None where nothing is.

        Args:
            besides: a part whose fault does not count.
        """
        with self._lock:
            if self._lasting is not None:
                return self._lasting
            return next((why for part, why in self._passing.items() if part != besides), None)

    @property
    def ended(self) -> bool:
        """Tell whether the file must not be touched any more."""
        return self._lasting is not None

    def fail(self, part: str, why: str) -> None:
        """Note that a part has failed."""
        with self._lock:
            self._passing[part] = why

    def mend(self, part: str) -> None:
        """Note that a part has worked."""
        if self._passing:
            with self._lock:
                self._passing.pop(part, None)

    def end(self, why: str, remedy: str) -> None:
        """Refuse from now on; the operator is told why, and what to do."""
        with self._lock:
            first, self._lasting = self._lasting is None, self._lasting or why
        if first:
            _log.error("the store %s: no report is taken any more; %s", why, remedy)

    def damaged(self, error: Exception) -> bool:
        """Tell whether an error means that the file is damaged; refuse from now on if so."""
        found = getattr(error, "sqlite_errorname", "") in _BROKEN
        if found:
            self.end("finds its file damaged", RESTORE)
        return found


class WatchedFile:
    """A file that is open, and should be the one that its path names.

    Args:
        path: of a file that is there.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._own = self._identity()

    def fault(self) -> str | None:
        """Return what has happened to the file; None where it is the same."""
        try:
            if self._identity() == self._own:
                return None
        except OSError:
            return "has lost a file of its own"
        return "finds another file in the place of its own"

    def _identity(self) -> tuple[int, int]:
        found = os.stat(self._path)
        return found.st_dev, found.st_ino
