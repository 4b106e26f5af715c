"""The seam: units, their counts, and what the merging refuses."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import sudare as sd
from sudare.engines import Job, Partial, Plan, count_unit, merge, plan
from tests.cases import cases

GRR = sd.GRR(5, 1.0)
REPORTS = np.arange(1000, dtype=np.uint8) * 7 % 5


@pytest.fixture
def path(tmp_path: Path) -> Path:
    out = tmp_path / "reports.parquet"
    parquet.write_table(pa.table({"report": REPORTS}), out, row_group_size=300)
    return out


@pytest.fixture
def todo(path: Path) -> Plan:
    return plan(path, Job.of(GRR), rows=300)


def counted(todo: Plan) -> list[Partial]:
    return [count_unit(unit, todo.job) for unit in todo.units]


def test_units_are_row_groups_and_their_counts_add_up(todo: Plan) -> None:
    assert [(one.start, one.stop, one.rows, one.before) for one in todo.units] == [
        (0, 1, 300, 0), (1, 2, 300, 300), (2, 3, 300, 600), (3, 4, 100, 900)
    ]  # fmt: skip
    assert todo.rows == 1000
    expected = GRR.aggregate(REPORTS)
    assert merge(counted(todo), todo) == expected
    assert merge(reversed(counted(todo)), todo) == expected


def test_all_of_it_can_be_pickled(todo: Plan) -> None:
    sent: Plan = pickle.loads(pickle.dumps(todo))
    assert sent == todo
    back = [pickle.loads(pickle.dumps(one)) for one in counted(sent)]
    assert merge(back, todo) == GRR.aggregate(REPORTS)


def refused(parts: list[Partial], todo: Plan) -> str:
    with pytest.raises(sd.EstimationError) as error:
        merge(parts, todo)
    return str(error.value)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda parts: [*parts, parts[1]], "unit 1:2 of reports.parquet was counted twice"),
        (lambda parts: parts[1:], "1 are missing, first unit 0:1 of reports.parquet"),
        (lambda parts: [replace(parts[0], rows=299), *parts[1:]], "as many rows"),
        (lambda parts: [replace(parts[0], counts=parts[3].counts), *parts[1:]], "as many rows"),
        (lambda parts: [replace(parts[0], job="0"), *parts[1:]], "one mechanism"),
        (lambda parts: [replace(parts[0], unit=replace(parts[0].unit, stamp="")), *parts[1:]],
         "was not planned"),
    ],
)  # fmt: skip
def test_merging_refuses(todo: Plan, change: Callable[[Any], list[Partial]], word: str) -> None:
    assert word in refused(change(counted(todo)), todo)


def test_parts_of_another_mechanism_or_column_are_refused(path: Path, todo: Plan) -> None:
    other = plan(path, Job.of(sd.GRR(5, 2.0)), rows=300)
    assert other.units == todo.units
    assert "one mechanism" in refused(counted(other), todo)


def test_a_file_that_changes_is_refused(path: Path, todo: Plan) -> None:
    parquet.write_table(pa.table({"report": REPORTS[::-1]}), path, row_group_size=500)
    with pytest.raises(sd.DomainError, match="must not change"):
        count_unit(todo.units[0], todo.job)
    path.unlink()
    with pytest.raises(sd.DomainError, match="does not exist"):
        count_unit(todo.units[0], todo.job)


def test_a_copy_of_a_file_is_the_same(path: Path, todo: Plan) -> None:
    raw = path.read_bytes()
    path.unlink()
    path.write_bytes(raw)
    assert merge(counted(todo), todo) == GRR.aggregate(REPORTS)


@cases("wrong", [5, None])
def test_a_wrong_cell_is_named_by_its_place(tmp_path: Path, wrong: int | None) -> None:
    cells: list[int | None] = REPORTS.tolist()
    cells[650] = wrong
    path = tmp_path / "wrong.parquet"
    parquet.write_table(pa.table({"report": cells}), path, row_group_size=300)
    todo = plan(path, Job.of(GRR), rows=10**6)
    with pytest.raises(sd.ReportError) as error:
        counted(todo)
    assert str(error.value) == (
        "report must hold reports of GRR(k=5, epsilon=1.0) alone; "
        "look at row 651 of wrong.parquet, row group 2"
    )


def test_no_report_at_all_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.parquet"
    parquet.write_table(pa.table({"report": REPORTS[:0]}), path)
    todo = plan(path, Job.of(GRR))
    with pytest.raises(sd.ReportError, match="at least one report"):
        merge(counted(todo), todo)
