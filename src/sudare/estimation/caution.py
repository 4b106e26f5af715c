"""``Caution``: a sentence about an estimate that its reader should know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

FEW_REPORTS = "few-reports"
NO_STDERR = "no-stderr"

_SHOWN = 8

Cells = Sequence[int] | npt.NDArray[np.intp]


class Caution(str):
    """A sentence (it is the string), with its code and the cells that it is about.

    Attributes:
        code: ``"few-reports"`` or ``"no-stderr"``, for programs.

    Examples:
        >>> few_reports([0, 2], 5)
        '2 of 5 categories have an expected report count below 30: 0, 2'
        >>> few_reports([0, 2], 5).cells
        (0, 2)
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


def few_reports(cells: Cells, of: int) -> Caution:
    """Return the caution about cells that too few reports are expected to support."""
    shown = ", ".join(str(cell) for cell in cells[:_SHOWN])
    shown += ", ..." if len(cells) > _SHOWN else ""
    text = f"{len(cells)} of {of} categories have an expected report count below 30: {shown}"
    return Caution(text, FEW_REPORTS, cells)


def no_stderr(method: str) -> Caution:
    """Return the caution about a method without a formula for its standard errors."""
    text = (
        f"no formula for the standard errors of the method {method!r}: "
        f"use sudare.bootstrap(mechanism, counts, method={method!r})"
    )
    return Caution(text, NO_STDERR)
