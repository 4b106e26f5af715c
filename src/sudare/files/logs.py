"""Tables whose log says which rows are left: their files alone hold deleted and replaced ones."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

from sudare.errors import DomainError

_SETTLED = 2 * 10**9
"""Nanoseconds after which a change would show in a folder's time."""
_MOST_LINKS = 40
"""What Linux follows on the way to one file."""
_IN_NAMES = "ducklake-*.parquet"
"""What is seen from the names of data files, which need not lie beside each other."""
LOGS = {
    "_delta_log": ("Delta Lake", "give deltalake.DeltaTable(folder)"),
    "metadata/*.metadata.json*": ("Iceberg", "give the table as pyiceberg loads it"),
    "metadata/snap-*.avro": ("Iceberg", "give the table as pyiceberg loads it"),
    "metadata/version-hint.text": ("Iceberg", "give the table as pyiceberg loads it"),
    ".hoodie": ("Hudi", "give what Spark reads to sudare.spark.counts"),
    "_spark_metadata": ("a stream of Spark", "give what Spark reads to sudare.spark.counts"),
    "_committed_*": ("Databricks", "give what Spark reads to sudare.spark.counts"),
    "_versions": ("Lance", "give lance.dataset(folder)"),
    "snapshot/snapshot-*": ("Paimon", "give what Spark reads to sudare.spark.counts"),
    _IN_NAMES: ("DuckLake", "give a relation of DuckDB"),
}
"""What lies in such a table, whose it is, and what reads it by its log."""


def check_entry(entry: PurePath, folder: Any) -> None:
    """Refuse a folder that holds what belongs to the log of a table.

    Args:
        entry: a file or folder in it, at any depth.
        folder: for the message.

    Raises:
        DomainError: the entry is such a one.

    Examples:
        >>> check_entry(PurePath("year=2026/part-0.parquet"), "people")
        >>> check_entry(PurePath("sales/_delta_log"), "people")
        Traceback (most recent call last):
        ...
        sudare.errors.DomainError: folder must not hold files of a table of Delta Lake, whose log
        says which rows are left, got 'people'; give deltalake.DeltaTable(folder), or write the
        table's rows to a Parquet file elsewhere
    """
    for pattern, (of, remedy) in LOGS.items():
        if entry.match(pattern):
            rule = f"must not hold files of a table of {of}, whose log says which rows are left"
            remedy += ", or write the table's rows to a Parquet file elsewhere"
            raise DomainError("folder", rule, remedy, got=str(folder))


def check_above(paths: Iterable[Path]) -> None:
    """Refuse files and folders that lie within such a table, or are one; also by links to them.

    Raises:
        DomainError: as :func:`check_entry`.
    """
    folders: dict[Path, list[Path]] = {}
    places: set[Path] = set()
    for path in map(Path.absolute, paths):
        if path.parent not in folders:
            folders[path.parent] = [*_places(Path(path.anchor), path.parent.parts[1:])]
        places.update(_places(folders[path.parent][-1], [path.name]))
    for place in places:
        if place.match(_IN_NAMES):
            check_entry(place, place)
    above = places.union(*folders.values())
    for folder in {folder for place in above for folder in (place, *place.parents)}:
        for pattern in LOGS if folder.is_dir() else ():
            if pattern != _IN_NAMES:
                for entry in _entries(folder, pattern):
                    check_entry(entry, folder)


def _entries(folder: Path, pattern: str) -> Sequence[Path]:
    """Return what a pattern names in a folder.

    A folder whose last change is a while ago is listed once: each of its files asks.
    """
    below, _, name = pattern.rpartition("/")
    folder /= below  # by itself: from Python 3.12 on `glob` lists a folder for a plain name too
    if "*" not in name:
        return [folder / name] if (folder / name).exists() else []
    if not folder.is_dir():
        return []
    about = folder.stat()
    if time.time_ns() - about.st_mtime_ns < _SETTLED:
        return [*folder.glob(name)]
    return _listed_once(folder, name, about.st_mtime_ns, about.st_ino)


@lru_cache(256)
def _listed_once(folder: Path, pattern: str, changed: int, number: int) -> Sequence[Path]:
    return [*folder.glob(pattern)]


def _places(place: Path, parts: Sequence[str]) -> Iterator[Path]:
    """Yield where a path leads: each link on its way, which may lie in such a table, and its end.

    Args:
        place: a real folder, where it begins.
        parts: of the path.

    Yields:
        Paths in real folders, so that their parents are those that hold them.
    """
    ahead, links = list(reversed(parts)), 0
    while ahead:
        part = ahead.pop()
        if part == "..":
            place = place.parent
            continue
        step = place / part
        if step.is_symlink() and (links := links + 1) <= _MOST_LINKS:
            yield step
            to = Path(os.readlink(step))
            ahead += reversed(to.parts[1:] if to.anchor else to.parts)
            place = Path(to.anchor) if to.anchor else place
        else:
            place = step
    yield place


def local_path(filesystem: Any, path: str) -> Path | None:
    """Return the path on this machine of a file of a file system of PyArrow; None elsewhere."""
    kind = filesystem.type_name
    if kind == "subtree":
        within = str(PurePosixPath(filesystem.base_path) / path)
        return local_path(filesystem.base_fs, within)
    if kind.startswith("py::fsspec"):
        protocol = filesystem.handler.fs.protocol
        return Path(path) if "file" in ([protocol] if protocol == "file" else protocol) else None
    return Path(path) if kind == "local" else None


def check_above_in(filesystem: Any, paths: Iterable[str]) -> None:
    """Refuse files of a file system of PyArrow that lie within such a table.

    Raises:
        DomainError: as :func:`check_entry`.
    """
    places = {path: local_path(filesystem, path) for path in paths}
    check_above(place for place in places.values() if place is not None)
    elsewhere = [path for path, place in places.items() if place is None]
    if filesystem.type_name == "subtree":
        base = PurePosixPath(filesystem.base_path)
        check_above_in(filesystem.base_fs, [str(base / path) for path in elsewhere])
    elif filesystem.type_name != "py::object-store":  # deltalake's own: its log chose the files
        for folder in {folder for path in elsewhere for folder in PurePosixPath(path).parents}:
            for entry in _listed(filesystem, folder):
                check_entry(entry, folder)


def _listed(filesystem: Any, folder: PurePosixPath) -> Iterator[PurePosixPath]:
    """Yield what is in a folder, and in those of its folders where logs lie."""
    from pyarrow.fs import FileSelector

    inner = {pattern.partition("/")[0] for pattern in LOGS if "/" in pattern}
    try:
        found = filesystem.get_file_info(FileSelector(str(folder)))
    except (OSError, ValueError):  # a bucket may be listed from a folder on alone
        return
    for one in found:
        path = PurePosixPath(one.path)
        if not path.match(_IN_NAMES):
            yield path
        if path.name in inner:
            yield from _listed(filesystem, path)
