"""Data files of their providers: looked for at home, downloaded on request, always checked.

A file is looked for in the folder named by ``SUDARE_DATA``, then in the cache folder
(``SUDARE_CACHE``, or ``sudare`` in the user's cache). Only with ``download=True`` it is fetched
from its provider into the cache. Nothing is used whose SHA-256 is another than the recorded one.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, TextIO
from urllib.request import Request, urlopen

from platformdirs import user_cache_path

from sudare._version import __version__
from sudare.errors import DomainError, StorageError
from sudare.progress import Progress, no_progress

VARIABLE = "SUDARE_DATA"
CACHE_VARIABLE = "SUDARE_CACHE"
_CHUNK = 1 << 16
_MOST_BYTES = 1 << 30
_TIMEOUT = 60.0


def find(name: str) -> Path | None:
    """Return the path of a data file in the folder named by ``SUDARE_DATA``, or None.

    Examples:
        >>> find("no-such-file.csv") is None
        True
    """
    folder = os.environ.get(VARIABLE)
    path = Path(folder or "") / name
    return path if folder and path.is_file() else None


def cache_folder() -> Path:
    """Return where downloads are kept: ``SUDARE_CACHE``, or ``sudare`` in the user's cache."""
    return Path(os.environ.get(CACHE_VARIABLE) or user_cache_path("sudare", appauthor=False))


def whole_file(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def member(name: str) -> Callable[[Path], str]:
    """Return what gives the SHA-256 of one member of a zip archive, however it was packed."""

    def digest(path: Path) -> str:
        try:
            with zipfile.ZipFile(path) as archive, archive.open(name) as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]
        except (zipfile.BadZipFile, zlib.error, KeyError, RuntimeError):
            return f"no archive with {name}"

    return digest


@dataclass(frozen=True, slots=True)
class DataFile:
    """One published file: where it comes from, how to know it, and what one may do with it.

    Attributes:
        name: its file name in ``SUDARE_DATA`` or in the cache.
        sha256: checksum in hexadecimal digits.
        size: length in bytes; None where it is not known beforehand.
        url: the provider's address; empty for a form that the provider does not publish.
        licence: the provider's conditions, short.
        cite: whom to credit.
        digest: what ``sha256`` is of, by default the file's bytes.
    """

    name: str
    sha256: str
    size: int | None
    url: str
    licence: str
    cite: str
    digest: Callable[[Path], str] = whole_file

    def provenance(self) -> dict[str, Any]:
        """Return what a manifest says about the file."""
        return {
            "file": self.name,
            "sha256": self.sha256,
            "bytes": self.size,
            "url": self.url or None,
            "licence": self.licence,
            "cite": self.cite,
        }


def locate(
    *forms: DataFile,
    parts: Sequence[DataFile] = (),
    download: bool = False,
    progress: Progress = no_progress,
) -> tuple[DataFile, Path]:
    """Return the first of several forms of one data set that is here, checked, and its path.

    Args:
        forms: the same data in the forms that can be read; the first one found is taken.
        parts: other files that the first form with an address is of no use without.
        download: fetch the first form that has an address when none is here.
        progress: shows how far a download has come.

    Raises:
        StorageError: none is here and ``download`` is false (the message says what to download
            and where to put it); a file has a wrong checksum; the download fails.
    """
    for form in forms:
        path = _path(form)
        if path is not None:
            _check(path, form)
            return form, path
    online = [form for form in forms if form.url]
    if not online:
        raise StorageError(
            f"data file {forms[0].name}",
            "is not here and cannot be downloaded",
            f"put it into the folder named by {VARIABLE}",
        )
    if not download:
        raise StorageError(f"data file {forms[0].name}", "is not here", _remedy(online[0], *parts))
    return online[0], _fetch(online[0], progress)


@contextmanager
def as_text(path: Path, member: str = "") -> Iterator[TextIO]:
    """Open a text: a file, gzipped or not, or a member of a zip archive."""
    with ExitStack() as stack:
        stream: Any = stack.enter_context((gzip.open if path.suffix == ".gz" else open)(path, "rb"))
        if path.suffix == ".zip":
            archive = stack.enter_context(zipfile.ZipFile(stream))
            stream = stack.enter_context(archive.open(member))
        yield stack.enter_context(TextIOWrapper(stream, encoding="utf-8"))


def is_here(*forms: DataFile) -> bool:
    """Tell whether one of several forms of a data set is in ``SUDARE_DATA`` or in the cache."""
    return any(_path(form) is not None for form in forms)


def _path(form: DataFile) -> Path | None:
    cached = cache_folder() / form.name
    return find(form.name) or (cached if cached.is_file() else None)


def _remedy(*files: DataFile) -> str:
    each = " and ".join(f"{file.url} as {file.name}" for file in files)
    return (
        f"allow the download (download=True, or --download of a command), or put {each} "
        f"({files[0].licence}) into the folder named by {VARIABLE}"
    )


def _check(path: Path, form: DataFile) -> None:
    try:
        found = form.digest(path)
    except OSError:
        raise StorageError(f"data file {path}", "cannot be read", "check the file") from None
    if found != form.sha256:
        raise StorageError(
            f"data file {path}",
            f"must have the SHA-256 {form.sha256}",
            "remove it and get it again",
            got=found,
        )


def _fetch(form: DataFile, progress: Progress) -> Path:
    """Download into the cache: under another name first, so that a broken file never stays."""
    target = cache_folder() / form.name
    if not form.url.startswith(("https://", "http://")):
        raise DomainError("url", "must be http(s)", got=form.url)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        request = Request(form.url, headers={"User-Agent": f"sudare/{__version__}"})  # noqa: S310
        with (
            tempfile.TemporaryDirectory(dir=target.parent, prefix=".download-") as folder,
            urlopen(request, timeout=_TIMEOUT) as answer,  # noqa: S310 - checked above
        ):
            part = Path(folder) / "part"
            size = form.size or int(answer.headers.get("Content-Length") or 0)
            chunks = _chunks(answer, form.name, size)
            with part.open("wb") as stream:
                for chunk in progress(chunks, -(-size // _CHUNK), f"downloading {form.name}"):
                    stream.write(chunk)
            _check(part, form)
            os.replace(part, target)
    except (OSError, HTTPException) as error:
        raise StorageError(
            f"download of {form.name}",
            f"failed ({_reason(error)})",
            f"try again, or get {form.url} in another way and put it as {form.name} into the "
            f"folder named by {VARIABLE}",
        ) from None
    return target


def _chunks(answer: IO[bytes], name: str, size: int) -> Iterator[bytes]:
    """Yield a body, which must have ``size`` bytes (0: any number); stop early at too many."""
    got = 0
    while chunk := answer.read(_CHUNK):
        got += len(chunk)
        if got > (size or _MOST_BYTES):
            break
        yield chunk
    if got != size and (size or got > _MOST_BYTES):
        raise StorageError(
            f"download of {name}",
            f"must be {size or _MOST_BYTES:,} bytes long, {'more' if got > size else 'fewer'} came",
            "try again; the provider may also have a new edition",
        )


def _reason(error: OSError | HTTPException) -> str:
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None)
    return str(reason or type(error).__name__)
