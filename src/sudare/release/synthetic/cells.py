"""``Cells``: how a column is cut into public cells, and which value a made-up row of one has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from sudare.arrays import Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.exact import exact_text
from sudare.release.column import Column
from sudare.release.kinds import TIMES, Kind
from sudare.release.matching import Cut, as_value, reached
from sudare.release.private_data import PrivateData

MOST_CELLS = 10_000
"""Cells of a column."""

EACH = 32
"""Up to so many whole numbers between the bounds have a cell each; more, and dates, share."""

EQUAL = 20
"""So many cells of equal width lie between bounds otherwise."""

_FAR, _MISSING = 1 << 53, -1 << 62
_START = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a column: its categories, or bins between edges; and one for all other rows.

    Attributes:
        column: its name.
        kind: what it holds.
        categories: of text, truth values, and numbers that are codes; None for bins.
        cuts: between bins, one more than there are; numbers beyond them count in the end bins.
        step: what numbers of made-up rows are multiples of; None where the bins' widths say it.
        others: whether a row may be in no category, or have no number.
    """

    column: str
    kind: Kind
    categories: tuple[Any, ...] | None
    cuts: tuple[Cut, ...] = ()
    step: Fraction | None = None
    others: bool = True

    @classmethod
    def of(cls, held: PrivateData, name: str, given: object, public: Sequence[Any] | None) -> Cells:
        """Return checked cells; the column's values are not looked at.

        Args:
            held: the data set.
            name: of the column.
            given: categories of text and truth values, edges of numbers, dates and times; None for
                the public categories, or else for bins between the column's bounds.
            public: categories that the data set says are public; None without.

        Raises:
            WrongTypeError, DomainError: no such column, or no such cells.
        """
        name = held.named(name)
        column, numbers = held.columns[name], held.bounded.get(name)
        counted = column.kind == "number" or column.kind in TIMES
        if not counted or (given is None and public is not None):
            if given is None and public is None:
                raise DomainError(
                    "columns", f"must have the categories of {name}", f'such as {{"{name}": [...]}}'
                )
            found = held.categories(name, public if given is None else given)
            return cls(name, column.kind, tuple(_few(found)))
        others = numbers is None or held.missing != "refuse"
        step = None if numbers is None else numbers.scale.step
        if given is not None:
            edges = _edges(column, given)
            whole = column.kind == "number" and all(one.denominator == 1 for one in edges)
            if numbers is None and whole:
                step = Fraction(1)
            cuts: tuple[Cut, ...] = (*((one, 0) for one in edges[:-1]), (edges[-1], 1))
        elif numbers is None:
            raise DomainError("columns", f"must have the edges of {name}", "or give its bounds")
        else:
            scale = numbers.scale
            points = scale.last - scale.first + 1
            if points <= EACH:
                cuts = tuple((scale.step * at, 0) for at in range(scale.first, scale.last + 2))
            else:
                wide = (scale.high - scale.low) / EQUAL
                inner: tuple[Cut, ...] = tuple((scale.low + wide * i, 0) for i in range(EQUAL))
                cuts = (*inner, (scale.high, 1))
        out = cls(name, column.kind, None, cuts, step, others)
        if max(map(abs, out._points[1])) >= -_MISSING:
            rule = f"must have edges of {name} fewer than 2**62 of its finest steps from 0"
            remedy = "give bins of more even width, or a coarser grid"
            raise DomainError("columns", rule, remedy)
        return out

    @property
    def size(self) -> int:
        """How many cells there are."""
        own = len(self.cuts) - 1 if self.categories is None else len(self.categories)
        return own + self.others

    @property
    def told(self) -> dict[str, Any]:
        """What stands in the ledger."""
        if self.categories is not None:
            return {"column": self.column, "categories": list(self.categories)}
        edges = [_text(value) for value, _ in self.cuts]
        ends = "in" if self.cuts[-1][1] else "out"
        return {"column": self.column, "edges": edges, "last": ends, "others": self.others}

    @property
    def labels(self) -> tuple[Any, ...]:
        """Categories, or bins as text; None for other rows."""
        if self.categories is not None:
            return (*self.categories, None)
        names = [f"[{_text(a)}, {_text(b)})" for (a, _), (b, _) in pairwise(self.cuts)]
        return (*names, None) if self.others else tuple(names)

    @property
    def _points(self) -> tuple[Fraction, list[int]]:
        """What numbers of made-up rows are multiples of, and the first of each cut's."""
        step = self.step
        if step is None:
            ends = pairwise(value for value, _ in self.cuts)
            step = min(high - low for low, high in ends) / 1000
        return step, [_first(cut, step) for cut in self.cuts]

    def places(self, part: PrivateData) -> Integers:
        """Return for each row the place of its cell."""
        column = part.column(self.column)
        if self.categories is not None:
            return column.places(self.categories).astype(np.int64, copy=False)
        bins = len(self.cuts) - 1
        found = np.clip(reached(column, self.cuts), 1, bins) - 1
        return np.where(column.missing, bins, found) if self.others else found

    def values(self, places: Integers, rng: np.random.Generator) -> list[Any]:
        """Return a value for each made-up row: a category, a number of its bin, None for others.

        Numbers are uniform on the points of the grid in the bin.
        """
        if self.categories is not None:
            every = [*self.categories, None]
            return [every[place] for place in places.tolist()]
        step, firsts = self._points
        bins = [(a, max(b - a, 1)) for a, b in pairwise(firsts)]
        starts, sizes = np.array([*bins, (0, 1)], dtype=np.int64).T
        points = starts[places] + rng.integers(0, sizes[places])
        points[places == len(bins)] = _MISSING
        found, which = np.unique(points, return_inverse=True)
        shown = [None if x == _MISSING else _shown(self.kind, x * step) for x in found.tolist()]
        return [shown[one] for one in which.tolist()]


def _few(categories: list[Any]) -> list[Any]:
    if len(categories) > MOST_CELLS:
        raise DomainError("columns", f"must have at most {MOST_CELLS:,} cells each", "join some")
    return categories


def _edges(column: Column, given: object) -> list[Fraction]:
    if not isinstance(given, list | tuple | range) or not 2 <= len(given) <= MOST_CELLS:
        rule = f"must have a list of 2 to {MOST_CELLS:,} edges of {column.name}"
        raise WrongTypeError("columns", rule, "such as [0, 18, 65, 120]")
    try:
        values: list[Fraction] = [as_value(column, one) for one in given]
    except (DomainError, WrongTypeError):
        rule = f"must have edges of {column.name} of its kind, {column.kind}"
        raise WrongTypeError("columns", rule, "dates and times as ISO 8601 writes them") from None
    if not all(a < b for a, b in pairwise(values)):
        raise DomainError("columns", f"must have edges of {column.name} that ascend", "sort them")
    if max(map(abs, values)) > _FAR:
        raise DomainError("columns", f"must have edges of {column.name} up to 2**53", "cut them")
    return values


def _first(cut: Cut, step: Fraction) -> int:
    """Return the first point of the grid that is above a cut."""
    value, after = cut
    return math.floor(value / step) + 1 if after else math.ceil(value / step)


def _text(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else exact_text(value)


def _shown(kind: Kind, value: Fraction) -> Any:
    """Return a number of a column's unit as such a value: a number, date, time or span."""
    if kind == "number":
        return int(value) if value.denominator == 1 else float(value)
    if kind == "date":
        return date(1970, 1, 1) + timedelta(days=math.floor(value))
    span = timedelta(microseconds=math.floor(value * 1_000_000))
    if kind == "duration":
        return span
    moment = (_START + span).replace(tzinfo=None)
    return moment.time() if kind == "time" else moment
