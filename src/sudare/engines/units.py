"""A unit: a part of a file that one worker counts, and how the file is recognised."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from sudare.errors import DomainError

_TAIL = {".parquet": 8, ".arrow": 10}
"""Bytes at the end of a file with a footer: its length (4 bytes) and the magic."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of a file. Frozen, can be pickled, and tells its file from a changed one.

    Attributes:
        path: of the file.
        kind: its format, as its ending.
        stamp: of the whole file, see :func:`stamp_of`.
        start, stop: its row groups, record batches or bytes, the last one exclusive.
        rows: as the footer says; None where nothing does.
        before: rows of the file before it; None where that is not known.
        encoding: of text, as given; None for UTF-8, or what a mark says.
    """

    path: str
    kind: str
    stamp: str
    start: int
    stop: int
    rows: int | None = None
    before: int | None = None
    encoding: str | None = None

    @property
    def name(self) -> str:
        """The file's own name, for messages."""
        return Path(self.path).name

    @property
    def place(self) -> str:
        """Which part of its file it is, for messages."""
        return f"unit {self.start}:{self.stop} of {self.name}"


def stamp_of(path: str, kind: str) -> str:
    """Return the size of a file, and the SHA-256 of its footer or, without one, its time.

    A copy of a file with a footer has the same stamp, wherever it lies.
    """
    found = Path(path).stat()
    tail = _TAIL.get(kind)
    if tail is None:
        return f"{found.st_size}:{found.st_mtime_ns}"
    with Path(path).open("rb") as file:
        file.seek(-min(tail, found.st_size), 2)
        length = int.from_bytes(file.read(4), "little") + tail
        file.seek(-min(length, found.st_size), 2)
        digest = hashlib.sha256(file.read()).hexdigest()
    return f"{found.st_size}:{digest[:32]}"


def check_unchanged(unit: Unit) -> None:
    """Refuse a unit of a file that is gone, or is another one than was planned."""
    try:
        same = stamp_of(unit.path, unit.kind) == unit.stamp
    except OSError:
        raise DomainError(
            "file", "does not exist or cannot be read", "check the path", got=unit.path
        ) from None
    if not same:
        raise DomainError(
            "file", "must not change while it is counted", "plan again", got=unit.path
        )
