"""Whose a row is: which rows of each person count, from ids of any length, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.arrays import Booleans, Integers
from sudare.files.people import BLANK

_SHORT = max(map(len, BLANK))
_SOME = 1 << 20
_MIXERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)

Words = npt.NDArray[np.uint64]


def first_of_each(ids: npt.NDArray[Any], most: int) -> Booleans:
    """Tell which rows are among the first so many with their id.

    Args:
        ids: whole numbers, (n,); or (n, w) words each, which are put in order by a hash of theirs
            and compared as they are: where two have one hash another one is taken.
        most: rows of an id.
    """
    keys, mixer = ids, 0
    while True:
        if ids.ndim == 2:
            keys = _hashed(ids, _MIXERS[mixer % 3] + 2 * mixer)
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        if ids.ndim == 1 or _is_told_apart(ids, order, ordered):
            break
        mixer += 1
    late, rest = np.zeros(order.size, dtype=np.bool_), max(0, order.size - most)
    late[most:] = ordered[most:] == ordered[:rest]
    keep = np.empty(order.size, dtype=np.bool_)
    keep[order] = ~late
    return keep


def _hashed(ids: Words, odd: int) -> Words:
    """Return a number for each row of words."""
    out = np.zeros(len(ids), dtype=np.uint64)
    for word in ids.T:
        out ^= word
        out *= np.uint64(odd)
        out ^= out >> np.uint64(29)
    return out


def _is_told_apart(ids: Words, order: Integers, ordered: Words) -> bool:
    """Tell whether all rows with one hash have the same words."""
    for start in range(0, order.size, _SOME):  # the last row of some is the first of the next
        some = ordered[start : start + _SOME + 1]
        alike = start + np.flatnonzero(some[1:] == some[:-1])
        if not (ids[order[alike]] == ids[order[alike + 1]]).all():
            return False
    return True


def long_ids(chunks: Sequence[Any]) -> Words | None:
    """Return texts or decimals as words of 8 bytes, (n, w): each has words of its own.

    Args:
        chunks: Arrow arrays of one type.

    Returns:
        None for other types, and where a text is null, blank or has anything but visible characters
        of ASCII: those must be looked at one by one.
    """
    kind = str(chunks[0].type)
    read = _decimals if kind.startswith("decimal128") else _texts if "string" in kind else None
    parts: list[Words] = []
    for chunk in chunks:
        one = None if read is None or chunk.null_count else read(chunk)
        if one is None:
            return None
        parts.append(one)
    out = np.zeros((sum(map(len, parts)), max(one.shape[1] for one in parts)), dtype=np.uint64)
    start = 0
    for one in parts:
        out[start : start + len(one), : one.shape[1]] = one
        start += len(one)
    return out


def _decimals(cells: Any) -> Words:
    words = np.frombuffer(cells.buffers()[1], "<u8").reshape(-1, 2)
    return words[cells.offset : cells.offset + len(cells)]


def _texts(texts: Any) -> Words | None:
    if str(texts.type) not in ("string", "large_string"):
        return None
    wide = np.int64 if str(texts.type) == "large_string" else np.int32
    _, bounds, data = texts.buffers()
    ends = np.frombuffer(bounds, wide)[texts.offset : texts.offset + len(texts) + 1]
    ends = ends.astype(np.int64)
    cells = np.frombuffer(data, np.uint8)[ends[0] : ends[-1]] if data is not None else ends[:0]
    sizes, starts = np.diff(ends), ends[:-1] - ends[0]
    if sizes.min() == 0 or cells.min() <= 0x20 or cells.max() >= 0x7F or _has_blank(texts, sizes):
        return None
    most = int(sizes.max())
    out = np.zeros((len(texts), (most + 7) // 8), dtype="<u8")
    letters = out.view(np.uint8).reshape(len(texts), -1)
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size)
        letters[rows, :size] = cells[starts[rows, None] + np.arange(size)]
    return out


def _has_blank(texts: Any, sizes: Integers) -> bool:
    """Tell whether a short text says that there is no value."""
    if sizes.min() > _SHORT:
        return False
    from pyarrow import compute as pc

    few = pc.unique(pc.ascii_lower(texts.filter(pc.less_equal(pc.binary_length(texts), _SHORT))))
    return not BLANK.isdisjoint(few.to_pylist())
