"""Adding the parts: each unit once, all of them, of one job."""

from __future__ import annotations

from collections.abc import Iterable
from operator import add

from sudare.engines.jobs import AnyCounts
from sudare.engines.partial import Partial
from sudare.engines.planning import Plan
from sudare.engines.units import Unit
from sudare.errors import EstimationError, ReportError


class Merger:
    """Adds parts as they come, in any order, and keeps none of them."""

    def __init__(self, plan: Plan) -> None:
        self._job = plan.job.fingerprint
        self._columns = plan.job.columns
        self._missing = set(plan.units)
        self._planned = frozenset(plan.units)
        self._total: tuple[AnyCounts, ...] = ()

    def add(self, part: Partial) -> None:
        """Add a part.

        Raises:
            EstimationError: its unit was counted before or not planned, its rows are not those
                that the footer says or that its counts have, or it is of another mechanism.
        """
        unit = part.unit
        if part.job != self._job:
            raise _refusal(f"must all be of one mechanism and columns; {unit.place} is not")
        if unit not in self._missing:
            again = "was counted twice" if unit in self._planned else "was not planned"
            raise _refusal(f"must be of each planned unit once; {unit.place} {again}")
        check_rows(unit, part.rows, *({one.n for one in part.counts} or {0}))
        self._missing.remove(unit)
        if part.counts:
            self._total = tuple(map(add, self._total, part.counts)) if self._total else part.counts

    def total(self) -> tuple[AnyCounts, ...]:
        """Return the sums of all parts.

        Raises:
            EstimationError: a planned unit is missing.
            ReportError: there was not a single report.
        """
        if self._missing:
            first = min(self._missing, key=lambda unit: (unit.path, unit.start))
            missing = f"{len(self._missing)} are missing, first {first.place}"
            raise _refusal(f"must be of each planned unit; {missing}")
        if not self._total or self._total[0].n == 0:
            column = ", ".join(self._columns)
            raise ReportError(column, "must hold at least one report", "choose another file")
        return self._total


def merge_all(parts: Iterable[Partial], plan: Plan) -> tuple[AnyCounts, ...]:
    """Return the sums of all parts: one for each question of a collection.

    Raises:
        EstimationError: a unit counted twice, missing or not planned, rows that differ from the
            footer, or another mechanism.
        ReportError: there was not a single report.
    """
    merger = Merger(plan)
    for part in parts:
        merger.add(part)
    return merger.total()


def merge(parts: Iterable[Partial], plan: Plan) -> AnyCounts:
    """Return the counts of one mechanism, as :func:`merge_all`.

    Examples:
        >>> import pyarrow as pa
        >>> from pyarrow import parquet
        >>> import sudare as sd
        >>> parquet.write_table(pa.table({"report": [0, 1] * 50}), "r.parquet", row_group_size=40)
        >>> todo = sd.engines.plan("r.parquet", sd.engines.Job.of(sd.GRR(2, 1.0)), rows=40)
        >>> parts = [sd.engines.count_unit(unit, todo.job) for unit in todo.units]
        >>> merge(parts, todo)
        Counts(support=[50, 50], n=100)
        >>> merge(parts[1:], todo)
        Traceback (most recent call last):
        sudare.errors.EstimationError: parts must be of each planned unit; 1 are missing, ...
    """
    if plan.job.whole:
        raise EstimationError("plan", "is about a collection", "use merge_all")
    (counts,) = merge_all(parts, plan)
    return counts


def check_rows(unit: Unit, *rows: int) -> None:
    """Refuse numbers of a unit's rows that differ, or are not the one that its file says."""
    said = set() if unit.rows is None else {unit.rows}
    if len(said.union(rows)) > 1:
        raise _refusal(f"must have as many rows as the file says; {unit.place} has not")


def _refusal(rule: str) -> EstimationError:
    return EstimationError("parts", rule, "count the plan again")
