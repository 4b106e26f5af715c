"""The embedded engine: units over the threads of this process, in memory that does not grow."""

from __future__ import annotations

from sudare.engines.jobs import AnyCounts
from sudare.engines.merging import Merger
from sudare.engines.partial import count_unit
from sudare.engines.planning import Plan
from sudare.exact import as_integer
from sudare.files.places import Progress, no_progress
from sudare.threads import in_threads_ahead


def tally(
    todo: Plan, *, threads: int | None = None, progress: Progress = no_progress
) -> tuple[AnyCounts, ...]:
    """Count all units of a plan over threads.

    Args:
        todo: what :func:`~sudare.engines.plan` returned.
        threads: how many; None for one a processor (or ``SUDARE_THREADS``). The
            counts are the same.
        progress: shows how far it is.

    Returns:
        One Counts, or one for each question of a collection.

    Raises:
        ReportError, DomainError: as :func:`~sudare.engines.count_unit`, of the first wrong unit.
    """
    merger = Merger(todo)
    number = threads_of(threads)
    parts = in_threads_ahead(lambda unit: count_unit(unit, todo.job), todo.units, number)
    for part in progress(parts, len(todo.units), "counting reports"):
        merger.add(part)
    return merger.total()


def threads_of(threads: int | None) -> int | None:
    """Return a checked number of threads, or None."""
    return None if threads is None else as_integer(threads, "threads", low=1, high=1024)
