"""``Synthesis``: made-up rows, and the report of the tables that they were made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sudare import frames
from sudare.exact import exact_text
from sudare.ledger import Cost


@dataclass(frozen=True, slots=True)
class TableReport:
    """A measured table, and how far the made-up rows are from it.

    Attributes:
        columns: one or two.
        cells: of a column those that stand for themselves in pairs, and one for the rare ones.
        cost: its part of the price.
        stderr: of the noise of each cell, in rows.
        distance: total variation, ``½ Σ |share of the rows - count / n|``, of the made-up rows'
            table and the counts with their noise.
        noise: about so large is that distance by the noise alone.
    """

    columns: tuple[str, ...]
    cells: int
    cost: Cost
    stderr: float
    distance: float
    noise: float

    def record(self) -> dict[str, Any]:
        """Return it as a row of a table."""
        return {
            "table": " × ".join(self.columns),
            "cells": self.cells,
            "unit": self.cost.unit,
            "price": exact_text(self.cost.amount),
            "stderr": self.stderr,
            "distance": self.distance,
            "noise": self.noise,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Synthesis:
    """Made-up rows.

    Attributes:
        columns: from a column to its values, None where a row is in no category or has no number.
        tables: what was measured: each column, then the chosen pairs.
        rows: how many there are.
    """

    columns: Mapping[str, list[Any]] = field(repr=False)
    tables: tuple[TableReport, ...]
    rows: int

    def frame(self, library: str = "pandas") -> Any:
        """Return the rows as a data frame of pandas, polars or pyarrow.

        Raises:
            DomainError: another library.
            MissingExtraError: it is not installed.
        """
        return frames.build(self.columns, library)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows, a dictionary each."""
        names = list(self.columns)
        lists = zip(*self.columns.values(), strict=True)
        return [dict(zip(names, values, strict=True)) for values in lists]

    def report(self) -> list[dict[str, Any]]:
        """Return what was measured, what it cost, and how far the rows' tables lie from it."""
        return [one.record() for one in self.tables]
