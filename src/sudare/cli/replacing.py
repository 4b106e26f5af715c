"""Files that are there whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sudare.errors import DomainError


@contextmanager
def replacing(*paths: Path) -> Iterator[list[Path]]:
    """Yield a temporary path beside each of ``paths``; put them in place if all went well."""
    for path in paths:
        if path.is_dir():
            raise DomainError("--out", "must not be a folder", "name a file", got=str(path))
        path.parent.mkdir(parents=True, exist_ok=True)
    temporary = [path.with_name(f".{path.name}.{os.getpid()}.part") for path in paths]
    try:
        yield temporary
        for part, path in zip(temporary, paths, strict=True):
            part.replace(path)
    finally:
        for part in temporary:
            part.unlink(missing_ok=True)
