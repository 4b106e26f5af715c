"""All tables of several attributes from files, in memory that does not grow with their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import prod
from typing import TypeAlias, cast

import numpy as np

from sudare.engines.jobs import AnyCounts, Job
from sudare.engines.planning import Plan
from sudare.engines.rows import Rows, read_units
from sudare.errors import ReportError
from sudare.estimation import Counts
from sudare.estimation.estimate import Target, check_target
from sudare.files.places import Progress, no_progress
from sudare.mechanisms.joint.base import Joint
from sudare.mechanisms.joint.grouped import Axes
from sudare.mechanisms.joint.tables import Table, estimated, joint_tables, table_count
from sudare.threads import in_threads_ahead

Count: TypeAlias = Callable[[Plan, Progress], Sequence[AnyCounts]]
"""Counts the tables of a plan's job."""

KEPT_BYTES = 1 << 25
"""Of rows that are kept: files of more are read again for each pass."""
BLOCK_BYTES = 1 << 23
"""Of rows that are added to tables at once, or a unit."""
PASS_CELLS = 1 << 22
"""Most cells of the tables that are counted in a pass; a larger table takes one of its own."""


def tables_from(
    todo: Plan,
    order: int = 2,
    target: Target = "population",
    *,
    count: Count | None = None,
    progress: Progress = no_progress,
) -> Iterator[Table]:
    """Estimate the joint distribution of every choice of ``order`` attributes from files.

    As :func:`~sudare.joint_tables` of all rows, to the last digit. Up to 32 MB of rows are
    kept; more of them are read once for each pass over tables of 4 million cells together, unit by
    unit, and their whole numbers added.

    Args:
        todo: a plan of files of a joint mechanism's reports, a column for each attribute.
        order: attributes of a table.
        target: whose shares the standard errors are about.
        count: counts the tables that a plan's job names; None for this process.
        progress: shows how far it is.

    Yields:
        :class:`~sudare.mechanisms.joint.tables.Table`, in the order of combinations.

    Raises:
        ReportError, DomainError: as :func:`~sudare.engines.count_unit`; or no report at all.
        DomainError: an order that the attributes do not allow, or tables that are too large.

    Examples:
        >>> import pyarrow as pa
        >>> from pyarrow import parquet
        >>> import sudare as sd
        >>> parquet.write_table(pa.table({"a": [0, 1], "b": [2, 0], "c": [1, 1]}), "abc.parquet")
        >>> job = Job.of(sd.JointRR([2, 3, 2], gamma=3), list("abc"))
        >>> todo = sd.engines.plan("abc.parquet", job)
        >>> [table.axes for table in tables_from(todo, order=2)]
        [(0, 1), (0, 2), (1, 2)]
    """
    mechanism = todo.job.joint
    total = table_count(mechanism, order)
    check_target(target)
    rows = None if count else kept_rows(todo, progress)
    if rows is not None:
        if not len(rows):
            raise ReportError(", ".join(todo.job.columns), "must hold at least one report")
        yield from progress(
            joint_tables(mechanism, rows, order, target), total, "estimating tables"
        )
        return
    each = list(passes(mechanism, order))
    for number, tables in enumerate(each, 1):
        show = progress if len(each) == 1 else _named(progress, f", pass {number} of {len(each)}")
        job = Job.of_tables(mechanism, todo.job.columns, tables)
        counted = (count or tally_tables)(replace(todo, job=job), show)
        pairs = zip(tables, cast("Sequence[Counts]", counted), strict=True)
        found = in_threads_ahead(lambda one: estimated(mechanism, *one, target), pairs)
        yield from show(found, len(tables), "estimating tables")


def kept_rows(todo: Plan, progress: Progress) -> Rows | None:
    """Return the rows of a plan; None where they are more than :data:`KEPT_BYTES`."""
    width = todo.job.no_rows.dtype.itemsize * len(todo.job.columns)
    if (todo.rows or 0) * width > KEPT_BYTES:
        return None
    kept, held = [todo.job.no_rows], 0
    for unit in progress(read_units(todo), len(todo.units), "reading reports"):
        kept += unit.parts
        held += unit.rows * width
        if held > KEPT_BYTES:
            return None
    return np.concatenate(kept)


def tally_tables(todo: Plan, progress: Progress = no_progress) -> tuple[Counts, ...]:
    """Count the tables of a plan's job in this process, as :func:`sudare.engines.tally` does, in
    the memory of one set of counts.

    Raises:
        SudareError: as :func:`~sudare.engines.tally`.
    """
    tally, kept, held = todo.job.tally(), [todo.job.no_rows], 0
    for unit in progress(read_units(todo), len(todo.units), "counting reports"):
        kept += unit.parts
        held += sum(part.nbytes for part in unit.parts)
        if held >= BLOCK_BYTES:
            tally.add(np.concatenate(kept))
            kept, held = [todo.job.no_rows], 0
    tally.add(np.concatenate(kept))
    return tally.counts()


def _named(progress: Progress, which: str) -> Progress:
    """Return what shows in which pass a work is."""
    return lambda items, total, what: progress(items, total, what + which)


def passes(mechanism: Joint, order: int) -> Iterator[list[Axes]]:
    """Yield the tables of each pass."""
    own: list[Axes] = []
    held = 0
    for axes in combinations(range(len(mechanism.sizes)), order):
        cells = prod(mechanism.sizes[i] for i in axes)
        if own and held + cells > PASS_CELLS:
            yield own
            own, held = [], 0
        own.append(axes)
        held += cells
    yield own
