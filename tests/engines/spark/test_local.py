"""Spark on this machine: the counts of one thread, and its refusals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import sudare as sd
from sudare.engines import Job, Plan, count_unit, plan
from sudare.engines.embedded import tally
from sudare.engines.spark import frames, plans, wire
from sudare.errors import DomainError, EngineError, EstimationError, ReportError
from tests.engines.spark.sources import FILES, MECHANISMS, ROWS, one_thread, planned

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("name", MECHANISMS)
def test_equals_one_thread_and_several(local: Any, tmp_path: Path, name: str) -> None:
    todo = planned(tmp_path, name)
    expected = one_thread(todo)
    assert tally(todo, threads=4) == expected
    assert plans.count_plan(todo, local) == expected
    frame = local.read.parquet(str(tmp_path)).repartition(5)
    columns = todo.job.columns
    found = sd.spark.counts(frame, MECHANISMS[name], column=list(columns), rows=FILES * ROWS)
    assert found == expected[0]


def test_tables_of_a_catalogue_and_of_a_database(local: Any, tmp_path: Path) -> None:
    """By JDBC in three partitions, from the database that comes with Spark."""
    (tmp_path / "data").mkdir()
    todo = planned(tmp_path / "data", "GRR")
    local._jvm.java.lang.System.setProperty("derby.system.home", str(tmp_path))
    url, parts = "jdbc:derby:memory:reports;create=true", {"lowerBound": 0, "upperBound": 40}
    frame = local.read.parquet(str(tmp_path / "data"))
    frame.write.option("path", str(tmp_path / "table")).saveAsTable("reports")
    frame.write.jdbc(url, "reports")
    sources = [
        local.table("reports"),
        local.read.jdbc(url, "reports", column="report", numPartitions=3, **parts),
    ]
    local.sql("DROP TABLE reports")
    for source in sources:
        found = sd.spark.counts(source, MECHANISMS["GRR"], column="report", rows=FILES * ROWS)
        assert (found,) == one_thread(todo)


def test_tells_how_far_it_is(local: Any, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []

    def progress(items: Iterable[Any], total: int | None, what: str) -> Iterator[Any]:
        for number, item in enumerate(items, 1):
            seen.append((number, total))
            yield item

    todo = planned(tmp_path, "GRR")
    assert plans.count_plan(todo, local, progress=progress, tasks=3) == one_thread(todo)
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_refuses_what_one_thread_refuses(local: Any, tmp_path: Path) -> None:
    """With the same words: file, row group, row and column, and no value."""
    cases = {
        "null": pa.array([0, 1, None, 3]),
        "outside": pa.array([0, 1, 777, 3]),
        "text": pa.array(["0", "1", "secret", "3"]),
    }
    job = Job.of(sd.GRR(4, 1.0))
    for name, cells in cases.items():
        parquet.write_table(pa.table({"report": cells}), tmp_path / f"{name}.parquet")
    todo = plan([tmp_path / f"{name}.parquet" for name in cases], job)
    for unit in todo.units:
        with pytest.raises(ReportError) as here:
            count_unit(unit, job)
        with pytest.raises(ReportError) as there:
            plans.count_plan(Plan(job, (unit,)), local)
        assert str(there.value) == str(here.value)
        assert unit.name in str(there.value)
        with pytest.raises(ReportError, match="must hold reports of GRR") as frame:
            sd.spark.counts(local.read.parquet(unit.path), sd.GRR(4, 1.0))
        told = str(there.value) + str(frame.value)
        assert "777" not in told
        assert "secret" not in told


def test_refuses_a_file_that_changed(local: Any, tmp_path: Path) -> None:
    todo = planned(tmp_path, "GRR")
    parquet.write_table(pa.table({"report": [1]}), todo.units[-1].path)
    with pytest.raises(DomainError, match="must not change while it is counted"):
        plans.count_plan(todo, local)


def test_refuses_other_frames(local: Any) -> None:
    reports = local.createDataFrame([(0, 1), (1, 1)], "report int, `other one` int")
    m = sd.GRR(2, 1.0)
    assert sd.spark.counts(reports, m, column="other one").support.tolist() == [0, 2]
    with pytest.raises(DomainError, match="one of the frame's columns, got 'nothing'"):
        sd.spark.counts(reports, m, column="nothing")
    with pytest.raises(EstimationError, match="rows must be those counted, 2"):
        sd.spark.counts(reports, m, rows=3)
    with pytest.raises(ReportError, match="must hold at least one report"):
        sd.spark.counts(reports.limit(0), m)
    broken = reports.selectExpr("raise_error('at 42') as report")
    with pytest.raises(EngineError, match="could not finish"):
        sd.spark.counts(broken, m)


def test_a_column_of_any_name_is_counted(local: Any) -> None:
    """A dot leads into a structure, and a backtick ends a name, unless both are quoted."""
    m, one = sd.GRR(2, 1.0), local.createDataFrame([(0, 1), (1, 1)], "x int, y int")
    for name in ("a.b", "a`b", "a.b`c", "`x`", "é.ü", "a b", " ", "a,b", "*", "x.*", "`"):
        frame = one.toDF(name, "a")
        assert sd.spark.counts(frame, m, column=name).support.tolist() == [1, 1], name
    joint = sd.JointRR([2, 2], gamma=3)
    pairs = sd.spark.counts(one.toDF("a.b", "a.c"), joint, column=["a.c", "a.b"])
    assert pairs == joint.aggregate([[1, 0], [1, 1]])
    halves = local.createDataFrame([(0.5,)], "x double").toDF("a.b")
    with pytest.raises(ReportError, match=r"a\.b must hold .* is of the type double"):
        sd.spark.counts(halves, m, column="a.b")


def test_spark_reads_a_folder_that_was_written(local: Any, tmp_path: Path) -> None:
    m = sd.GRR(2, 1.0)
    for number in range(2):
        sd.files.write_reports(tmp_path / f"{number}.parquet", m, [m.perturb([0, 1] * 20)])
    frame = local.read.parquet(str(tmp_path))
    assert frame.columns == ["report"]
    assert sd.spark.counts(frame, m) == sd.engines.counts_from(tmp_path)[0]


def test_refuses_units_twice_or_missing(
    local: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    todo = planned(tmp_path, "GRR")
    shown = plans._shown
    for rule, change in (
        ("counted twice", lambda rows: [*rows, rows[0]]),
        ("1 are missing", lambda rows: rows[1:]),
    ):
        monkeypatch.setattr(plans, "_shown", lambda *given, change=change: change(shown(*given)))
        with pytest.raises(EstimationError, match=rule):
            plans.count_plan(todo, local)
    collected = [(0, "[0, []]", None)] * 2
    with pytest.raises(EstimationError, match="partition 0 came back twice"):
        frames._sum(collected, todo.job, None)


def test_refuses_another_version(
    local: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    todo = planned(tmp_path, "GRR")
    monkeypatch.setattr(wire, "__version__", "99.0")
    with pytest.raises(EngineError, match=r"must have Sudare 99\.0 .* found 0"):
        plans.count_plan(todo, local)
