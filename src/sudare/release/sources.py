"""Where the rows of a definition's tables are: files beside it, or tables of a database."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sudare.encodings import codec_of
from sudare.errors import DomainError, WrongTypeError
from sudare.files.people import read_people
from sudare.files.stores import is_uri
from sudare.release.table import read_sql

FIELDS: dict[str, type] = {"file": str, "encoding": str, "sql_table": str, "sql_url_env": str}
_OF_OTHERS = {**FIELDS, "person": str, "columns": list}


def check_fields(data: Mapping[str, Any], known: Mapping[str, type], of: str = "") -> None:
    """Refuse fields that are unknown, or of another type.

    Raises:
        WrongTypeError, DomainError: the field is named.
    """
    for name, value in data.items():
        if name not in known:
            raise DomainError(of + name, "is not a field", f"the fields are {', '.join(known)}")
        if not isinstance(value, known[name]):
            raise WrongTypeError(of + name, f"must be a {known[name].__name__} of TOML")


def source_of(data: Mapping[str, Any], of: str = "") -> dict[str, str]:
    """Return a file, or the table and the environment variable that holds a database's URL.

    Raises:
        DomainError: neither is given, or both.
    """
    found = {name: data[name] for name in FIELDS if name in data}
    if "encoding" in found:
        codec_of(found["encoding"], f"{of}encoding")
    if set(found) - {"encoding"} not in ({"file"}, {"sql_table", "sql_url_env"}):
        rule = "or sql_table and sql_url_env must be given"
        raise DomainError(f"{of}file", rule, "say where the data is")
    return found


def read(source: Mapping[str, str], folder: Path) -> Any:
    """Return the rows, as a data set takes them.

    Raises:
        DomainError: no such file, or the variable is not set.
        StorageError: they cannot be read.
    """
    if "file" in source:
        file = source["file"]
        return read_people(file if is_uri(file) else folder / file, source.get("encoding"))
    url = os.environ.get(source["sql_url_env"])
    if not url:
        rule = "must name a variable that is set"
        raise DomainError("sql_url_env", rule, "set it to the URL", got=source["sql_url_env"])
    return read_sql(url, source["sql_table"])


@dataclass(frozen=True)
class OtherTable:
    """A further table about the same persons.

    Attributes:
        source: as of :func:`source_of`.
        person: the column that says whose a row is; None where it is called as in ``unit``.
        columns: names of its columns, its own among those that the definition says something of.
    """

    source: dict[str, str]
    person: str | None
    columns: tuple[str, ...]

    @classmethod
    def of(cls, name: str, data: object) -> OtherTable:
        """Read what a definition says of a table.

        Raises:
            WrongTypeError, DomainError: no such table; what is wrong is named.
        """
        of = f"tables.{name}."
        if not isinstance(data, Mapping):
            raise WrongTypeError(f"tables.{name}", "must be a table of TOML", f"write [{of[:-1]}]")
        check_fields(data, _OF_OTHERS, of)
        source, columns = source_of(data, of), data.get("columns", [])
        if not columns or not all(isinstance(one, str) for one in columns):
            raise WrongTypeError(f"{of}columns", "must be names", 'such as ["id", "sex"]')
        return cls(source, data.get("person"), tuple(columns))

    def frame(self, folder: Path) -> Any:
        """Return its rows, as :class:`~sudare.release.Dataset` takes them in ``tables``."""
        rows = read(self.source, folder)
        return rows if self.person is None else (rows, self.person)
