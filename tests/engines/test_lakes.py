"""Tables of deltalake and pyiceberg: by their log, whichever way they are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sudare as sd
from sudare.engines import counts_from
from sudare.release import Dataset

pytestmark = pytest.mark.oracle

GRR = sd.GRR(5, 1.0)
ROWS = pa.table({"id": range(1000), "report": [one % 5 for one in range(1000)]})
LEFT = GRR.aggregate([one % 5 for one in range(100)])


def delta(folder: Path, *, vectors: bool = False) -> Any:
    """Return a table of 1000 rows of which 100 are left."""
    deltalake = pytest.importorskip("deltalake")
    set_to = {"delta.enableDeletionVectors": "true"} if vectors else None
    deltalake.write_deltalake(str(folder), ROWS, configuration=set_to)
    deltalake.DeltaTable(str(folder)).delete("id >= 100")
    return deltalake.DeltaTable(str(folder))


def iceberg(folder: Path) -> Any:
    """Return the same in Iceberg."""
    pytest.importorskip("pyiceberg")
    from pyiceberg.catalog.sql import SqlCatalog

    folder.mkdir()
    catalog = SqlCatalog("x", uri=f"sqlite:///{folder}/c.db", warehouse=folder.as_uri())
    catalog.create_namespace("n")
    table = catalog.create_table("n.people", schema=ROWS.schema)
    table.append(ROWS)
    table.delete("id >= 100")
    return table


@pytest.mark.parametrize("name", ["delta", "vectors", "iceberg", "iceberg scan"])
def test_rows_that_are_left_are_read(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "lake"
    table = iceberg(folder) if name.startswith("iceberg") else delta(folder, vectors=name[0] == "v")
    given = table.scan() if name == "iceberg scan" else table
    assert counts_from(given, GRR) == (LEFT,)
    for options in ({}, {"unit": ("id", 1)}, {"bounds": {"id": (0, 99)}, "outside": "refuse"}):
        db = Dataset(given, budget=9, rng=sd.Entropy.seeded(b"lake"), **options)
        assert db.held.rows == 100
        answer = db.histogram("report", list(range(5)), epsilon=5)
        assert sum(answer.value.values()) == pytest.approx(100, abs=15)
    for place in (folder, *folder.rglob("*.parquet")):
        for read in (
            lambda place=place: counts_from(place, GRR),
            lambda place=place: Dataset(place),
        ):
            with pytest.raises(sd.DomainError, match="whose log says which rows are left"):
                read()


def test_streams_of_today(tmp_path: Path) -> None:
    """What the page says of other versions of these packages."""
    table = delta(tmp_path / "delta")
    for given in (table.to_pyarrow_dataset(), table.to_pyarrow_dataset().scanner().to_reader(),
                  table.to_pyarrow_table()):  # fmt: skip
        assert counts_from(given, GRR) == (LEFT,)
    scan = iceberg(tmp_path / "iceberg").scan(row_filter="id < 50")
    for given in (scan, scan.to_arrow(), scan.to_arrow_batch_reader()):
        assert counts_from(given, GRR)[0].n == 50


def test_a_row_that_is_deleted_meanwhile_changes_no_open_data_set(tmp_path: Path) -> None:
    for table in (delta(tmp_path / "delta"), iceberg(tmp_path / "iceberg")):
        db = Dataset(table, budget=9, rng=sd.Entropy.seeded(b"lake"))
        table.delete("id >= 50")
        assert db.count("report", 0, epsilon=5).value == pytest.approx(20, abs=6)
        assert db.held.rows == 100
        assert Dataset(table).n == 50
