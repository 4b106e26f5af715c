"""Columns of a held data set, from whatever holds it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sudare.errors import DomainError, MissingExtraError, StorageError, WrongTypeError
from sudare.files.people import Cells
from sudare.files.streams import as_reader
from sudare.release.arrow_columns import from_arrow
from sudare.release.column import Column

Columns = dict[str, Column]

_REMEDY = "give a pandas, polars or pyarrow frame, a mapping of columns, or a Parquet path"


def read_columns(frame: Any, bounded: Mapping[str, Any], whose: str | None = None) -> Columns:
    """Return the columns of a frame, all of one length, at least one row.

    Args:
        frame: what holds them, as of :class:`~sudare.release.Dataset`.
        bounded: bounds of columns; text between bounds that are dates or times holds such.
        whose: name of the column that says whose a row is.
    """
    if isinstance(frame, Cells):
        frame = frame.typed(bounded, whose)
    if not isinstance(frame, Mapping):
        frame = _of_frame(frame)
    if not frame or not all(isinstance(name, str) for name in frame):
        raise WrongTypeError("frame", "must have columns with names", _REMEDY)
    columns = {name: _column(name, one) for name, one in frame.items()}
    if len({column.size for column in columns.values()}) != 1:
        raise DomainError("frame", "must have columns of one length", _REMEDY)
    if next(iter(columns.values())).size == 0:
        raise DomainError("frame", "must have at least one row", "there is nobody to count")
    for name, column in columns.items():
        if column.missing.all():
            raise WrongTypeError(f"column {name}", "must hold a value somewhere", "leave it out")
    return {
        name: column.timed(bounded[name]) if name in bounded and name != whose else column
        for name, column in columns.items()
    }


def _column(name: str, values: Any) -> Column:
    if isinstance(values, Column):
        return values
    pa, pl = sys.modules.get("pyarrow"), sys.modules.get("polars")
    if pl is not None and isinstance(values, pl.Series):  # which NumPy cannot have of every type
        return _of_frame(values.alias(name).to_frame())[name]
    is_arrow = pa is not None and isinstance(values, pa.Array | pa.ChunkedArray)
    return from_arrow(name, values) if is_arrow else Column.of(name, values)


def _of_frame(frame: Any) -> Columns:
    try:
        import narwhals as nw
    except ImportError:
        raise MissingExtraError("narwhals", "frames", "for data frames") from None
    try:
        table = nw.from_native(frame, eager_only=True)
        columns = [(name, table[name]) for name in table.columns]
    except TypeError:
        try:  # once, as it may not be there again
            return _of_frame(as_reader(frame).read_all())
        except WrongTypeError:
            raise WrongTypeError("frame", "must be a data frame", _REMEDY) from None
    except nw.exceptions.NarwhalsError:
        raise DomainError("frame", "must have columns of different names", "rename one") from None
    out = {}
    for name, column in columns:
        try:
            cells = _arrow(column)
            values = _values(column) if cells is None else None
        except Exception:  # noqa: BLE001 - what another library raises may show a value
            raise WrongTypeError(f"column {name}", "cannot be read", "convert it first") from None
        step = _step_of(column.to_native())
        if cells is not None:
            out[name] = from_arrow(name, cells)
            continue
        found = Column.of(name, values, step)
        zoned = getattr(column.dtype, "time_zone", None) is not None or found.zoned
        out[name] = replace(found, zoned=zoned)  # NumPy's array has left the zone out
    return out


def _arrow(column: Any) -> Any:
    """Return a column of one type as Arrow has it; None where each value has its own type."""
    import narwhals as nw

    try:
        import pyarrow as pa
    except ImportError:
        return None
    native = column.to_native()
    if isinstance(native, pa.ChunkedArray):
        return native
    loose = isinstance(column.dtype, nw.Object | nw.Unknown | nw.Int128 | nw.UInt128)
    return None if loose else column.to_arrow()


def _values(column: Any) -> Any:
    import narwhals as nw

    if isinstance(column.dtype, nw.Datetime | nw.Duration):
        array = column.to_numpy()  # lists lose nanoseconds
        if array.dtype.kind in "Mm":
            return array
    pairs = zip(column.to_list(), column.is_null().to_list(), strict=True)
    return [None if missing else one for one, missing in pairs]


def _step_of(native: Any) -> Fraction | None:
    """Return what all numbers of a decimal type are multiples of, if it says so."""
    own = getattr(native, "dtype", None)
    for of in (getattr(native, "type", None), own, getattr(own, "pyarrow_dtype", None)):
        if isinstance(scale := getattr(of, "scale", None), int):
            return 1 / Fraction(10) ** scale
    return None


def read_sql(url: str, table: str) -> Columns:
    """Return the columns of a table in a database; no message shows its URL."""
    try:
        import sqlalchemy as sa
    except ImportError:
        raise MissingExtraError("sqlalchemy", "release", "for SQL tables") from None
    if not isinstance(url, str) or not isinstance(table, str):
        raise WrongTypeError("table", "and url must be text", "a database and a table in it")
    address = url.replace("postgres://", "postgresql://", 1)
    try:
        engine = sa.create_engine(address.replace("postgresql://", "postgresql+psycopg://", 1))
        try:
            with engine.connect() as connection:
                found = sa.Table(table, sa.MetaData(), autoload_with=connection)
                # numbers as the driver has them: some of them go by way of floats otherwise
                raw = [
                    sa.type_coerce(one, sa.types.NullType())
                    if isinstance(one.type, sa.Numeric)
                    else one
                    for one in found.columns
                ]
                rows = connection.execute(sa.select(*raw)).all()
        finally:
            engine.dispose()
    except ImportError:
        raise MissingExtraError("psycopg", "postgres", "for PostgreSQL") from None
    except (sa.exc.SQLAlchemyError, ValueError, TypeError):  # a date that is none is shown by it
        raise StorageError("table", "must be in a database that can be read") from None
    return {
        name: Column.of(name, [row[i] for row in rows], _declared(column.type))
        for i, (name, column) in enumerate(found.columns.items())
    }


def _declared(of: Any) -> Fraction | None:
    scale = None if getattr(of, "asdecimal", False) is False else getattr(of, "scale", None)
    return None if scale is None else 1 / Fraction(10) ** scale
