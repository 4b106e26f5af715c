"""``Numbers``: a column with bounds, in whole steps of a public grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from sudare.arrays import Booleans, Integers
from sudare.errors import DomainError, WrongTypeError
from sudare.release.column import Column
from sudare.release.grid import Scale
from sudare.release.kinds import TIMES
from sudare.release.protection import NeighbourRelation

Policy = Literal["refuse", "drop"]
Outside = Literal["clamp", "refuse"]

WHAT_COUNTS = (
    "a number is written in ASCII digits, as 1000 or 3.5, and a date as 2024-01-05; "
    "any other cell, such as 1,000, ３, 50% or 2024/1/5, is missing"
)
"""What is said of every column of text that is read as numbers: which cells are is private."""

_NONE: Integers = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column with bounds, in whole steps of its grid.

    Attributes:
        head: the column, without its rows where these are read when they are asked for.
        scale: its bounds and grid.
        missing: ``"refuse"`` or ``"drop"``.
        outside: ``"clamp"`` or ``"refuse"``.
        size_is_public: how many numbers there are tells nothing.
        read: gives the column with its rows, and their steps.
    """

    head: Column
    scale: Scale
    missing: Policy
    outside: Outside
    size_is_public: bool
    read: Callable[[], tuple[Column, Integers]]

    @classmethod
    def of(
        cls,
        column: Column,
        bounds: Any,
        grid: Any,
        missing: Policy,
        outside: Outside,
        protection: NeighbourRelation,
        *,
        said: str | None = None,
        looks: bool = True,
    ) -> Numbers:
        """Return a column between its bounds; arguments as of :class:`Held`.

        Args:
            said: what it is said to hold, which settles the grid; None as its type is.
            looks: whether what is refused is looked for.
        """
        where = f"column {column.name}"
        if column.kind != "number" and column.kind not in TIMES:
            raise WrongTypeError(where, "must be numbers", "bounds are for numbers")
        # where numbers may be missing, what kind they are in memory may depend on whether one is
        is_loose = missing == "drop" if said is None else said == "number"
        own = None if column.kind == "number" and is_loose else column.step
        scale = Scale.of(bounds, grid, own, f"bounds.{column.name}", column.amount)
        public = missing != "drop" and protection.size_is_public
        numbers = cls(column, scale, missing, outside, public, lambda: (column, _NONE))
        return numbers.of_rows(column) if looks else numbers

    def of_rows(self, column: Column) -> Numbers:
        """Return these rows between the same bounds.

        Raises:
            DomainError: a number is missing or outside, and that is refused.
        """
        where = f"column {column.name}"
        if self.missing == "refuse" and column.missing.any():
            remedy = f'{WHAT_COUNTS}: correct the cells, or give missing="drop"'
            raise DomainError(where, "must not have missing numbers", remedy)
        steps, beyond = column.steps(self.scale)
        if self.outside == "refuse" and beyond:
            raise DomainError(where, "must lie within the bounds", 'or give outside="clamp"')
        return replace(self, head=column, read=lambda: (column, steps))

    @cached_property
    def _rows(self) -> tuple[Column, Integers]:
        return self.read()

    @property
    def column(self) -> Column:
        """The column that it was read from."""
        return self._rows[0]

    @property
    def steps(self) -> Integers:
        """The steps of all rows, 0 where a number is missing."""
        return self._rows[1]

    @property
    def values(self) -> Integers:
        """The steps of the rows that have a number."""
        return self.steps if not self.column.missing.any() else self.steps[~self.column.missing]

    def where(self, rows: slice | Booleans) -> Numbers:
        """Return some of the rows."""
        column, steps = self.column.where(rows), self.steps[rows]
        return replace(self, head=column, read=lambda: (column, steps))

    def emptied(self) -> Numbers:
        """Return the column without its rows."""
        head = self.head.emptied()
        return replace(self, head=head, read=lambda: (head, _NONE))

    def query(self, kind: str, **more: Any) -> dict[str, Any]:
        """Return what stands in the ledger of a query about it."""
        return {
            "query": kind,
            **more,
            "column": self.head.name,
            "bounds": [str(self.scale.low), str(self.scale.high)],
            "grid": str(self.scale.step),
            "missing": self.missing,
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """In what unit an answer is, where that is no plain number."""
        return (f"numbers are {self.head.words}",) if self.head.words else ()
