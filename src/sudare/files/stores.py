"""Files of object stores and other file systems, which URIs name: ``s3://bucket/folder``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from sudare.errors import DomainError, StorageError, WrongTypeError
from sudare.files.folders import chosen
from sudare.files.logs import check_above_in
from sudare.files.parquet import SOUND
from sudare.files.places import Where, arrow, kind_to_read

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_FORMATS = (".parquet", ".arrow")


def is_uri(path: object) -> bool:
    """Tell whether a path names its file system too.

    Examples:
        >>> is_uri("s3://bucket/people"), is_uri("people.csv"), is_uri("C:\\\\people.csv")
        (True, False, False)
    """
    return isinstance(path, str) and _URI.match(path) is not None


def without_secrets(uri: str) -> str:
    """Return a URI without what may be a key: user, password, options.

    Examples:
        >>> without_secrets("s3://id:key@bucket/people?region=eu")
        's3://bucket/people'
    """
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def opened_store(path: Where) -> Any:
    """Return the data set of PyArrow that a URI names, and of other paths the path itself.

    Args:
        path: a file or folder here, also as ``file:///…``; or one in a store that PyArrow reaches:
            a Parquet or Arrow file, or a folder of such with the same columns.

    Raises:
        DomainError: no such file, another format, other columns; as of a folder here.
        StorageError: no such store, or it cannot be reached.
        MissingExtraError: PyArrow is not installed.
    """
    if not is_uri(path):
        return path
    uri = os.fspath(path)
    pa = arrow("to read URIs", "dataset", "fs")
    with _quiet(uri):
        filesystem, base = pa.fs.FileSystem.from_uri(uri)
        if filesystem.type_name == "local":
            return base
        names = _names(filesystem, base, uri)
        check_above_in(filesystem, names)
        kinds = {kind_to_read(name) for name in names}
        if not (len(kinds) == 1 and kinds <= set(_FORMATS)):
            rule = "must be Parquet alone, or Arrow alone, in a store"
            raise DomainError("file", rule, "copy it here", got=without_secrets(uri))
        kind = "ipc"
        if kinds == {".parquet"}:
            how = pa.dataset.ParquetFragmentScanOptions(**SOUND)
            kind = pa.dataset.ParquetFileFormat(default_fragment_scan_options=how)
        found = pa.dataset.dataset(names, filesystem=filesystem, format=kind)
        for one in found.get_fragments():
            if not one.physical_schema.equals(found.schema, check_metadata=False):
                rule = "must have the same columns in all files, of the same types"
                raise DomainError("folder", rule, "name one", got=without_secrets(uri))
    return found


def _names(filesystem: Any, base: str, uri: str) -> list[str]:
    from pyarrow.fs import FileSelector, FileType

    about = filesystem.get_file_info(base)
    if about.type == FileType.NotFound:
        raise DomainError("file", "does not exist", "check the path", got=without_secrets(uri))
    if about.is_file:
        return [base]
    top = PurePosixPath(about.path)
    found = filesystem.get_file_info(FileSelector(base, recursive=True))
    below = ((PurePosixPath(one.path).relative_to(top), one.is_file) for one in found)
    return [str(top / name) for name in chosen(below, without_secrets(uri))]


@contextmanager
def _quiet(uri: str) -> Iterator[None]:
    """Turn what PyArrow complains of, which may show a key, into an error that does not."""
    try:
        yield
    except (DomainError, StorageError):
        raise
    except (OSError, ValueError, NotImplementedError):  # the last: PyArrow built without a store
        rule, remedy = "cannot be reached", "check the address, the keys and the rights"
        raise StorageError("file", rule, remedy, got=without_secrets(uri)) from None


def opened_stores(source: Any) -> Any:
    """Return a source, or a list of such, whose URIs are opened as by :func:`opened_store`.

    Raises:
        WrongTypeError: some are in a store and others are not.
    """
    if not isinstance(source, list | tuple):
        return opened_store(source)
    each = [opened_store(one) for one in source]
    if is_named(each) or not any(map(is_uri, source)):
        return each
    if any(isinstance(one, str | os.PathLike) for one in each):
        raise WrongTypeError("source", "must be of files here alone, or of stores alone")
    import pyarrow.dataset

    return pyarrow.dataset.dataset(each)


def is_named(source: object) -> bool:
    """Tell whether a source is a path or a list of paths."""
    paths = source if isinstance(source, list | tuple) else [source]
    return all(isinstance(one, str | os.PathLike) for one in paths)
