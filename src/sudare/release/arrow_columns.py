"""Columns from Arrow: buffers as they are, codes for text, and no object a row."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans
from sudare.release.column import PARTS, TRUTH, Column, none
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

    kind, types = cells.type, pa.types
    if types.is_dictionary(kind) or types.is_string(kind) or types.is_large_string(kind):
        return _of_dictionary(name, cells)
    if types.is_string_view(kind):
        return _of_dictionary(name, cells.cast(pa.large_string()))
    missing = _missing(cells)
    if types.is_boolean(kind):
        codes = _filled(cells, pa.int8(), -1)
        return Column(name, "truth", codes, missing, labels=TRUTH)
    if types.is_integer(kind):
        return Column(name, "number", _filled(cells, kind, 0), missing, step=Fraction(1))
    if types.is_floating(kind):
        floats = _filled(cells, pa.float64(), np.nan)
        return Column(name, "number", floats, np.isnan(floats))
    if types.is_decimal(kind) and kind.bit_width <= 128:
        return _of_decimals(name, cells, missing)
    if types.is_date(kind):
        days = _filled(cells.cast(pa.date32()), pa.int32(), 0).astype(np.int64)
        return Column(name, "date", days, missing, Fraction(1), Fraction(1))
    for of, called in (
        (types.is_timestamp, "datetime"),
        (types.is_duration, "duration"),
        (types.is_time, "time"),
    ):
        if of(kind):
            ticks = _filled(cells, pa.int32() if kind.bit_width == 32 else pa.int64(), 0)
            values = ticks.astype(np.int64, copy=False)
            return Column(name, called, values, missing, PARTS[kind.unit])  # type: ignore[arg-type]
    if cells.null_count == len(cells):
        return Column(name, "other", np.full(len(cells), None, dtype=object), missing)
    return Column.of(name, cells.to_pylist())


def _chunks(cells: Any) -> list[Any]:
    return cells.chunks if hasattr(cells, "chunks") else [cells]


def _missing(cells: Any) -> Booleans:
    if not cells.null_count:
        return none(len(cells))
    return _joined((one.is_null() for one in _chunks(cells)), len(cells), np.bool_)


def _filled(cells: Any, to: Any, gap: Any) -> npt.NDArray[Any]:
    """Return the values as NumPy has them, with something else where they are missing."""
    import pyarrow as pa

    def filled(one: Any) -> Any:
        plain = one.view(to) if one.type.bit_width == to.bit_width else one.cast(to)
        return plain.fill_null(gap) if plain.null_count else plain

    gap = pa.scalar(gap, to)
    return _joined(map(filled, _chunks(cells)), len(cells), to.to_pandas_dtype())


def _joined(chunks: Iterable[Any], size: int, dtype: Any) -> npt.NDArray[Any]:
    """Return arrays one after another; one alone is not copied."""
    arrays = [one.to_numpy(zero_copy_only=False) for one in chunks if len(one)]
    if len(arrays) == 1:
        return np.asarray(arrays[0], dtype)
    out, start = np.empty(size, dtype=dtype), 0
    for one in arrays:
        out[start : start + one.size] = one
        start += one.size
    return out


def _of_dictionary(name: str, cells: Any) -> Column:
    """Return text by codes; what Arrow codes otherwise, by what its codes stand for."""
    import pyarrow as pa

    if not pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_encode()
    if hasattr(cells, "chunks"):
        cells = cells.unify_dictionaries() if cells.num_chunks > 1 else cells
        if not cells.num_chunks:
            cells = pa.chunked_array([pa.array([], cells.type)])
    chunks = _chunks(cells)
    words = chunks[0].dictionary
    if not (pa.types.is_string(words.type) or pa.types.is_large_string(words.type)):
        return from_arrow(name, cells.cast(words.type))
    once = words.dictionary_encode()  # a dictionary may have a word twice, or null
    codes = _joined((one.indices.fill_null(-1) for one in chunks), len(cells), np.int32)
    if len(once.dictionary) < len(words):
        own = np.append(once.indices.fill_null(-1).to_numpy(zero_copy_only=False), -1)
        codes = own.astype(np.int32)[codes]
    missing = codes < 0
    if not missing.any():
        missing = none(codes.size)
    return Column(name, "text", codes, missing, labels=Labels(once.dictionary))


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
    ).dictionary_encode().unify_dictionaries()  # fmt: skip
    codes = _joined((one.indices.fill_null(-1) for one in coded.chunks), len(cells), np.int32)
    labels = Labels(coded.chunk(0).dictionary)
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
