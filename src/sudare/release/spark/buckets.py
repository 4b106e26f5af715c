"""Which bucket a row goes to, by whose it is: all rows of a person to the same one."""

from __future__ import annotations

from typing import Any

import numpy as np

from sudare.arrays import Integers
from sudare.release.arrow_columns import from_arrow
from sudare.release.persons import Words, decimal_words, text_words

_ODD, _NEXT = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F


def buckets(cells: Any, number: int) -> Integers:
    """Return the bucket of each row: of one id always the same one, whatever stands beside it.

    So is that of ids which differ by the space around them alone, that these be found.

    Args:
        cells: an Arrow array of ids.
        number: how many buckets there are.

    Examples:
        >>> import pyarrow as pa
        >>> found = buckets(pa.array(["A7", "東", " A7"]), 1000)
        >>> found[0] == found[2], found[0] == buckets(pa.array(["A7"]), 1000)[0]
        (np.True_, np.True_)
    """
    out, odd = np.zeros(len(cells), dtype=np.uint64), _ODD
    for word in _words(cells).T:
        out += word * np.uint64(odd)
        odd = odd * _NEXT % (1 << 64)
    out ^= out >> np.uint64(29)
    out *= np.uint64(_ODD)
    return ((out >> np.uint64(32)) % np.uint64(number)).astype(np.int64)


def _words(cells: Any) -> Words:
    """Return words of 8 bytes, (n, w): alike for one id, but for zeros after them."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(cells.type):
        return _words(cells.cast(cells.type.value_type))
    if types.is_string(cells.type) or types.is_large_string(cells.type):
        found, visible = text_words(cells)
        if visible and not cells.null_count:
            return found
        plain = [(one or "").strip() for one in cells.to_pylist()]
        return text_words(pa.array(plain, pa.large_string()))[0]
    if types.is_string_view(cells.type):
        return _words(cells.cast(pa.large_string()))
    if types.is_decimal(cells.type):
        return decimal_words(cells.cast(pa.decimal128(38, cells.type.scale)))
    if types.is_floating(cells.type) or types.is_nested(cells.type):  # refused in any bucket
        return np.zeros((len(cells), 1), dtype=np.uint64)
    values = from_arrow("person", cells).values
    if values.dtype.kind not in "iu":
        return np.zeros((len(cells), 1), dtype=np.uint64)
    return values.astype(np.uint64)[:, None]
