"""Every table of a wide survey equals the table made on its own."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import sudare as sd
from sudare.mechanisms.joint import JointRR, tables as module
from sudare.mechanisms.joint.tables import joint_tables, table_count
from tests.cases import cases


def _survey(sizes: list[int], n: int) -> tuple[JointRR, np.ndarray]:
    j = JointRR(sizes, epsilon=[0.5 + i for i in range(len(sizes))])
    rows = np.random.default_rng(1).integers(0, sizes, (n, len(sizes)))
    return j, j.perturb(rows, rng=sd.Entropy.seeded(b"tables"))


WIDE = [[300, 2, 300, 3], [256, 3, 256], [300, 3, 2], [2, 65536]]


@cases("sizes", [[3], [3, 2], [3, 2, 4, 5, 2], *WIDE])
@cases("target", ["population", "respondents"])
def test_each_table_is_the_one_made_alone(sizes: list[int], target: str) -> None:
    j, reports = _survey(sizes, 700)
    for order in range(1, len(sizes) + 1):
        tables = list(joint_tables(j, reports, order, target))
        assert [t.axes for t in tables] == list(combinations(range(len(sizes)), order))
        assert len(tables) == table_count(j, order)
        for table in tables:
            sub = j.subset(table.axes)
            assert table.counts == sub.aggregate(reports[:, table.axes])
            alone = sub.estimate(table.counts, target=target)
            assert np.array_equal(table.estimate.shares, alone.shares)
            assert np.array_equal(table.estimate.stderr, alone.stderr)


@cases("dtype", ["u1", "i1", "u2", ">i4", "i8", "u8", ">u8"])
def test_reports_of_any_whole_numbers(dtype: str) -> None:
    j, reports = _survey([5, 3, 4], 300)
    plain = [table.counts for table in joint_tables(j, reports, 2)]
    assert [table.counts for table in joint_tables(j, reports.astype(dtype), 2)] == plain
    assert [table.counts for table in joint_tables(j, reports.tolist(), 2)] == plain
    assert j.aggregate(reports.astype(dtype)) == j.aggregate(reports)


def test_large_tables_are_made_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    j, reports = _survey([4, 3, 5, 2, 6], 200)
    plain = [(table.axes, table.counts) for table in joint_tables(j, reports, 3)]
    made: list[int] = []
    tables = module._tables

    def noted(*given: Any) -> list[module.Table]:
        out = tables(*given)
        made.append(sum(table.counts.support.size for table in out) if len(out) > 1 else 0)
        return out

    monkeypatch.setattr(module, "_tables", noted)
    monkeypatch.setattr(module, "BATCH_CELLS", 100)
    assert [(table.axes, table.counts) for table in joint_tables(j, reports, 3)] == plain
    assert 0 < max(made) <= 100


def test_categories_that_nobody_reports() -> None:
    j = JointRR([5, 4, 3], gamma=3)
    reports = np.zeros((20, 3), dtype=np.uint8)
    for table in joint_tables(j, reports, 2):
        assert table.counts.support.flat[0] == 20
        assert table.counts.support.sum() == 20


def test_leaving_early_ends_the_threads() -> None:
    j, reports = _survey([4] * 8, 1_000)
    stream = joint_tables(j, reports, 3)
    assert next(stream).axes == (0, 1, 2)
    stream.close()


@cases("order", [0, 4, -1, 1.5, True, "2", None])
def test_bad_order(order: object) -> None:
    j, reports = _survey([3, 2, 4], 10)
    with pytest.raises(sd.SudareError):
        joint_tables(j, reports, order)


@cases("reports", [None, [], [[1, 1]], [[3, 0, 0]], [[0, 0, 0.5]], np.zeros((0, 3), dtype=int)])
def test_bad_reports(reports: object) -> None:
    with pytest.raises(sd.SudareError):
        joint_tables(_survey([3, 2, 4], 10)[0], reports, 2)


def test_work_that_is_too_large_is_refused_before_it_starts() -> None:
    wide = JointRR([20] * 30, gamma=3)
    rows = np.zeros((1, 30), dtype=np.uint8)
    for order in (6, 12):
        with pytest.raises(sd.DomainError, match="order"):
            joint_tables(wide, rows, order)
    with pytest.raises(sd.DomainError, match="order"):
        table_count(JointRR([2**20] * 1_000, gamma=3), 1_000)
    uneven = JointRR([2, 2, 2**13, 2**13], gamma=3)
    with pytest.raises(sd.DomainError, match="order"):
        joint_tables(uneven, rows[:, :4], 2)
    many = JointRR([2] * 200, gamma=3)
    with pytest.raises(sd.DomainError, match="tables"):
        joint_tables(many, np.zeros((1, 200), dtype=np.uint8), 5)
    with pytest.raises(sd.WrongTypeError):
        joint_tables(sd.GRR(3, 1.0), [[1]], 1)
    with pytest.raises(sd.DomainError, match="target"):
        joint_tables(wide, rows, 2, "people")
