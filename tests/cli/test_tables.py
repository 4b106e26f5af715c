"""All tables of a file of reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import sudare as sd

Run = Callable[..., tuple[int, str, str]]
JOINT = sd.JointRR([4, 3, 2], epsilon=[1.0, 2.0, 1.0])
GIVEN = ("--columns", "a,b,c", "--sizes", "4,3,2", "--epsilon", "1,2,1")


@pytest.fixture
def reports() -> np.ndarray[Any, Any]:
    rows = np.random.default_rng(1).integers(0, (4, 3, 2), (2_000, 3))
    return JOINT.perturb(rows, rng=sd.Entropy.seeded(b"tables"))


@pytest.fixture(params=["csv", "parquet"])
def path(request: pytest.FixtureRequest, tmp_path: Path, reports: np.ndarray[Any, Any]) -> Path:
    table = pa.table({name: reports[:, i] for i, name in enumerate("abc")})
    out = tmp_path / f"reports.{request.param}"
    (csv.write_csv if request.param == "csv" else parquet.write_table)(table, out)
    return out


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_tables_are_those_of_python(
    sudare: Run, path: Path, tmp_path: Path, reports: np.ndarray[Any, Any], order: int
) -> None:
    out = tmp_path / "results"
    status, text, _ = sudare("tables", path, *GIVEN, "--order", order, "--out", out, "--json")
    assert status == 0
    data = json.loads(text)
    assert data["attribute_epsilons"] == list(JOINT.attribute_epsilons)
    assert data["epsilon"] == JOINT.epsilon
    written = parquet.read_table(out / "tables.parquet").to_pandas()
    expected = list(sd.joint_tables(JOINT, reports, order))
    assert len(data["tables"]) == len(expected)
    for number, table in enumerate(expected):
        mine = written[written["table"] == number]
        assert mine["cell"].tolist() == list(range(table.estimate.shares.size))
        assert mine["reports"].tolist() == table.counts.support.ravel().tolist()
        assert mine["share"].tolist() == table.estimate.shares.ravel().tolist()
        assert mine["stderr"].tolist() == table.estimate.stderr.ravel().tolist()
        assert data["tables"][number]["columns"] == ["abc"[i] for i in table.axes]
    assert len((out / "index.csv").read_text("utf-8").splitlines()) == len(expected) + 1
    assert json.loads((out / "manifest.json").read_text("utf-8"))["parameters"]["n"] == 2_000


def test_on_the_terminal(sudare: Run, path: Path) -> None:
    status, out, err = sudare("tables", path, *GIVEN)
    assert (status, err) == (0, "")
    assert "a × b" in out
    assert "3 tables of 2 columns, n = 2,000" in out
    assert "on each column alone: 0.99" in out


@pytest.mark.parametrize(
    "change",
    [
        {"--columns": "a,b"},
        {"--columns": "a,b,b"},
        {"--columns": "a,b,d"},
        {"--columns": "a,b,"},
        {"--sizes": "4,3"},
        {"--sizes": "4,3,x"},
        {"--sizes": "4,3,1"},
        {"--sizes": "4,3,-2"},
        {"--sizes": "4,2,2"},
        {"--epsilon": "1,2"},
        {"--epsilon": "0"},
        {"--epsilon": "nan,1,1"},
        {"--epsilon": "abc"},
        {"--order": "0"},
        {"--order": "4"},
        {"--order": "two"},
        {"--target": "people"},
    ],
    ids=str,
)
def test_bad_input(sudare: Run, path: Path, tmp_path: Path, change: dict[str, str]) -> None:
    given = dict(zip(GIVEN[::2], GIVEN[1::2], strict=True)) | change
    out = tmp_path / "results"
    options = [word for pair in given.items() for word in pair]
    status, text, err = sudare("tables", path, *options, "--out", out)
    assert (status, text) == (2, "")
    assert err.count("\n") == 1
    assert not out.exists() or not list(out.iterdir())


def test_a_foreign_cell_is_named_by_its_row(sudare: Run, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("a,b\n0,1\n1,0\n0,secret\n", "utf-8")
    given = ("--columns", "a,b", "--sizes", "2,2", "--epsilon", "1")
    status, _, err = sudare("tables", path, *given)
    assert status == 2
    assert "row 3" in err
    assert "secret" not in err
    path.write_text("a,b\n", "utf-8")
    assert sudare("tables", path, *given)[0] == 2
    assert sudare("tables", tmp_path / "none.csv", *given)[0] == 2


def test_an_impossible_order_is_refused_before_the_file_is_read(sudare: Run) -> None:
    status, _, err = sudare("tables", "no-such-file.csv", *GIVEN, "--order", "4")
    assert (status, "order" in err, "file" in err) == (2, True, False)
