"""Files that are there whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sudare.errors import DomainError


@contextmanager
def replacing(*paths: Path, argument: str = "path") -> Iterator[list[Path]]:
    """Yield a temporary path beside each of ``paths``; put them in place if all went well.

    Raises:
        DomainError: one of them is a folder.
    """
    for path in paths:
        if path.is_dir():
            raise DomainError(argument, "must not be a folder", "name a file", got=str(path))
        path.parent.mkdir(parents=True, exist_ok=True)
    temporary = [path.with_name(f".{path.name}.{os.getpid()}.part") for path in paths]
    try:
        yield temporary
        for part, path in zip(temporary, paths, strict=True):
            part.replace(path)
    finally:
        for part in temporary:
            part.unlink(missing_ok=True)


@contextmanager
def creating(path: Path, argument: str = "path") -> Iterator[Path]:
    """Yield a temporary path beside a file that must not exist yet; put it in place if all is well.

    The file is its owner's alone to read.

    Raises:
        DomainError: it exists.
    """
    refusal = DomainError(argument, "must not exist yet", "name a new file", got=str(path))
    if path.exists() or path.is_symlink():
        raise refusal
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.touch(mode=0o600, exist_ok=False)
    try:
        yield part
        try:
            path.touch(mode=0o600, exist_ok=False)  # whoever does so has the name
        except FileExistsError:
            raise refusal from None
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
