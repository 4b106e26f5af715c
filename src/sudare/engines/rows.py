"""Reports of several columns side by side, read over threads: for tables of some of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sudare.engines.embedded import threads_of
from sudare.engines.partial import each_batch
from sudare.engines.planning import Plan
from sudare.errors import WrongTypeError
from sudare.files.places import Progress, no_progress
from sudare.files.wire import rows_of
from sudare.mechanisms import JointRR
from sudare.mechanisms.joint.rows import as_reports
from sudare.samplers.base import index_dtype
from sudare.threads import in_threads_ahead


def read_rows(
    todo: Plan, *, threads: int | None = None, progress: Progress = no_progress
) -> npt.NDArray[np.unsignedinteger[Any]]:
    """Return the reports of a joint mechanism, checked: (n, columns) in the smallest type.

    Raises:
        WrongTypeError: another mechanism.
        ReportError, DomainError: as :func:`~sudare.engines.count_unit`.
    """
    mechanism = todo.job.mechanism
    if not isinstance(mechanism, JointRR):
        raise WrongTypeError("mechanism", "must be sudare.JointRR", "count others by tally")
    kind = index_dtype(max(mechanism.sizes))

    def work(cells: Sequence[Any]) -> npt.NDArray[Any]:
        rows = rows_of(cells, mechanism)
        one = np.asarray(rows).reshape(-1, len(mechanism.sizes))
        return as_reports(one, mechanism.sizes).astype(kind)

    def read(unit: Any) -> list[npt.NDArray[Any]]:
        return [rows for _, rows in each_batch(unit, todo.job, work)]

    parts = in_threads_ahead(read, todo.units, threads_of(threads))
    shown = progress(parts, len(todo.units), "reading reports")
    empty = np.zeros((0, len(mechanism.sizes)), dtype=kind)
    return np.concatenate([empty, *(rows for part in shown for rows in part)])
