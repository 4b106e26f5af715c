"""Where rows come from and go to: files, told by their ending, or standard input and output."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from sudare.encodings import text_of
from sudare.errors import DomainError, MissingExtraError
from sudare.files.logs import check_above

ENDINGS = (".csv", ".csv.gz", ".jsonl", ".parquet")
"""What a file that is written may end in."""
READ = {
    ".parquet": ".parquet",
    ".parq": ".parquet",
    ".pq": ".parquet",
    ".arrow": ".arrow",
    ".feather": ".arrow",
    ".csv": ".csv",
    ".csv.gz": ".csv.gz",
    ".tsv": ".csv",
    ".tsv.gz": ".csv.gz",
    ".jsonl": ".jsonl",
    ".jsonl.gz": ".jsonl.gz",
    ".ndjson": ".jsonl",
    ".ndjson.gz": ".jsonl.gz",
}
"""What a file that is read may end in, in letters of any size, and the format that it says."""
STANDARD = "-"
"""Standard input, or standard output."""

Where = str | os.PathLike[str]
Progress = Callable[[Iterable[Any], int | None, str], Iterable[Any]]
"""Shows how far a long work is: it gets items, how many where that is known, and what is done."""

_MAGIC = ((b"\x1f\x8b", ".csv.gz"), (b"PAR1", ".parquet"), (b"{", ".jsonl"))
_kept: weakref.WeakKeyDictionary[Any, Path] = weakref.WeakKeyDictionary()


def arrow(purpose: str, *parts: str) -> Any:
    """Return PyArrow; parts of it such as ``"parquet"`` are loaded too.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        for part in parts:
            import_module(f"pyarrow.{part}")
        return import_module("pyarrow")
    except ImportError:
        raise MissingExtraError("pyarrow", "frames", purpose) from None


def no_progress(items: Iterable[Any], total: int | None, what: str) -> Iterable[Any]:
    """Return the items, and show nothing."""
    return items


@dataclass(frozen=True, slots=True)
class Source:
    """A file that is there, its format, and what it is called."""

    path: Path
    kind: str
    name: str


def ending(path: Where, argument: str = "file") -> str:
    """Return which of :data:`ENDINGS` a name has; standard output takes CSV.

    Raises:
        DomainError: it has none.
    """
    name = os.fspath(path)
    if name == STANDARD:
        return ".csv"
    for known in ENDINGS:
        if name.endswith(known):
            return known
    raise DomainError(argument, f"must end in {', '.join(ENDINGS)}", got=name)


def kind_of(path: Where) -> str | None:
    """Return the format that a name says, one of the values of :data:`READ`; None without one.

    Examples:
        >>> kind_of("A.TSV"), kind_of("b.ndjson.gz"), kind_of("c.xlsx")
        ('.csv', '.jsonl.gz', None)
    """
    name = os.fspath(path).lower()
    return READ[max(found, key=len)] if (found := [*filter(name.endswith, READ)]) else None


def kind_to_read(path: Where) -> str:
    """Return the format that a name says.

    Raises:
        DomainError: it says none.
    """
    kind = kind_of(path)
    if kind is None:
        raise DomainError("file", f"must end in {', '.join(READ)}", got=os.fspath(path))
    return kind


def source(path: Where) -> Source:
    """Return the file to read for a path, or for ``-``: standard input, told by its first bytes.

    Standard input is kept in a temporary file, its owner's alone, as long as it is open.
    """
    name = os.fspath(path)
    if name == STANDARD:
        kept = _standard_input()
        return Source(kept, kind_to_read(kept), "standard input")
    kind = kind_to_read(name)
    file = existing(name)
    check_above([file])
    return Source(file, kind, Path(name).name)


def existing(path: Where) -> Path:
    """Return the path of a file that is there, of whatever format."""
    if os.fspath(path) == STANDARD:
        return _standard_input()
    if not Path(path).is_file():
        raise DomainError("file", "does not exist", "check the path", got=os.fspath(path))
    return Path(path)


def identity(path: Path) -> tuple[object, ...]:
    """Return what two paths of one file have alike, be one a link, also a hard one.

    Examples:
        >>> _ = Path("a.csv").write_text("x")
        >>> os.link("a.csv", "b.csv")
        >>> identity(Path("a.csv")) == identity(Path("b.csv"))
        True
    """
    try:
        about = path.stat()
    except OSError:  # told where it is read
        return (path.absolute(),)
    return (about.st_dev, about.st_ino) if about.st_ino else (path.resolve(),)


def read_text(path: Where) -> str:
    """Return the text of a file (``.gz`` too), without a byte order mark.

    Raises:
        DomainError: no such file, or no text in UTF-8, or in UTF-16 with a mark.
    """
    file = existing(path)
    try:
        data = file.read_bytes()
        data = gzip.decompress(data) if file.suffix.lower() == ".gz" else data
    except (OSError, EOFError):
        raise DomainError("file", "cannot be read", "check the file") from None
    return text_of(data)


@contextmanager
def writing(path: Where) -> Iterator[BinaryIO]:
    """Yield the stream of a file to write, or of standard output, which stays open."""
    if os.fspath(path) != STANDARD:
        with Path(path).open("wb") as file:
            yield file
        return
    sys.stdout.flush()
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


def _standard_input() -> Path:
    stream = sys.stdin
    if stream not in _kept:
        handle, name = tempfile.mkstemp(prefix="sudare-")
        with os.fdopen(handle, "w+b") as file:
            shutil.copyfileobj(stream.buffer, file)
            file.seek(0)
            head = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
        kind = next((kind for magic, kind in _MAGIC if head.startswith(magic)), ".csv")
        _kept[stream] = Path(name).rename(name + kind)
        weakref.finalize(stream, os.unlink, name + kind)
    return _kept[stream]
