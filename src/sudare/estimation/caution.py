"""``Caution``: a sentence about an estimate that its reader should know."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

FEW_REPORTS = "few-reports"
NO_STDERR = "no-stderr"
NOT_CERTAIN = "not-certain"
BIASED = "biased"
FEW_CATEGORIES = "few-categories"

FEW = 30
"""Expected report count below which a cell is flagged, and left to more than the normal law."""

MANY = 13
"""Categories from which on drawing shares together is known to pay."""

_SHOWN = 8

Cells = Sequence[int] | npt.NDArray[np.intp]


class Caution(str):
    """A sentence (it is the string), with its code and the cells that it is about.

    Attributes:
        code: for programs: ``"few-reports"``, ``"few-categories"``, ``"no-stderr"``,
            ``"not-certain"`` or ``"biased"``.

    Examples:
        >>> few_reports([0, 2], (5,))
        '2 of 5 categories have an expected report count below 30: 0, 2'
        >>> few_reports([0, 5], (2, 3))
        '2 of 6 cells have an expected report count below 30: (0, 0), (1, 2)'
        >>> few_reports([0, 5], (2, 3)).cells
        (0, 5)
    """

    __slots__ = ("_cells", "code")
    code: str
    _cells: npt.NDArray[np.unsignedinteger[Any]]

    def __new__(cls, text: str, code: str, cells: Cells = ()) -> Caution:
        """Make the sentence."""
        self = super().__new__(cls, text)
        self.code = code
        places = np.asarray(cells, dtype=np.int64)
        self._cells = places.astype(np.min_scalar_type(places.max(initial=0)))
        return self

    @property
    def cells(self) -> tuple[int, ...]:
        """Flat indices of all the cells that it is about."""
        return tuple(self._cells.tolist())

    def __reduce__(self) -> tuple[type[Caution], tuple[str, str, npt.NDArray[Any]]]:
        return Caution, (str(self), self.code, self._cells)


def few_reports(cells: Cells, shape: tuple[int, ...]) -> Caution:
    """Return the caution about cells, by flat index, that few reports are expected to support."""
    of, what = prod(shape), "categories" if len(shape) == 1 else "cells"
    shown = ", ".join(_place(int(cell), shape) for cell in cells[:_SHOWN])
    shown += ", ..." if len(cells) > _SHOWN else ""
    text = f"{len(cells)} of {of} {what} have an expected report count below 30: {shown}"
    return Caution(text, FEW_REPORTS, cells)


def _place(cell: int, shape: tuple[int, ...]) -> str:
    if len(shape) == 1:
        return str(cell)
    return str(tuple(int(i) for i in np.unravel_index(cell, shape)))


def no_stderr(method: str) -> Caution:
    """Return the caution about a method without a formula for its standard errors."""
    text = (
        f"no formula for the standard errors of the method {method!r}: "
        f"use sudare.bootstrap(mechanism, counts, method={method!r})"
    )
    return Caution(text, NO_STDERR)


def biased(method: str) -> Caution:
    """Return the caution about a bootstrap of a method that may be biased."""
    text = (
        f"a bootstrap knows the spread of {method!r} and not its bias: "
        "near 0 and 1 its intervals may hold the truth less often than stated"
    )
    return Caution(text, BIASED)


def on_the_average(method: str) -> Caution:
    """Return the caution about a method whose intervals are right on the average over all cells."""
    text = (
        f"intervals of the method {method!r} hold the truth on the average over the categories: "
        "of one that was chosen for its share they may hold it less often"
    )
    return Caution(text, BIASED)


def few_categories(method: str) -> Caution:
    """Return the caution about a method for many categories that was used for few."""
    text = (
        f"of {MANY - 1} or fewer categories the method {method!r} can err some per cent more than "
        "'unbiased', which it was made to better"
    )
    return Caution(text, FEW_CATEGORIES)


def not_certain(gap: float) -> Caution:
    """Return the caution about a search that ended before it was sure of the maximum."""
    text = f"the likelihood may be up to {gap:.2g} nats below its maximum: the search has ended"
    return Caution(text, NOT_CERTAIN)
