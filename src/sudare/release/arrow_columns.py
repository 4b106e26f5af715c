"""Columns from Arrow: buffers as they are, codes for text, and no object a row."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans
from sudare.errors import DomainError, WrongTypeError
from sudare.files.buffers import is_text, plain
from sudare.release.column import TRUTH, Column, none
from sudare.release.kinds import PARTS, Kind
from sudare.release.labels import Labels

_INT64_DIGITS = 18


def from_arrow(name: str, cells: Any) -> Column:
    """Return the column of an Arrow array, or of one in chunks; also without any row.

    What it is follows from the type alone. Decimals are whole numbers of their last digit, exactly.

    Args:
        name: of the column.
        cells: a ``pyarrow.Array`` or ``ChunkedArray``.
    """
    import pyarrow as pa

    cells = plain(cells)
    kind, types = cells.type, pa.types
    if types.is_dictionary(kind):
        return _of_dictionary(name, cells)
    if is_text(kind):
        return _of_text(name, cells)
    if types.is_null(kind):
        return _of_text(name, cells.cast(pa.large_string()))
    if types.is_binary(kind) or types.is_large_binary(kind):  # as some write text
        return _of_text(name, _as_text(name, cells))
    missing = _missing(cells)
    if types.is_boolean(kind):
        codes = _filled(cells, "int8", -1)
        return Column(name, "truth", codes, missing, labels=TRUTH)
    if types.is_integer(kind):
        return Column(name, "number", _filled(cells, str(kind), 0), missing, step=Fraction(1))
    if types.is_floating(kind):
        floats = _filled(cells, "float64", np.nan)
        return Column(name, "number", floats, np.isnan(floats))
    if types.is_decimal(kind):
        if kind.bit_width > 128:
            rule = "must not have decimals of more than 38 digits"
            raise WrongTypeError(f"column {name}", rule, "cast it to decimal128")
        return _of_decimals(name, cells, missing)
    if types.is_date(kind):
        days = _filled(cells.cast(pa.date32()), "int32", 0).astype(np.int64)
        return Column(name, "date", days, missing, Fraction(1), Fraction(1))
    called: Kind
    for of, called in (
        (types.is_timestamp, "datetime"),
        (types.is_duration, "duration"),
        (types.is_time, "time"),
    ):
        if of(kind):
            ticks = _filled(cells, f"int{kind.bit_width}", 0)
            values = ticks.astype(np.int64, copy=False)
            zoned = called == "datetime" and kind.tz is not None
            return Column(name, called, values, missing, PARTS[kind.unit], zoned=zoned)
    return Column.read(name, cells.to_pylist(), "other")


def _as_text(name: str, cells: Any) -> Any:
    import pyarrow as pa

    try:
        return cells.cast(pa.large_string())
    except pa.ArrowInvalid:  # it may show a value
        rule = "must hold text in UTF-8 where it is of bytes"
        raise DomainError(f"column {name}", rule, "write it so") from None


def _chunks(cells: Any) -> list[Any]:
    return cells.chunks if hasattr(cells, "chunks") else [cells]


def _missing(cells: Any) -> Booleans:
    if not cells.null_count:
        return none(len(cells))
    return _joined((_plain(one.is_null(), "bool", 0) for one in _chunks(cells)), len(cells), "bool")


def _filled(cells: Any, dtype: str, gap: Any) -> npt.NDArray[Any]:
    """Return the values as NumPy has them, with something else where they are missing."""
    return _joined((_plain(one, dtype, gap) for one in _chunks(cells)), len(cells), dtype)


def _plain(cells: Any, dtype: str, gap: Any) -> npt.NDArray[Any]:
    # from the buffer itself: PyArrow makes floats of whole numbers beside nulls, and loads pandas
    # for bits and for the scalar of fill_null
    if cells.type.bit_width == 1:
        cells = cells.cast("int8")
    wide = cells.type.bit_width // 8
    own = np.dtype(dtype) if np.dtype(dtype).itemsize == wide else _dtype(cells.type)
    buffer = cells.buffers()[1]
    if buffer is None:  # no row
        return np.zeros(0, dtype)
    found = np.frombuffer(buffer, own)[cells.offset : cells.offset + len(cells)]
    if cells.null_count:
        found = np.where(_missing(cells), np.asarray(gap, dtype), found)
    return np.asarray(found, dtype)


def _dtype(of: Any) -> np.dtype[Any]:
    names = {"halffloat": "float16", "float": "float32", "double": "float64"}
    return np.dtype(names.get(str(of), str(of)))


def _joined(chunks: Iterable[npt.NDArray[Any]], size: int, dtype: Any) -> npt.NDArray[Any]:
    """Return arrays one after another; one alone is not copied."""
    arrays = [one for one in chunks if one.size]
    if len(arrays) == 1:
        return np.asarray(arrays[0], dtype)
    out, start = np.empty(size, dtype=dtype), 0
    for one in arrays:
        out[start : start + one.size] = one
        start += one.size
    return out


def _of_text(name: str, cells: Any) -> Column:
    """Return text by codes."""
    chunks = _chunks(cells.dictionary_encode())  # all of them by one dictionary
    return _of_codes(name, chunks, chunks[-1].dictionary if chunks else [], len(cells))


def _of_dictionary(name: str, cells: Any) -> Column:
    """Return what Arrow has by codes: text by ours, all else by what its codes stand for."""
    import pyarrow as pa

    kind, chunks = cells.type.value_type, _chunks(cells)
    if not is_text(kind):
        try:
            plain = cells.cast(kind)
        except pa.ArrowException:  # it may show a value
            rule = "must not have such categories"
            raise WrongTypeError(f"column {name}", rule, "convert it to text first") from None
        return from_arrow(name, plain)
    if any(one.dictionary.null_count for one in chunks):
        return _of_text(name, cells.cast(kind))
    if len(chunks) > 1:
        chunks = cells.unify_dictionaries().chunks
    words: Any = chunks[0].dictionary if chunks else []
    once = words.dictionary_encode() if chunks else None  # it may have a word twice
    if once is None or len(once.dictionary) == len(words):
        return _of_codes(name, chunks, words, len(cells))
    return _of_codes(name, chunks, once.dictionary, len(cells), np.append(_codes(once.indices), -1))


def _of_codes(
    name: str, chunks: list[Any], words: Any, size: int, again: npt.NDArray[Any] | None = None
) -> Column:
    small = np.min_scalar_type(-len(words) - 1)
    codes = _joined((_codes(one.indices) for one in chunks), size, small)
    if again is not None:
        codes = again[codes]
    missing = codes < 0
    if not missing.any():
        missing = none(codes.size)
    return Column(name, "text", codes, missing, labels=Labels(words))


def _codes(indices: Any) -> npt.NDArray[np.int32]:
    """Return places in a dictionary, -1 where they are null."""
    return _plain(indices, str(indices.type), 0).astype(np.int32) - _missing(indices)


def _of_decimals(name: str, cells: Any, missing: Booleans) -> Column:
    """Return decimals as whole numbers of their last digit: int64, or codes where one is longer."""
    import pyarrow as pa

    last = 1 / Fraction(10) ** cells.type.scale
    about = {"unit": last, "step": last}
    if cells.type.bit_width < 128:
        to = pa.decimal128(cells.type.precision, cells.type.scale)
        cells = cells.cast(to)
    chunks = _chunks(cells)
    wide = cells.type.precision > _INT64_DIGITS and not all(map(_is_short, chunks))
    if not wide:
        out, start = np.zeros(len(cells), dtype=np.int64), 0
        for one in chunks:
            out[start : start + len(one)] = _limbs(one)[:, 0]
            start += len(one)
        if cells.null_count:
            out[missing] = 0
        return Column(name, "number", out, missing, **about)
    whole = pa.decimal128(38, 0)
    coded = pa.chunked_array(
        [pa.Array.from_buffers(whole, len(one), one.buffers(), one.null_count, one.offset)
         for one in chunks]
    ).dictionary_encode()  # fmt: skip
    codes = _joined((_codes(one.indices) for one in coded.chunks), len(cells), np.int32)
    labels = Labels(coded.chunks[-1].dictionary)
    return Column(name, "number", codes, missing, labels=labels, **about)


def _limbs(cells: Any) -> npt.NDArray[np.int64]:
    """Return two words of 64 bits a decimal, the low one first; anything where it is null."""
    words = np.frombuffer(cells.buffers()[1], dtype="<i8").reshape(-1, 2)
    return words[cells.offset : cells.offset + len(cells)]


def _is_short(cells: Any) -> bool:
    """Tell whether all decimals fit 63 bits with their sign."""
    words = _limbs(cells)
    wide = words[:, 1] != words[:, 0] >> 63
    return not (wide.any() and (wide & ~_missing(cells)).any())
