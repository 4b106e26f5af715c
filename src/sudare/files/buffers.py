"""Arrow's arrays in the layouts that are read, and whole numbers as they lie in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def integers(cells: Any) -> npt.NDArray[np.integer[Any]]:
    """Return the whole numbers of an Arrow array without empty cells; nobody can write to them.

    Arrow's own ``to_numpy`` loads pandas where it is installed: 50 MB, and a third of a second.

    Examples:
        >>> import pyarrow as pa
        >>> integers(pa.array([3, 1, 2], pa.uint8())[1:])
        array([1, 2], dtype=uint8)
    """
    import pyarrow as pa

    data = cells.buffers()[1]
    if data is None:
        return np.zeros(0, dtype=np.int64)
    sign, size = "iu"[pa.types.is_unsigned_integer(cells.type)], cells.type.bit_width // 8
    return np.frombuffer(data, f"{sign}{size}", len(cells), cells.offset * size)


def plain(cells: Any) -> Any:
    """Return an Arrow array, or one in chunks, without views and runs; codes stay codes.

    The layout of a column is its writer's choice: polars has text and bytes as views. Of a type
    that is none of Arrow's own the array is as it was: what it means is not known.

    Examples:
        >>> import pyarrow as pa
        >>> plain(pa.array(["tea"], pa.string_view())).type
        DataType(large_string)
    """
    import pyarrow as pa

    kind = plain_type(cells.type)
    if kind == cells.type:
        return cells
    if isinstance(cells, pa.ChunkedArray):
        return pa.chunked_array([plain(one) for one in cells.chunks], kind)
    if pa.types.is_run_end_encoded(cells.type):
        return _without_runs(cells)
    if pa.types.is_dictionary(cells.type):
        words, is_ordered = plain(cells.dictionary), cells.type.ordered
        if pa.types.is_dictionary(words.type):  # codes of codes
            return words.take(cells.indices)
        return pa.DictionaryArray.from_arrays(cells.indices, words, ordered=is_ordered)
    return cells.cast(kind)


def _without_runs(cells: Any) -> Any:
    """Return runs as a value a row; Arrow's own ``run_end_decode`` has no views, codes or runs."""
    import pyarrow as pa

    first, many = cells.find_physical_offset(), cells.find_physical_length()
    ends = integers(cells.run_ends)[first : first + many].astype(np.int64) - cells.offset
    sizes = np.diff(np.minimum(ends, len(cells)), prepend=0)
    places, values = np.repeat(np.arange(first, first + many), sizes), plain(cells.values)
    try:
        return values.take(pa.array(places))
    except pa.ArrowNotImplementedError:  # lists of views, among others, have no such function
        empty = [values.slice(0, 0)]
        return pa.concat_arrays(empty + [values.slice(place, 1) for place in places])


def plain_type(kind: Any) -> Any:
    """Return the type of :func:`plain`'s array; the same where it is as it was."""
    import pyarrow as pa

    types = pa.types
    if types.is_run_end_encoded(kind):
        return plain_type(kind.value_type)
    if types.is_dictionary(kind):
        value = plain_type(kind.value_type)
        if types.is_dictionary(value):
            return value
        return pa.dictionary(kind.index_type, value, ordered=kind.ordered)
    if types.is_string_view(kind):
        return pa.large_string()
    return pa.large_binary() if types.is_binary_view(kind) else kind


def is_text(kind: Any) -> bool:
    """Tell whether a type of :func:`plain`'s is text."""
    import pyarrow as pa

    return kind in (pa.string(), pa.large_string())


def is_binary(kind: Any) -> bool:
    """Tell whether a type of :func:`plain`'s is bytes, of one length or any."""
    import pyarrow as pa

    types = pa.types
    return bool(
        types.is_fixed_size_binary(kind) or types.is_binary(kind) or types.is_large_binary(kind)
    )


def may_be_numbers(kind: Any) -> bool:
    """Tell whether cells of a type of :func:`plain`'s are numbers, or text that may write them."""
    import pyarrow as pa

    types = pa.types
    own = kind.value_type if types.is_dictionary(kind) else kind
    is_number = types.is_integer(own) or types.is_floating(own) or types.is_decimal(own)
    return is_number or is_text(own) or is_binary(own) or bool(types.is_null(own))
