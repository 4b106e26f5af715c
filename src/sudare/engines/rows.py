"""Reports of several columns side by side, read over threads: for tables of some of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.engines.embedded import threads_of
from sudare.engines.merging import check_rows
from sudare.engines.partial import each_batch
from sudare.engines.planning import Plan
from sudare.engines.units import Unit
from sudare.files.places import Progress, no_progress
from sudare.threads import in_threads_ahead

Rows = npt.NDArray[np.unsignedinteger[Any]]

UNIT_BYTES = 1 << 23
"""Of a unit: larger ones are read by one thread, none ahead, as a few of them are much memory."""


@dataclass(frozen=True, slots=True, eq=False)
class UnitRows:
    """The rows of a unit, in the parts in which they were read.

    Attributes:
        rows: how many.
        parts: (n, columns) each.
    """

    rows: int
    parts: list[Rows]


def read_units(todo: Plan, *, threads: int | None = None) -> Iterator[UnitRows]:
    """Yield the reports of each unit, checked, in the smallest type; a few units are read ahead.

    Raises:
        WrongTypeError: of another mechanism than a joint one.
        ReportError, DomainError: as :func:`~sudare.engines.count_unit`.
        EstimationError: a unit has other rows than its file says.
    """
    job, number = todo.job, threads_of(threads)
    most = max((unit.rows or 0 for unit in todo.units), default=0) * len(job.columns)

    def read(unit: Unit) -> UnitRows:
        parts = [rows for _, rows in each_batch(unit, job, job.rows)]
        found = UnitRows(sum(map(len, parts)), parts)
        check_rows(unit, found.rows)
        return found

    return in_threads_ahead(read, todo.units, 1 if most > UNIT_BYTES else number)


def read_rows(todo: Plan, *, threads: int | None = None, progress: Progress = no_progress) -> Rows:
    """Return the reports of a joint mechanism, checked: (n, columns) in the smallest type.

    Raises:
        SudareError: as :func:`read_units`.
    """
    units = progress(read_units(todo, threads=threads), len(todo.units), "reading reports")
    return np.concatenate([todo.job.no_rows, *(part for unit in units for part in unit.parts)])
