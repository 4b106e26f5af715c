"""Files of reports of several families, and what one thread counts in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import sudare as sd
from sudare.engines import Job, Plan, count_unit, merge_all, plan

FILES, ROWS, GROUP = 3, 4_000, 500


def planned(folder: Path, name: str) -> Plan:
    """Return the plan of a folder of Parquet files of that mechanism's reports, 24 units."""
    rng = sd.Entropy.seeded(name.encode())
    mechanism = MECHANISMS[name]
    columns = ["a", "b"] if name == "JointRR" else ["report"]
    for file in range(FILES):
        parquet.write_table(
            pa.table(dict(zip(columns, _columns(mechanism, name, rng), strict=True))),
            folder / f"{file}.parquet",
            row_group_size=GROUP,
        )
    return plan(folder, Job.of(mechanism, columns), rows=GROUP)


MECHANISMS: dict[str, Any] = {
    "GRR": sd.GRR(40, 1.0),
    "DyadicUnary": sd.DyadicUnary(20, 1.0),
    "JointRR": sd.JointRR([5, 3], epsilon=[1.0, 1.0]),
}


def _columns(mechanism: Any, name: str, rng: sd.Entropy) -> list[pa.Array]:
    values = np.arange(ROWS)
    if name == "JointRR":
        rows = mechanism.perturb(np.stack([values % 5, values % 3], axis=1), rng=rng)
        return [pa.array(rows[:, 0]), pa.array(rows[:, 1])]
    reports = mechanism.perturb(values**2 % mechanism.k, rng=rng)
    if reports.ndim == 1:
        return [pa.array(reports)]
    wire = pa.py_buffer(np.ascontiguousarray(reports))
    kind = pa.binary(reports.shape[1])
    return [pa.FixedSizeBinaryArray.from_buffers(kind, ROWS, [None, wire])]


def one_thread(todo: Plan) -> tuple[Any, ...]:
    """Return what is counted here, unit after unit."""
    return merge_all((count_unit(unit, todo.job) for unit in todo.units), todo)
