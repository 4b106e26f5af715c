"""Columns of a held data set, from whatever holds it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sudare.errors import DomainError, MissingExtraError, StorageError, WrongTypeError
from sudare.exact.parameters import as_float

Columns = dict[str, npt.NDArray[Any]]
Kind = Literal["number", "text", "truth", "other"]

_KINDS: dict[type, Kind] = {
    int: "number",
    float: "number",
    str: "text",
    np.str_: "text",
    bool: "truth",
    np.bool_: "truth",
}

_REMEDY = "give a pandas, polars or pyarrow frame, a mapping of columns, or a .parquet path"


def read_columns(frame: Any) -> Columns:
    """Return the columns of a frame as arrays of one length, at least one row.

    Raises:
        WrongTypeError, DomainError: no frame, no rows, columns of several lengths.
        StorageError: a file that cannot be read.
        MissingExtraError: the library for it is not installed.
    """
    if isinstance(frame, str | os.PathLike):
        frame = _parquet(frame)
    if isinstance(frame, Mapping):
        columns = {name: _array(values) for name, values in frame.items()}
    else:
        columns = _of_frame(frame)
    if not columns or not all(isinstance(name, str) for name in columns):
        raise WrongTypeError("frame", "must have columns with names", _REMEDY)
    if len({column.shape for column in columns.values()}) != 1:
        raise DomainError("frame", "must have columns of one length", _REMEDY)
    if next(iter(columns.values())).size == 0:
        raise DomainError("frame", "must have at least one row", "there is nobody to count")
    return columns


def _of_frame(frame: Any) -> Columns:
    try:
        import narwhals as nw
    except ImportError:
        raise MissingExtraError("narwhals", "frames", "for data frames") from None
    try:
        table = nw.from_native(frame, eager_only=True)
        columns = [(name, table[name]) for name in table.columns]
    except TypeError:
        raise WrongTypeError("frame", "must be a data frame", _REMEDY) from None
    except nw.exceptions.NarwhalsError:
        raise DomainError("frame", "must have columns of different names", "rename one") from None
    return {name: _array(_with_none(column)) for name, column in columns}


def _with_none(column: Any) -> list[Any]:
    """Return a column's values, None where its frame says by whatever value that one is missing."""
    pairs = zip(column.to_list(), column.is_null().to_list(), strict=True)
    return [None if missing else one for one, missing in pairs]


def _array(values: Any) -> npt.NDArray[Any]:
    """Return a column: numbers as float64 or int64 with NaN for what is missing, else objects."""
    if isinstance(values, np.ma.MaskedArray):
        raise WrongTypeError("frame", "must not have masked arrays", "fill them with NaN")
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):
        array = np.empty(0, dtype=object)
    if array.ndim != 1:
        raise WrongTypeError("frame", "must have columns of one dimension", _REMEDY)
    if array.dtype.kind in "iuf":
        return array
    plain = list(values) if isinstance(values, list | tuple) else array.tolist()
    numbers = [one for one in plain if one is not None]
    if numbers and all(
        isinstance(one, int | float) and not isinstance(one, bool) for one in numbers
    ):
        return np.array([np.nan if one is None else as_float(one) for one in plain])
    out = np.empty(len(plain), dtype=object)
    out[:] = plain
    return out


def is_missing(column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Tell for each row whether it has no value: None or NaN."""
    if column.dtype.kind in "iuf":
        found: npt.NDArray[np.bool_] = np.isnan(column)
        return found
    gaps = [one is None or (isinstance(one, float) and one != one) for one in column.tolist()]
    return np.array(gaps, dtype=np.bool_)


def kind_of(name: str, column: npt.NDArray[Any]) -> Kind:
    """Return what a column holds, apart from what is missing.

    Raises:
        WrongTypeError: several kinds, or nothing at all. Refused when the data is opened: later,
            that a question fits or not would tell whether there is a row of that kind.
    """
    if column.dtype.kind in "iuf":
        return "number"
    types = {type(one) for one in column[~is_missing(column)].tolist()}
    kinds = {_KINDS.get(one, one) for one in types}
    if not kinds:
        raise WrongTypeError(f"column {name}", "must hold a value somewhere", "leave it out")
    if len(kinds) > 1:
        raise WrongTypeError(f"column {name}", "must hold one kind of value", "convert it first")
    return next((one for one in kinds if not isinstance(one, type)), "other")


def _parquet(path: str | os.PathLike[str]) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("pyarrow", "frames", "for Parquet") from None
    try:
        return pq.read_table(path)
    except (OSError, pa.ArrowException):
        raise StorageError("frame", "must be a Parquet file that can be read") from None


def read_sql(url: str, table: str) -> Columns:
    """Return the columns of a table in a database.

    Raises:
        StorageError: no such database or table; the message shows no URL.
        MissingExtraError: SQLAlchemy or the database's driver is not installed.
    """
    try:
        import sqlalchemy as sa
    except ImportError:
        raise MissingExtraError("sqlalchemy", "release", "for SQL tables") from None
    if not isinstance(url, str) or not isinstance(table, str):
        raise WrongTypeError("table", "and url must be text", "a database and a table in it")
    address = url.replace("postgres://", "postgresql://", 1)
    try:
        engine = sa.create_engine(address.replace("postgresql://", "postgresql+psycopg://", 1))
        with engine.connect() as connection:
            found = sa.Table(table, sa.MetaData(), autoload_with=connection)
            rows = connection.execute(found.select()).all()
        engine.dispose()
    except ImportError:
        raise MissingExtraError("psycopg", "postgres", "for PostgreSQL") from None
    except sa.exc.SQLAlchemyError:
        raise StorageError("table", "must be in a database that can be read") from None
    names = list(found.columns.keys())
    return read_columns({name: [row[i] for row in rows] for i, name in enumerate(names)})
