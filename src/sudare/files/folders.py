"""Folders of tables: which of their files are read, and what is left out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import NoReturn

from sudare.errors import DomainError, LeftOutWarning
from sudare.files.logs import check_entry
from sudare.files.places import READ, kind_of

COMPANIONS = (".crc", ".manifest.json")
"""What files without a row end in, which stand beside others: checksums and manifests."""

_SHOWN = 5


def files_in(folder: Path) -> list[Path]:
    """Return the files of a folder and of those below it that are tables, by their names.

    Files whose names, or whose folders' names, begin with ``.`` or ``_`` are left out, as other
    readers of such folders do; a :class:`~sudare.errors.LeftOutWarning` names those that end as a
    table does.

    Raises:
        DomainError: none, a folder that cannot be read or that links to itself, a file that is
            neither a table nor stands beside one, or a table whose log says which rows are left.
    """
    return [folder / name for name in chosen(_entries(folder), folder)]


def chosen(entries: Iterable[tuple[PurePath, bool]], folder: object) -> list[PurePath]:
    """Return which files of a folder are read, by their names.

    Args:
        entries: what is in it, at any depth, and whether that is a file.
        folder: for messages.

    Raises:
        DomainError: as :func:`files_in`.
    """
    read: list[PurePath] = []
    hidden: list[PurePath] = []
    others: list[PurePath] = []
    for name, is_file in entries:
        check_entry(name, folder)
        is_table = kind_of(name) is not None
        if any(part.startswith((".", "_")) for part in name.parts):
            hidden += [name] if is_table and is_file else []
        elif is_file and not name.name.endswith(COMPANIONS):
            (read if is_table else others).append(name)
    if others:
        rule = f"must hold tables alone, and {_listed(others)} ends in none of {', '.join(READ)}"
        raise DomainError("folder", rule, "move it, or name the files instead", got=str(folder))
    if hidden:
        what = f"{folder}: left out, as their names begin with . or _: {_listed(hidden)}"
        warnings.warn(what, LeftOutWarning, stacklevel=2)
    if not read:
        rule = f"must hold files that end in {', '.join(READ)}"
        raise DomainError("folder", rule, got=str(folder))
    return sorted(read)


def _listed(names: list[PurePath]) -> str:
    shown = ", ".join(map(str, sorted(names)[:_SHOWN]))
    return shown + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _entries(folder: Path) -> Iterator[tuple[PurePath, bool]]:
    """Yield what is in a folder: links to others are followed, as other readers follow them."""
    seen = set()
    for here, folders, files in os.walk(folder, onerror=_refuse, followlinks=True):
        if (real := os.path.realpath(here)) in seen:
            raise DomainError("folder", "must not be there twice", "take the link out", got=here)
        seen.add(real)
        below = PurePath(here).relative_to(folder)
        yield from ((below / name, False) for name in folders)
        yield from ((below / name, True) for name in files)


def _refuse(error: OSError) -> NoReturn:
    raise DomainError("folder", "cannot be read", "check its rights", got=error.filename) from None
