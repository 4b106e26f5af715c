"""Counting a plan by Spark: its units are divided among the executors."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from threading import Event
from typing import Any

from sudare.engines.jobs import AnyCounts
from sudare.engines.merging import Merger
from sudare.engines.partial import Partial
from sudare.engines.planning import Plan
from sudare.engines.spark.sessions import spoken
from sudare.engines.spark.wire import SCHEMA, read_answers, work
from sudare.files.places import Progress, no_progress

TASK_BYTES = 1 << 30
"""Of reports that a task counts, some seconds' work at most: beginning one takes about 0.1 s."""

_LOOK_SECONDS = 0.1


def count_plan(
    plan: Plan, session: Any, *, progress: Progress = no_progress, tasks: int | None = None
) -> tuple[AnyCounts, ...]:
    """Count the units of a plan on the executors of Spark, and merge what they return.

    Every executor must reach the files under the plan's paths.

    Args:
        plan: of :func:`sudare.engines.plan`.
        session: a ``SparkSession``; of Spark Connect too, which shows no progress.
        progress: shows how many tasks are done.
        tasks: how many there are; default one for about a gigabyte of reports, and for each core.

    Returns:
        As :func:`sudare.engines.merge_all`: one Counts, or one for each question.

    Raises:
        ReportError, DomainError: as :func:`sudare.engines.count_unit` on an executor.
        EstimationError: a unit that came back twice or not at all, or with other rows.
        EngineError: Spark could not finish, or an executor lacks this version of Sudare.
    """
    context = context_of(session)
    parts = tasks or _tasks(plan, 1 if context is None else context.defaultParallelism)
    with spoken():
        ranged = session.range(0, len(plan.units), 1, parts)
        frame = ranged.mapInArrow(work("count_units", plan.job, plan.units), SCHEMA)
        answers = frame.collect() if context is None else _shown(frame, context, parts, progress)
    merger = Merger(plan)
    job = plan.job.fingerprint
    for place, (rows, counts) in read_answers(answers):
        merger.add(Partial(plan.units[place], job, rows, counts))
    return merger.total()


def _tasks(plan: Plan, cores: int) -> int:
    """Return a number of tasks: a multiple of the cores, but at most one for each unit."""
    rows = plan.rows
    held = len(plan.units) * TASK_BYTES if rows is None else rows * plan.job.report_bytes
    rounds = -(-held // (TASK_BYTES * cores))
    return max(1, min(len(plan.units), cores * rounds))


def context_of(session: Any) -> Any:
    """Return the session's SparkContext; None of a session of Spark Connect, which has none."""
    try:
        return session.sparkContext
    except Exception as error:
        if not type(error).__module__.startswith("pyspark"):
            raise
        return None


def _shown(frame: Any, context: Any, tasks: int, progress: Progress) -> list[Any]:
    """Return the rows of a data frame, and show meanwhile how many tasks have ended."""
    from pyspark import InheritableThread

    group, ended = uuid.uuid4().hex, Event()
    rows: list[Any] = []
    errors: list[Exception] = []

    def collect() -> None:
        try:
            context.setJobGroup(group, "sudare", interruptOnCancel=True)
            rows.extend(frame.collect())
        except Exception as error:  # noqa: BLE001 - raised below, in the thread that waits
            errors.append(error)
        finally:
            ended.set()

    thread = InheritableThread(target=collect, daemon=True)
    thread.start()
    try:
        for _ in progress(_done(context, group, ended, tasks), tasks, "counting by Spark"):
            pass
        thread.join()
    except BaseException:
        context.cancelJobGroup(group)
        raise
    if errors:
        raise errors[0]
    return rows


def _done(context: Any, group: str, ended: Event, tasks: int) -> Iterator[int]:
    """Yield the number of each task that has ended, until the work has."""
    tracker = context.statusTracker()
    done = 0
    while not ended.wait(_LOOK_SECONDS):
        for job in tracker.getJobIdsForGroup(group):
            about = tracker.getJobInfo(job)
            stages = [] if about is None else map(tracker.getStageInfo, about.stageIds)
            count = sum(stage.numCompletedTasks for stage in stages if stage is not None)
            yield from range(done, min(count, tasks))
            done = max(done, min(count, tasks))
    yield from range(done, tasks)
