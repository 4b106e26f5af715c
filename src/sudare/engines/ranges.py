"""Units of a text file: ranges of bytes that end where a line ends."""

from __future__ import annotations

import mmap
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path

from sudare.engines.units import Unit

UNIT_BYTES = 1 << 22


def divide(path: str, kind: str, stamp: str, start: int) -> Iterator[Unit]:
    """Yield units of about :data:`UNIT_BYTES` from a place on."""
    size = Path(path).stat().st_size
    with Path(path).open("rb") as file:
        while start < size:
            file.seek(min(size, start + UNIT_BYTES) - 1)
            file.readline()  # to the end of the line that this byte is of
            stop = file.tell()
            yield Unit(path, kind, stamp, start, stop)
            start = stop


def has_quotes(path: str) -> bool:
    """Whether a file has a quotation mark anywhere: then a line may end within a cell."""
    with Path(path).open("rb") as file:
        if not file.seek(0, 2):
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(b'"') >= 0


def read(unit: Unit) -> bytes:
    """Return the bytes of a unit, without a byte order mark."""
    with Path(unit.path).open("rb") as file:
        file.seek(unit.start)
        data = file.read(unit.stop - unit.start)
    return data if unit.start else data.removeprefix(BOM_UTF8)


def lines_between(path: str, start: int, stop: int, *, blank: bool) -> int:
    """Return how many lines there are, blank ones too or not."""
    found = 0
    with Path(path).open("rb") as file:
        file.seek(start)
        while file.tell() < stop:
            found += blank or not file.readline().isspace()
    return found
