"""From Arrow arrays to reports and their counts: buffers are taken as they are, without lists."""

from __future__ import annotations

import binascii
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.errors import ReportError, counted
from sudare.estimation import Counts, SparseCounts
from sudare.files.buffers import integers, is_binary, is_text, plain, plain_type
from sudare.mechanisms import Mechanism
from sudare.mechanisms.picked import OneOfParts

Values = npt.NDArray[Any]


def rows_of(cells: Sequence[Any], mechanism: Mechanism) -> Values | bytes:
    """Return the reports in Arrow arrays as ``aggregate`` takes them, or in their wire form.

    Args:
        cells: one array, or one for each number of a report: whole numbers (also as text), lists of
            them, or the wire form as bytes or hexadecimal text.
        mechanism: that made them.

    Raises:
        ReportError: an empty cell, or one of another type or length.
    """
    if len(cells) > 1:
        return np.stack([_numbers(_filled(one)) for one in cells], axis=1)
    import pyarrow as pa

    own = _filled(cells[0])
    kind = own.type
    if is_binary(kind):
        return wire_of(own, mechanism.report_bytes)
    if is_text(kind):
        return _hexadecimal(own, mechanism) if is_bytes(mechanism) else _numbers(own)
    if pa.types.is_fixed_size_list(kind):
        return _numbers(own.flatten()).reshape(len(own), kind.list_size)
    return _numbers(own)


def is_bytes(mechanism: Mechanism) -> bool:
    """Whether reports of this mechanism are rows of bytes, which text files have in hexadecimal."""
    empty = mechanism.program.decode(b"")
    return not isinstance(empty, np.ndarray) or empty.ndim == 2


def holds_reports(kind: Any, mechanism: Mechanism) -> bool:
    """Tell whether a column of this type of Arrow may hold whole reports of a mechanism."""
    import pyarrow as pa

    if holds_bytes(kind, mechanism.report_bytes) or pa.types.is_fixed_size_list(kind):
        return True
    return is_text(_values_of(kind)) if is_bytes(mechanism) else holds_numbers(kind)


def holds_bytes(kind: Any, width: int) -> bool:
    """Tell whether cells of this type of Arrow may be so many bytes."""
    import pyarrow as pa

    own = _values_of(kind)
    return own.byte_width == width if pa.types.is_fixed_size_binary(own) else is_binary(own)


def holds_numbers(kind: Any) -> bool:
    """Tell whether cells of this type of Arrow may be whole numbers, also as text."""
    import pyarrow as pa

    own = _values_of(kind)
    return is_text(own) or bool(pa.types.is_integer(own))


def _values_of(kind: Any) -> Any:
    import pyarrow as pa

    own = plain_type(kind)
    return own.value_type if pa.types.is_dictionary(own) else own


def tally_cells(mechanism: Mechanism, reports: Values | bytes) -> Counts | SparseCounts:
    """Return the counts of reports in either form.

    Raises:
        ReportError, WrongTypeError: they are not of this mechanism.
    """
    if not isinstance(reports, bytes):
        return mechanism.aggregate(reports)
    decoded = mechanism.program.decode(reports)
    if isinstance(mechanism, OneOfParts):
        return mechanism.tally(decoded)
    if is_as_sent(decoded):
        rows = np.frombuffer(reports, dtype=np.uint8)
        return mechanism.aggregate(rows.reshape(-1, mechanism.program.report_bytes))
    return mechanism.aggregate(_rows(decoded))


def is_as_sent(decoded: Any) -> bool:
    """Tell whether ``aggregate`` takes such reports, which a program has decoded, as bytes."""
    return isinstance(decoded, tuple) and isinstance(decoded[1][0], list)


def _rows(decoded: Any) -> Values:
    """Return decoded reports as rows, those of several parts side by side.

    Of one part of several, and which, the rows are in the order of the parts: counts are the same.
    """
    if isinstance(decoded, list):
        return np.stack([_rows(one) for one in decoded], axis=1)
    if isinstance(decoded, tuple):
        _, each = decoded
        return np.concatenate(
            [np.stack([np.full(own.size, i), own], axis=1) for i, own in enumerate(each)]
        )
    return np.asarray(decoded)


def wire_of(cells: Any, width: int) -> bytes:
    """Return the bytes of an Arrow array of binary cells, each so many bytes wide.

    Raises:
        ReportError: an empty cell, or one of another type or length.
    """
    import pyarrow as pa

    own = _filled(cells)
    kind = own.type
    if pa.types.is_fixed_size_binary(kind):
        if kind.byte_width != width:
            raise _not_of(width)
        data, start = own.buffers()[1], own.offset * width
    elif is_binary(kind):
        data, start = _even(own, width)
    else:
        raise _not_of(width)
    return b"" if data is None else bytes(memoryview(data)[start : start + len(own) * width])


def _even(cells: Any, width: int) -> tuple[Any, int]:
    """Return the data of cells of any length after checking that all are so wide, and the start."""
    import pyarrow as pa

    kind = cells.type
    wide = pa.types.is_large_binary(kind) or pa.types.is_large_string(kind)
    _, offsets, data = cells.buffers()
    if not len(cells):
        return None, 0
    places = np.frombuffer(offsets, dtype=np.int64 if wide else np.int32)
    places = places[cells.offset : cells.offset + len(cells) + 1]
    if (np.diff(places) != width).any():
        raise _not_of(width)
    return data, int(places[0])


def _hexadecimal(cells: Any, mechanism: Mechanism) -> bytes:
    width = 2 * mechanism.report_bytes
    data, start = _even(cells, width)
    if data is None:
        return b""
    try:
        return binascii.unhexlify(memoryview(data)[start : start + len(cells) * width])
    except ValueError:
        raise ReportError("report", "must be hexadecimal") from None


def _numbers(cells: Any) -> Values:
    import pyarrow as pa

    if is_text(cells.type):
        try:
            cells = cells.cast(pa.int64())
        except pa.ArrowInvalid:
            raise ReportError("report", "must be a whole number") from None
    if not pa.types.is_integer(cells.type):
        raise ReportError("report", "must be a whole number")
    return integers(cells)


def _filled(cells: Any) -> Any:
    """Return an array in a plain layout, out of its dictionary, after refusing empty cells."""
    import pyarrow as pa

    own = plain(cells)
    if pa.types.is_dictionary(own.type):
        try:
            own = own.dictionary_decode()
        except pa.ArrowNotImplementedError:  # codes of lists
            raise ReportError("report", "must not be coded", "decode the column first") from None
    if own.null_count:
        raise ReportError("report", "must not be empty")
    return own


def _not_of(width: int) -> ReportError:
    return ReportError("report", f"must be {counted(width, 'byte')} long")
