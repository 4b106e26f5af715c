"""The number of different values: exact before the noise, of every kind of column."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from sudare.ledger import Cost
from sudare.release import Ask, Dataset, distinct
from sudare.release.noise import Noise
from tests.cases import cases

COLUMNS: dict[str, list[Any]] = {
    "text": ["a", "b", "a", None, "B", "a"],
    "whole": [1, 2, 2, 3, None, -1],
    "fraction": [0.5, 0.25, 0.5, -0.0, 0.0, None],
    "decimal": [Decimal("1.10"), Decimal("1.1"), None, Decimal("2"), Decimal(10**25), Decimal(2)],
    "truth": [True, False, True, None, True, True],
    "day": [date(2024, 1, 1), date(2024, 1, 2), None, date(2024, 1, 1), None, None],
}
DIFFERENT = {"text": 3, "whole": 4, "fraction": 3, "decimal": 3, "truth": 2, "day": 2}


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add no noise."""
    monkeypatch.setattr(Noise, "noised", lambda noise, number, rng: number)


@cases("name", COLUMNS)
@pytest.mark.usefixtures("exact")
def test_different_values_are_counted(name: str, tmp_path: Path) -> None:
    table = {**COLUMNS, "x": [1, 1, 1, 0, 0, 0]}
    parquet.write_table(pa.table(table), tmp_path / "people.parquet")
    for frame in (table, tmp_path / "people.parquet"):
        db = Dataset(frame)
        assert db.distinct(name, epsilon=1).value == DIFFERENT[name]
        some = {COLUMNS[name][row] for row in range(3)} - {None}
        assert db.where("x = 1").distinct(name, epsilon=1).value == len(some)
        assert db.where("x = 2").distinct(name, epsilon=1).value == 0


@cases("name", COLUMNS)
@pytest.mark.usefixtures("exact")
def test_of_a_folder_each_value_is_counted_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts may lack values, and long decimals: what they hold is compared all the same."""
    monkeypatch.setattr(distinct, "_BATCH", 2)
    table = pa.table({name: COLUMNS[name]})
    for number, rows in enumerate([(0, 2), (2, 1), (3, 1), (4, 2), (0, 6), (5, 1)]):
        parquet.write_table(table.slice(*rows), tmp_path / f"{number}.parquet")
    assert Dataset(tmp_path).distinct(name, epsilon=1).value == DIFFERENT[name]


@pytest.mark.usefixtures("exact")
def test_of_a_person_with_several_rows_some_count() -> None:
    frame = {"person": np.arange(300) // 3, "x": np.arange(300)}
    db = Dataset(frame, unit=("person", 2))
    answer = Ask.parse("distinct:x").to(db, Cost.of(epsilon=1))
    assert (answer.value, answer.bound(0.95)) == (200, 6), "noise of two rows"
    assert db.sql("SELECT COUNT(DISTINCT x) AS n FROM data", epsilon=1).records()[0]["n"] == 200
    assert db.dry_run().distinct("x", epsilon=1).bound(0.95) == 6
