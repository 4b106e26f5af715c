"""Count the distinct values of a large column, some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.release.column import Column

_BATCH = 1 << 20
"""So many values wait, or as many as differ so far, before they are compared with these."""


def different(columns: Iterable[Column]) -> int:
    """Return how many values differ, compared exactly; missing ones are none.

    Memory is that of the values that differ.

    Args:
        columns: parts of one column from Arrow, each with its own labels.
    """
    numbers, long, short = _Once(_of_numbers), _Once(_of_labels), set[Any]()
    for column in columns:
        there, labels = column.values[~column.missing], column.labels
        if labels is None:
            numbers.add(there)
        elif there.size:
            codes = np.flatnonzero(np.bincount(there))
            some = labels.taken(codes)
            if isinstance(some, list):
                short.update(some)
            else:
                long.add(some.cast(_wide(some.type)))
    found = [one.all() for one in (numbers, long) if one.parts]
    found += [short] if short else []
    if len(found) < 2:
        return sum(map(len, found))
    return len(_of_labels([_array(one) for one in found]))


class _Once:
    """Values that differ, and some that wait to be compared with them."""

    def __init__(self, once: Callable[[list[Any]], Any]) -> None:
        self.parts: list[Any] = []
        self._once, self._waiting, self._known = once, 0, 0

    def add(self, values: Any) -> None:
        """Take more values."""
        self.parts.append(values)
        self._waiting += len(values)
        if self._waiting > max(_BATCH, self._known):
            self._waiting, self._known = 0, len(self.all())

    def all(self) -> Any:
        """Return each value once."""
        self.parts = [self._once(self.parts)]
        return self.parts[0]


def _of_numbers(parts: list[Any]) -> npt.NDArray[Any]:
    found = np.concatenate(parts)
    parts.clear()
    found.sort(kind="stable")  # of parts that are sorted, mostly
    return found[np.append(True, found[1:] != found[:-1])] if found.size else found


def _of_labels(parts: list[Any]) -> Any:
    import pyarrow as pa

    return pa.chunked_array(parts).unique()


def _array(found: Any) -> Any:
    """Return what parts of different kinds have: text, or decimals by whole numbers."""
    import pyarrow as pa

    values = pa.array(list(found)) if isinstance(found, set) else pa.array(found)
    return values.cast(_wide(values.type))


def _wide(of: Any) -> Any:
    import pyarrow as pa

    is_text = pa.types.is_string(of) or pa.types.is_large_string(of)
    return pa.large_string() if is_text else pa.decimal128(38, 0)
