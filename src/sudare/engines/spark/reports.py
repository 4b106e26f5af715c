"""Files of reports, counted by Spark: as :func:`sudare.files.read_reports` counts them here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from sudare.engines.jobs import COLUMN, Job
from sudare.engines.planning import files_of, plan
from sudare.engines.spark.plans import count_plan
from sudare.estimation import Counts
from sudare.files.places import Progress, Where, no_progress
from sudare.files.reports import Reports, described
from sudare.mechanisms import Mechanism


def read_reports(
    paths: Sequence[Where],
    session: Any,
    mechanism: Mechanism | None = None,
    *,
    column: str = COLUMN,
    encoding: str | None = None,
    progress: Progress = no_progress,
) -> Reports:
    """Count files of reports of one mechanism on the executors of Spark.

    Args:
        paths: files or folders; every executor must reach them under the same paths.
        session: a ``SparkSession``.
        mechanism, column, encoding, progress: as of :func:`sudare.files.read_reports`, and its
            errors.

    Raises:
        EngineError, EstimationError: as :func:`sudare.engines.spark.count_plan`.
    """
    files = files_of(paths)
    what = described(files, mechanism)
    todo = plan(files, Job.of(what.mechanism, column), encoding=encoding)
    (counts,) = count_plan(todo, session, progress=progress)
    return Reports(what.mechanism, what.categories, cast("Counts", counts))
