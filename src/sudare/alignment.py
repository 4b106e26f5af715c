"""Which category a label or a number names, and one number a category in the categories' order."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

import numpy as np

from sudare.arrays import is_missing
from sudare.errors import DomainError, WrongTypeError, counted

Axis = int | Sequence[str] | None
"""Categories along one axis: how many, or what they are called; None where nobody says."""

_ORDER = "or give a list in the order of the categories, such as .to_numpy()"


def hold_numbers(labels: Sequence[str]) -> bool:
    """Tell whether a label reads as a number: numbers then stand for labels, never for places."""
    return _hold_numbers(tuple(labels))


@lru_cache(maxsize=4)  # a device asks at each answer, and there may be many labels
def _hold_numbers(labels: tuple[str, ...]) -> bool:
    return any(map(_reads_as_number, labels))


def _reads_as_number(label: str) -> bool:
    try:
        return math.isfinite(float(label))
    except ValueError:
        return False


def spell(value: Any) -> tuple[str, ...]:
    """Return how a number may be written as a label; nothing for what is no number.

    Truth values are none: ``True`` is 1 to Python, and a word to everybody who reads labels.

    Examples:
        >>> spell(2), spell(2.0), spell(2.5), spell(True)
        (('2',), ('2.0', '2'), ('2.5',), ())
    """
    if isinstance(value, np.generic) or getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal):
        return ()
    try:
        whole = math.trunc(value)
        written = (str(value), str(whole)) if whole == value else (str(value),)
    except (ValueError, OverflowError):  # infinite, no number, or more digits than are written
        return ()
    return tuple(dict.fromkeys(written))


def find_label(value: Any, places: Mapping[str, int]) -> int | None:
    """Return the place of the label that a text is, or that a number is written like."""
    written = (value,) if isinstance(value, str) else spell(value)
    return next((places[one] for one in written if one in places), None)


def is_labelled(given: object) -> bool:
    """Tell whether numbers come with labels: a mapping, a Series or a frame of pandas."""
    return isinstance(given, Mapping) or hasattr(getattr(given, "index", None), "tolist")


def as_mapping(given: Any, argument: str) -> Mapping[Any, Any]:
    """Return a mapping as it is, and a Series of pandas as a mapping from its index.

    Raises:
        DomainError: a label of the index stands there twice.
    """
    if isinstance(given, Mapping):
        return given
    index = given.index.tolist()
    if len(set(index)) < len(index):
        raise DomainError(argument, "must name each label once", "add up what is named twice")
    return dict(zip(index, given.tolist(), strict=True))


def align_to(given: Any, values: Any, argument: str) -> Any:
    """Return one number for each of several values, in the order of the values.

    Two Series are put together by their index, as columns of one frame are; what is labelled
    beside a list counts by the values that its labels are written like. A frame's column beside a
    list, with the index of rows that nobody named, goes by position.

    Raises:
        DomainError: a label that is none of them, one that is missing, or one twice.
    """
    if not is_labelled(given):
        return given
    if isinstance(given, Mapping) or not is_labelled(values):
        each = values.tolist() if hasattr(values, "tolist") else list(values)
        labels = [(spell(one) or (str(one),))[-1] for one in each]
        if _is_range(given) and not set(labels) & set(map(str, given.index)):
            return given.to_numpy()
        return align(given, (labels,), argument)
    if given.index.equals(values.index):
        return given.to_numpy()
    unique = values.index.is_unique and given.index.is_unique
    places = values.index.get_indexer(given.index) if unique else np.array([-1])
    if len(places) != len(values) or (places < 0).any():
        rule = "must have the index of the values"
        raise DomainError(argument, rule, "take both from one frame, or give lists")
    return given.to_numpy()[places.argsort()]


def check_rows(columns: Mapping[str, Any], index: Any = None) -> Any:
    """Return the index that columns of the same respondents have; None where none has one.

    Columns go together by position. Where several come from pandas, one that is sorted, filtered
    or numbered otherwise would give a person the answers of another one.

    Args:
        columns: by what they are called in errors; those without an index go by position.
        index: of what stands beside them already.

    Raises:
        DomainError: two of them have different indices.
    """
    for name, column in columns.items():
        if isinstance(column, Mapping) or not is_labelled(column):
            continue
        if index is not None and not column.index.equals(index):
            rule = "must have the same index as the other columns of the respondents"
            remedy = "take all from one frame, or give lists in one order, such as .to_numpy()"
            raise DomainError(name, rule, remedy)
        index = column.index
    return index


def count_axes(given: Any) -> int:
    """Return along how many axes numbers are named: 2 of a frame or of mappings in a mapping."""
    if hasattr(given, "columns"):
        return 2
    if not is_labelled(given):
        return 1
    if not isinstance(given, Mapping):
        return int(given.index.nlevels)
    first = next(iter(given.items()), ((), None))
    if is_labelled(first[1]):
        return 1 + count_axes(first[1])
    return max(len(first[0]), 1) if isinstance(first[0], tuple) else 1


def align(given: Any, axes: Sequence[Axis], argument: str) -> Any:
    """Return one number a category in the order of the categories.

    A mapping counts by its keys, a Series of pandas by its index, a frame by index and columns:
    their own order never matters. Of several axes keys are tuples, or mappings lie in a mapping,
    or in a list. All else has no labels, and is returned as it is.

    Args:
        given: what was given.
        axes: the categories along each axis.
        argument: what it is called in errors.

    Raises:
        DomainError: a label that is no category, one that is missing, or one twice. The message
            names the position and never the label, which may be what a person answered.
    """
    if len(axes) > 1 and isinstance(given, list | tuple):
        if not any(map(_holds_labels, given)):
            return given
        return [align(one, axes[1:], argument) for one in given]
    if not is_labelled(given):
        return given
    if hasattr(given, "columns"):
        return _align_frame(given, axes, argument)
    if len(axes) > 1 and None in axes and any(map(is_labelled, _cells_of(given))):
        given = _flattened(given, argument)  # so that all rows must name the same columns
    index = list(given) if isinstance(given, Mapping) else given.index.tolist()
    cells = _cells_of(given)
    booleans = [isinstance(one, bool | np.bool_) for one in cells]
    if any(booleans) and not all(booleans):
        raise WrongTypeError(argument, "must be numbers", "write no truth values among them")
    if len(axes) > 1 and not all(isinstance(key, tuple) for key in index):
        order = _order(index, axes[0], argument, _is_range(given))
        return [align(cells[i], axes[1:], argument) for i in order]
    if len(axes) > 1:
        return _table(index, cells, axes, argument)
    return [cells[i] for i in _order(index, axes[0], argument, _is_range(given))]


def _cells_of(given: Any) -> list[Any]:
    return list(given.values()) if isinstance(given, Mapping) else given.tolist()


def _flattened(given: Any, argument: str) -> dict[tuple[Any, ...], Any]:
    """Return mappings that lie in a mapping as one, whose keys are tuples."""
    out = {}
    for key, row in as_mapping(given, argument).items():
        if not is_labelled(row):
            raise WrongTypeError(argument, "must name the numbers of each row, or of none")
        for rest, cell in as_mapping(row, argument).items():
            out[key, rest] = cell
    return out


def _holds_labels(given: Any) -> bool:
    return is_labelled(given) or (
        isinstance(given, list | tuple) and any(map(_holds_labels, given))
    )


def _is_range(given: Any) -> bool:
    """Tell whether an index is the one that pandas gives to rows that nobody named."""
    index: Any = getattr(given, "index", None)
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)


def _align_frame(frame: Any, axes: Sequence[Axis], argument: str) -> Any:
    if len(axes) != 2:
        raise DomainError(
            argument, "must not be a data frame", 'give one column, such as frame["n"]'
        )
    rows = _order(frame.index.tolist(), axes[0], argument, _is_range(frame))
    columns = _order(frame.columns.tolist(), axes[1], argument, False)
    return frame.iloc[rows, columns].to_numpy()  # the labels have been read


def _table(keys: list[Any], cells: list[Any], axes: Sequence[Axis], argument: str) -> Any:
    """Return the table whose cells are named by a tuple of categories each."""
    if not all(len(key) == len(axes) for key in keys):
        raise DomainError(argument, f"must name each cell by {len(axes)} categories")
    heads: list[dict[Any, int]] = []
    for axis, names in enumerate(axes):
        own = list(dict.fromkeys(key[axis] for key in keys))
        order = _order(own, names, argument, False)
        heads.append({own[at]: place for place, at in enumerate(order)})
    shape = tuple(map(len, heads))
    if len(keys) != math.prod(shape):
        raise DomainError(
            argument, f"must have a number for each of {counted(math.prod(shape), 'cell')}"
        )
    flat = [0] * len(keys)
    for key, cell in zip(keys, cells, strict=True):
        place = 0
        for one, head in zip(key, heads, strict=True):
            place = place * len(head) + head[one]
        flat[place] = cell
    for size in shape[:0:-1]:
        flat = [flat[i : i + size] for i in range(0, len(flat), size)]  # type: ignore[misc]
    return flat


def _order(keys: list[Any], axis: Axis, argument: str, by_default: bool) -> list[int]:
    """Return at which place of the keys each category stands."""
    for at, key in enumerate(keys):
        if is_missing(key):
            remedy = f"look at position {at}; leave out missing values, or give them a category"
            raise DomainError(argument, "must have no missing label", remedy)
    if axis is None:
        return _sorted(keys, argument)
    labels = None if isinstance(axis, int) else axis
    size = axis if isinstance(axis, int) else len(axis)
    named = labels is not None and hold_numbers(labels)
    known = {} if labels is None else {label: place for place, label in enumerate(labels)}
    order: list[int | None] = [None] * size
    for at, key in enumerate(keys):
        by_label = isinstance(key, str) or named
        place = find_label(key, known) if by_label else _as_place(key, size)
        if place is None:
            raise _unknown(labels, size, argument, at)
        if order[place] is not None:
            raise DomainError(argument, "must name each category once", f"look at position {at}")
        order[place] = at
    absent = [place for place, at in enumerate(order) if at is None]
    if absent:
        what = absent[0] if labels is None else repr(labels[absent[0]])
        raise DomainError(
            argument,
            f"must have a number for each of {size} categories, {what} too",
            "0 where nobody is, such as counts.reindex(labels, fill_value=0)",
        )
    found = [at for at in order if at is not None]
    if named and by_default and found != list(range(size)):
        raise DomainError(
            argument,
            "must not have an index of rows where the labels are numbers in another order",
            f"name the labels, such as .set_axis(labels), {_ORDER}",
        )
    return found


def _as_place(key: Any, size: int) -> int | None:
    written = spell(key)
    place = int(written[-1]) if written and written[-1].isdigit() else -1
    return place if 0 <= place < size else None


def _unknown(labels: Sequence[str] | None, size: int, argument: str, at: int) -> DomainError:
    if labels is None:
        rule = f"must be numbered 0 to {size - 1}, where the categories have no labels"
    else:
        rule = "must name the labels, and nothing else"
    return DomainError(argument, rule, f"look at position {at}; {_ORDER}")


def _sorted(keys: Iterable[Any], argument: str) -> list[int]:
    """Return an order of the keys that does not depend on how they stand."""
    each = list(keys)
    if len(set(each)) < len(each):
        raise DomainError(argument, "must name each category once", "add up what is named twice")
    try:
        return sorted(range(len(each)), key=each.__getitem__)
    except TypeError:  # of several kinds
        return sorted(range(len(each)), key=lambda i: (type(each[i]).__name__, str(each[i])))


def as_index(value: Any, labels: Sequence[str] | None, argument: str) -> Any:
    """Return the index of the category that a label or a number names; what is neither as it is.

    Raises:
        DomainError: labels that are numbers, and a number that is none of them; or a text that is
            no label.
    """
    if labels is None or not (isinstance(value, str) or hold_numbers(labels)):
        return value
    place = find_label(value, {label: place for place, label in enumerate(labels)})
    if place is None:
        shown = list(labels) if len(labels) <= 12 else f"the {len(labels)} labels"
        if not isinstance(value, str) and not spell(value):
            raise WrongTypeError(argument, f"must be one of {shown}", got=value)
        raise DomainError(argument, f"must be one of {shown}", got=value)
    return place
