"""Columns of a held data set, from whatever holds it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from sudare.arrays import is_masked, runs_of
from sudare.errors import DomainError, MissingExtraError, StorageError, WrongTypeError
from sudare.files.people import Cells
from sudare.files.streams import as_reader
from sudare.release.arrow_columns import from_arrow
from sudare.release.column import Column, is_missing, nested, own_scalar
from sudare.release.types import NESTED, guess, kind_of_cell, kind_of_text

Columns = dict[str, Column]

_REMEDY = "give a pandas, polars or pyarrow frame, a mapping of columns, or a Parquet path"


@dataclass(frozen=True, slots=True, eq=False)
class ObjectColumn:
    """A column whose source has a type a cell, not one for all.

    Attributes:
        values: the cells.
        of: the type that the source says it has, which cells may still not have; None without.
        step: what all its numbers are multiples of, if its source says so.
    """

    values: list[Any]
    of: str | None = None
    step: Fraction | None = None


def read_columns(
    frame: Any, types: Mapping[str, str], firm: Mapping[str, str], whose: str | None = None
) -> tuple[Columns, list[str]]:
    """Return the columns of a frame, all of one length, at least one row; and whose type is a
    guess.

    Args:
        frame: what holds them, as of :class:`~sudare.release.Dataset`.
        types: of columns of which something is said, as of
            :func:`~sudare.release.types.types_of`.
        firm: those of them that go before what a schema declares.
        whose: name of the column that says whose a row is.
    """
    guessed: list[str] = []
    if isinstance(frame, Cells):
        texts = {name: from_arrow(name, cells) for name, cells in frame.columns.items()}
        guessed = [name for name in texts if name not in types and name != whose]
        firm = {**types, **{name: _guess_of_texts(texts[name]) for name in guessed}}
        frame = texts
    elif not isinstance(frame, Mapping):
        frame = _of_frame(frame)
    if not frame or not all(isinstance(name, str) for name in frame):
        raise WrongTypeError("frame", "must have columns with names", _REMEDY)
    columns = {}
    for name, values in frame.items():
        one = _loose(values)
        if isinstance(one, ObjectColumn) and name != whose:
            of = firm.get(name, one.of) or types.get(name)
            if of is None:
                guessed.append(name)
                of = _guess_of_cells(name, one.values)
            one = Column.read(name, one.values, of, one.step)
        elif not isinstance(one, Column):
            one = _column(name, one)
        columns[name] = one if name == whose else one.typed(firm.get(name))
    if len({column.size for column in columns.values()}) != 1:
        raise DomainError("frame", "must have columns of one length", _REMEDY)
    if next(iter(columns.values())).size == 0:
        raise DomainError("frame", "must have at least one row", "there is nobody to count")
    return columns, guessed


def _loose(values: Any) -> Any:
    """Return what has a type a cell as such, and all else as it is."""
    if isinstance(values, list | tuple):
        return ObjectColumn(list(values))
    dtype = getattr(values, "dtype", None)
    is_objects = isinstance(dtype, np.dtype) and dtype.kind == "O" and not is_masked(values)
    if is_objects and np.ndim(values) == 1:
        return ObjectColumn(np.asarray(values).tolist())
    return values


def _guess_of_cells(name: str, cells: list[Any]) -> str:
    plain = (None if is_missing(one) else kind_of_cell(own_scalar(one)) for one in cells)
    found = guess(Counter(kind for kind in plain if kind is not None).items())
    if found == NESTED:
        raise nested(name)
    return found


def _guess_of_texts(column: Column) -> str:
    """Return the same of cells that are all text: numbers and truth values in the one way."""
    texts = [] if column.labels is None else column.labels.listed()
    times = np.bincount(column.values[~column.missing], minlength=len(texts)).tolist()
    kinds = map(kind_of_text, texts)
    return guess((kind, n) for kind, n in zip(kinds, times, strict=True) if kind and n)


def _column(name: str, values: Any) -> Column:
    if isinstance(values, ObjectColumn):
        return Column.of(name, values.values, values.step)
    pa, pl = sys.modules.get("pyarrow"), sys.modules.get("polars")
    if pl is not None and isinstance(values, pl.Series):  # which NumPy cannot have of every type
        found = _of_frame(values.alias(name).to_frame())[name]
        return found if isinstance(found, Column) else _column(name, found)
    # pandas raises where it would make an array of runs, and narwhals does not know them
    if (runs := runs_of(values)) is not None:
        values = runs
    is_arrow = pa is not None and isinstance(values, pa.Array | pa.ChunkedArray)
    return from_arrow(name, values) if is_arrow else Column.of(name, values)


def _of_frame(frame: Any) -> dict[str, Column | ObjectColumn]:
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
    out: dict[str, Column | ObjectColumn] = {}
    for name, column in columns:
        try:
            if _is_loose(column):
                out[name] = ObjectColumn(_values(column))
                continue
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


def _is_loose(column: Any) -> bool:
    """Tell whether each value has its own type: narwhals calls objects that are all text so."""
    import narwhals as nw

    native = column.to_native()
    if hasattr(native, "combine_chunks") or runs_of(native) is not None:
        return False  # of PyArrow, some of whose types narwhals has not
    pl = sys.modules.get("polars")
    if pl is not None and isinstance(native, pl.Series):
        return bool(native.dtype == pl.Object)  # older narwhals does not know bytes
    own = getattr(native, "dtype", None)
    if isinstance(own, np.dtype):
        return own.kind == "O"
    return _spans_as_text(native) is None and isinstance(column.dtype, nw.Object | nw.Unknown)


def _arrow(column: Any) -> Any:
    """Return a column as Arrow has it; None where it cannot."""
    import narwhals as nw

    try:
        import pyarrow as pa
    except ImportError:
        return None
    native = column.to_native()
    if isinstance(native, pa.ChunkedArray):
        return native
    if (runs := runs_of(native)) is not None:
        return runs
    if (texts := _spans_as_text(native)) is not None:
        return pa.array(texts)
    return None if isinstance(column.dtype, nw.Int128 | nw.UInt128) else column.to_arrow()


def _spans_as_text(native: Any) -> Any:
    """Return pandas' intervals (of ``pandas.cut``) and periods by their text, which Arrow lacks."""
    dtype = getattr(native, "dtype", None)
    categories = getattr(dtype, "categories", None)
    if type(getattr(categories, "dtype", dtype)).__name__ not in ("IntervalDtype", "PeriodDtype"):
        return None
    coded = native if categories is not None else native.astype("category")
    return coded.cat.rename_categories(list(map(str, coded.cat.categories)))


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


def read_sql(url: str, table: str) -> dict[str, ObjectColumn]:
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
                # as the driver has them: numbers go by way of floats otherwise, and one broken
                # date of a database that checks none would refuse all others
                raw = [sa.type_coerce(one, sa.types.NullType()) for one in found.columns]
                rows = connection.execute(sa.select(*raw)).all()
        finally:
            engine.dispose()
    except ImportError:
        raise MissingExtraError("psycopg", "postgres", "for PostgreSQL") from None
    except (sa.exc.SQLAlchemyError, ValueError, TypeError):  # they may show a value
        raise StorageError("table", "must be in a database that can be read") from None
    return {
        name: ObjectColumn([row[i] for row in rows], _type_of(column.type), _declared(column.type))
        for i, (name, column) in enumerate(found.columns.items())
    }


def _type_of(of: Any) -> str | None:
    """Return what a column of a database is declared to hold; None where that says nothing."""
    import sqlalchemy as sa

    kinds: tuple[tuple[Any, str], ...] = (
        (sa.Boolean, "truth"), (sa.Integer, "whole"), (sa.Numeric, "number"), (sa.String, "text"),
        (sa.Date, "date"), (sa.DateTime, "datetime"), (sa.Time, "time"), (sa.Interval, "duration"),
    )  # fmt: skip
    return next((kind for types, kind in kinds if isinstance(of, types)), None)


def _declared(of: Any) -> Fraction | None:
    scale = None if getattr(of, "asdecimal", False) is False else getattr(of, "scale", None)
    return None if scale is None else 1 / Fraction(10) ** scale
