"""All tables from files: the figures of all rows at once, whatever is kept, read again or sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sudare as sd
from sudare.engines import Job, count_unit, merge_all, plan, ranges, rows, tables, tally
from sudare.engines.tables import tables_from, tally_tables
from tests.cases import cases
from tests.engines.test_embedded import KINDS, write

SIZES = [5, 3, 300, 2]
JOINT = sd.JointRR(SIZES, epsilon=[1.0, 2.0, 3.0, 1.0])
COLUMNS = list("abcd")
N = 4_000


@pytest.fixture(scope="module")
def reports() -> np.ndarray[Any, Any]:
    values = np.random.default_rng(1).integers(0, SIZES, (N, 4))
    return JOINT.perturb(values, rng=sd.Entropy.seeded(b"tables of files"))


def saved(path: Path, reports: np.ndarray[Any, Any]) -> Path:
    return write(path, {name: pa.array(reports[:, i]) for i, name in enumerate(COLUMNS)})


@cases("order", [1, 2, 3, 4])
@cases("kind", ["parquet", "csv"])
def test_figures_are_those_of_all_rows(
    reports: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, order: int
) -> None:
    monkeypatch.setattr(ranges, "UNIT_BYTES", 5_000)
    path = saved(tmp_path / f"r.{kind}", reports)
    todo = plan(path, Job.of(JOINT, COLUMNS), rows=700)
    assert len(todo.units) > 3
    expected = list(sd.joint_tables(JOINT, reports, order))
    shown: list[tuple[str, int | None]] = []

    def show(items: Iterable[Any], total: int | None, what: str) -> Iterator[Any]:
        shown.append((what, total))
        yield from items

    def check() -> None:
        shown.clear()
        found = list(tables_from(todo, order, progress=show))
        assert [(t.axes, t.counts) for t in found] == [(t.axes, t.counts) for t in expected]
        for mine, other in zip(found, expected, strict=True):
            assert np.array_equal(mine.estimate.shares, other.estimate.shares)
            assert np.array_equal(mine.estimate.stderr, other.estimate.stderr)

    check()
    assert [what for what, _ in shown] == ["reading reports", "estimating tables"]
    monkeypatch.setattr(tables, "KEPT_BYTES", 1_000)
    monkeypatch.setattr(tables, "BLOCK_BYTES", 9_000)
    check()
    assert shown[-2:] == [("counting reports", len(todo.units)),
                          ("estimating tables", len(expected))]  # fmt: skip
    monkeypatch.setattr(tables, "PASS_CELLS", 1_000)
    monkeypatch.setattr(rows, "UNIT_BYTES", 1)
    check()
    passes = sum("counting" in what for what, _ in shown)
    assert passes == {1: 1, 2: 4, 3: 4, 4: 1}[order]
    assert shown[-1][0].endswith(f", pass {passes} of {passes}") or passes == 1


@cases("kind", KINDS)
def test_counts_of_units_add_up(
    reports: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(ranges, "UNIT_BYTES", 5_000)
    path = saved(tmp_path / f"r.{kind}", reports[:1_000])
    some = [*combinations(range(4), 2), (0, 1, 3), (3,), (0,)]
    job = Job.of_tables(JOINT, COLUMNS, some)
    todo = plan(path, job, rows=300)
    expected = tuple(JOINT.subset(axes).aggregate(reports[:1_000][:, list(axes)]) for axes in some)
    assert tally(todo) == tally_tables(todo) == expected
    assert merge_all((count_unit(unit, job) for unit in reversed(todo.units)), todo) == expected
    assert job.fingerprint != Job.of(JOINT, COLUMNS).fingerprint
    with pytest.raises(sd.EstimationError, match="one mechanism"):
        merge_all([count_unit(todo.units[0], replace(job, tables=some[:-1]))], todo)


@cases("kept", [1, 1 << 25])
def test_what_is_refused(
    reports: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    monkeypatch.setattr(tables, "KEPT_BYTES", kept)
    wrong = reports.copy()
    wrong[1_234, 1] = 3
    path = saved(tmp_path / "r.parquet", wrong)
    job = Job.of(JOINT, COLUMNS)
    todo = plan(path, job, rows=700)
    with pytest.raises(sd.ReportError, match=r"b must .*row 1235 of r.parquet, row group"):
        list(tables_from(todo))
    fine = saved(tmp_path / "fine.parquet", reports)
    todo = plan(fine, job, rows=700)
    more = replace(todo.units[0], rows=(todo.units[0].rows or 0) + 1)
    with pytest.raises(sd.EstimationError, match="as many rows as the file says"):
        list(tables_from(replace(todo, units=(more, *todo.units[1:]))))
    empty = saved(tmp_path / "empty.csv", reports[:0])
    with pytest.raises(sd.ReportError, match="at least one report"):
        list(tables_from(plan(empty, job)))
    for order, target in ((0, "population"), (5, "population"), (2, "people")):
        with pytest.raises(sd.DomainError):
            list(tables_from(todo, order, target))
    with pytest.raises(sd.WrongTypeError):
        list(tables_from(replace(todo, job=Job.of(sd.GRR(3, 1.0), "a"))))


@cases(
    "given",
    [
        (sd.GRR(3, 1.0), ["a"], [(0,)]),
        (JOINT, list("abc"), [(0, 1)]),
        (JOINT, COLUMNS, [(0, 0)]),
        (JOINT, COLUMNS, [(0, 4)]),
        (JOINT, COLUMNS, [()]),
        (JOINT, list("abca"), [(0, 1)]),
    ],
)
def test_bad_jobs(given: tuple[Any, ...]) -> None:
    with pytest.raises(sd.SudareError):
        Job.of_tables(*given)
