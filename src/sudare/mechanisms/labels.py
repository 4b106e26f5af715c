"""Labels in the place of indices: what the k categories of a mechanism are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from sudare.alignment import find_label, hold_numbers, spell
from sudare.arrays import is_missing
from sudare.errors import DomainError, WrongTypeError
from sudare.mechanisms.parameters import whole
from sudare.mechanisms.values import (
    FILL,
    MAX_CATEGORIES,
    as_array,
    as_categories_count,
    has_booleans,
    listed,
)

Domain = int | tuple[str, ...]
"""How many categories there are, or what they are called."""

_SHOWN = 12


def as_domain(given: object) -> Domain:
    """Return a number of categories, or distinct labels, checked.

    Raises:
        WrongTypeError: neither a whole number nor a sequence of texts.
        DomainError: no number from 2 to 2**24, a label twice, or an empty one.
    """
    flat = isinstance(given, str | bytes) or getattr(given, "ndim", 1) == 0
    if flat or not isinstance(given, Iterable):
        return as_categories_count(given)
    labels = listed(given)
    if labels is None or not all(isinstance(one, str) for one in labels):
        rule = "must be a whole number or a list of labels, which are texts"
        raise WrongTypeError("k", rule, "write numbers and truth values as text, in their order")
    if not all(labels) or len(set(labels)) < len(labels):
        raise DomainError("k", "must name each label once, none of them empty", "see unique()")
    if not 2 <= len(labels) <= MAX_CATEGORIES:
        rule = f"must name 2 to {MAX_CATEGORIES} labels"
        raise DomainError("k", rule, "add a label for anything else", got=len(labels))
    return tuple(str(one) for one in labels)


def size_of(domain: Domain) -> int:
    """Return the number of categories."""
    return domain if isinstance(domain, int) else len(domain)


def labels_of(domain: Domain) -> tuple[str, ...] | None:
    """Return what the categories are called; None where they are numbered."""
    return None if isinstance(domain, int) else domain


def _show(domain: Domain) -> str:
    if isinstance(domain, int) or len(domain) <= _SHOWN:
        return f"k={domain!r}"
    return f"k=({', '.join(map(repr, domain[:3]))}, ... {len(domain)} labels)"


_NUMBER = whole("k", 2, MAX_CATEGORIES, examples=(3, 2, 5))
CATEGORIES = replace(
    _NUMBER,
    read=lambda value, _: as_domain(value),
    write=lambda domain: domain if isinstance(domain, int) else list(domain),
    show=_show,
    attribute="domain",
    bad=(*_NUMBER.bad, (["a"], DomainError), (["a", "a"], DomainError), (["a", 1], WrongTypeError)),
)
"""The number of categories, or what each is called."""


def numbered(data: Any) -> Any:
    """Return a mechanism's JSON data with the number of categories in the place of labels.

    Examples:
        >>> numbered({"name": "GRR", "k": ["no", "yes"], "epsilon": "1"})
        {'name': 'GRR', 'k': 2, 'epsilon': '1'}
    """
    if isinstance(data, list):
        return [numbered(one) for one in data]
    if not isinstance(data, dict):
        return data
    return {
        name: len(own) if name == "k" and isinstance(own, list) else numbered(own)
        for name, own in data.items()
    }


def as_numbered(values: Any, labels: Sequence[str] | None) -> Any:
    """Return the indices of labels; what holds no label as it is.

    Numbers are indices where no label reads as a number. Where one does, a value counts as the
    label that it is written like: answers kept as 1 to 5 are the labels "1" to "5".

    Args:
        values: one-dimensional: a list or array of text, a frame's column, a categorical.
        labels: of the mechanism; None where it has none.

    Raises:
        WrongTypeError: labels of a mechanism that has none, labels beside other values, or a
            missing one.
        DomainError: a value that no label is written like. The message names the position, never
            the value.
    """
    named = labels is not None and hold_numbers(labels)
    array = as_array(values) if named or isinstance(values, np.ndarray) else None
    if array is not None and array.ndim == 1 and array.dtype.kind in ("iuf" if named else "iu"):
        if not named:
            return values
        if not has_booleans(values):
            return _of_numbers(array, labels or ())
    each = listed(values)
    is_column = not isinstance(values, list | tuple | np.ndarray)  # bytes in a list are a slip
    if each is not None and labels is not None and is_column:
        each = list(map(_decoded, each))
    if each is None or not (named or any(isinstance(one, str) for one in each)):
        return values
    if labels is None:
        raise WrongTypeError(
            "values",
            "must be whole numbers in [0, k) where the mechanism has no labels",
            'give the labels in the place of k, such as GRR(["tea", "coffee"], 1.0)',
        )
    places = {label: place for place, label in enumerate(labels)}
    return _checked([find_label(one, places) for one in each], each, labels)


def _decoded(value: Any) -> Any:
    """Return the text that bytes are: some writers declare columns of text so."""
    try:
        return value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        return value


def _of_numbers(array: npt.NDArray[Any], labels: Sequence[str]) -> npt.NDArray[Any]:
    """Return the index of the label that each number is written like; each is spelt once."""
    places = {label: place for place, label in enumerate(labels)}
    distinct, which = np.unique(array, return_inverse=True)
    found = [find_label(one, places) for one in distinct.tolist()]
    if None in found:
        return _checked([found[i] for i in which.tolist()], array, labels)
    return np.array(found, dtype=np.min_scalar_type(-len(labels)))[which]


def _checked(
    found: list[int | None], each: Sequence[Any] | npt.NDArray[Any], labels: Sequence[str]
) -> npt.NDArray[Any]:
    if None in found:
        at = found.index(None)
        _refuse(each[at], f"look at position {at}", "values", labels)
    return np.array(found, dtype=np.min_scalar_type(-len(labels)))


def as_number(value: Any, labels: Sequence[str] | None) -> Any:
    """Return the index of a label; what is none as it is. As :func:`as_numbered` of one value."""
    if labels is None or not (isinstance(value, str) or hold_numbers(labels)):
        return value
    place = find_label(value, {label: place for place, label in enumerate(labels)})
    if place is None:
        _refuse(value, "", "value", labels)
    return place


def _refuse(value: object, place: str, argument: str, labels: Sequence[str]) -> NoReturn:
    """Raise what is wrong with a value that no label is written like."""
    before, named = f"{place}; " if place else "", hold_numbers(labels)
    if is_missing(value):
        raise WrongTypeError(argument, "must not be missing", before + FILL)
    text = "write them as the labels are written, such as column.astype(str)"
    if not isinstance(value, str) and not (named and spell(value)):
        rule = "must all be labels" if named else "must all be labels, or all whole numbers"
        raise WrongTypeError(argument, rule, before + text)
    more = "" if isinstance(value, str) else f"{text}; "
    rule = "must be among the mechanism's labels"
    raise DomainError(argument, rule, f"{before}{more}add a label for anything else")
